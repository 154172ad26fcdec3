import type { Guarantees, NodeId } from '@hustings/elector';
import {
  type AnyProtocol,
  drawSchedule,
  type Fault,
  type FaultType,
  faultTypes,
  parseSchedule,
  type Schedule,
} from '@hustings/simulator';
import { maxDelayMs, maxDriftRate } from '../../exercises/15-your-own/types.js';
import { leaseStore } from '../given/lease-store.js';
import type { Check, Draw, Exercise, Submission } from '../grading/check.js';
import type { Part } from '../grading/conformance.js';
import { type Candidate, inSchedulesOf, type Rules } from '../grading/runs.js';
import { guarded } from '../guard.js';
import { slips } from '../slips.js';

type Answer = Candidate<unknown>;

const timing = { detectionMs: 800, maxDelayMs, settleMs: 6000, maxDriftRate };

/** Its store does not fail, and nobody has asked for an answer to the rest. */
const leftOut: readonly FaultType[] = [
  'coordinator-crash',
  'coordinator-member-crash',
  'unhealthy',
  'observe',
];
const faults = faultTypes.filter((type) => !leftOut.includes(type));

/** Loaded when it is asked: a browser shows a student's elector, too, and has no driver to run it with. */
const conforms =
  (part: Part): Check<Answer> =>
  async (answer, draw) => {
    const { askPart } = await import('../grading/conformance.js');
    return askPart(part, answer, draw);
  };

/** No clock is further off than students are told. */
function withinBound(fault: Fault): Fault {
  if (fault.type !== 'clock-drift') return fault;
  const rate = Math.min(1 + maxDriftRate, Math.max(1 - maxDriftRate, fault.rate));
  return { ...fault, rate };
}

const nodes = [3, 5] as const;

function drawnFor({ protocol, services = [] }: Answer, seed: number): Schedule {
  const { targetedTransfer, leased } = protocol.guarantees;
  const subject = { timing, targetedTransfer, leased, hasCoordinator: services.length > 0 };
  const schedule = drawSchedule(seed, { nodes, faults }, subject);
  return { ...schedule, faults: schedule.faults.map(withinBound) };
}

const run = (...lines: readonly string[]): Schedule =>
  parseSchedule(`nodes n1 n2 n3\nseed 5\nlatency 2 10\nrun 4500\n${lines.join('\n')}\n`);

/** When it begins in the life of a lease, or of an election, decides what comes of it. */
const moments = (count: number): number[] => Array.from({ length: count }, (_, index) => 1500 + 53 * index);

const others = (node: NodeId): NodeId[] => ['n1', 'n2', 'n3'].filter((other) => other !== node);

/** What chance finds rarely, and students get wrong often. */
const traps: readonly Schedule[] = [
  // Those whose word the leader relies on forget it, while it is cut off. One of these nodes is the leader.
  ...moments(4).flatMap((atMs) =>
    ['n1', 'n2', 'n3'].map((node) =>
      run(`at ${atMs} isolate leader`, ...others(node).map((other) => `at ${atMs + 20} restart ${other}`)),
    ),
  ),
  // It wakes up when another leads; or with answers from before it slept, and is cut off then.
  ...moments(4).map((atMs) => run(`at ${atMs} pause leader until ${atMs + 1500}`)),
  ...moments(8).map((atMs) =>
    run(
      'at 1000 latency 40 49',
      `at ${atMs} pause leader until ${atMs + 300}`,
      `at ${atMs + 301} isolate leader`,
    ),
  ),
  // All of them are gone at once, and come back with what is on disk.
  ...moments(4).map((atMs) =>
    run(...['n1', 'n2', 'n3'].map((node) => `at ${atMs} crash ${node} until ${atMs + 300}`)),
  ),
];

/** A fast store, a slow leader, and many who ask, so that one of them asks as soon as the lease is free. */
const trapsWithStore: readonly Schedule[] = moments(6).map((atMs) =>
  parseSchedule(`nodes n1 n2 n3 n4 n5 n6 n7 n8 n9 n10 n11 n12
seed 4
latency 1 2
run 3500
at 0 clock-drift coordinator 1.01
at 1000 clock-drift leader 0.99
at ${atMs} isolate-from-coordinator leader
`),
);

const runs = 40;

function* drawnSchedules(answer: Answer, seedOf: Draw['seed']): Iterable<Schedule> {
  for (let index = 0; index < runs; index += 1) yield drawnFor(answer, seedOf(index));
}

function* schedulesFor(answer: Answer, seedOf: Draw['seed']): Iterable<Schedule> {
  yield* traps;
  if ((answer.services ?? []).length > 0) yield* trapsWithStore;
  yield* drawnSchedules(answer, seedOf);
}

type PromiseName = 'atMostOneLeader' | 'monotonicTokens';

/** Held to one promise, if it is made. That leases end by themselves is part of either. */
function kept(promise: PromiseName): Check<Answer> {
  return (answer, draw) => {
    const { guarantees } = answer.protocol;
    if (!guarantees[promise]) return null;
    const rules: Rules<unknown> = { promised: onlyPromising(promise, guarantees), settles: false };
    return inSchedulesOf(rules, schedulesFor)(answer, draw);
  };
}

const onlyPromising = (promise: PromiseName, guarantees: Guarantees): Guarantees => ({
  ...guarantees,
  atMostOneLeader: false,
  monotonicTokens: false,
  [promise]: true,
});

const promised =
  (promise: PromiseName): Check<Answer> =>
  ({ protocol }) =>
    protocol.guarantees[promise] ? null : { detail: `It does not declare '${promise}'.` };

const nothingPromised: Rules<unknown> = { promised: { atMostOneLeader: false, monotonicTokens: false } };

function readElector({ exports }: Submission): {
  protocol: AnyProtocol<unknown>;
  services: readonly NodeId[];
} {
  const { default: protocol, services = [] } = exports as {
    readonly default?: Partial<AnyProtocol<unknown>>;
    readonly services?: readonly NodeId[];
  };
  if (typeof protocol?.step !== 'function' || typeof protocol.initialState !== 'function') {
    throw slips.noExport("have 'export default' a protocol with 'initialState' and 'step'");
  }
  if (typeof protocol.guarantees !== 'object') throw slips.noExport("declare 'guarantees' in its protocol");
  const unknown = services.find((id) => id !== leaseStore.id);
  if (unknown !== undefined)
    throw slips.noExport(`name a service that there is: '${unknown}' is none, 'store' is`);
  const periodicMessages = new Set(protocol.periodicMessages ?? []);
  return { protocol: { ...(protocol as AnyProtocol<unknown>), periodicMessages }, services };
}

export const capstoneExercise: Exercise<Answer> = {
  id: '15-your-own',
  given: { './types.js': { maxDelayMs, maxDriftRate } },
  read(submission, watch) {
    const { protocol, services } = readElector(submission);
    return {
      protocol: guarded(protocol, { before: watch, services, isPlain: true }),
      timing,
      services: services.length === 0 ? [] : [leaseStore],
      fieldsOf: (state) => state as Readonly<Record<string, unknown>>,
    };
  },
  checks: {
    elects: conforms('electing'),
    'hands-over': conforms('handingOver'),
    tokens: conforms('tokens'),
    observes: conforms('observing'),
    leaves: conforms('leaving'),
    agrees: inSchedulesOf(nothingPromised, drawnSchedules),
    'one-leader-kept': kept('atMostOneLeader'),
    'one-leader-promised': promised('atMostOneLeader'),
    'tokens-kept': kept('monotonicTokens'),
    'tokens-promised': promised('monotonicTokens'),
  },
};
