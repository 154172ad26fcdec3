import type { QueueState } from '../../exercises/12-predecessor/types.js';
import type { Exercise } from '../grading/check.js';
import { tokensGrow } from '../grading/leaders.js';
import { allOf, type Candidate, inRecordings } from '../grading/runs.js';
import { both, firstInLineLeads, leadInTurn, readStep, run, type Seen, tells } from './queues.js';

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
  read: readStep,
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
