import { Random } from '@hustings/simulator';
import type { Leadership, Store } from '../../exercises/06-gc-pause/types.js';
import type { Check, Exercise, Finding, Watch } from '../grading/check.js';
import { isThenable } from '../sketch.js';
import { Slip, slips } from '../slips.js';

interface Answer {
  begin(leadership: Leadership, store: Store): boolean;
  payInterest(leadership: Leadership, store: Store): boolean;
}

const interest = 10;

/** No work takes a tenth of it. */
const endlessCalls = 10_000;

/** The store, what was done to it, and what happens in the pauses. */
class Bank {
  balance = 0;
  /** What came of it, as lines. */
  readonly told: string[] = [];
  /** Called before each call of the store: the moment at which a process may stand still. */
  pause: (caller: bigint, call: number) => void = () => {};
  #fence = 0n;
  readonly #calls = new Map<bigint, number>();

  storeFor(token: bigint): Store {
    const called = <Result>(name: string, act: () => Result): Result => {
      const call = (this.#calls.get(token) ?? 0) + 1;
      this.#calls.set(token, call);
      if (call > endlessCalls) throw slips.endlessCalls('the store');
      this.pause(token, call);
      const result = act();
      this.told.push(`leader ${token}  ${name} => ${result === undefined ? 'done' : result}`);
      return result;
    };
    return {
      read: () => called('read()', () => this.balance),
      write: (balance) => called(`write(${balance})`, () => this.#set(balance)),
      writeFenced: (shown, balance) =>
        called(
          `writeFenced(${shown}n, ${balance})`,
          () => this.#admits(shown) && this.#set(balance) === undefined,
        ),
      raiseFence: (shown) => called(`raiseFence(${shown}n)`, () => this.#admits(shown)),
    };
  }

  #set(balance: number): void {
    if (typeof balance !== 'number' || Number.isNaN(balance))
      throw slips.notPlainData('The balance', String(balance));
    this.balance = balance;
  }

  #admits(token: bigint): boolean {
    if (typeof token !== 'bigint') throw slips.numberToken(token);
    if (token < this.#fence) return false;
    this.#fence = token;
    return true;
  }
}

/** One leader: its calls, and whether it knows that it leads. */
class Leader implements Leadership {
  readonly token: bigint;
  readonly #answer: Answer;
  readonly #bank: Bank;
  hasLost = false;
  /** How often it said that it had paid. */
  paid = 0;

  constructor(token: bigint, answer: Answer, bank: Bank) {
    this.token = token;
    this.#answer = answer;
    this.#bank = bank;
  }

  /** A field, so that it can be taken out and called by itself. */
  readonly assertValid = (): void => {
    if (this.hasLost) throw new Error('LeadershipLostError: this node leads no longer.');
  };

  begin(): boolean {
    return this.#tell('begin()', () => this.#answer.begin(this, this.#bank.storeFor(this.token)));
  }

  pay(): boolean {
    const isPaid = this.#tell('payInterest()', () =>
      this.#answer.payInterest(this, this.#bank.storeFor(this.token)),
    );
    if (isPaid) this.paid += 1;
    return isPaid;
  }

  /** An error that says that it leads no longer is as good as false. */
  #tell(name: string, act: () => boolean): boolean {
    let result: unknown;
    try {
      result = act();
    } catch (error) {
      if (!this.hasLost) throw error;
      result = false;
    }
    this.#bank.told.push(`leader ${this.token}  ${name} returns ${result}`);
    return result === true;
  }
}

const finding = (detail: string, { told, balance }: Bank): Finding => ({
  detail,
  story: [...told.slice(-24), `the balance is ${balance}`].map((line) => `  ${line}\n`).join(''),
});

function opened(answer: Answer): { bank: Bank; first: Leader; second: Leader } {
  const bank = new Bank();
  return { bank, first: new Leader(1n, answer, bank), second: new Leader(2n, answer, bank) };
}

/** Once, before this call of this leader. */
function pauseBefore(bank: Bank, caller: bigint, call: number, meanwhile: () => unknown): void {
  let isOver = false;
  bank.pause = (token, number) => {
    if (isOver || token !== caller || number !== call) return;
    isOver = true;
    bank.told.push(`leader ${caller}  stands still`);
    meanwhile();
    bank.told.push(`leader ${caller}  goes on, and does not know that time has passed`);
  };
}

const pays: Check<Answer> = (answer) => {
  const { bank, first } = opened(answer);
  if (!first.begin()) return finding('begin() does not return true, although nobody else leads.', bank);
  for (const expected of [interest, 2 * interest]) {
    if (!first.pay()) return finding('payInterest() does not return true, although nobody else leads.', bank);
    if (bank.balance !== expected) return finding(`The balance should be ${expected}.`, bank);
  }
  return null;
};

/** At most so many calls has a piece of work. */
const mostCalls = 8;

/** Leader 1 stands still before each call of its payment in turn, while leader 2 does this. */
const whilePaying =
  (meanwhile: (second: Leader) => boolean, sentence: string): Check<Answer> =>
  (answer) => {
    for (let call = 1; call <= mostCalls; call += 1) {
      const { bank, first, second } = opened(answer);
      first.begin();
      let isReached = false;
      pauseBefore(bank, 1n, callsOf(answer) + call, () => {
        isReached = meanwhile(second);
      });
      const isPaid = first.pay();
      if (isReached && (isPaid || bank.balance !== interest * second.paid)) return finding(sentence, bank);
    }
    return null;
  };

/** Leader 1 stands still before it has asked anybody anything, and leader 2 leads and pays. */
const beginsLate: Check<Answer> = (answer) => {
  const { bank, first, second } = opened(answer);
  if (callsOf(answer) === 0) return finding('begin() asks the store nothing, and so cannot know.', bank);
  pauseBefore(bank, 1n, 1, () => second.begin() && second.pay());
  if (first.begin()) return finding('begin() of leader 1 returns true, although leader 2 has begun.', bank);
  return bank.balance === interest ? null : finding(`The balance should be ${interest}.`, bank);
};

/** How many calls of the store its beginning makes. */
function callsOf(answer: Answer): number {
  const { bank, first } = opened(answer);
  let calls = 0;
  bank.pause = (_, call) => {
    calls = call;
  };
  first.begin();
  return calls;
}

const knowsThatItLost: Check<Answer> = (answer) => {
  const { bank, first } = opened(answer);
  first.begin();
  first.hasLost = true;
  if (first.pay())
    return finding('payInterest() returns true, although assertValid() would have thrown.', bank);
  return bank.balance === 0 ? null : finding('It has written.', bank);
};

/** Now one leader works and now the other, and in the pauses of the one the other does whole pieces of work. */
const anyPause: Check<Answer> = (answer, draw) => {
  for (let index = 0; index < 200; index += 1) {
    const { bank, first, second } = opened(answer);
    const expected = interest * workInTurns(new Random(draw.seed(index)), bank, [first, second]);
    if (bank.balance !== expected) return finding(`The balance should be ${expected}.`, bank);
  }
  return null;
};

/** How often they said that they had paid. */
function workInTurns(random: Random, bank: Bank, leaders: readonly [Leader, Leader]): number {
  const state = new Map(leaders.map((leader) => [leader, 'new' as 'new' | 'leads' | 'over']));
  const work = (leader: Leader): void => {
    if (state.get(leader) === 'over') return;
    const goesOn = state.get(leader) === 'new' ? leader.begin() : leader.pay();
    state.set(leader, goesOn ? 'leads' : 'over');
  };
  let isPaused = false;
  bank.pause = (token) => {
    if (isPaused || !random.chance(0.3)) return;
    isPaused = true;
    const other = token === 1n ? leaders[1] : leaders[0];
    bank.told.push(`leader ${token}  stands still`);
    // The second is elected after the first: it does not begin while the first has not.
    if (token === 1n || state.get(other) !== 'new')
      for (let works = random.integer(1, 3); works > 0; works -= 1) work(other);
    bank.told.push(`leader ${token}  goes on, and does not know that time has passed`);
    isPaused = false;
  };
  work(leaders[0]);
  for (let works = 0; works < 8; works += 1) work(random.pick(leaders));
  return leaders[0].paid + leaders[1].paid;
}

export const gcPauseExercise: Exercise<Answer> = {
  id: '06-gc-pause',
  read({ exports }, watch) {
    const { begin, payInterest } = exports as Partial<Answer>;
    if (typeof begin !== 'function' || typeof payInterest !== 'function') {
      throw slips.noExport("export the functions 'begin' and 'payInterest'");
    }
    return watched({ begin, payInterest }, watch);
  },
  checks: {
    pays,
    'no-stale-write': whilePaying(
      (second) => second.begin() && second.pay(),
      'Leader 1 was late, and its write did harm or was reported as done.',
    ),
    'fence-first': whilePaying(
      (second) => second.begin(),
      'Leader 2 had begun, and leader 1 changed the balance after that.',
    ),
    'late-beginner': beginsLate,
    'lost-leadership': knowsThatItLost,
    'any-pause': anyPause,
  },
};

function watched({ begin, payInterest }: Answer, watch: Watch): Answer {
  return {
    begin(leadership, store) {
      watch(() => `begin() was called for leader ${leadership.token}`);
      return decided('begin()', begin(leadership, store));
    },
    payInterest(leadership, store) {
      watch(() => `payInterest() was called for leader ${leadership.token}`);
      return decided('payInterest()', payInterest(leadership, store));
    },
  };
}

function decided(name: string, result: unknown): boolean {
  if (isThenable(result)) throw slips.asyncStep(name);
  if (typeof result === 'boolean') return result;
  throw new Slip(
    'missing-return',
    `${name} returned ${String(result)}. Every way through it ends with return true or return false.`,
  );
}
