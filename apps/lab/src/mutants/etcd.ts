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
import type { AnyEffect, AnyInput, AnyProtocol } from '@hustings/simulator';
import { certifiedEtcd } from './certificates.js';
import * as checks from './coordinated.js';
import {
  type Alteration,
  type Check,
  changingEffects,
  changingState,
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

const heard = (message: EtcdReply): AnyInput => ({ type: 'received', from: 'etcd', message });

const keyOf = (lease: string, revision: number): KeyValue => ({
  key: `e/${lease}`,
  value: `n${lease}`,
  lease,
  createRevision: `${revision}`,
  modRevision: `${revision}`,
});

type Move = readonly [atMs: number, input: AnyInput | ((state: EtcdState) => AnyInput)];

const done = (id: number | null, revision: number, found: readonly KeyValue[], succeeded = true): AnyInput =>
  heard({
    type: 'txn-done',
    id: id ?? -1,
    succeeded,
    revision: `${revision}`,
    clusterId: '1',
    found: [found],
  });

/** Granted lease 7, and its key put at revision 5. */
const joined: readonly Move[] = [
  [1000, { type: 'started' }],
  [1000, { type: 'campaign-requested' }],
  [
    1100,
    ({ request }) => heard({ type: 'granted', id: request ?? -1, lease: '7', ttlSeconds: 3, sentMs: 1000 }),
  ],
  [1110, ({ request }) => done(request, 5, [keyOf('7', 5)])],
];
const looked = (revision: number, ...others: readonly KeyValue[]): Move => [
  1120,
  ({ look }) => done(look, revision, [...others, keyOf('7', 5)]),
];
const gone = (lease: string, revision: number): Move => [
  1130,
  ({ watch }) =>
    heard({
      type: 'changed',
      id: watch?.id ?? -1,
      changes: [{ type: 'delete', key: `e/${lease}`, revision: `${revision}` }],
    }),
];
const audit: Move = [1140, { type: 'timer-fired', timer: 'audit' }];

function play(alter: Alteration<EtcdState>, ...moves: readonly Move[]) {
  const protocol = alter(etcd({ name: 'e', ttlSeconds: 3 }) as Etcd);
  return checks.feed(protocol, protocol.initialState('n7', []), [...joined, ...moves]);
}

const leadOf = (effects: readonly AnyEffect[]) => effects.find((effect) => effect.type === 'lead');
const stepsDown = (effects: readonly AnyEffect[]): boolean =>
  effects.some(({ type }) => type === 'step-down');

const leavesAGuard: Check<EtcdState> = named(
  'a Leadership ends a guard before the lease may, and counts from the request',
  (alter) => {
    const lead = leadOf(play(alter, looked(5))[1]);
    if (lead?.type !== 'lead') return 'it did not lead';
    const longestMs = 1000 + 3000 - guardMs(etcd().initialState('n', []).settings, 3000) - 1120;
    return (lead.validForMs ?? Number.POSITIVE_INFINITY) <= longestMs
      ? null
      : `valid for ${lead.validForMs} ms, not ${longestMs}`;
  },
);

const looksBeforeItLeads: Check<EtcdState> = named(
  'nobody leads before a look has shown its turn',
  (alter) => {
    if (leadOf(play(alter)[1]) !== undefined) return 'it led when its key was put';
    const behindTwo = [looked(5, keyOf('3', 3), keyOf('4', 4)), gone('4', 6)];
    return leadOf(play(alter, ...behindTwo)[1]) === undefined
      ? null
      : 'it led when the one in the middle went';
  },
);

const believesNothingLate: Check<EtcdState> = named(
  'an event that was overtaken, or of a watch that was replaced, changes nothing',
  (alter) => {
    const known = play(alter, looked(9, keyOf('3', 3)), gone('3', 8));
    if (known[1].length > 0) return 'it acted on an event older than its look';
    const replaced: Move = [
      1150,
      heard({ type: 'changed', id: 1, changes: [{ type: 'delete', key: 'e/3', revision: '9' }] }),
    ];
    return play(alter, looked(5, keyOf('3', 3)), replaced)[1].length === 0
      ? null
      : 'it acted on an event of a watch that it does not have';
  },
);

const leadsNotWithoutItsKey: Check<EtcdState> = named('a leader whose key is gone stops', (alter) => {
  if (!stepsDown(play(alter, looked(5), gone('7', 6))[1])) return 'it was told so';
  const missing: Move = [1150, ({ look }) => done(look, 7, [keyOf('9', 6)], false)];
  return stepsDown(play(alter, looked(5), audit, missing)[1]) ? null : 'a look did not find it';
});

const resignsWhenAcknowledged: Check<EtcdState> = named(
  'a resignation is answered when etcd has acknowledged it',
  (alter) => {
    const asked: Move = [1200, { type: 'resign-requested' }];
    const [state, effects] = play(alter, looked(5), asked);
    if (stepsDown(effects)) return 'it was answered at once';
    const [, answered] = build().step(state, heard({ type: 'revoked', id: state.request ?? -1 }), 1210);
    return stepsDown(answered) ? null : 'it was not answered';
  },
);

const takesOnlyItsOwnLease: Check<EtcdState> = named(
  'a lease that was not asked for just now is given back',
  (alter) => {
    const protocol = alter(build());
    const asked = checks.feed(protocol, protocol.initialState('n7', []), joined.slice(0, 2))[0];
    const strange: EtcdReply = { type: 'granted', id: 99, lease: '9', ttlSeconds: 3, sentMs: 9000 };
    const [, effects] = protocol.step(asked, heard(strange), 1100);
    return effects.some((effect) => sends(effect, 'revoke')) ? null : 'it was taken';
  },
);

const takesNoticeOfItsEnd: Check<EtcdState> = named('a leader whose lease etcd has ended stops', (alter) => {
  const over: EtcdReply = { type: 'kept-alive', id: 1, lease: '7', ttlSeconds: 0, sentMs: 1130 };
  return stepsDown(play(alter, looked(5), [1140, heard(over)])[1]) ? null : 'it did not';
});

const asksAgain: Check<EtcdState> = named('what is not answered is asked again', (alter) => {
  const protocol = alter(build());
  const timedOut: Move = [1500, { type: 'timer-fired', timer: 'request' }];
  const [, effects] = checks.feed(protocol, protocol.initialState('n7', []), [
    ...joined.slice(0, 2),
    timedOut,
  ]);
  return effects.some((effect) => sends(effect, 'grant')) ? null : 'no lease was asked for again';
});

const acceptsWhenTold: Check<EtcdState> = named('whoever is told to accept lower tokens leads', (alter) => {
  const request: EtcdElectionRequest = { type: 'accept-lower-tokens' };
  const lost: Move = [1150, ({ look }) => done(look, 2, [], false)];
  const moves: readonly Move[] = [
    looked(5),
    audit,
    lost,
    ...joined.slice(1, 3),
    [1300, ({ request: id }) => done(id, 3, [keyOf('7', 3)])],
    [1310, { type: 'requested', request }],
    [1320, ({ look }) => done(look, 3, [keyOf('7', 3)])],
  ];
  return leadOf(play(alter, ...moves)[1]) === undefined ? 'it did not' : null;
});

// ---- What is broken ------------------------------------------------------------------------------------------

/** What is heard is altered on its way in. */
const hearing = (
  change: (message: EtcdReply, state: EtcdState, nowMs: number) => EtcdReply,
): Alteration<EtcdState> =>
  withStep(
    (step) => (state, input, nowMs) =>
      step(
        state,
        input.type === 'received'
          ? { ...input, message: change(input.message as EtcdReply, state, nowMs) }
          : input,
        nowMs,
      ),
  );

/** The state is altered before certain messages are heard. */
const before = (types: readonly string[], change: (state: EtcdState) => EtcdState): Alteration<EtcdState> =>
  withStep(
    (step) => (state, input, nowMs) => step(hears(input, ...types) ? change(state) : state, input, nowMs),
  );

const mutants: readonly Mutant<EtcdState>[] = [
  {
    name: 'lease-from-the-answer',
    breaks: 'A renewal counts from its answer, not from its request.',
    alter: hearing((message, _, nowMs) =>
      message.type === 'kept-alive' ? { ...message, sentMs: nowMs } : message,
    ),
  },
  {
    name: 'lease-without-a-guard',
    breaks: 'A Leadership lasts as long as the lease.',
    alter: changingEffects((effect, { settings, session }) =>
      effect.type === 'lead' && effect.validForMs !== undefined
        ? [{ ...effect, validForMs: effect.validForMs + guardMs(settings, session?.ttlMs ?? 0) + 1 }]
        : [effect],
    ),
  },
  {
    name: 'leads-without-a-look',
    breaks: 'Whoever has put its key takes itself for the first.',
    alter: withStep((step) => (state, input, nowMs) => {
      const [after, effects] = step(state, input, nowMs);
      if (state.phase !== 'joining' || after.ownRevision === null) return [after, effects];
      const lead: AnyEffect = { type: 'lead', token: BigInt(after.ownRevision), validForMs: 500 };
      return [{ ...after, phase: 'leading', told: 'leading' }, [...effects, lead]];
    }),
  },
  {
    name: 'leads-when-its-predecessor-goes',
    breaks: 'A candidate leads when the one before it goes, be it the leader or not.',
    alter: withStep((step) => (state, input, nowMs) => {
      const [after, effects] = step(state, input, nowMs);
      const { phase, ownRevision, watch } = after;
      if (phase !== 'waiting' || ownRevision === null || !hears(input, 'changed')) return [after, effects];
      if (after.members.some(({ key }) => key === watch?.key)) return [after, effects];
      const lead: AnyEffect = { type: 'lead', token: BigInt(ownRevision), validForMs: 500 };
      return [{ ...after, phase: 'leading', told: 'leading' }, [...effects, lead]];
    }),
  },
  {
    name: 'believes-late-events',
    breaks: 'An event counts although later ones have been heard.',
    alter: before(['changed'], (state) => ({ ...state, heardUpTo: '0', lookedAt: state.ownRevision ?? '0' })),
  },
  {
    name: 'believes-any-watch',
    breaks: 'An event counts whichever watch it is of.',
    alter: hearing((message, { watch }) =>
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
    alter: hearing((message, { look }) =>
      (message.type === 'txn-done' || message.type === 'audited') && message.id === look
        ? { ...message, succeeded: true }
        : message,
    ),
  },
  {
    name: 'accepts-lower-tokens',
    breaks: 'A node forgets which tokens it has seen.',
    alter: changingState((after) => ({ ...after, floor: '0' })),
  },
  {
    name: 'forgets-what-etcd-told',
    breaks: 'A node does not notice that etcd knows less than it did.',
    alter: changingState((after) => ({ ...after, seen: '0', seenAtLook: '0', lookedAt: '0', floor: '0' })),
  },
  {
    name: 'never-accepts-lower-tokens',
    breaks: 'A node refuses lower tokens although it was told to accept them.',
    alter: ignoring((input) => input.type === 'requested'),
  },
  {
    name: 'resigns-without-leaving',
    breaks: 'A leader that resigns does not give its lease back.',
    alter: without((effect) => sends(effect, 'revoke')),
  },
  {
    name: 'resigns-before-it-has-left',
    breaks: 'A resignation is answered before etcd has acknowledged it.',
    alter: checks.resigningAtOnce(),
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
    alter: ignoring(
      (input) => hears(input, 'kept-alive') && input.type === 'received' && isOver(input.message),
    ),
  },
  {
    name: 'takes-any-lease',
    breaks: 'A lease counts as granted just now, whoever had asked for it and when.',
    alter: hearing((message, { request, requestedMs }) =>
      message.type === 'granted' ? { ...message, id: request ?? -1, sentMs: requestedMs } : message,
    ),
  },
  {
    name: 'does-not-ask-again',
    breaks: 'A request whose answer is lost is not repeated.',
    alter: ignoring((input) => fires(input, 'request') || input.type === 'link-up'),
  },
  {
    name: 'remembers-outside-its-state',
    breaks: 'A counter outside the state drops every hundredth message.',
    alter: (protocol) => {
      let sent = 0;
      return without<EtcdState>((effect) => effect.type === 'send' && ++sent % 100 === 0)(protocol);
    },
  },
];

const isOver = (message: { readonly type: string }): boolean =>
  'ttlSeconds' in message && message.ttlSeconds === 0;

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
