import type { Recording } from '@hustings/simulator';
import { leaseStore } from '../given/lease-store.js';
import type { Exercise } from '../grading/check.js';
import {
  allOf,
  type Candidate,
  inDrawnRuns,
  inRecordings,
  inSchedules,
  type Rules,
} from '../grading/runs.js';
import type { SketchState } from '../sketch.js';
import { readSketch } from './sketches.js';

type State = SketchState<object>;

/** A lease lasts a second, and whoever waits asks every 200 ms at the latest. */
const timing = { detectionMs: 1300, maxDelayMs: 50, settleMs: 5000, maxDriftRate: 0.02 };

const faults = [
  'crash',
  'restart',
  'pause',
  'isolate-from-coordinator',
  'slow-link',
  'loss',
  'duplicate',
  'reorder',
  'clock-drift',
  'stall',
] as const;

const oneLeader: Rules<State> = { promised: { atMostOneLeader: true, leased: true }, settles: false };
const oneLeaderInTheEnd: Rules<State> = { promised: { atMostOneLeader: true, leased: true } };

const run = (...lines: readonly string[]): string =>
  `nodes n1 n2 n3\nseed 4\nlatency 5 20\nrun 6000\n${lines.map((line) => `${line}\n`).join('')}`;

/** When it begins in the life of a lease decides what comes of it. */
const moments = Array.from({ length: 12 }, (_, index) => 2000 + 37 * index);

/** The leader sleeps while an answer is on its way to it, reads it when it wakes up, and is cut off then. */
const lateAnswers = moments.map((atMs) =>
  run(
    'at 1000 latency 40 49',
    `at ${atMs} pause leader until ${atMs + 600}`,
    `at ${atMs + 601} isolate-from-coordinator leader`,
  ),
);

/** Many nodes ask for the lease, so that one of them asks as soon as it is free. */
const driftingClocks = moments.slice(0, 5).map(
  (atMs) => `nodes n1 n2 n3 n4 n5 n6 n7 n8 n9 n10 n11 n12
seed 4
latency 1 2
run 4000
at 0 clock-drift coordinator 1.02
at 1000 clock-drift leader 0.98
at ${atMs} isolate-from-coordinator leader
`,
);

export const leaseGuardExercise: Exercise<Candidate<State>> = {
  id: '07-lease-with-a-guard',
  read: (submission, watch, facts) => readSketch(submission, watch, facts, timing, [leaseStore]),
  checks: {
    leads: inRecordings([run()], leadsThroughout),
    'takes-over': inRecordings([run('at 2000 crash leader')], (recording) => takesOver(recording, 2000)),
    'keeps-trying': inRecordings(
      [run('at 2000 isolate-from-coordinator leader until 2400'), run('at 2100 loss 0.7 until 2500')],
      leadsThroughout,
    ),
    'counts-from-asking': inSchedules(oneLeader, ...lateAnswers),
    guard: inSchedules(oneLeader, ...driftingClocks),
    'any-faults': allOf(
      inSchedules(oneLeader, ...lateAnswers, ...driftingClocks),
      inDrawnRuns(oneLeaderInTheEnd, { runs: 25, nodes: [2, 4], faults }),
    ),
  },
};

/** Somebody leads from the first second on, without a gap, and the others follow it. */
function leadsThroughout(recording: Recording<State>): string | null {
  const { tenures, nodes, events } = recording.facts;
  const [first, second] = tenures;
  if (first === undefined || first.beganMs > 1000) return 'Nobody leads within the first second.';
  if (first.endedMs !== null) return `${first.node} leads no longer at ${first.endedMs.toFixed(0)} ms.`;
  if (second !== undefined) return `${second.node} leads, too, at ${second.beganMs.toFixed(0)} ms.`;
  const astray = nodes.find(
    (id) => id !== first.node && recording.at(id, events.length - 1).belief.leaderId !== first.node,
  );
  return astray === undefined ? null : `${astray} does not follow ${first.node}.`;
}

function takesOver({ facts }: Recording<State>, atMs: number): string | null {
  const successor = facts.tenures.find(({ beganMs }) => beganMs > atMs);
  if (successor === undefined) return 'Nobody leads after the leader has crashed.';
  const tookMs = successor.beganMs - atMs;
  return tookMs <= 1500 ? null : `${successor.node} leads only ${tookMs.toFixed(0)} ms after the crash.`;
}
