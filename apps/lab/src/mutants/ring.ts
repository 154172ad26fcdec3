import type { NodeId } from '@hustings/elector';
import { byRank } from '@hustings/elector/protocol';
import { changRoberts, invariants, type RingMessage, type RingState, ring } from '@hustings/ring';
import type { AnyEffect, AnyInput } from '@hustings/simulator';
import { countAllInitiators, countSingleInitiator } from '../reproduce/ring.js';
import * as checks from './checks.js';
import {
  type Check,
  changingEffects,
  fires,
  hears,
  ignoring,
  type Mutant,
  named,
  type Subject,
  sends,
  without,
  withStep,
} from './mutant.js';
import { sharedMutants } from './shared.js';

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
const circulates = (message: {
  readonly type: string;
}): message is Extract<RingMessage, { members: unknown }> =>
  message.type === 'election' || message.type === 'coordinator';

const isForeign = (effect: AnyEffect, id: NodeId, type: string): boolean =>
  effect.type === 'send' &&
  effect.message.type === type &&
  circulates(effect.message) &&
  effect.message.members[0] !== id;

const namesAnother = (input: AnyInput, id: NodeId): boolean =>
  input.type === 'received' &&
  circulates(input.message) &&
  input.message.type === 'coordinator' &&
  input.message.leaderId !== id;

const bringsForeignElection = (input: AnyInput, { id }: RingState): boolean =>
  input.type === 'received' &&
  input.message.type === 'election' &&
  circulates(input.message) &&
  !input.message.members.includes(id);

function changingArrival(
  change: (message: Extract<RingMessage, { members: unknown }>, state: RingState) => RingMessage,
): Mutant<RingState>['alter'] {
  return withStep(
    (step) => (state, input: AnyInput, nowMs) =>
      input.type === 'received' && circulates(input.message)
        ? step(state, { ...input, message: change(input.message, state) }, nowMs)
        : step(state, input, nowMs),
  );
}

const mutants: readonly Mutant<RingState>[] = [
  ...sharedMutants<RingState>(),
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
    alter: withStep((step) => (before, input, nowMs) => {
      const [silent] = before.handed;
      if (!fires(input, 'hop') || silent === undefined) return step(before, input, nowMs);
      const wrong = before.ring[(before.ring.indexOf(silent.to) + 1) % before.ring.length]!;
      const [state, effects] = step(before, input, nowMs);
      return [{ ...state, silent: [...before.silent, wrong] }, effects];
    }),
  },
  {
    name: 'lets-messages-circle-for-ever',
    breaks: 'A node does not recognise a message that has been round.',
    alter: changingArrival((message, { id }) => ({
      ...message,
      members: message.members.filter((member) => member !== id),
    })),
  },
  {
    name: 'elects-the-weakest',
    breaks: 'Only the weakest candidate stays on the list.',
    alter: changingArrival((message) =>
      message.type === 'election'
        ? { ...message, candidates: message.candidates.toSorted(byRank).slice(0, 1) }
        : message,
    ),
  },
  {
    name: 'lets-every-list-run',
    breaks: 'A node whose own list is on its way passes on the lists of those before it, too.',
    alter: withStep((step) => (before, input, nowMs) => {
      const { settings } = before;
      const [state, effects] = step(
        { ...before, settings: { ...settings, allElectionsRun: true } },
        input,
        nowMs,
      );
      return [{ ...state, settings }, effects];
    }),
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
    alter: withStep((step) => (before, input, nowMs) => {
      if (
        before.variant !== 'chang-roberts' ||
        before.role !== 'candidate' ||
        !bringsForeignElection(input, before)
      ) {
        return step(before, input, nowMs);
      }
      const [state, effects] = step({ ...before, role: 'follower', standing: false }, input, nowMs);
      return [{ ...state, role: before.role, standing: before.standing }, effects];
    }),
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
