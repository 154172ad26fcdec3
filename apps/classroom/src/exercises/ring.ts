import type { NodeId } from '@hustings/elector';
import type { Recording } from '@hustings/simulator';
import { leaderTimeoutMs, type RingState } from '../../exercises/11-ring/types.js';
import {
  falling,
  messagesIfAllCall,
  messagesIfOneCalls,
  mixed,
  type Order,
  type RingStep,
  ringWith,
  rising,
} from '../given/ring.js';
import type { Check, Exercise, ExerciseFacts, Watch } from '../grading/check.js';
import { onlyTheStrongest, strongestAtTheEnd, strongestInTheEnd } from '../grading/leaders.js';
import { allOf, type Candidate, inDrawnRuns, inRecordings, type Rules } from '../grading/runs.js';
import { guarded } from '../guard.js';
import { slips } from '../slips.js';

const timing = { detectionMs: 1000, maxDelayMs: 50, settleMs: 3000 };

interface Ring extends Candidate<RingState> {
  /** The same nodes, standing in another order. */
  inOrder(order: Order): Candidate<RingState>;
  fewestMessages(nodes: number): number;
  mostMessages(nodes: number): number;
}

const namesOf = (size: number): NodeId[] => Array.from({ length: size }, (_, index) => `n${index + 1}`);

/** These call an election at the same moment; with even latencies, all is over before another timer fires. */
const calls = ({ size, callers, afterwards }: Trial): string =>
  [
    `nodes ${namesOf(size).join(' ')}`,
    'seed 1',
    'latency 5',
    'run 2000',
    ...callers.map((caller) => `at 50 fire ${caller} leader`),
    ...(afterwards === undefined ? [] : [`at 58 fire ${afterwards} leader`]),
    '',
  ].join('\n');

interface Trial {
  readonly order: Order;
  readonly size: number;
  readonly callers: readonly NodeId[];
  /** Its timer fires when the candidate has just passed it. */
  readonly afterwards?: NodeId;
}

type Look = (recording: Recording<RingState>, trial: Trial) => string | null;

/** Of all trials, the first that goes wrong. The playground knows one order only, so that there is no link. */
const inTrials =
  (look: Look, ...trials: readonly Trial[]): Check<Ring> =>
  async (ring, draw) => {
    for (const trial of trials) {
      const check = inRecordings<RingState>([calls(trial)], (recording) => look(recording, trial));
      const finding = await check(ring.inOrder(trial.order), draw);
      if (finding === null) continue;
      const { detail, story } = finding;
      return { detail: `${tellTrial(trial)} ${detail}`, ...(story !== undefined && { story }) };
    }
    return null;
  };

function tellTrial({ order, size, callers, afterwards }: Trial): string {
  const ring = order(namesOf(size));
  const who = callers.length === size ? 'all call' : `${callers.join(' and ')} calls`;
  const then =
    afterwards === undefined ? '' : `, and then the timer of ${afterwards} fires, which has passed it on`;
  return `In the ring ${[...ring, ring[0]].join(' → ')}, where ${who} an election${then}:`;
}

const orders = [rising, falling, mixed];
const oneCaller = (size: number): Trial[] =>
  orders.flatMap((order) => namesOf(size).map((caller) => ({ order, size, callers: [caller] })));
const allCallers = (size: number): Trial[] =>
  orders.map((order) => ({ order, size, callers: namesOf(size) }));

const needs: Look = ({ facts }, { order, size, callers }) => {
  const ring = order(namesOf(size));
  const needed = callers.length === size ? messagesIfAllCall(ring) : messagesIfOneCalls(ring, callers[0]!);
  const sent = facts.flights.length;
  return sent === needed ? null : `${sent} messages are sent, where ${needed} are needed.`;
};

const elected: Look = (recording) => onlyTheStrongest(recording) ?? strongestAtTheEnd(recording);

/** The leader is known, and an ELECTION arrives all the same. */
function ignoresLateElections({ protocol }: Ring): ReturnType<Check<Ring>> {
  for (const participant of [false, true]) {
    for (const candidate of ['n2', 'n4']) {
      const state: RingState & { readonly peers: readonly NodeId[] } = {
        id: 'n3',
        peers: ['n1', 'n2', 'n4', 'n5'],
        next: 'n1',
        participant,
        leaderId: 'n5',
      };
      const message = { type: 'election', candidate };
      const [after, effects] = protocol.step(state, { type: 'received', from: 'n5', message }, 0);
      const sent = effects.filter(({ type }) => type === 'send');
      if (sent.length === 0 && after.leaderId === 'n5') continue;
      return {
        detail: `n3 follows n5 and hears ELECTION with candidate ${candidate}: ${sent.length === 0 ? `then leaderId is ${after.leaderId}` : 'it sends a message'}.`,
        story: `  ${JSON.stringify(effects, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))}\n`,
      };
    }
  }
  return null;
}

const count =
  (name: 'fewestMessages' | 'mostMessages', order: Order): Check<Ring> =>
  (ring) => {
    for (const size of [2, 3, 4, 7, 20]) {
      const said = ring[name](size);
      const right = messagesIfAllCall(order(namesOf(size)));
      if (said !== right) return { detail: `For ${size} nodes, ${name} says ${said}. That is not so.` };
    }
    return null;
  };

const strongest: Rules<RingState> = { invariants: strongestInTheEnd(), promised: { atMostOneLeader: true } };

function candidateOf(step: RingStep, watch: Watch, names: ExerciseFacts, order: Order): Candidate<RingState> {
  return {
    protocol: guarded(ringWith(step, order), { before: watch, names }) as Candidate<RingState>['protocol'],
    timing,
    fieldsOf: ({ next, participant, leaderId }) => ({ next, participant, leaderId }),
  };
}

type RingExports = Pick<Ring, 'fewestMessages' | 'mostMessages'> & { readonly step: RingStep };

export const ringExercise: Exercise<Ring> = {
  id: '11-ring',
  given: { './types.js': { leaderTimeoutMs } },
  read({ exports }, watch, facts) {
    const { step, fewestMessages, mostMessages } = exports as Partial<RingExports>;
    for (const [name, value] of Object.entries({ step, fewestMessages, mostMessages })) {
      if (typeof value !== 'function') throw slips.noExport(`export a function '${name}'`);
    }
    const counted = (name: string, formula: (nodes: number) => number) => (nodes: number) => {
      watch(() => `${name}(${nodes}) was called`);
      return formula(nodes);
    };
    return {
      ...candidateOf(step!, watch, facts, mixed),
      inOrder: (order) => candidateOf(step!, watch, facts, order),
      fewestMessages: counted('fewestMessages', fewestMessages!),
      mostMessages: counted('mostMessages', mostMessages!),
    };
  },
  checks: {
    elects: inTrials(
      elected,
      { order: rising, size: 2, callers: ['n2'] },
      { order: rising, size: 3, callers: ['n3'] },
      { order: falling, size: 5, callers: ['n5'] },
    ),
    'any-order': inTrials(elected, ...oneCaller(4), ...oneCaller(5)),
    'eleven-nodes': inTrials(
      elected,
      { order: rising, size: 11, callers: ['n11'] },
      { order: mixed, size: 11, callers: namesOf(11) },
    ),
    'one-calls': inTrials(needs, ...oneCaller(5), {
      order: falling,
      size: 5,
      callers: ['n5'],
      afterwards: 'n4',
    }),
    'all-call': inTrials(needs, ...allCallers(4), ...allCallers(7)),
    'late-election': ignoresLateElections,
    'one-leader': allOf(
      inTrials(elected, ...allCallers(5)),
      inDrawnRuns(strongest, { runs: 40, nodes: [3, 5], faults: ['pause', 'slow-link', 'reorder'] }),
    ),
    fewest: count('fewestMessages', rising),
    most: count('mostMessages', falling),
  },
};
