import {
  guardMs,
  invariants,
  type LeaseElectionRequest,
  type LeaseReply,
  type LeaseRequest,
  type LeaseState,
  type LeaseView,
  lease,
  type StoreTraits,
} from '@hustings/lease';
import { simulatedStore } from '@hustings/lease/simulated';
import type { AnyInput, AnyProtocol } from '@hustings/simulator';
import {
  changingState,
  fires,
  hearing,
  hears,
  ignoring,
  prolonging,
  saying,
  sends,
  steppingFrom,
  without,
} from './alterations.js';
import { asks, feed, from, leadOf, leadsAtMost, type Move, stepsDown } from './by-hand.js';
import { certifiedLease } from './certificates.js';
import * as checks from './coordinated.js';
import { type Alteration, type Check, type Mutant, named, type Subject } from './mutant.js';
import {
  acceptsLowerTokens,
  doesNotAskAgain,
  neverAcceptsLowerTokens,
  remembersOutsideItsState,
  resigningAtOnce,
} from './shared.js';

type Lease = AnyProtocol<LeaseState>;

const traits: StoreTraits = {
  ...{ name: 'simulated', clock: 'store', expiryFactor: 1, minTtlMs: 1, granularityMs: 1, survives: 'disk' },
  guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  assumptions: [],
};

/** No margin: in the simulator nobody acts late, and slack would hide what is counted wrongly. */
const quick = { name: 'e', ttlMs: 1000, marginMs: 0, requestTimeoutMs: 400 };

const subjectOf = (clock: StoreTraits['clock']): checks.Coordinated<LeaseState> => ({
  build: () => lease({ ...traits, clock }, quick) as Lease,
  invariants,
  service: (kind) => ({
    id: 'store',
    machine: simulatedStore({
      clock,
      losesDataOnRestart: kind === 'forgetful',
      failsOverEveryMs: kind === 'restless' ? [500, 2500] : null,
    }),
  }),
});
const subject = subjectOf('store');
const observed = subjectOf('observer');

// ---- By hand -------------------------------------------------------------------------------------------------

type LeaseMove = Move<LeaseState>;

const heard = (message: LeaseReply): AnyInput => from('store', message);

const asked: readonly LeaseMove[] = [
  [1000, { type: 'started' }],
  [1000, { type: 'campaign-requested' }],
];
const acquired = (
  token: string,
  atMs = 1100,
  { holder = 'n7#p', sentMs = 1000 }: { holder?: string; sentMs?: number } = {},
): LeaseMove => [
  atMs,
  ({ request }) => heard({ type: 'acquired', id: request ?? -1, holder, token, validForMs: 3000, sentMs }),
];
const held = (view: Partial<LeaseView> = {}): LeaseMove => [
  1100,
  ({ request }) => heard({ type: 'held', id: request ?? -1, ...others, ...view }),
];
const others: LeaseView = { holder: 'n8#q', token: '5', expiresInMs: 2000, version: 'v1' };
const leading: readonly LeaseMove[] = [...asked, acquired('5')];
const resigned: LeaseMove = [1200, { type: 'resign-requested' }];

function play(
  alter: Alteration<LeaseState>,
  moves: readonly LeaseMove[],
  clock: StoreTraits['clock'] = 'store',
) {
  const protocol = alter(lease({ ...traits, clock }, { name: 'e', ttlMs: 3000 }) as Lease);
  return feed(protocol, protocol.initialState('n7', [], 'p'), moves);
}

const leavesAGuard: Check<LeaseState> = named(
  'a Leadership ends a guard before the lease may, and counts from the request',
  (alter) => {
    const untilMs = 1000 + 3000 - guardMs(lease(traits).initialState('n', [], 'p').settings, 3000);
    return leadsAtMost(play(alter, leading)[1], untilMs - 1100);
  },
);

const leadsOnlyWithTheLease: Check<LeaseState> = named('nobody leads while another has the lease', (alter) =>
  leadOf(play(alter, [...asked, held()])[1]) === undefined ? null : 'it led',
);

const leadsNotTooLate: Check<LeaseState> = named(
  'a lease that comes too late is renewed before it is led with',
  (alter) => {
    const [, effects] = play(alter, [...asked, acquired('5', 3950)]);
    if (leadOf(effects) !== undefined) return 'it led';
    return asks(effects, 'renew') ? null : 'it was not renewed';
  },
);

const knowsItsProcess: Check<LeaseState> = named(
  'what was given to another process of the same node is not led with',
  (alter) => {
    const former = acquired('5', 1100, { holder: 'n7#former' });
    return leadOf(play(alter, [...asked, former])[1]) === undefined ? null : 'it led';
  },
);

const waitsForTheVersion: Check<LeaseState> = named(
  'where the observer decides, only a version that stood still for its time and the guard is taken over',
  (alter) => {
    const due = (atMs: number): LeaseMove => [atMs, { type: 'timer-fired', timer: 'due' }];
    const looked = (version: string): readonly LeaseMove[] => [
      [2000, { type: 'timer-fired', timer: 'look' }],
      [2000, ({ look }) => heard({ type: 'found', id: look ?? -1, lease: { ...others, version } })],
    ];
    const early = play(alter, [...asked, held(), due(3110)], 'observer');
    if (asks(early[1], 'acquire')) return 'it did not wait for the guard';
    const moved = play(alter, [...asked, held(), ...looked('v2'), due(3300)], 'observer');
    if (asks(moved[1], 'acquire')) return 'it did not begin anew';
    const still = play(alter, [...asked, held(), ...looked('v1'), due(3300)], 'observer');
    const request = still[1].find((effect) => sends(effect, 'acquire'));
    const over = request?.type === 'send' && 'over' in request.message ? request.message.over : null;
    return over === 'v1' ? null : 'it did not take over';
  },
);

const stopsWhenItIsLost: Check<LeaseState> = named('a leader that has lost its lease stops', (alter) => {
  const lost: LeaseMove = [1200, heard({ type: 'lost', id: 9, token: '5' })];
  if (!stepsDown(play(alter, [...leading, lost])[1])) return 'it was told so';
  const hint: LeaseMove = [1200, ({ watch }) => heard({ type: 'changed', id: watch ?? -1 })];
  const found: LeaseMove = [
    1210,
    ({ look }) => heard({ type: 'found', id: look ?? -1, lease: { ...others, token: '6' } }),
  ];
  return stepsDown(play(alter, [...leading, hint, found])[1]) ? null : 'a look has shown it';
});

const stopsForNothingElse: Check<LeaseState> = named('a leader stops for no lease but its own', (alter) => {
  const lost: LeaseMove = [1200, heard({ type: 'lost', id: 9, token: '4' })];
  return stepsDown(play(alter, [...leading, lost])[1]) ? 'it stopped for an earlier one' : null;
});

const resignsWhenAcknowledged: Check<LeaseState> = named(
  'a resignation is answered when the store has acknowledged it',
  (alter) => {
    const [state, effects] = play(alter, [...leading, resigned]);
    if (stepsDown(effects)) return 'it was answered at once';
    if (!asks(effects, 'release')) return 'nothing was released';
    const late = heard({ type: 'released', id: (state.request ?? 0) - 1 });
    return stepsDown(alter(subject.build()).step(state, late, 1210)[1]) ? 'by another answer' : null;
  },
);

const releasesFirst: Check<LeaseState> = named(
  'whoever gives its lease back asks for none before that is acknowledged',
  (alter) => {
    const again: LeaseMove = [1210, { type: 'campaign-requested' }];
    return asks(play(alter, [...leading, resigned, again])[1], 'acquire') ? 'it asked at once' : null;
  },
);

const givesBackWhatNobodyWaitsFor: Check<LeaseState> = named(
  'a lease that nobody waits for any more is given back',
  (alter) => {
    const [, effects] = play(alter, [...asked, held(), resigned, acquired('6', 1300)]);
    return asks(effects, 'release') ? null : 'it was kept';
  },
);

const findsOutWhatItHas: Check<LeaseState> = named(
  'whoever resigns while it asks finds out first what it has',
  (alter) => {
    const found: LeaseMove = [
      1300,
      ({ request }) =>
        heard({ type: 'found', id: request ?? -1, lease: { ...others, holder: 'n7#p', token: '6' } }),
    ];
    return asks(play(alter, [...asked, resigned, found])[1], 'release') ? null : 'it was not released';
  },
);

const heedsHintsWhileItAsks: Check<LeaseState> = named(
  'a hint that comes while the lease is asked for makes it be asked for again',
  (alter) => {
    const hint: LeaseMove = [1050, ({ watch }) => heard({ type: 'changed', id: watch ?? -1 })];
    return asks(play(alter, [...asked, hint, held()])[1], 'acquire') ? null : 'it was not';
  },
);

const asksAgain: Check<LeaseState> = named('what is not answered is asked again', (alter) => {
  const timedOut: LeaseMove = [2000, { type: 'timer-fired', timer: 'request' }];
  return asks(play(alter, [...asked, timedOut])[1], 'acquire') ? null : 'the lease was not asked for again';
});

const forgetsLateAnswers: Check<LeaseState> = named(
  'an answer to an earlier question does not count',
  (alter) => {
    const timedOut: LeaseMove = [2000, { type: 'timer-fired', timer: 'request' }];
    const late: LeaseMove = [
      2010,
      ({ request }) => heard({ type: 'held', id: (request ?? 0) - 1, ...others }),
    ];
    const [state] = play(alter, [...asked, timedOut, late]);
    return state.phase === 'acquiring' ? null : `it is ${state.phase}`;
  },
);

const acceptsWhenTold: Check<LeaseState> = named('whoever is told to accept lower tokens leads', (alter) => {
  const request: LeaseElectionRequest = { type: 'accept-lower-tokens' };
  const low: readonly LeaseMove[] = [
    ...asked,
    held(),
    [3200, { type: 'timer-fired', timer: 'due' }],
    acquired('5', 3210, { sentMs: 3200 }),
  ];
  if (leadOf(play(alter, low)[1]) !== undefined) return 'it led before it was told';
  return leadOf(play(alter, [...low, [3220, { type: 'requested', request }]])[1]) === undefined
    ? 'it did not'
    : null;
});

// ---- What is broken ------------------------------------------------------------------------------------------

const mutants: readonly Mutant<LeaseState>[] = [
  {
    name: 'lease-from-the-answer',
    breaks: 'A lease counts from the answer, not from the request.',
    alter: hearing((message: LeaseReply, _, nowMs) =>
      message.type === 'acquired' || message.type === 'renewed' ? { ...message, sentMs: nowMs } : message,
    ),
  },
  {
    name: 'renewal-from-the-answer',
    breaks: 'A renewal counts from its answer; the first lease is counted as it should be.',
    alter: hearing((message: LeaseReply, _, nowMs) =>
      message.type === 'renewed' ? { ...message, sentMs: nowMs } : message,
    ),
  },
  {
    name: 'lease-without-a-guard',
    breaks: 'A Leadership lasts as long as the lease.',
    alter: prolonging(
      (validForMs, { settings, own }) => validForMs + guardMs(settings, own?.validForMs ?? 0) + 1,
    ),
  },
  {
    name: 'leads-beside-the-holder',
    breaks: 'Whoever is told that another has the lease takes it for its own.',
    alter: hearing(
      (message: LeaseReply, { holder }, nowMs): LeaseReply =>
        message.type === 'held'
          ? {
              ...{ type: 'acquired', id: message.id, holder, token: `${Number(message.token) + 1}` },
              ...{ validForMs: 1000, sentMs: nowMs },
            }
          : message,
    ),
  },
  {
    name: 'host-names-are-enough',
    breaks: 'A lease counts as its own if any process of the same node was given it.',
    alter: hearing((message: LeaseReply, { holder }) =>
      message.type === 'acquired' ? { ...message, holder } : message,
    ),
  },
  {
    name: 'takes-over-without-waiting',
    breaks: 'Where the observer decides, any version is taken over that was ever seen.',
    alter: saying((message: LeaseRequest, { other, settings }) =>
      message.type === 'acquire' && settings.store.clock === 'observer'
        ? { ...message, over: other?.version ?? null }
        : message,
    ),
  },
  {
    name: 'takes-over-before-the-guard',
    breaks: 'Where the observer decides, a version is taken over as soon as its published time is over.',
    alter: steppingFrom((state, input) => {
      const { other, settings } = state;
      const isDue = fires(input, 'due') && other !== null && settings.store.clock === 'observer';
      return isDue ? { ...state, other: { ...other, sinceMs: 0, expiresInMs: 0 } } : state;
    }),
  },
  {
    name: 'counts-on-when-the-version-moves',
    breaks: 'Where the observer decides, another version counts from when the first one was seen.',
    alter: changingState((after, before) =>
      after.other !== null && before.other !== null && after.settings.store.clock === 'observer'
        ? { ...after, other: { ...after.other, sinceMs: before.other.sinceMs } }
        : after,
    ),
  },
  {
    name: 'never-takes-over',
    breaks: 'Where the observer decides, nobody ever names the version that stood still.',
    alter: saying((message: LeaseRequest) =>
      message.type === 'acquire' ? { ...message, over: null } : message,
    ),
  },
  {
    name: 'overlooks-the-loss-of-its-lease',
    breaks: 'A leader that is told that its lease is lost takes no notice.',
    alter: ignoring((input) => hears(input, 'lost')),
  },
  {
    name: 'stops-for-any-loss',
    breaks: 'A leader stops when an earlier lease of its own is lost.',
    alter: hearing((message: LeaseReply, { own }) =>
      message.type === 'lost' && own !== null ? { ...message, token: own.token } : message,
    ),
  },
  {
    name: 'overlooks-what-a-look-shows',
    breaks: 'A leader takes no notice of who has the lease.',
    alter: ignoring((input, { phase }) => phase === 'leading' && hears(input, 'found')),
  },
  acceptsLowerTokens('0'),
  neverAcceptsLowerTokens(),
  {
    name: 'resigns-without-releasing',
    breaks: 'A leader that resigns does not give its lease back.',
    alter: without((effect) => sends(effect, 'release')),
  },
  {
    name: 'resigns-before-it-has-released',
    breaks: 'A resignation is answered before the store has acknowledged it.',
    alter: resigningAtOnce(),
  },
  {
    name: 'asks-before-it-has-released',
    breaks: 'A process asks for the lease again while the release of the last one may still be on its way.',
    alter: steppingFrom((state, input) =>
      state.phase === 'leaving' && input.type === 'campaign-requested'
        ? { ...state, phase: 'following', own: null, request: null }
        : state,
    ),
  },
  {
    name: 'keeps-what-nobody-waits-for',
    breaks: 'A lease that comes after its process has given up is kept until it runs out.',
    alter: ignoring((input, { phase }) => phase === 'following' && hears(input, 'acquired')),
  },
  {
    name: 'takes-silence-for-nothing',
    breaks: 'Whoever resigns while it asks takes it that it has nothing.',
    alter: hearing((message: LeaseReply, { phase }) =>
      message.type === 'found' && phase === 'leaving' ? { ...message, lease: null } : message,
    ),
  },
  {
    name: 'never-renews',
    breaks: 'Nobody renews its lease.',
    alter: without((effect) => sends(effect, 'renew')),
  },
  {
    name: 'never-asks-when-it-is-due',
    breaks: 'Who waits asks again only when a hint comes.',
    alter: ignoring((input) => fires(input, 'due', 'look')),
  },
  {
    name: 'deaf-to-hints',
    breaks: 'A hint that comes while the lease is asked for is forgotten.',
    alter: changingState((after) => (after.hinted ? { ...after, hinted: false } : after)),
  },
  {
    name: 'takes-late-answers',
    breaks: 'An answer counts whichever request it answers.',
    alter: hearing((message: LeaseReply, { request }) =>
      (message.type === 'held' || message.type === 'released') && request !== null
        ? { ...message, id: request }
        : message,
    ),
  },
  doesNotAskAgain(),
  remembersOutsideItsState(),
];

export const leaseSubject: Subject<LeaseState> = {
  algorithm: 'lease',
  checks: [
    checks.isDeterministic(subject),
    leadsOnlyWithTheLease,
    leavesAGuard,
    leadsNotTooLate,
    knowsItsProcess,
    waitsForTheVersion,
    stopsWhenItIsLost,
    stopsForNothingElse,
    resignsWhenAcknowledged,
    releasesFirst,
    givesBackWhatNobodyWaitsFor,
    findsOutWhatItHas,
    heedsHintsWhileItAsks,
    checks.replacesWhoResigns(subject),
    asksAgain,
    forgetsLateAnswers,
    acceptsWhenTold,
    checks.staysInOffice(subject),
    checks.replacesWhoDies(subject),
    checks.refusesLowerTokens(subject),
    checks.keepsItsPromises(subject),
    checks.keepsItsPromises(observed),
    checks.stopsInTime(subject),
    checks.survivesItsMembers(subject),
    ...certifiedLease.checks,
  ],
  mutants: [...mutants, ...certifiedLease.mutants],
};
