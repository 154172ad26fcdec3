/**
 * Heirs on etcd. The runs come first, so that what they find is said to be found by them; what no run of theirs shows is
 * asked by hand.
 */

import {
  type EtcdMessage,
  type EtcdReply,
  type EtcdState,
  etcd,
  heirGuardMs,
  invariants,
  type KeyValue,
  type Transaction,
} from '@hustings/etcd';
import { simulatedEtcd } from '@hustings/etcd/simulated';
import {
  type AnyEffect,
  type AnyInput,
  type AnyProtocol,
  parseSchedule,
  Simulation,
} from '@hustings/simulator';
import * as checks from './coordinated.js';
import {
  type Alteration,
  type Check,
  changingEffects,
  changingState,
  fires,
  hears,
  type Mutant,
  named,
  type Subject,
  sends,
  without,
  withStep,
} from './mutant.js';

type Etcd = AnyProtocol<EtcdState>;

const heirWaitMs = 500;
const driftBound = 0.08;
const settings = { name: 'e', ttlSeconds: 3, marginMs: 0, requestTimeoutMs: 400, heirWaitMs, driftBound };
const build = (): Etcd => etcd(settings) as Etcd;
const waitMs = heirWaitMs - heirGuardMs({ ...settings, succession: 'queue' });

const subject: checks.Coordinated<EtcdState> = {
  build,
  invariants,
  service: () => ({ id: 'etcd', machine: simulatedEtcd({ expiryCheckMs: 5 }) }),
};

// ---- Runs ----------------------------------------------------------------------------------------------------

const slow = (node: string): string => `at 0 clock-drift ${node} 0.92`;
const fast = (node: string): string => `at 0 clock-drift ${node} 1.08`;
/** Whoever leads first, its clock and its heir's are as far apart as they may be, one way or the other. */
const clocks: readonly string[] = [
  '',
  [slow('n1'), fast('n2'), fast('n3')].join('\n'),
  [slow('n2'), fast('n1'), fast('n3')].join('\n'),
  [slow('n3'), fast('n1'), fast('n2')].join('\n'),
];

const stories: Readonly<Record<string, string>> = {
  'nothing goes wrong': '',
  'the leader pauses': 'at 2000 pause leader until 3500\nat 5000 pause leader until 5600',
  'the leader is cut off': 'at 2000 isolate leader until 4000\nat 6000 isolate leader until 6700',
  'the leader loses etcd': 'at 2000 isolate-from-coordinator leader until 7000',
  'the leader hears nothing': 'at 2000 one-way leader until 4000\nat 6000 one-way leader until 6500',
  'the leader dies': 'at 2000 restart leader\nat 4000 crash leader until 8000',
  'links fail': 'at 1000 loss 0.5 until 3000\nat 5000 loss 0.8 until 6000',
  'all is late, twice and out of order':
    'at 1000 duplicate 0.5 until 9000\nat 1000 reorder until 9000\nat 2000 slow-link leader 90 until 8000',
  'etcd is gone for a while': 'at 2000 coordinator-crash until 2400\nat 5000 coordinator-crash until 7000',
};

const keepsItsPromises: Check<EtcdState> = {
  find(alter) {
    for (const [story, faults] of Object.entries(stories)) {
      for (const [index, drift] of clocks.entries()) {
        const schedule = parseSchedule(
          `nodes n1 n2 n3\nlatency 1 20\nrun 24000\nseed ${index + 1}\n${drift}\n${faults}`,
        );
        const failure = checks.judge(subject, alter(build()), schedule);
        if (failure !== null) return { ...failure, detail: `${failure.detail} (when ${story})` };
      }
    }
    return null;
  },
};

/** A leader that is cut off, at many moments of a heartbeat, from a heir whose clock is fast. */
const stopsInTime: Check<EtcdState> = {
  find(alter) {
    for (let seed = 0; seed < 60; seed += 1) {
      const drift = clocks[1 + (seed % 3)];
      const schedule = parseSchedule(
        `nodes n1 n2 n3\nseed ${seed}\nlatency 1 3\nrun 16000\n${drift}
         at 2500 slow-link leader ${seed % 2 === 0 ? 60 : 0} until 4000
         at ${3000 + 7 * seed} isolate leader until 6000`,
      );
      const failure = checks.judge(subject, alter(build()), schedule);
      if (failure !== null) return { ...failure, detail: `${failure.detail} (cut off, seed ${seed})` };
    }
    return null;
  },
};

function started(alter: Alteration<EtcdState>, seed: number): Simulation<EtcdState> {
  const simulation = new Simulation<EtcdState>({
    protocol: alter(build()),
    nodes: ['n1', 'n2', 'n3'],
    services: [subject.service('strict')],
    seed,
    network: { latencyMs: [1, 5] },
  });
  simulation.runUntil(3000);
  return simulation;
}

const seeds = [1, 2, 3, 4];

const replacesWhoIsSilent: Check<EtcdState> = named(
  'a leader that pauses or is cut off is replaced when its heir has waited',
  (alter) => {
    for (const seed of seeds) {
      const simulation = started(alter, seed);
      const { leader } = simulation;
      if (leader === null) return 'nobody led';
      simulation.inject({ type: seed % 2 === 0 ? 'pause' : 'isolate', node: leader.id });
      const isReplaced = (): boolean => simulation.nodes.some((node) => node !== leader && node.leading);
      if (!simulation.runUntilTrue(isReplaced, 3000 + heirWaitMs + 50)) return `it was not (seed ${seed})`;
    }
    return null;
  },
);

const staysWithoutPeers: Check<EtcdState> = named(
  'a leader that loses its heir, or all its peers, stays in office',
  (alter) => {
    for (const seed of seeds) {
      const simulation = started(alter, seed);
      const { leader } = simulation;
      const heir = simulation.nodes.find(({ id }) => id === leader?.state.offer?.heir.node);
      if (leader === null || heir === undefined) return `nobody had an heir (seed ${seed})`;
      const lost = seed % 2 === 0 ? [heir] : simulation.nodes.filter((node) => node !== leader);
      for (const peer of lost) simulation.inject({ type: 'cut', node: leader.id, peer: peer.id });
      const token = leader.leadership?.token;
      simulation.runUntil(12_000);
      if (leader.leadership?.token !== token || !leader.leading) return `it did not (seed ${seed})`;
    }
    return null;
  },
);

/** Its key was written meanwhile: it must have kept its lease. */
const leavesNoKey: Check<EtcdState> = named(
  'a leader that lost its heir and then died is replaced when its lease has run out',
  (alter) => {
    for (const seed of seeds) {
      const simulation = started(alter, seed);
      const { leader } = simulation;
      if (leader === null) return 'nobody led';
      for (const { id } of simulation.nodes) {
        if (id !== leader.id) simulation.inject({ type: 'cut', node: leader.id, peer: id });
      }
      simulation.runUntil(6000);
      simulation.inject({ type: 'crash', node: leader.id });
      const isReplaced = (): boolean => simulation.nodes.some((node) => node !== leader && node.leading);
      if (!simulation.runUntilTrue(isReplaced, 12_000)) return `it was not (seed ${seed})`;
    }
    return null;
  },
);

// ---- By hand -------------------------------------------------------------------------------------------------

const from = (node: string, message: EtcdMessage): AnyInput => ({ type: 'received', from: node, message });
const heard = (message: EtcdReply): AnyInput => from('etcd', message);

const keyOf = (lease: string, revision: number, modRevision = revision): KeyValue => ({
  key: `e/${lease}`,
  value: `n${lease}`,
  lease,
  createRevision: `${revision}`,
  modRevision: `${modRevision}`,
});

const done = (
  id: number | null | undefined,
  revision: number,
  found: readonly KeyValue[],
  succeeded = true,
): AnyInput =>
  heard({
    type: 'txn-done',
    id: id ?? -1,
    succeeded,
    revision: `${revision}`,
    clusterId: '1',
    found: [found],
  });

type Move = readonly [atMs: number, input: AnyInput | ((state: EtcdState) => AnyInput)];

/** Node n7 is granted lease 7 for 3 s at 1000, and its key is put at revision 5. */
const joined: readonly Move[] = [
  [1000, { type: 'started' }],
  [1000, { type: 'campaign-requested' }],
  [
    1010,
    ({ request }) => heard({ type: 'granted', id: request ?? -1, lease: '7', ttlSeconds: 3, sentMs: 1000 }),
  ],
  [1020, ({ request }) => done(request, 5, [keyOf('7', 5)])],
];

const leader = { key: 'e/7', revision: '5' };
const volunteering = (lease: string): AnyInput =>
  from(`n${lease}`, { type: 'volunteer', leader, heir: { key: `e/${lease}`, revision: lease } });

/** Leads since 1030, and has offered to n8 at 1100. */
const offering: readonly Move[] = [
  ...joined,
  [1030, ({ look }) => done(look, 5, [keyOf('7', 5)])],
  [1100, volunteering('8')],
];
const beat = (atMs: number): Move => [atMs, { type: 'timer-fired', timer: 'offer' }];
const promise = (id: number): AnyInput => from('n8', { type: 'promise', id, leader });
/** Answers the heartbeat that was written at this time. */
const promised = (atMs: number, sentMs: number): Move => [
  atMs,
  ({ offer }) => promise(offer?.heartbeats.find((heartbeat) => heartbeat.sentMs === sentMs)?.id ?? -1),
];
/** n8 has not answered: the offer is being withdrawn since 1310. */
const withdrawing: readonly Move[] = [...offering, beat(1200), beat(1310)];

/** Waits behind n3, has promised at 1100, and has waited since. */
const waiting: readonly Move[] = [
  ...joined,
  [1030, ({ look }) => done(look, 5, [keyOf('3', 3), keyOf('7', 5)])],
];
const offered = (atMs: number, id = 1): Move => [
  atMs,
  from('n3', {
    type: 'offer',
    id,
    leader: { key: 'e/3', revision: '3' },
    modRevision: '4',
    heir: leader,
    waitMs: heirWaitMs,
  }),
];
const waited = (atMs: number): Move => [atMs, { type: 'timer-fired', timer: 'inherit' }];

function play(alter: Alteration<EtcdState>, moves: readonly Move[]) {
  const protocol = alter(build());
  return checks.feed(protocol, protocol.initialState('n7', ['n3', 'n8', 'n9']), moves);
}

/** When leading ends after the last of these moves; null if nothing is said of it. */
function leadsUntil(alter: Alteration<EtcdState>, moves: readonly Move[]): number | null {
  const lead = play(alter, moves)[1].findLast((effect) => effect.type === 'lead');
  const atMs = moves.at(-1)?.[0] ?? 0;
  return lead === undefined || lead.type !== 'lead' ? null : atMs + (lead.validForMs ?? Infinity);
}

const later = (untilMs: number | null, thanMs: number): string | null =>
  untilMs !== null && untilMs > thanMs + 1e-6 ? `it leads until ${untilMs}, not ${thanMs}` : null;

const transactionOf = (effects: readonly AnyEffect[]): Transaction | null => {
  const sent = effects.find((effect) => sends(effect, 'txn'));
  return sent?.type === 'send' ? (sent.message as unknown as Transaction) : null;
};

const countsFromTheFirstHeartbeat: Check<EtcdState> = named(
  'an offer bounds its leader from before its first heartbeat is written',
  (alter) => {
    const untilMs = leadsUntil(alter, offering);
    return untilMs === null ? 'it does not' : later(untilMs, 1100 + waitMs);
  },
);

const countsFromItsHeartbeat: Check<EtcdState> = named(
  'an answer counts from when the heartbeat that it names was written, and no later one',
  (alter) =>
    later(leadsUntil(alter, [...offering, promised(1180, 1100)]), 1100 + waitMs) ??
    later(leadsUntil(alter, [...offering, beat(1200), promised(1210, 1100)]), 1100 + waitMs) ??
    later(leadsUntil(alter, [...offering, beat(1200), promised(1210, 1200)]), 1200 + waitMs),
);

const isBoundUntilAnswered: Check<EtcdState> = named(
  'only an answer of etcd frees a leader from its offer, and only one that shows its key written since',
  (alter) => {
    const asked = leadsUntil(alter, withdrawing);
    const again = leadsUntil(alter, [...withdrawing, beat(1400)]);
    const unchanged: Move = [1320, ({ offer }) => done(offer?.withdrawal, 5, [keyOf('7', 5)], false)];
    return (
      later(asked, 1100 + waitMs) ??
      later(again, 1100 + waitMs) ??
      later(leadsUntil(alter, [...withdrawing, unchanged]), 1100 + waitMs)
    );
  },
);

const isBoundByANewerOffer: Check<EtcdState> = named(
  'a late answer to a withdrawal does not void an offer that was made since',
  (alter) => {
    const moves: readonly Move[] = [
      ...withdrawing,
      [1320, ({ offer }) => done(offer?.withdrawal, 9, [keyOf('7', 5, 9)])],
      [1330, volunteering('9')],
      // The answer to another attempt shows what the first one had written.
      [1350, done(99, 9, [keyOf('7', 5, 9)], false)],
    ];
    const [state] = play(alter, moves);
    return state.offer?.heir.key === 'e/9'
      ? later(leadsUntil(alter, moves), 1330 + waitMs)
      : 'the offer is void';
  },
);

const hasOneHeir: Check<EtcdState> = named('under one mod revision a leader offers to one heir', (alter) => {
  const [state] = play(alter, [...offering, [1150, volunteering('9')]]);
  return state.offer?.heir.key === 'e/8' ? null : `it offers to ${state.offer?.heir.key}`;
});

const endsForEver: Check<EtcdState> = named(
  'a deadline that has passed is not moved up by what is heard then',
  (alter) => {
    const late = 1100 + waitMs + 1;
    const lateWords: readonly Move[] = [
      [late, promise(-1)],
      promised(late, 1200),
      [late, ({ offer }) => done(offer?.withdrawal, 9, [keyOf('7', 5, 9)])],
    ];
    const revived = lateWords.findIndex((word) => {
      const [state, effects] = play(alter, [...withdrawing, word]);
      return state.phase === 'leading' || !effects.some(({ type }) => type === 'step-down');
    });
    return revived === -1 ? null : `word ${revived + 1} moved it`;
  },
);

const givesUpItsKey: Check<EtcdState> = named('a leader whose time is over gives its key up', (alter) => {
  const [state, effects] = play(alter, [...offering, [1700, { type: 'lease-expired' }]]);
  return state.phase === 'leaving' && effects.some((effect) => sends(effect, 'revoke'))
    ? null
    : 'it does not';
});

const staysWithinItsLease: Check<EtcdState> = named("an offer never outlasts the leader's lease", (alter) => {
  const leaseEndsMs = 1000 + 3000 * (1 - 2 * driftBound);
  const beats = Array.from({ length: 22 }, (_, index) => 1200 + 100 * index);
  const answered = beats.flatMap((atMs): Move[] => [beat(atMs), promised(atMs + 5, atMs)]);
  return later(leadsUntil(alter, [...offering, ...answered]), leaseEndsMs);
});

const waitsAnew: Check<EtcdState> = named('an heir waits anew with every offer', (alter) => {
  const [state, effects] = play(alter, [...waiting, offered(1100), offered(1400, 2), waited(1605)]);
  return state.inheritance === null && transactionOf(effects) === null ? null : 'it did not';
});

const inheritsByModRevision: Check<EtcdState> = named(
  "an heir deletes the leader's key only as it was promised, and only while its own is there",
  (alter) => {
    const compare = transactionOf(play(alter, [...waiting, offered(1100), waited(1600)])[1])?.compare ?? [];
    const has = (key: string, target: string, revision: string): boolean =>
      compare.some((each) => each.key === key && each.target === target && each.revision === revision);
    return has('e/3', 'mod', '4') && has('e/7', 'create', '5') ? null : JSON.stringify(compare);
  },
);

const leadsOnlyFirst: Check<EtcdState> = named(
  'an heir leads only if one answer shows its key there and the oldest',
  (alter) => {
    const asked = [...waiting, offered(1100), waited(1600)];
    const answers: readonly Move[] = [
      [1610, ({ look }) => done(look, 9, [keyOf('4', 4), keyOf('7', 5)])],
      [1610, ({ look }) => done(look, 9, [keyOf('3', 3, 8), keyOf('7', 5)], false)],
      [1610, ({ look }) => done(look, 9, [keyOf('8', 8)], false)],
    ];
    const led = answers.findIndex((answer) =>
      play(alter, [...asked, answer])[1].some(({ type }) => type === 'lead'),
    );
    return led === -1 ? null : `answer ${led + 1} made it lead`;
  },
);

const looksBeforeItLeads: Check<EtcdState> = named(
  'nobody leads because the one before it has gone',
  (alter) => {
    const gone: Move = [
      1650,
      ({ watch }) =>
        heard({
          type: 'changed',
          id: watch?.id ?? -1,
          changes: [{ type: 'delete', key: 'e/3', revision: '9' }],
        }),
    ];
    const [, effects] = play(alter, [...waiting, gone]);
    return effects.some(({ type }) => type === 'lead') ? 'it did' : null;
  },
);

const joinsUnderOneName: Check<EtcdState> = named(
  'a key whose put was not answered is put again',
  (alter) => {
    const [, effects] = play(alter, [
      ...joined.slice(0, 3),
      [1500, { type: 'timer-fired', timer: 'request' }],
    ]);
    const put = transactionOf(effects)?.success.find(({ type }) => type === 'put');
    return put?.type === 'put' && put.key === 'e/7' ? null : `${JSON.stringify(put)} instead`;
  },
);

// ---- What is broken ------------------------------------------------------------------------------------------

/** The state is altered before something is heard. */
const before = (
  applies: (input: AnyInput) => boolean,
  alter: (state: EtcdState, nowMs: number, input: AnyInput) => EtcdState,
): Alteration<EtcdState> =>
  withStep(
    (step) => (state, input, nowMs) =>
      step(applies(input) ? alter(state, nowMs, input) : state, input, nowMs),
  );

const withOffer = (
  state: EtcdState,
  alter: (offer: NonNullable<EtcdState['offer']>) => EtcdState['offer'],
): EtcdState => (state.offer === null ? state : { ...state, offer: alter(state.offer) });

/** What a leader would say of its deadline in this state. */
function leadOf(state: EtcdState, nowMs: number): AnyEffect[] {
  const { session, offer, ownRevision } = state;
  if (session === null || ownRevision === null) return [];
  const leaseMs = session.renewedMs + session.ttlMs * (1 - 2 * driftBound);
  const offerMs = offer === null ? Infinity : offer.sinceMs + waitMs;
  return [{ type: 'lead', token: BigInt(ownRevision), validForMs: Math.min(leaseMs, offerMs) - nowMs }];
}

const isWithdrawal = (effect: AnyEffect): boolean =>
  effect.type === 'send' && (transactionOf([effect])?.success.some(({ type }) => type === 'touch') ?? false);

const mutants: readonly Mutant<EtcdState>[] = [
  {
    name: 'counts-from-the-answer',
    breaks: "An heir's answer counts from its receipt.",
    alter: before(
      (input) => hears(input, 'promise'),
      (state, nowMs) =>
        withOffer(state, (offer) => ({
          ...offer,
          heartbeats: offer.heartbeats.map(({ id }) => ({ id, sentMs: nowMs })),
        })),
    ),
  },
  {
    name: 'credits-the-newest-heartbeat',
    breaks: 'An answer counts for the newest heartbeat, whichever it names.',
    alter: withStep((step) => (state, input, nowMs) => {
      const newest = state.offer?.heartbeats.at(-1)?.id;
      if (!hears(input, 'promise') || input.type !== 'received' || newest === undefined)
        return step(state, input, nowMs);
      return step(state, { ...input, message: { ...input.message, id: newest } as EtcdMessage }, nowMs);
    }),
  },
  {
    name: 'is-bound-by-the-first-answer',
    breaks: 'An offer does not bound its leader before it has been answered.',
    alter: withStep((step) => (state, input, nowMs) => {
      const isAnswered = hears(input, 'promise') && (state.offer?.sinceMs ?? 0) > nowMs;
      const bound = isAnswered ? withOffer(state, (offer) => ({ ...offer, sinceMs: 0 })) : state;
      const [after, effects] = step(bound, input, nowMs);
      const isNew = after.offer !== null && after.offer.modRevision !== state.offer?.modRevision;
      if (!isNew) return [after, effects];
      const unbound = withOffer(after, (offer) => ({ ...offer, sinceMs: nowMs + 60_000 }));
      return [unbound, effects.filter(({ type }) => type !== 'lead')];
    }),
  },
  {
    name: 'reads-the-clock-after-writing',
    breaks: 'A heartbeat counts from when writing it was over, 30 ms later.',
    alter: changingState((after, prior) =>
      withOffer(after, (offer) => ({
        ...offer,
        heartbeats: offer.heartbeats.map((heartbeat) =>
          prior.offer?.heartbeats.some(({ id }) => id === heartbeat.id)
            ? heartbeat
            : { ...heartbeat, sentMs: heartbeat.sentMs + 30 },
        ),
      })),
    ),
  },
  {
    name: 'is-free-when-it-has-asked',
    breaks: 'An offer is void as soon as its withdrawal is asked for.',
    alter: withStep((step) => (state, input, nowMs) => {
      const [after, effects] = step(state, input, nowMs);
      if (!effects.some(isWithdrawal)) return [after, effects];
      const free = { ...after, offer: null };
      return [free, [...effects, ...leadOf(free, nowMs)]];
    }),
  },
  {
    name: 'is-free-when-nobody-answers',
    breaks: 'An offer is void when its withdrawal has not been answered in time.',
    alter: withStep((step) => (state, input, nowMs) => {
      const [after, effects] = step(state, input, nowMs);
      const isOverdue = state.offer?.withdrawal != null && effects.some(isWithdrawal);
      if (!isOverdue) return [after, effects];
      const free = { ...after, offer: null };
      return [free, [...effects, ...leadOf(free, nowMs)]];
    }),
  },
  {
    name: 'is-free-by-a-late-answer',
    breaks: 'Any answer to a withdrawal voids the offer, also one that was made since.',
    alter: before(
      (input) => hears(input, 'txn-done'),
      (state) => (state.offer === null ? state : { ...state, ownModRevision: '0' }),
    ),
  },
  {
    name: 'deletes-by-create-revision',
    breaks: "An heir compares the create revision of the leader's key, not its mod revision.",
    alter: changingEffects((effect, { promise: held }) => {
      if (effect.type !== 'send' || held === null) return [effect];
      const transaction = transactionOf([effect]);
      if (!transaction?.success.some(({ type }) => type === 'delete')) return [effect];
      const compare = transaction.compare.map((each) =>
        each.key === held.leader.key
          ? { key: each.key, target: 'create', revision: held.leader.revision }
          : each,
      );
      return [{ ...effect, message: { ...effect.message, compare } as EtcdMessage }];
    }),
  },
  {
    name: 'waits-from-the-first-offer',
    breaks: 'An heir waits from the first offer, and not anew with each.',
    alter: withStep((step) => (state, input, nowMs) => {
      const [after, effects] = step(state, input, nowMs);
      const { promise: held } = state;
      if (held === null || after.promise === null || !hears(input, 'offer')) return [after, effects];
      return [
        { ...after, promise: { ...after.promise, sinceMs: held.sinceMs } },
        effects.filter((effect) => effect.type !== 'set-timer'),
      ];
    }),
  },
  {
    name: 'forgets-its-lease',
    breaks: 'A leader whose heir answers leads on, whatever has become of its lease.',
    alter: withStep((step) => (state, input, nowMs) => {
      const { session } = state;
      const isRenewed = state.offer !== null && session !== null;
      return step(isRenewed ? { ...state, session: { ...session, renewedMs: nowMs } } : state, input, nowMs);
    }),
  },
  {
    name: 'offers-to-a-second-heir',
    breaks: 'A leader offers to whoever volunteers, without having withdrawn its offer.',
    alter: before(
      (input) => hears(input, 'volunteer'),
      (state) => ({ ...state, offer: null }),
    ),
  },
  {
    name: 'leaves-no-guard',
    breaks: "A leader leads until its heir's wait is over, by its own clock.",
    alter: changingEffects((effect, { offer }) =>
      effect.type === 'lead' && offer !== null
        ? [{ ...effect, validForMs: (effect.validForMs ?? 0) + heirWaitMs - waitMs }]
        : [effect],
    ),
  },
  {
    name: 'leads-when-it-has-deleted',
    breaks: 'An heir leads as soon as etcd has answered, whatever the answer shows.',
    alter: withStep((step) => (state, input, nowMs) => {
      const [after, effects] = step(state, input, nowMs);
      const isAnswer = hears(input, 'txn-done') && state.inheritance !== null && after.inheritance === null;
      if (!isAnswer || after.phase === 'leading' || state.ownRevision === null) return [after, effects];
      const { session, ownRevision } = state;
      const led = {
        ...after,
        session,
        ownRevision,
        phase: 'leading',
        told: 'leading',
        promise: null,
      } as const;
      return [led, [...effects, ...leadOf(led, nowMs)]];
    }),
  },
  {
    name: 'is-revived',
    breaks: 'What moves a deadline up does so although the deadline has passed.',
    alter: withStep((step) => (state, input, nowMs) => {
      const isLate = state.offer !== null && nowMs >= state.offer.sinceMs + waitMs;
      if (!isLate || !hears(input, 'promise', 'txn-done')) return step(state, input, nowMs);
      return step(
        withOffer(state, (offer) => ({ ...offer, sinceMs: nowMs - waitMs + 1 })),
        input,
        nowMs,
      );
    }),
  },
  {
    name: 'leads-again-with-its-old-key',
    breaks: 'A leader whose time is over looks, and leads again if its key is still the oldest.',
    alter: withStep((step) => (state, input, nowMs) => {
      if (state.phase !== 'leading' || input.type !== 'lease-expired') return step(state, input, nowMs);
      const again = { ...state, phase: 'waiting', told: 'nobody', offer: null, floor: '0' } as const;
      const [looking, effects] = step(again, { type: 'timer-fired', timer: 'look' }, nowMs);
      return [looking, [{ type: 'step-down', reason: 'lease-expired' }, ...effects]];
    }),
  },
  {
    name: 'evicts-and-leads-unlooked',
    breaks: 'A leader that gives up deletes its silent heir too, and an heir leads when the leader has gone.',
    alter: withStep((step) => (state, input, nowMs) => {
      const [after, effects] = step(state, input, nowMs);
      const evicted =
        state.phase === 'leading' && after.phase === 'leaving' ? state.offer?.heir.key : undefined;
      if (evicted !== undefined) {
        const transaction = {
          compare: [],
          success: [{ type: 'delete', key: evicted }],
          failure: [],
        } as const;
        const evict: AnyEffect = {
          type: 'send',
          to: 'etcd',
          message: { type: 'txn', id: 0, ...transaction } as EtcdMessage,
        };
        return [after, [...effects, evict]];
      }
      const isFirst = state.members.length > 1 && after.members[0]?.key === state.session?.key;
      if (!hears(input, 'changed') || after.phase !== 'waiting' || !isFirst) return [after, effects];
      const led = { ...after, phase: 'leading', told: 'leading', promise: null, look: null } as const;
      return [led, [...effects, ...leadOf(led, nowMs)]];
    }),
  },
  {
    name: 'joins-under-another-name',
    breaks: 'A put that was not answered is repeated under another name, with the same lease.',
    alter: withStep((step) => (state, input, nowMs) => {
      const { session } = state;
      const isRepeated = fires(input, 'request') && state.phase === 'joining' && session !== null;
      return step(
        isRepeated ? { ...state, session: { ...session, key: `${session.key}0` } } : state,
        input,
        nowMs,
      );
    }),
  },
  {
    name: 'detaches-its-key',
    breaks: "A withdrawal puts the leader's key without its lease.",
    alter: changingEffects((effect, { id }) => {
      if (!isWithdrawal(effect) || effect.type !== 'send') return [effect];
      const success = (transactionOf([effect])?.success ?? []).map((operation) =>
        operation.type === 'touch' ? { ...operation, type: 'put', value: id, lease: '0' } : operation,
      );
      return [{ ...effect, message: { ...effect.message, success } as EtcdMessage }];
    }),
  },
  {
    name: 'keeps-its-key',
    breaks: 'A leader whose time is over keeps its key until its lease runs out.',
    alter: without((effect) => sends(effect, 'revoke')),
  },
];

export const heirsSubject: Subject<EtcdState> = {
  algorithm: 'heirs',
  checks: [
    keepsItsPromises,
    stopsInTime,
    replacesWhoIsSilent,
    staysWithoutPeers,
    leavesNoKey,
    countsFromTheFirstHeartbeat,
    countsFromItsHeartbeat,
    isBoundUntilAnswered,
    isBoundByANewerOffer,
    hasOneHeir,
    endsForEver,
    givesUpItsKey,
    staysWithinItsLease,
    waitsAnew,
    inheritsByModRevision,
    leadsOnlyFirst,
    looksBeforeItLeads,
    joinsUnderOneName,
  ],
  mutants,
};
