import { type BullyState, bully, invariants } from '@hustings/bully';
import { countElection, patientBully, published } from '../reproduce/bully.js';
import { fires, hears, ignoring, pretending, sends, without } from './alterations.js';
import * as checks from './checks.js';
import { type Check, type Mutant, named, type Subject } from './mutant.js';
import { epochMutants } from './shared.js';

const build = () => bully();

const costsWhatIsPublished: Check<BullyState> = named(
  'an election costs the messages that are published',
  (alter) => {
    const size = 5;
    for (let rank = 1; rank < size; rank += 1) {
      const { election, answer, coordinator } = countElection(size, rank, alter(patientBully));
      const stronger = size - rank;
      const expected = [
        published.election(stronger),
        published.answer(stronger),
        published.coordinator(size),
      ];
      if (expected.join() !== [election, answer, coordinator].join()) {
        return `rank ${rank} of ${size}: ELECTION ${election}, ANSWER ${answer}, COORDINATOR ${coordinator} instead of ${expected.join(', ')}`;
      }
    }
    return null;
  },
);

const mutants: readonly Mutant<BullyState>[] = [
  ...epochMutants<BullyState>(),
  {
    name: 'answers-nobody',
    breaks: 'A stronger node does not tell a candidate to stand back.',
    alter: without((effect) => sends(effect, 'answer')),
  },
  {
    name: 'ignores-answers',
    breaks: 'A candidate that is told to stand back carries on.',
    alter: ignoring((input) => hears(input, 'answer')),
  },
  {
    name: 'ignores-elections',
    breaks: 'A stronger node does not take over when a weaker one looks for a leader.',
    alter: ignoring((input) => hears(input, 'election')),
  },
  {
    name: 'leads-on-beside-a-stronger-node',
    breaks: 'A leader keeps leading after a stronger node has returned.',
    alter: ignoring(
      (input, { role }) => role === 'leader' && hears(input, 'coordinator', 'heartbeat', 'election'),
    ),
  },
  {
    name: 'follows-the-weaker',
    breaks: 'A node follows whoever says that it leads, weaker nodes included.',
    // A node that does not stand may follow anybody, so it is made to forget for a moment that it does.
    alter: pretending(({ role }, input) =>
      role === 'follower' && hears(input, 'coordinator', 'heartbeat') ? { standing: false } : null,
    ),
  },
  {
    name: 'asks-only-the-strongest',
    breaks: 'A candidate asks nobody but the strongest node, which is the dead one.',
    alter: without((effect, { peers }) => sends(effect, 'election') && effect.to !== peers.at(-1)),
  },
  {
    name: 'announces-to-all-but-the-weakest',
    breaks: 'The weakest node is not told who leads.',
    alter: without(
      (effect, { peers }) => sends(effect, 'coordinator', 'heartbeat') && effect.to === peers[0],
    ),
  },
  {
    name: 'does-not-listen-first',
    breaks: 'A node that comes up claims office before it has heard who leads.',
    alter: (protocol) => ({
      ...protocol,
      initialState: (id, peers) => ({ ...protocol.initialState(id, peers), listening: false }),
    }),
  },
  {
    name: 'waits-for-ever-for-the-announcement',
    breaks: 'A candidate that was told to stand back does not start again when the stronger node dies.',
    alter: ignoring((input) => fires(input, 'coordinator')),
  },
];

export const bullySubject: Subject<BullyState> = {
  algorithm: 'bully',
  checks: [
    checks.isDeterministic(build),
    checks.isPure(build),
    checks.floodsNothing(build),
    checks.electsTheStrongest(build),
    checks.keepsInvariantsInEveryOrder(build, invariants, { depth: 6 }),
    checks.staysQuiet(build),
    checks.savesBeforeItLeads(build),
    checks.stepsDownFirst(build),
    checks.neverLeadsTwiceWithOneToken(build),
    checks.sharesNoToken(build),
    checks.replacesWhoResigns(build),
    checks.noticesClosedConnections(build),
    checks.noticesSilence(build),
    costsWhatIsPublished,
    checks.keepsInvariantsInStories(build, invariants),
  ],
  mutants,
};
