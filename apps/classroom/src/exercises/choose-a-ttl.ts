import { withSubject } from '@hustings/catalogue';
import { parseSchedule, type Recording, record, type Schedule } from '@hustings/simulator';
import type { Check, Exercise } from '../grading/check.js';
import { allOf, type Mistake, toldFinding } from '../grading/runs.js';
import { Slip } from '../slips.js';

interface Answer {
  readonly ttlMs: number;
  readonly renewAfter: number;
  readonly driftBound: number;
}

/** What the numbers may be, so that each makes sense by itself. */
const bounds: Readonly<Record<keyof Answer, readonly [min: number, max: number]>> = {
  ttlMs: [200, 60_000],
  renewAfter: [0.05, 0.95],
  driftBound: [0, 0.2],
};

/** What the README promises. */
const failoverBudgetMs = 4000;
const mostRequestsPerSecond = 1;
const longestPauseMs = 800;
const longestOutageMs = 1500;

function readNumbers(text: string): Answer {
  const lines = text.replace(/#.*/g, '').split('\n');
  const read = (name: keyof Answer): number => {
    const words = lines.map((line) => line.trim().split(/[\s=:]+/)).find(([first]) => first === name);
    const value = Number(words?.[1]);
    const [min, max] = bounds[name];
    if (words?.[1] !== undefined && value >= min && value <= max) return value;
    throw new Slip('no-export', `There should be a line '${name} …' with a number from ${min} to ${max}.`);
  };
  return { ttlMs: read('ttlMs'), renewAfter: read('renewAfter'), driftBound: read('driftBound') };
}

/** Where in the life of a lease something happens decides what comes of it: it happens at many moments. */
const moments = [5000, 5250, 5500, 5750, 6000, 6333, 6666];

/** Longer than any lease that passes 'failover', which the other checks wait for, and the time to take it over. */
const runMs = 16_000;

const inRun = (
  schedule: string,
  seed: number,
  look: (recording: Recording) => Mistake | null,
): Check<Answer> => {
  const parsed = parseSchedule(`nodes n1 n2 n3\nseed ${seed}\nlatency 5 40\n${schedule}`);
  return (answer, draw) => {
    const recording = recordLease(answer, parsed);
    const mistake = look(recording);
    if (mistake === null) return null;
    if (!draw.tells) return { detail: mistake.detail };
    return { ...toldFinding(recording, mistake, () => ({})), algorithm: 'lease' };
  };
};

const inRuns = (
  faultsAt: (atMs: number) => string,
  look: (recording: Recording, atMs: number) => Mistake | null,
  seeds: readonly number[] = [1],
): Check<Answer> => {
  const runs = seeds.flatMap((seed) => moments.map((atMs) => ({ seed, atMs })));
  return allOf(
    ...runs.map(({ seed, atMs }) =>
      inRun(`run ${runMs}\n${faultsAt(atMs)}`, seed, (recording) => look(recording, atMs)),
    ),
  );
};

/** The real elector, on a store whose clock rules. */
function recordLease({ ttlMs, renewAfter, driftBound }: Answer, schedule: Schedule): Recording {
  const settings = { ttlMs, renewAfter, driftBound, requestTimeoutMs: 250, retryMs: [50, 100], marginMs: 0 };
  return withSubject(
    'lease',
    'default',
    (subject) => record(subject, { ...schedule, settings }) as Recording,
  );
}

function keepsItsLeader({ facts }: Recording): Mistake | null {
  const [first] = facts.tenures;
  if (first === undefined) return { detail: 'Nobody leads.', atMs: facts.endMs };
  const { node, endedMs } = first;
  if (endedMs === null) return null;
  return { detail: `${node} loses the leadership at ${endedMs.toFixed(0)} ms.`, atMs: endedMs };
}

function isReplaced({ facts }: Recording, atMs: number): Mistake | null {
  const { tenures, endMs } = facts;
  const successor = tenures.find(({ beganMs }) => beganMs > atMs);
  if (successor === undefined)
    return { detail: `Nobody leads for ${(endMs - atMs).toFixed(0)} ms and longer.`, atMs: endMs };
  const { node, beganMs } = successor;
  const tookMs = beganMs - atMs;
  if (tookMs <= failoverBudgetMs) return null;
  return { detail: `${node} leads only ${tookMs.toFixed(0)} ms later.`, atMs: beganMs };
}

function hasOneLeader({ facts }: Recording): Mistake | null {
  const { reigns, tenures, endMs } = facts;
  const overlap = reigns.find((reign) => reign.tenures.length > 1);
  if (overlap === undefined)
    return tenures.length < 2 ? { detail: 'Nobody ever took over.', atMs: endMs } : null;
  const { fromMs, untilMs } = overlap;
  const [first, second] = overlap.tenures.map((index) => tenures[index]!.node);
  const forMs = (untilMs - fromMs).toFixed(1);
  return {
    detail: `${first} and ${second} both lead at ${fromMs.toFixed(0)} ms, for ${forMs} ms.`,
    atMs: fromMs,
  };
}

/** By then, every node knows who leads. */
const settledMs = 2000;

/** How often each node asks, from one request to the next: what it asks when it starts is not counted. */
function asksSeldom({ facts }: Recording): Mistake | null {
  const { flights, nodes, endMs } = facts;
  for (const node of nodes) {
    const sentMs = flights.filter(({ from }) => from === node).map((flight) => flight.sentMs);
    const times = sentMs.filter((atMs) => atMs >= settledMs);
    const perSecond = ((1000 * (times.length - 1)) / (times.at(-1)! - times[0]!)).toFixed(2);
    if (Number(perSecond) > mostRequestsPerSecond)
      return { detail: `${node} sends ${perSecond} requests a second.`, atMs: endMs };
  }
  return null;
}

export const chooseTtlExercise: Exercise<Answer> = {
  id: '03-choose-a-ttl',
  read: ({ text }) => readNumbers(text),
  checks: {
    failover: inRuns((atMs) => `at ${atMs} crash leader\n`, isReplaced),
    pause: inRuns((atMs) => `at ${atMs} pause leader until ${atMs + longestPauseMs}\n`, keepsItsLeader),
    outage: inRuns(
      (atMs) => `at ${atMs} isolate-from-coordinator leader until ${atMs + longestOutageMs}\n`,
      keepsItsLeader,
    ),
    'one-leader': inRuns(
      (atMs) =>
        `at 0 clock-drift coordinator 1.02\nat 4000 clock-drift leader 0.98\nat ${atMs} isolate-from-coordinator leader\n`,
      hasOneLeader,
      // How late the store hears of a renewal hides some of what the clocks do.
      [1, 2, 3, 4, 5],
    ),
    'few-requests': inRun('run 30000\n', 1, asksSeldom),
  },
};
