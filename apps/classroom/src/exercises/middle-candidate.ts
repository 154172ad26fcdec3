import type { NodeId } from '@hustings/elector';
import type { AnyEffect, AnyInput, Historian, SimulatedNode, Violation } from '@hustings/simulator';
import type { QueueMessage, QueueState } from '../../exercises/13-middle-candidate/types.js';
import type { Exercise } from '../grading/check.js';
import { tokensGrow } from '../grading/leaders.js';
import {
  allOf,
  type Candidate,
  inDrawnRuns,
  inRecordings,
  inSchedules,
  type Rules,
} from '../grading/runs.js';
import { both, firstInLineLeads, leadInTurn, readStep, run, type Seen, tells } from './queues.js';

/** Pings that take more or less time end sessions a few milliseconds apart: between a list and a watch. */
const uneven = (seed: number, ...faults: readonly string[]): string =>
  run(6, 3500, 'at 500 latency 1 80', ...faults).replace('seed 1', `seed ${seed}`);

const seeds = Array.from({ length: 12 }, (_, index) => index + 1);

/** n2 is told at 1210 ms that n1 is gone, but it sleeps by then, and its own session ends as well. */
const overslept = [1110, 1206, 1208].map((atMs) =>
  run(4, 3000, 'at 1000 crash n1', `at ${atMs} pause n2 until 2000`),
);

const wokeMs = 2000;

function stepsDownInTime({ facts }: Seen): string | null {
  const [first, second] = facts.tenures;
  if (first?.node !== 'n1' || second?.node !== 'n2') return 'n1 should lead, and n2 while n1 sleeps.';
  if (first.endedMs === null || first.endedMs > wokeMs + 50) {
    return `n1 wakes up at ${wokeMs} ms and ${first.endedMs === null ? 'never steps down' : `steps down only at ${first.endedMs.toFixed(0)} ms`}.`;
  }
  return second.endedMs === null ? null : `n2 leads no longer at ${second.endedMs.toFixed(0)} ms.`;
}

const byTheList = 'a node leads by a list in which its ticket is the lowest';

/** Remembers the last list that each node was shown. */
class ListHistory implements Historian<QueueState> {
  violation: Violation | null = null;
  readonly #lowest = new Map<NodeId, number>();
  #world: { readonly nowMs: number } = { nowMs: 0 };

  attach(world: { readonly nowMs: number }): void {
    this.#world = world;
  }

  stepped(
    { id }: SimulatedNode<QueueState>,
    input: AnyInput,
    _before: QueueState,
    effects: readonly AnyEffect[],
  ): void {
    if (input.type === 'started') this.#lowest.delete(id);
    if (input.type === 'received') this.#hear(id, input.message as QueueMessage);
    for (const effect of effects) if (effect.type === 'lead') this.#watch(id, Number(effect.token));
  }

  #hear(id: NodeId, message: QueueMessage): void {
    if (message.type !== 'listed') return;
    this.#lowest.set(id, Math.min(...message.places.map(({ ticket }) => ticket)));
  }

  #watch(id: NodeId, ticket: number): void {
    const lowest = this.#lowest.get(id);
    if (lowest === ticket) return;
    const shown =
      lowest === undefined ? 'was shown no list' : `the lowest ticket it was shown last is ${lowest}`;
    const detail = `${id} leads with ticket ${ticket}, but ${shown}`;
    this.violation ??= { property: byTheList, detail, atMs: this.#world.nowMs, node: id };
  }
}

const leadsByTheList: Rules<QueueState> = { historian: () => new ListHistory(), settles: false };

export const middleCandidateExercise: Exercise<Candidate<QueueState>> = {
  id: '13-middle-candidate',
  read: readStep,
  checks: {
    'middle-dies': inRecordings(
      [run(5, 2500, 'at 1000 crash n3'), run(5, 2500, 'at 1000 crash n2')],
      leadInTurn('n1'),
    ),
    'closes-the-gap': allOf(
      inRecordings(
        [run(5, 4500, 'at 1000 crash n2', 'at 2000 crash n1', 'at 3000 crash n3')],
        both(firstInLineLeads, leadInTurn('n1', 'n3', 'n4')),
      ),
      inRecordings(
        [run(5, 4500, 'at 1000 crash n3', 'at 2000 crash n2', 'at 3000 crash n1')],
        both(firstInLineLeads, leadInTurn('n1', 'n4')),
      ),
    ),
    'gone-already': allOf(
      inRecordings(
        seeds.map((seed) => uneven(seed, 'at 1000 crash n2', 'at 1000 crash n3', 'at 1000 crash n4')),
        leadInTurn('n1'),
      ),
      inRecordings(
        seeds.map((seed) => uneven(seed, 'at 1000 crash n1', 'at 1000 crash n2', 'at 1000 crash n3')),
        firstInLineLeads,
      ),
    ),
    asleep: inRecordings(overslept, leadInTurn('n1', 'n3')),
    'stops-leading': inRecordings([run(3, 3000, `at 1000 pause n1 until ${wokeMs}`)], stepsDownInTime),
    'queues-again': allOf(
      inRecordings(
        [run(3, 6000, 'at 1000 pause n1 until 2000', 'at 3000 crash n2', 'at 4000 crash n3')],
        both(leadInTurn('n1', 'n2', 'n3', 'n1'), tokensGrow),
      ),
      inRecordings(
        [run(3, 6000, 'at 1000 pause n2 until 2000', 'at 3000 crash n1', 'at 4000 crash n3')],
        both(leadInTurn('n1', 'n3', 'n2'), tokensGrow),
      ),
      // Its work takes a while to end, and until then the application does not want to lead again.
      inSchedules(leadsByTheList, run(1, 4000, 'unwind 300', 'at 1000 pause n1 until 2000')),
    ),
    'one-wakes': inRecordings([run(7, 2500, 'at 1000 crash n1'), run(7, 2500, 'at 1000 crash n4')], tells(1)),
    'any-order': allOf(
      inSchedules(leadsByTheList, ...overslept),
      inDrawnRuns(leadsByTheList, { runs: 30, nodes: [3, 6], faults: ['crash', 'restart', 'pause'] }),
    ),
  },
};
