/** What exercises about a queue have in common: how they run, and what they look at. */

import type { NodeId } from '@hustings/elector';
import type { Flight, Recording } from '@hustings/simulator';
import type { QueueMessage, QueueState } from '../../exercises/13-middle-candidate/types.js';
import { type QueueStep, queueService, queueWith } from '../given/queue.js';
import type { ExerciseFacts, Submission, Watch } from '../grading/check.js';
import { nodesAtTheEnd } from '../grading/leaders.js';
import type { Candidate } from '../grading/runs.js';
import { guarded } from '../guard.js';
import { slips } from '../slips.js';

export type Seen = Recording<QueueState>;

/** A session ends 300 ms after the last ping. */
const timing = { detectionMs: 400, maxDelayMs: 20, settleMs: 2000 };

/** Even latencies: tickets are drawn in the order of the nodes. */
export const run = (size: number, endMs: number, ...faults: readonly string[]): string =>
  [
    `nodes ${Array.from({ length: size }, (_, index) => `n${index + 1}`).join(' ')}`,
    'seed 1',
    'latency 5',
    `run ${endMs}`,
    ...faults,
    '',
  ].join('\n');

const sentBy = ({ facts }: Seen, type: QueueMessage['type']): Flight[] =>
  facts.flights.filter(({ message }) => message.type === type);

/** These led, one after the other, and nobody else. */
export const leadInTurn =
  (...expected: readonly NodeId[]) =>
  ({ facts }: Seen): string | null => {
    const led = facts.tenures.map(({ node }) => node);
    return led.join() === expected.join()
      ? null
      : `${led.join(', then ') || 'Nobody'} led; expected was ${expected.join(', then ')}.`;
  };

/** So many were told that a ticket was gone. */
export const tells =
  (most: number) =>
  (recording: Seen): string | null => {
    const told = sentBy(recording, 'gone');
    return told.length <= most
      ? null
      : `${told.length} times the queue says GONE, to ${[...new Set(told.map(({ to }) => to))].join(', ')}; ${most} would do.`;
  };

export const both =
  (...looks: readonly ((recording: Seen) => string | null)[]) =>
  (recording: Seen): string | null => {
    for (const look of looks) {
      const detail = look(recording);
      if (detail !== null) return detail;
    }
    return null;
  };

/** Of those who live, the one with the lowest ticket leads, and no other. */
export function firstInLineLeads(recording: Seen): string | null {
  const tickets = new Map<NodeId, number>();
  for (const { to, message } of sentBy(recording, 'joined')) {
    tickets.set(to, (message as Extract<QueueMessage, { type: 'joined' }>).ticket);
  }
  const ticketOf = (id: NodeId): number => tickets.get(id) ?? Number.POSITIVE_INFINITY;
  const running = nodesAtTheEnd(recording)
    .filter((node) => node.running)
    .sort((a, b) => ticketOf(a.id) - ticketOf(b.id));
  const leaders = running.filter(({ leading }) => leading).map(({ id }) => id);
  const [first] = running;
  if (first === undefined || leaders.join() === first.id) return null;
  return `In the end ${first.id} has the lowest ticket, but ${leaders.join(' and ') || 'nobody'} leads.`;
}

/** The step that a file exports, with a session that is kept alive. */
export function readStep({ exports }: Submission, watch: Watch, names: ExerciseFacts): Candidate<QueueState> {
  const { step } = exports as { readonly step?: QueueStep };
  if (typeof step !== 'function') throw slips.noExport("export a function 'step'");
  return {
    protocol: guarded(queueWith(step), {
      before: watch,
      services: ['queue'],
      names,
    }) as Candidate<QueueState>['protocol'],
    timing,
    services: [queueService],
    fieldsOf: ({ ticket }) => ({ ticket }),
  };
}
