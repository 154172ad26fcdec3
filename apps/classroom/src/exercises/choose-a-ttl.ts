import { withSubject } from '@hustings/catalogue';
import { parseSchedule, type Recording, record, type Schedule } from '@hustings/simulator';
import type { Check, Exercise } from '../grading/check.js';
import { tellRun } from '../grading/story.js';
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

const inRuns =
  (
    faultsAt: (atMs: number) => string,
    runMs: number,
    look: (recording: Recording, atMs: number) => string | null,
    seeds = 1,
  ): Check<Answer> =>
  (answer, draw) => {
    for (let run = 0; run < seeds * moments.length; run += 1) {
      const atMs = moments[run % moments.length]!;
      const seed = 1 + Math.floor(run / moments.length);
      const text = `nodes n1 n2 n3\nseed ${seed}\nlatency 5 40\nrun ${runMs}\n${faultsAt(atMs)}`;
      const recording = recordLease(answer, parseSchedule(text));
      const detail = look(recording, atMs);
      if (detail !== null)
        return draw.tells ? { detail, story: tellRun(recording, null, () => ({})) } : { detail };
    }
    return null;
  };

const seedsOfOneLeader = 5;

/** The real elector, on a store whose clock rules. */
function recordLease({ ttlMs, renewAfter, driftBound }: Answer, schedule: Schedule): Recording {
  const settings = { ttlMs, renewAfter, driftBound, requestTimeoutMs: 250, retryMs: [50, 100], marginMs: 0 };
  return withSubject(
    'lease',
    'default',
    (subject) => record(subject, { ...schedule, settings }) as Recording,
  );
}

function keepsItsLeader({ facts }: Recording): string | null {
  const [first, second] = facts.tenures;
  if (first === undefined) return 'Nobody leads.';
  if (second !== undefined) return `${first.node} loses the leadership at ${first.endedMs?.toFixed(0)} ms.`;
  return first.endedMs === null ? null : `${first.node} leads no longer at ${first.endedMs.toFixed(0)} ms.`;
}

function isReplaced({ facts }: Recording, atMs: number): string | null {
  const successor = facts.tenures.find(({ beganMs }) => beganMs > atMs);
  if (successor === undefined) return `Nobody leads for ${(facts.endMs - atMs).toFixed(0)} ms and longer.`;
  const tookMs = successor.beganMs - atMs;
  return tookMs <= failoverBudgetMs ? null : `${successor.node} leads only ${tookMs.toFixed(0)} ms later.`;
}

function hasOneLeader({ facts }: Recording): string | null {
  const overlap = facts.reigns.find(({ tenures }) => tenures.length > 1);
  if (overlap === undefined) return facts.tenures.length < 2 ? 'Nobody ever took over.' : null;
  const [first, second] = overlap.tenures.map((index) => facts.tenures[index]!.node);
  return `${first} and ${second} both lead at ${overlap.fromMs.toFixed(0)} ms, for ${(overlap.untilMs - overlap.fromMs).toFixed(1)} ms.`;
}

function asksSeldom({ facts }: Recording): string | null {
  const { flights, nodes, endMs } = facts;
  const requests = flights.filter(({ from }) => nodes.includes(from)).length;
  const perSecond = (1000 * requests) / endMs / nodes.length;
  return perSecond <= mostRequestsPerSecond
    ? null
    : `A node sends ${perSecond.toFixed(1)} requests a second.`;
}

export const chooseTtlExercise: Exercise<Answer> = {
  id: '03-choose-a-ttl',
  read: ({ text }) => readNumbers(text),
  checks: {
    failover: inRuns((atMs) => `at ${atMs} crash leader\n`, 16_000, isReplaced),
    pause: inRuns(
      (atMs) => `at ${atMs} pause leader until ${atMs + longestPauseMs}\n`,
      12_000,
      keepsItsLeader,
    ),
    outage: inRuns(
      (atMs) => `at ${atMs} isolate-from-coordinator leader until ${atMs + longestOutageMs}\n`,
      12_000,
      keepsItsLeader,
    ),
    'one-leader': inRuns(
      (atMs) =>
        `at 0 clock-drift coordinator 1.02\nat 4000 clock-drift leader 0.98\nat ${atMs} isolate-from-coordinator leader\n`,
      90_000,
      hasOneLeader,
      // How late the store hears of a renewal hides some of what the clocks do.
      seedsOfOneLeader,
    ),
    'few-requests': inRuns(() => '', 30_000, asksSeldom),
  },
};
