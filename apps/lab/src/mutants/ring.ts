import type { NodeId } from '@hustings/elector';
import { byRank, type ProtocolMessage } from '@hustings/elector/protocol';
import { changRoberts, invariants, type RingMessage, type RingState, ring } from '@hustings/ring';
import type { AnyEffect, AnyInput } from '@hustings/simulator';
import { countAllInitiators, countSingleInitiator } from '../reproduce/ring.js';
import {
  changingEffects,
  changingState,
  fires,
  hearing,
  hears,
  ignoring,
  pretending,
  sends,
  without,
} from './alterations.js';
import * as checks from './checks.js';
import { type Alteration, type Check, type Mutant, named, type Subject } from './mutant.js';
import { epochMutants } from './shared.js';

const build = () => ring();
const buildVariant = () => changRoberts();
const nodes: readonly NodeId[] = ['n1', 'n2', 'n3', 'n4', 'n5'];
/** Whoever concludes an election of all is the weakest. */
const buildFalling = () => ring({ order: nodes.toReversed() });

const costsWhatIsPublished: Check<RingState> = named(
  'an election costs the messages that are published',
  (alter) => {
    const collected = countSingleInitiator(['n5', 'n2', 'n4', 'n1', 'n3'], (settings) =>
      alter(ring(settings)),
    );
    if (collected.election !== 5 || collected.coordinator !== 5) {
      return `list-collecting: ELECTION ${collected.election}, COORDINATOR ${collected.coordinator} instead of 5, 5`;
    }
    const together = countAllInitiators(nodes.toReversed(), (settings) => alter(ring(settings)));
    if (together.election !== 9 || together.coordinator !== 5) {
      return `several lists at once: ELECTION ${together.election}, COORDINATOR ${together.coordinator} instead of 9, 5`;
    }
    const falling = countAllInitiators(nodes.toReversed(), (settings) => alter(changRoberts(settings)));
    if (falling.election !== 15 || falling.coordinator !== 5) {
      return `Chang–Roberts: ELECTION ${falling.election}, COORDINATOR ${falling.coordinator} instead of 15, 5`;
    }
    return null;
  },
);

/** What goes round the ring, seen by the node that it has reached. */
type Circulating = Extract<RingMessage, { members: unknown }>;

const circulates = (message: ProtocolMessage): message is Circulating =>
  message.type === 'election' || message.type === 'coordinator';

const isForeign = (effect: AnyEffect, id: NodeId, type: string): boolean =>
  sends(effect, type) && circulates(effect.message) && effect.message.members[0] !== id;

const namesAnother = (input: AnyInput, id: NodeId): boolean =>
  hears(input, 'coordinator') && 'leaderId' in input.message && input.message.leaderId !== id;

const bringsForeignElection = (input: AnyInput, { id }: RingState): boolean =>
  hears(input, 'election') && circulates(input.message) && !input.message.members.includes(id);

const hearingWhatCirculates = (
  change: (message: Circulating, state: RingState) => Circulating,
): Alteration<RingState> =>
  hearing((message: RingMessage, state) => (circulates(message) ? change(message, state) : message));

const mutants: readonly Mutant<RingState>[] = [
  ...epochMutants<RingState>(),
  {
    name: 'loses-the-election-silently',
    breaks: 'A node takes the ELECTION of another, acknowledges it and does not pass it on.',
    alter: without((effect, { id }) => isForeign(effect, id, 'election')),
  },
  {
    name: 'loses-the-announcement-silently',
    breaks: 'A node takes the COORDINATOR of another, acknowledges it and does not pass it on.',
    alter: without((effect, { id }) => isForeign(effect, id, 'coordinator')),
  },
  {
    name: 'acknowledges-nothing',
    breaks: 'A node does not say that it has a message, so it is taken for dead.',
    alter: without((effect) => sends(effect, 'ack')),
  },
  {
    name: 'never-passes-over-the-dead',
    breaks: 'A message handed to a dead neighbour is forgotten.',
    alter: ignoring((input) => fires(input, 'hop')),
  },
  {
    name: 'skips-the-wrong-successor',
    breaks: 'Instead of the neighbour that is silent, the one after it is passed over.',
    alter: changingState((after, { handed: [silent], ring: order, silent: passedOver }, input) => {
      if (!fires(input, 'hop') || silent === undefined) return after;
      const wrong = order[(order.indexOf(silent.to) + 1) % order.length]!;
      return { ...after, silent: [...passedOver, wrong] };
    }),
  },
  {
    name: 'lets-messages-circle-for-ever',
    breaks: 'A node does not recognise a message that has been round.',
    alter: hearingWhatCirculates((message, { id }) => ({
      ...message,
      members: message.members.filter((member) => member !== id),
    })),
  },
  {
    name: 'elects-the-weakest',
    breaks: 'Only the weakest candidate stays on the list.',
    alter: hearingWhatCirculates((message) =>
      message.type === 'election'
        ? { ...message, candidates: message.candidates.toSorted(byRank).slice(0, 1) }
        : message,
    ),
  },
  {
    name: 'lets-every-list-run',
    breaks: 'A node whose own list is on its way passes on the lists of those before it, too.',
    alter: pretending(({ settings }) => ({ settings: { ...settings, allElectionsRun: true } })),
  },
  {
    name: 'ends-every-list-but-its-own',
    breaks: 'A node whose own list is on its way lets every other end, those of the nodes after it, too.',
    alter: without(
      (effect, { id, variant, role }) =>
        variant === 'default' && role === 'candidate' && isForeign(effect, id, 'election'),
    ),
  },
  {
    name: 'swallows-nothing',
    breaks: 'By Chang and Roberts: a stronger node passes a weaker candidacy on.',
    // A bystander has nothing to say against another's candidacy, so a candidate is taken for one meanwhile.
    alter: pretending((state, input) =>
      state.variant === 'chang-roberts' && state.role === 'candidate' && bringsForeignElection(input, state)
        ? { role: 'follower', standing: false }
        : null,
    ),
  },
  {
    name: 'swallows-the-stronger',
    breaks: 'By Chang and Roberts: a node does not pass a stronger candidacy on.',
    alter: without(
      (effect, { id, variant }) => variant === 'chang-roberts' && isForeign(effect, id, 'election'),
    ),
  },
  {
    name: 'leads-on-after-it-was-succeeded',
    breaks: 'A leader does not listen to those who say that a later epoch has begun.',
    alter: ignoring(
      (input, { id, role }) =>
        role === 'leader' && (hears(input, 'superseded', 'heartbeat') || namesAnother(input, id)),
    ),
  },
  {
    name: 'hands-on-to-two',
    breaks: 'Every ELECTION is handed over twice.',
    alter: changingEffects((effect) => (sends(effect, 'election') ? [effect, effect] : [effect])),
  },
];

export const ringSubject: Subject<RingState> = {
  algorithm: 'ring',
  checks: [
    checks.isDeterministic(build),
    checks.isPure(build),
    checks.floodsNothing(build),
    checks.electsTheStrongest(build, buildFalling, buildVariant),
    checks.keepsInvariantsInEveryOrder(build, invariants, { depth: 5 }),
    checks.keepsInvariantsInEveryOrder(buildVariant, invariants, { depth: 5 }),
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
    checks.keepsInvariantsInStories(buildVariant, invariants),
  ],
  mutants,
};
