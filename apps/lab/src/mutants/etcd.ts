import type { ProtocolMessage } from '@hustings/elector/protocol';
import {
  type EtcdElectionRequest,
  type EtcdReply,
  type EtcdState,
  etcd,
  guardMs,
  invariants,
  type KeyValue,
} from '@hustings/etcd';
import { simulatedEtcd } from '@hustings/etcd/simulated';
import type { AnyEffect, AnyProtocol } from '@hustings/simulator';
import {
  changingOutcome,
  changingState,
  fires,
  hearing,
  hears,
  ignoring,
  prolonging,
  sends,
  steppingFrom,
  without,
} from './alterations.js';
import { asks, feed, leadOf, leadsAtMost, stepsDown } from './by-hand.js';
import { certifiedEtcd } from './certificates.js';
import * as checks from './coordinated.js';
import { asked, done, type EtcdMove, gone, granted, heard, keyOf, put } from './etcd-by-hand.js';
import { type Alteration, type Check, type Mutant, named, type Subject } from './mutant.js';
import {
  acceptsLowerTokens,
  doesNotAskAgain,
  neverAcceptsLowerTokens,
  remembersOutsideItsState,
  resigningAtOnce,
} from './shared.js';

type Etcd = AnyProtocol<EtcdState>;

const ttlSeconds = 1;
/** No margin: in the simulator nobody acts late, and slack would hide what is counted wrongly. */
const build = (): Etcd => etcd({ name: 'e', ttlSeconds, marginMs: 0, requestTimeoutMs: 400 }) as Etcd;

const subject: checks.Coordinated<EtcdState> = {
  build,
  invariants,
  service: (kind) => ({
    id: 'etcd',
    machine: simulatedEtcd({
      expiryCheckMs: 5,
      losesDataOnRestart: kind === 'forgetful',
      leaderFailsEveryMs: kind === 'restless' ? [500, 2500] : null,
    }),
  }),
};

// ---- By hand -------------------------------------------------------------------------------------------------

const looked = (revision: number, ...others: readonly KeyValue[]): EtcdMove => [
  1120,
  ({ look }) => done(look, revision, [...others, keyOf('7', 5)]),
];
const audit: EtcdMove = [1140, { type: 'timer-fired', timer: 'audit' }];

/** After it has joined. */
function play(alter: Alteration<EtcdState>, ...moves: readonly EtcdMove[]) {
  const protocol = alter(etcd({ name: 'e', ttlSeconds: 3 }) as Etcd);
  const joined = [...asked, granted(1100), put(1110, 5)];
  return feed(protocol, protocol.initialState('n7', []), [...joined, ...moves]);
}

const leavesAGuard: Check<EtcdState> = named(
  'a Leadership ends a guard before the lease may, and counts from the request',
  (alter) => {
    const untilMs = 1000 + 3000 - guardMs(etcd().initialState('n', []).settings, 3000);
    return leadsAtMost(play(alter, looked(5))[1], untilMs - 1120);
  },
);

const looksBeforeItLeads: Check<EtcdState> = named(
  'nobody leads before a look has shown its turn',
  (alter) => {
    if (leadOf(play(alter)[1]) !== undefined) return 'it led when its key was put';
    const behindTwo = [looked(5, keyOf('3', 3), keyOf('4', 4)), gone(1130, '4', 6)];
    return leadOf(play(alter, ...behindTwo)[1]) === undefined
      ? null
      : 'it led when the one in the middle went';
  },
);

const believesNothingLate: Check<EtcdState> = named(
  'an event that was overtaken, or of a watch that was replaced, changes nothing',
  (alter) => {
    const known = play(alter, looked(9, keyOf('3', 3)), gone(1130, '3', 8));
    if (known[1].length > 0) return 'it acted on an event older than its look';
    const replaced: EtcdMove = [
      1150,
      heard({ type: 'changed', id: 1, changes: [{ type: 'delete', key: 'e/3', revision: '9' }] }),
    ];
    return play(alter, looked(5, keyOf('3', 3)), replaced)[1].length === 0
      ? null
      : 'it acted on an event of a watch that it does not have';
  },
);

const leadsNotWithoutItsKey: Check<EtcdState> = named('a leader whose key is gone stops', (alter) => {
  if (!stepsDown(play(alter, looked(5), gone(1130, '7', 6))[1])) return 'it was told so';
  const missing: EtcdMove = [1150, ({ look }) => done(look, 7, [keyOf('9', 6)], false)];
  return stepsDown(play(alter, looked(5), audit, missing)[1]) ? null : 'a look did not find it';
});

const resignsWhenAcknowledged: Check<EtcdState> = named(
  'a resignation is answered when etcd has acknowledged it',
  (alter) => {
    const [state, effects] = play(alter, looked(5), [1200, { type: 'resign-requested' }]);
    if (stepsDown(effects)) return 'it was answered at once';
    const [, answered] = build().step(state, heard({ type: 'revoked', id: state.request ?? -1 }), 1210);
    return stepsDown(answered) ? null : 'it was not answered';
  },
);

const takesOnlyItsOwnLease: Check<EtcdState> = named(
  'a lease that was not asked for just now is given back',
  (alter) => {
    const protocol = alter(build());
    const strange: EtcdReply = { type: 'granted', id: 99, lease: '9', ttlSeconds: 3, sentMs: 9000 };
    const moves: readonly EtcdMove[] = [...asked, [1100, heard(strange)]];
    return asks(feed(protocol, protocol.initialState('n7', []), moves)[1], 'revoke') ? null : 'it was taken';
  },
);

const takesNoticeOfItsEnd: Check<EtcdState> = named('a leader whose lease etcd has ended stops', (alter) => {
  const over: EtcdReply = { type: 'kept-alive', id: 1, lease: '7', ttlSeconds: 0, sentMs: 1130 };
  return stepsDown(play(alter, looked(5), [1140, heard(over)])[1]) ? null : 'it did not';
});

const asksAgain: Check<EtcdState> = named('what is not answered is asked again', (alter) => {
  const protocol = alter(build());
  const moves: readonly EtcdMove[] = [...asked, [1500, { type: 'timer-fired', timer: 'request' }]];
  return asks(feed(protocol, protocol.initialState('n7', []), moves)[1], 'grant')
    ? null
    : 'no lease was asked for again';
});

const acceptsWhenTold: Check<EtcdState> = named('whoever is told to accept lower tokens leads', (alter) => {
  const request: EtcdElectionRequest = { type: 'accept-lower-tokens' };
  const lost: EtcdMove = [1150, ({ look }) => done(look, 2, [], false)];
  const moves: readonly EtcdMove[] = [
    looked(5),
    audit,
    lost,
    ...asked.slice(1),
    granted(1100),
    put(1300, 3),
    [1310, { type: 'requested', request }],
    [1320, ({ look }) => done(look, 3, [keyOf('7', 3)])],
  ];
  return leadOf(play(alter, ...moves)[1]) === undefined ? 'it did not' : null;
});

// ---- What is broken ------------------------------------------------------------------------------------------

/** It takes itself for the leader, for half a second. */
function leading(
  state: EtcdState,
  effects: readonly AnyEffect[],
  ownRevision: string,
): readonly [EtcdState, readonly AnyEffect[]] {
  const lead: AnyEffect = { type: 'lead', token: BigInt(ownRevision), validForMs: 500 };
  return [{ ...state, phase: 'leading', told: 'leading' }, [...effects, lead]];
}

const mutants: readonly Mutant<EtcdState>[] = [
  {
    name: 'lease-from-the-answer',
    breaks: 'A renewal counts from its answer, not from its request.',
    alter: hearing((message: EtcdReply, _, nowMs) =>
      message.type === 'kept-alive' ? { ...message, sentMs: nowMs } : message,
    ),
  },
  {
    name: 'lease-without-a-guard',
    breaks: 'A Leadership lasts as long as the lease.',
    alter: prolonging(
      (validForMs, { settings, session }) => validForMs + guardMs(settings, session?.ttlMs ?? 0) + 1,
    ),
  },
  {
    name: 'leads-without-a-look',
    breaks: 'Whoever has put its key takes itself for the first.',
    alter: changingOutcome((after, effects, { before }) =>
      before.phase !== 'joining' || after.ownRevision === null
        ? [after, effects]
        : leading(after, effects, after.ownRevision),
    ),
  },
  {
    name: 'leads-when-its-predecessor-goes',
    breaks: 'A candidate leads when the one before it goes, be it the leader or not.',
    alter: changingOutcome((after, effects, { input }) => {
      const { phase, ownRevision, watch, members } = after;
      const isGone = hears(input, 'changed') && !members.some(({ key }) => key === watch?.key);
      if (phase !== 'waiting' || ownRevision === null || !isGone) return [after, effects];
      return leading(after, effects, ownRevision);
    }),
  },
  {
    name: 'believes-late-events',
    breaks: 'An event counts although later ones have been heard.',
    alter: steppingFrom((state, input) =>
      hears(input, 'changed') ? { ...state, heardUpTo: '0', lookedAt: state.ownRevision ?? '0' } : state,
    ),
  },
  {
    name: 'believes-any-watch',
    breaks: 'An event counts whichever watch it is of.',
    alter: hearing((message: EtcdReply, { watch }) =>
      message.type === 'changed' && watch !== null ? { ...message, id: watch.id } : message,
    ),
  },
  {
    name: 'overlooks-the-deletion-of-its-key',
    breaks: 'A leader is not told that its key has been deleted.',
    alter: ignoring((input, { phase }) => phase === 'leading' && hears(input, 'changed')),
  },
  {
    name: 'takes-any-look-for-a-confirmation',
    breaks: 'A look that does not find the own key counts as one that does.',
    alter: hearing((message: EtcdReply, { look }) =>
      (message.type === 'txn-done' || message.type === 'audited') && message.id === look
        ? { ...message, succeeded: true }
        : message,
    ),
  },
  acceptsLowerTokens('0'),
  {
    name: 'forgets-what-etcd-told',
    breaks: 'A node does not notice that etcd knows less than it did.',
    alter: changingState((after) => ({ ...after, seen: '0', seenAtLook: '0', lookedAt: '0', floor: '0' })),
  },
  neverAcceptsLowerTokens(),
  {
    name: 'resigns-without-leaving',
    breaks: 'A leader that resigns does not give its lease back.',
    alter: without((effect) => sends(effect, 'revoke')),
  },
  {
    name: 'resigns-before-it-has-left',
    breaks: 'A resignation is answered before etcd has acknowledged it.',
    alter: resigningAtOnce(),
  },
  {
    name: 'never-renews',
    breaks: 'Nobody keeps its lease alive.',
    alter: without((effect) => sends(effect, 'keep-alive')),
  },
  {
    name: 'never-looks-again',
    breaks: 'Who waits does not ask who leads.',
    alter: ignoring((input) => fires(input, 'audit')),
  },
  {
    name: 'overlooks-the-end-of-its-lease',
    breaks: 'A node that is told that its lease is gone goes on waiting.',
    alter: ignoring((input) => hears(input, 'kept-alive') && isOver(input.message)),
  },
  {
    name: 'takes-any-lease',
    breaks: 'A lease counts as granted just now, whoever had asked for it and when.',
    alter: hearing((message: EtcdReply, { request, requestedMs }) =>
      message.type === 'granted' ? { ...message, id: request ?? -1, sentMs: requestedMs } : message,
    ),
  },
  doesNotAskAgain(),
  remembersOutsideItsState(),
];

const isOver = (message: ProtocolMessage): boolean => 'ttlSeconds' in message && message.ttlSeconds === 0;

export const etcdSubject: Subject<EtcdState> = {
  algorithm: 'etcd',
  checks: [
    checks.isDeterministic(subject),
    looksBeforeItLeads,
    leavesAGuard,
    believesNothingLate,
    leadsNotWithoutItsKey,
    resignsWhenAcknowledged,
    checks.replacesWhoResigns(subject),
    takesOnlyItsOwnLease,
    takesNoticeOfItsEnd,
    asksAgain,
    acceptsWhenTold,
    checks.staysInOffice(subject),
    checks.replacesWhoDies(subject),
    checks.refusesLowerTokens(subject),
    checks.keepsItsPromises(subject),
    checks.stopsInTime(subject),
    checks.survivesItsMembers(subject),
    ...certifiedEtcd.checks,
  ],
  mutants: [...mutants, ...certifiedEtcd.mutants],
};
