import { type BullyState, bully, invariants } from '@hustings/bully';
import { parseSchedule, record, type Subject } from '@hustings/simulator';
import type { Write } from '../../exercises/04-fence-a-store/types.js';
import type { Check, Draw, Exercise, Finding, Watch } from '../grading/check.js';
import { slips } from '../slips.js';

interface Store {
  write(write: Write): boolean;
  read(key: string): string | undefined;
}

/** A store with nothing in it. */
type Answer = () => Store;

interface Attempt {
  readonly write: Write;
  readonly taken: boolean;
  /** Why. */
  readonly because: string;
}

const attempt = (
  token: bigint,
  holder: string,
  key: string,
  value: string,
  taken: boolean,
  because: string,
): Attempt => ({
  write: { token, holder, key, value },
  taken,
  because,
});

/** Each case in a store of its own: every verdict must be right, and what is read, too. */
const inCases =
  (...cases: readonly (readonly Attempt[])[]): Check<Answer> =>
  (open) => {
    for (const attempts of cases) {
      const finding = firstMistake(open(), attempts);
      if (finding !== null) return finding;
    }
    return null;
  };

function firstMistake(store: Store, attempts: readonly Attempt[]): Finding | null {
  const values = new Map<string, string>();
  const told: string[] = [];
  for (const { write, taken, because } of attempts) {
    const verdict = store.write(write);
    told.push(
      `${tellWrite(write)} => ${verdict === true ? 'taken' : verdict === false ? 'refused' : String(verdict)}`,
    );
    if (taken) values.set(write.key, write.value);
    if (typeof verdict !== 'boolean') {
      const detail = `write() returned ${tellValue(verdict)}. It returns true for a write that was taken, and false for one that was refused.`;
      return { detail, story: lines(told) };
    }
    if (verdict !== taken) {
      return {
        detail: `It should have been ${taken ? 'taken' : 'refused'}: ${because}.`,
        story: lines(told),
      };
    }
    const found = store.read(write.key);
    if (found !== values.get(write.key)) {
      const wanted = values.get(write.key);
      told.push(`read('${write.key}') => ${tellValue(found)}`);
      return { detail: `read('${write.key}') should give ${tellValue(wanted)}.`, story: lines(told) };
    }
  }
  return null;
}

const tellValue = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));
const tellWrite = ({ token, holder, key, value }: Write): string =>
  `${holder} writes ${key} = ${value} with token ${token}`;

const mostLines = 20;
const lines = (told: readonly string[]): string => {
  const count = told.length - mostLines;
  const left = count > 0 ? [`… ${count} ${count === 1 ? 'write' : 'writes'} before`] : [];
  return [...left, ...told.slice(-mostLines)].map((line) => `  ${line}\n`).join('');
};

const lowerComes = 'a leader with a higher token has written';
const another = 'the token belongs to another process';

/** As it might arrive over a wire. */
const noTokens: readonly unknown[] = [Number.NaN, undefined, '9', 9];

function keepsOutNoTokens(open: Answer): Finding | null {
  for (const token of noTokens) {
    const store = open();
    store.write({ token: 5n, holder: 'n1', key: 'a', value: 'first' });
    const isTaken = tries(store, { token: token as bigint, holder: 'n9', key: 'a', value: 'wrong' });
    const story = lines([
      'n1 writes a = first with token 5',
      `n9 writes a = wrong with token ${tellValue(token)}, a ${typeof token}`,
    ]);
    if (isTaken || store.read('a') !== 'first') return { detail: 'It was taken.', story };
    if (store.write({ token: 4n, holder: 'n2', key: 'a', value: 'late' })) {
      return { detail: 'After that, a write with token 4 was taken.', story };
    }
  }
  return null;
}

function tries(store: Store, write: Write): boolean {
  try {
    return store.write(write);
  } catch {
    return false;
  }
}

/** Bully, because two of its leaders may hold one token. */
const bullySubject: Subject<BullyState> = {
  protocol: bully(),
  invariants,
  timing: { detectionMs: 300, maxDelayMs: 50, settleMs: 1800 },
};

const schedules = (draw: Draw): readonly string[] =>
  [0, 1].flatMap((index) => {
    const seed = Math.abs(draw.seed(index)) % 1000;
    const head = `nodes n1 n2 n3\nseed ${seed}\nlatency 1 10\nrun 4000\n`;
    // On both sides of the last one, a leader is elected with the same token.
    const four = head.replace('n3', 'n3 n4');
    return [
      `${head}at 1000 split n3 until 2500\n`,
      `${four}at 1000 crash n4\nat 1000 split n1 n2 until 2500\n`,
      `${head}at 1000 pause leader until 2000\nat 2600 isolate n2 until 3200\n`,
    ];
  });

const holdsUpInElections: Check<Answer> = (open, draw) => {
  for (const text of schedules(draw)) {
    const { writes, tenures } = record(bullySubject, parseSchedule(text), {
      writer: { everyMs: 40, workMs: 8 },
    }).facts;
    const attempts = writes.map(({ node, token, tenure, refusal }, index) =>
      attempt(
        token,
        `${node}#${tenures[tenure]!.incarnation}`,
        index % 2 === 0 ? 'a' : 'b',
        `v${index}`,
        refusal === null,
        refusal?.replace(/\.$/, '') ?? 'nobody newer has written',
      ),
    );
    const finding = firstMistake(open(), attempts);
    if (finding !== null) return finding;
  }
  return null;
};

export const fenceExercise: Exercise<Answer> = {
  id: '04-fence-a-store',
  read({ exports }, watch) {
    const { Store } = exports as { readonly Store?: new () => Store };
    if (typeof Store !== 'function') throw slips.noExport("export a class 'Store'");
    return () => watched(new Store(), watch);
  },
  checks: {
    'takes-writes': inCases([
      attempt(1n, 'n1', 'a', 'x', true, 'nobody else writes'),
      attempt(1n, 'n1', 'a', 'y', true, 'it is the same leader'),
      attempt(7n, 'n2', 'b', 'z', true, 'the token is higher'),
    ]),
    'refuses-lower': inCases(
      [
        attempt(5n, 'n2', 'a', 'new', true, 'it is the first'),
        attempt(4n, 'n1', 'a', 'late', false, lowerComes),
        attempt(3n, 'n3', 'a', 'later', false, lowerComes),
      ],
      [
        attempt(10n, 'n2', 'a', 'new', true, 'it is the first'),
        attempt(9n, 'n1', 'a', 'late', false, lowerComes),
      ],
      [
        attempt(5n, 'n2', 'a', 'new', true, 'it is the first'),
        attempt(2n, 'n1', 'a', 'late', false, lowerComes),
        attempt(3n, 'n1', 'a', 'late', false, lowerComes),
      ],
    ),
    'all-keys': inCases([
      attempt(5n, 'n2', 'a', 'new', true, 'it is the first'),
      attempt(4n, 'n1', 'b', 'late', false, lowerComes),
    ]),
    'one-holder': inCases([
      attempt(5n, 'n1', 'a', 'x', true, 'it is the first'),
      attempt(5n, 'n2', 'a', 'y', false, another),
      attempt(5n, 'n1', 'a', 'z', true, 'the token is its own'),
    ]),
    exact: inCases(
      [
        attempt(2n ** 60n + 1n, 'n2', 'a', 'new', true, 'it is the first'),
        attempt(2n ** 60n, 'n1', 'a', 'late', false, lowerComes),
      ],
      [
        attempt(0n, 'n1', 'a', 'x', true, '0 is a token like any other'),
        attempt(7n, 'n2', 'b', 'y', true, 'the token is higher'),
      ],
    ),
    'refusal-is-nothing': inCases(
      [
        attempt(5n, 'n2', 'a', 'x', true, 'it is the first'),
        attempt(4n, 'n1', 'a', 'y', false, lowerComes),
        attempt(5n, 'n2', 'a', 'z', true, 'the token is its own'),
      ],
      [
        attempt(5n, 'n1', 'a', 'x', true, 'it is the first'),
        attempt(5n, 'n2', 'a', 'y', false, another),
        attempt(5n, 'n2', 'a', 'y', false, another),
        attempt(5n, 'n1', 'a', 'z', true, 'the token is its own'),
      ],
    ),
    'no-token': keepsOutNoTokens,
    'real-leaders': holdsUpInElections,
  },
};

function watched(store: Store, watch: Watch): Store {
  return {
    write(write) {
      watch(() => `the store was given the write of ${write.holder} with token ${String(write.token)}`);
      return store.write(write);
    },
    read(key) {
      watch(() => `the store was asked for '${key}'`);
      return store.read(key);
    },
  };
}
