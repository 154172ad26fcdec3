import type { NodeId } from '@hustings/elector';
import type { Flight, Recording } from '@hustings/simulator';
import type { QueueMessage, QueueState } from '../../exercises/12-predecessor/types.js';
import { type QueueStep, queueService, queueWith } from '../given/queue.js';
import type { Exercise } from '../grading/check.js';
import { nodesAtTheEnd, tokensGrow } from '../grading/leaders.js';
import { allOf, type Candidate, inRecordings } from '../grading/runs.js';
import { guarded } from '../guard.js';
import { slips } from '../slips.js';

type Seen = Recording<QueueState>;

/** A session ends 300 ms after the last ping. */
const timing = { detectionMs: 400, maxDelayMs: 20, settleMs: 2000 };

/** Even latencies: tickets are drawn in the order of the nodes. */
const run = (size: number, endMs: number, ...faults: readonly string[]): string =>
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
const leadInTurn =
  (...expected: readonly NodeId[]) =>
  ({ facts }: Seen): string | null => {
    const led = facts.tenures.map(({ node }) => node);
    return led.join() === expected.join()
      ? null
      : `${led.join(', then ') || 'Nobody'} led; expected was ${expected.join(', then ')}.`;
  };

/** So many were told that a ticket was gone. */
const tells =
  (most: number) =>
  (recording: Seen): string | null => {
    const told = sentBy(recording, 'gone');
    return told.length <= most
      ? null
      : `${told.length} times the queue says GONE, to ${[...new Set(told.map(({ to }) => to))].join(', ')}; ${most} would do.`;
  };

const both =
  (...looks: readonly ((recording: Seen) => string | null)[]) =>
  (recording: Seen): string | null => {
    for (const look of looks) {
      const detail = look(recording);
      if (detail !== null) return detail;
    }
    return null;
  };

/** Of those who live, the one with the lowest ticket leads, and no other. */
function firstInLineLeads(recording: Seen): string | null {
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

function isQuiet({ facts }: Seen): string | null {
  const { flights, periodicMessages, nodes } = facts;
  const others = flights.filter(({ message }) => !periodicMessages.has(message.type));
  const late = others.find(({ sentMs }) => sentMs > 200);
  if (late !== undefined) {
    return `${late.from} sends ${late.message.type.toUpperCase()} to ${late.to} at ${late.sentMs.toFixed(0)} ms, although nobody has died.`;
  }
  const most = 5 * nodes.length;
  return others.length <= most ? null : `${others.length} messages are sent, where ${most} would do.`;
}

export const predecessorExercise: Exercise<Candidate<QueueState>> = {
  id: '12-predecessor',
  read({ exports }, watch) {
    const { step } = exports as { readonly step?: QueueStep };
    if (typeof step !== 'function') throw slips.noExport("export a function 'step'");
    return {
      protocol: guarded(queueWith(step), {
        before: watch,
        services: ['queue'],
      }) as Candidate<QueueState>['protocol'],
      timing,
      services: [queueService],
      fieldsOf: ({ ticket }) => ({ ticket }),
    };
  },
  checks: {
    'one-wakes': inRecordings([run(7, 2500, 'at 1000 crash n1')], both(tells(1), leadInTurn('n1', 'n2'))),
    'in-turn': inRecordings(
      [run(5, 6000, 'at 1000 crash n1', 'at 2000 crash n2', 'at 3000 crash n3', 'at 4000 crash n4')],
      both(tells(4), leadInTurn('n1', 'n2', 'n3', 'n4', 'n5')),
    ),
    'middle-dies': inRecordings([run(5, 2500, 'at 1000 crash n3')], both(leadInTurn('n1'), tells(1))),
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
    'two-at-once': inRecordings(
      [
        run(5, 3000, 'at 1000 crash n1', 'at 1000 crash n2'),
        run(5, 3000, 'at 1000 crash n2', 'at 1050 crash n1'),
        run(5, 3000, 'at 1000 crash n1', 'at 1050 crash n2'),
      ],
      firstInLineLeads,
    ),
    'twelve-nodes': allOf(
      inRecordings([run(12, 2500, 'at 1000 crash n1')], both(tells(1), leadInTurn('n1', 'n2'))),
      inRecordings(
        [
          run(
            12,
            4000,
            ...Array.from({ length: 9 }, (_, index) => `at ${1000 + 5 * index} crash n${index + 1}`),
          ),
        ],
        firstInLineLeads,
      ),
    ),
    'comes-back': inRecordings(
      [run(3, 5000, 'at 1000 crash n1 until 1100', 'at 2000 crash n2 until 3000', 'at 3500 crash n3')],
      both(leadInTurn('n1', 'n2', 'n3', 'n1'), tokensGrow),
    ),
    quiet: inRecordings([run(7, 2000)], isQuiet),
  },
};
