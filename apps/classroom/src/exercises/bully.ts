import type { Recording } from '@hustings/simulator';
import type { Exercise } from '../grading/check.js';
import { onlyTheStrongest, strongestAtTheEnd, strongestInTheEnd, tokensGrow } from '../grading/leaders.js';
import { type Candidate, inDrawnRuns, inRecordings, type Mistake, type Rules } from '../grading/runs.js';
import type { SketchState } from '../sketch.js';
import { readSketch } from './sketches.js';

type State = SketchState<object>;

/** Generous: an election of the starter's settings takes 100 ms, and a second one as long again. */
const timing = { detectionMs: 300, maxDelayMs: 50, settleMs: 1800 };

const strongest: Rules<State> = { invariants: strongestInTheEnd() };

/** Even latencies repeat themselves where the algorithm does, and stories fold what repeats. */
const quiet = (size: number, latency = '1 20'): string => {
  const nodes = Array.from({ length: size }, (_, index) => `n${index + 1}`).join(' ');
  return `nodes ${nodes}\nseed 1\nlatency ${latency}\nrun 2000\n`;
};

const leaderCrashes = `nodes n1 n2 n3 n4 n5
seed 2
latency 1 10
run 4000
at 1000 crash n5
`;

const twoCrash = `nodes n1 n2 n3 n4 n5
seed 4
latency 1 40
run 5000
at 1000 crash n5
at 1000 crash n4
at 2500 crash n3
`;

const leaderReturns = `nodes n1 n2 n3
seed 2
latency 1 10
run 5000
at 1000 crash n3 until 2000
`;

const allCrash = `nodes n1 n2 n3
seed 3
latency 1 10
run 5000
at 1500 crash n1 until 1600
at 1500 crash n2 until 1600
at 1500 crash n3 until 1600
`;

/** n1 notices first that n3 has died; n2 answers it, dies as well, and announces nobody. */
const helperDies = `nodes n1 n2 n3
seed 5
latency 1 5
run 4000
at 1000 crash n3
at 1001 fire n1 leader
at 1040 crash n2
`;

/** As many as bully needs in the worst case, and a few that were sent twice. */
const mostElectionMessages = 40;

export const bullyExercise: Exercise<Candidate<State>> = {
  id: '05-bully',
  read: (submission, watch, facts) => readSketch(submission, watch, facts, timing),
  checks: {
    elects: inRecordings([quiet(2, '5'), quiet(3), quiet(5), quiet(1)], strongestAtTheEnd),
    'nobody-else': inRecordings([quiet(3), quiet(5)], onlyTheStrongest),
    'eleven-nodes': inRecordings([quiet(11)], strongestAtTheEnd),
    'leader-crashes': inRecordings([leaderCrashes, twoCrash], strongestAtTheEnd),
    'leader-returns': inRecordings([leaderReturns], strongestAtTheEnd),
    'helper-dies': inRecordings([helperDies], strongestAtTheEnd),
    'tokens-grow': inRecordings([allCrash, leaderReturns], tokensGrow),
    quiet: inRecordings([quiet(5)], (recording) => announces(recording) ?? isQuiet(recording)),
    'any-faults': inDrawnRuns(strongest, {
      runs: 40,
      nodes: [3, 5],
      faults: ['crash', 'restart', 'pause', 'slow-link', 'loss', 'duplicate', 'reorder'],
    }),
  },
};

/** A leader tells everyone at once, and not by its first heartbeat. */
function announces({ facts }: Recording<State>): Mistake | null {
  const [first] = facts.tenures;
  if (first === undefined) return null;
  const told = facts.flights
    .filter(({ from, message }) => from === first.node && message.type === 'coordinator')
    .filter(({ sentMs }) => sentMs < first.beganMs + timing.maxDelayMs)
    .map(({ to }) => to);
  const missed = facts.nodes.find((id) => id !== first.node && !told.includes(id));
  if (missed === undefined) return null;
  const detail = `${first.node} leads at ${first.beganMs.toFixed(1)} ms, and does not send ${missed} COORDINATOR.`;
  return { detail, atMs: first.beganMs };
}

function isQuiet({ facts }: Recording<State>): string | Mistake | null {
  const { flights, periodicMessages, tenures } = facts;
  const others = flights.filter(({ message }) => !periodicMessages.has(message.type));
  const ledMs = tenures[0]?.beganMs ?? Number.POSITIVE_INFINITY;
  const late = others.find(({ sentMs }) => sentMs > ledMs + 2 * timing.maxDelayMs);
  if (late !== undefined) {
    const { from, to, sentMs, message } = late;
    const detail = `${from} sends ${message.type.toUpperCase()} to ${to} at ${sentMs.toFixed(1)} ms, although there is a leader since ${ledMs.toFixed(1)} ms.`;
    return { detail, atMs: sentMs };
  }
  return others.length <= mostElectionMessages
    ? null
    : `${others.length} messages were sent beside heartbeats.`;
}
