/**
 * Heirs on etcd. The runs come first, so that what they find is said to be found by them; what no run of theirs shows is
 * asked by hand.
 */

import {
  type EtcdMessage,
  type EtcdState,
  etcd,
  heirGuardMs,
  invariants,
  type Transaction,
} from '@hustings/etcd';
import { simulatedEtcd } from '@hustings/etcd/simulated';
import { type AnyEffect, type AnyInput, type AnyProtocol, Simulation } from '@hustings/simulator';
import {
  changingOutcome,
  changingState,
  fires,
  hearing,
  hears,
  prolonging,
  saying,
  sends,
  steppingFrom,
  without,
  withStep,
} from './alterations.js';
import { asks, feed, from, leadOf, stepsDown } from './by-hand.js';
import * as checks from './coordinated.js';
import { asked, done, type EtcdMove, gone, granted, keyOf, put } from './etcd-by-hand.js';
import { type Alteration, type Check, type Mutant, named, type Subject } from './mutant.js';
import { inEachOf, isSucceeded, type Stories, seedsBelow, told, toldOf } from './runs.js';

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

const stories: Stories = {
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

const seeds = [1, 2, 3, 4];

/** Each story from as many seeds as there are ways for the clocks to differ. */
const keepsItsPromises: Check<EtcdState> = inEachOf(
  toldOf(
    stories,
    seeds,
    (faults, seed) => `nodes n1 n2 n3\nlatency 1 20\nrun 24000\nseed ${seed}\n${clocks[seed - 1]}\n${faults}`,
  ),
  (alter, { schedule }) => checks.judge(subject, alter, schedule),
);

/** A leader that is cut off, at many moments of a heartbeat, from an heir whose clock is fast. */
const stopsInTime: Check<EtcdState> = inEachOf(
  told(
    'cut off',
    seedsBelow(60),
    (seed) =>
      `nodes n1 n2 n3\nseed ${seed}\nlatency 1 3\nrun 16000\n${clocks[1 + (seed % 3)]}
       at 2500 slow-link leader ${seed % 2 === 0 ? 60 : 0} until 4000
       at ${3000 + 7 * seed} isolate leader until 6000`,
  ),
  (alter, { schedule }) => checks.judge(subject, alter, schedule),
);

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

const replacesWhoIsSilent: Check<EtcdState> = named(
  'a leader that pauses or is cut off is replaced when its heir has waited',
  (alter) => {
    for (const seed of seeds) {
      const simulation = started(alter, seed);
      const { leader } = simulation;
      if (leader === null) return 'nobody led';
      simulation.inject({ type: seed % 2 === 0 ? 'pause' : 'isolate', node: leader.id });
      if (!isSucceeded(simulation, leader, heirWaitMs + 50)) return `it was not (seed ${seed})`;
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
      if (!isSucceeded(simulation, leader, 6000)) return `it was not (seed ${seed})`;
    }
    return null;
  },
);

// ---- By hand -------------------------------------------------------------------------------------------------

const said = (node: string, message: EtcdMessage): AnyInput => from(node, message);

const joined: readonly EtcdMove[] = [...asked, granted(1010), put(1020, 5)];

const leader = { key: 'e/7', revision: '5' };
const volunteering = (lease: string): AnyInput =>
  said(`n${lease}`, { type: 'volunteer', leader, heir: { key: `e/${lease}`, revision: lease } });

/** Leads since 1030, and has offered to n8 at 1100. */
const offering: readonly EtcdMove[] = [
  ...joined,
  [1030, ({ look }) => done(look, 5, [keyOf('7', 5)])],
  [1100, volunteering('8')],
];
const beat = (atMs: number): EtcdMove => [atMs, { type: 'timer-fired', timer: 'offer' }];
const promise = (id: number): AnyInput => said('n8', { type: 'promise', id, leader });
/** Answers the heartbeat that was written at this time. */
const promised = (atMs: number, sentMs: number): EtcdMove => [
  atMs,
  ({ offer }) => promise(offer?.heartbeats.find((heartbeat) => heartbeat.sentMs === sentMs)?.id ?? -1),
];
/** n8 has not answered: the offer is being withdrawn since 1310. */
const withdrawing: readonly EtcdMove[] = [...offering, beat(1200), beat(1310)];

/** Waits behind n3, has promised at 1100, and has waited since. */
const waiting: readonly EtcdMove[] = [
  ...joined,
  [1030, ({ look }) => done(look, 5, [keyOf('3', 3), keyOf('7', 5)])],
];
const offered = (atMs: number, id = 1): EtcdMove => [
  atMs,
  said('n3', {
    type: 'offer',
    id,
    leader: { key: 'e/3', revision: '3' },
    modRevision: '4',
    heir: leader,
    waitMs: heirWaitMs,
  }),
];
const waited = (atMs: number): EtcdMove => [atMs, { type: 'timer-fired', timer: 'inherit' }];

function play(alter: Alteration<EtcdState>, moves: readonly EtcdMove[]) {
  const protocol = alter(build());
  return feed(protocol, protocol.initialState('n7', ['n3', 'n8', 'n9']), moves);
}

/** When leading ends after the last of these moves; null if nothing is said of it. */
function leadsUntil(alter: Alteration<EtcdState>, moves: readonly EtcdMove[]): number | null {
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
    const unchanged: EtcdMove = [1320, ({ offer }) => done(offer?.withdrawal, 5, [keyOf('7', 5)], false)];
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
    const moves: readonly EtcdMove[] = [
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
    const lateWords: readonly EtcdMove[] = [
      [late, promise(-1)],
      promised(late, 1200),
      [late, ({ offer }) => done(offer?.withdrawal, 9, [keyOf('7', 5, 9)])],
    ];
    const revived = lateWords.findIndex((word) => {
      const [state, effects] = play(alter, [...withdrawing, word]);
      return state.phase === 'leading' || !stepsDown(effects);
    });
    return revived === -1 ? null : `word ${revived + 1} moved it`;
  },
);

const givesUpItsKey: Check<EtcdState> = named('a leader whose time is over gives its key up', (alter) => {
  const [state, effects] = play(alter, [...offering, [1700, { type: 'lease-expired' }]]);
  return state.phase === 'leaving' && asks(effects, 'revoke') ? null : 'it does not';
});

const staysWithinItsLease: Check<EtcdState> = named("an offer never outlasts the leader's lease", (alter) => {
  const leaseEndsMs = 1000 + 3000 * (1 - 2 * driftBound);
  const beats = Array.from({ length: 22 }, (_, index) => 1200 + 100 * index);
  const answered = beats.flatMap((atMs): EtcdMove[] => [beat(atMs), promised(atMs + 5, atMs)]);
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
    const inheriting = [...waiting, offered(1100), waited(1600)];
    const answers: readonly EtcdMove[] = [
      [1610, ({ look }) => done(look, 9, [keyOf('4', 4), keyOf('7', 5)])],
      [1610, ({ look }) => done(look, 9, [keyOf('3', 3, 8), keyOf('7', 5)], false)],
      [1610, ({ look }) => done(look, 9, [keyOf('8', 8)], false)],
    ];
    const led = answers.findIndex((answer) => leadOf(play(alter, [...inheriting, answer])[1]) !== undefined);
    return led === -1 ? null : `answer ${led + 1} made it lead`;
  },
);

const looksBeforeItLeads: Check<EtcdState> = named(
  'nobody leads because the one before it has gone',
  (alter) => (leadOf(play(alter, [...waiting, gone(1650, '3', 9)])[1]) === undefined ? null : 'it did'),
);

const joinsUnderOneName: Check<EtcdState> = named(
  'a key whose put was not answered is put again',
  (alter) => {
    const [, effects] = play(alter, [
      ...joined.slice(0, 3),
      [1500, { type: 'timer-fired', timer: 'request' }],
    ]);
    const again = transactionOf(effects)?.success.find(({ type }) => type === 'put');
    return again?.type === 'put' && again.key === 'e/7' ? null : `${JSON.stringify(again)} instead`;
  },
);

// ---- What is broken ------------------------------------------------------------------------------------------

const withOffer = (
  state: EtcdState,
  alter: (offer: NonNullable<EtcdState['offer']>) => EtcdState['offer'],
): EtcdState => (state.offer === null ? state : { ...state, offer: alter(state.offer) });

/** What a leader would say of its deadline in this state. */
function leadIn(state: EtcdState, nowMs: number): AnyEffect[] {
  const { session, offer, ownRevision } = state;
  if (session === null || ownRevision === null) return [];
  const leaseMs = session.renewedMs + session.ttlMs * (1 - 2 * driftBound);
  const offerMs = offer === null ? Infinity : offer.sinceMs + waitMs;
  return [{ type: 'lead', token: BigInt(ownRevision), validForMs: Math.min(leaseMs, offerMs) - nowMs }];
}

const isWithdrawal = (effect: AnyEffect): boolean =>
  effect.type === 'send' && (transactionOf([effect])?.success.some(({ type }) => type === 'touch') ?? false);

type Outcome = readonly [EtcdState, readonly AnyEffect[]];

const leading = (state: EtcdState, effects: readonly AnyEffect[], nowMs: number): Outcome => {
  const led: EtcdState = { ...state, phase: 'leading', told: 'leading', promise: null };
  return [led, [...effects, ...leadIn(led, nowMs)]];
};

const freed = (state: EtcdState, effects: readonly AnyEffect[], nowMs: number): Outcome => {
  const free: EtcdState = { ...state, offer: null };
  return [free, [...effects, ...leadIn(free, nowMs)]];
};

function deletionOf(key: string): AnyEffect {
  const transaction: Transaction = { compare: [], success: [{ type: 'delete', key }], failure: [] };
  const message: EtcdMessage = { type: 'txn', id: 0, ...transaction };
  return { type: 'send', to: 'etcd', message };
}

const mutants: readonly Mutant<EtcdState>[] = [
  {
    name: 'counts-from-the-answer',
    breaks: "An heir's answer counts from its receipt.",
    alter: steppingFrom((state, input, nowMs) =>
      hears(input, 'promise')
        ? withOffer(state, (offer) => ({
            ...offer,
            heartbeats: offer.heartbeats.map(({ id }) => ({ id, sentMs: nowMs })),
          }))
        : state,
    ),
  },
  {
    name: 'credits-the-newest-heartbeat',
    breaks: 'An answer counts for the newest heartbeat, whichever it names.',
    alter: hearing((message: EtcdMessage, { offer }) => {
      const newest = offer?.heartbeats.at(-1)?.id;
      return message.type === 'promise' && newest !== undefined ? { ...message, id: newest } : message;
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
    alter: changingOutcome((after, effects, { nowMs }) =>
      effects.some(isWithdrawal) ? freed(after, effects, nowMs) : [after, effects],
    ),
  },
  {
    name: 'is-free-when-nobody-answers',
    breaks: 'An offer is void when its withdrawal has not been answered in time.',
    alter: changingOutcome((after, effects, { before, nowMs }) =>
      before.offer?.withdrawal != null && effects.some(isWithdrawal)
        ? freed(after, effects, nowMs)
        : [after, effects],
    ),
  },
  {
    name: 'is-free-by-a-late-answer',
    breaks: 'Any answer to a withdrawal voids the offer, also one that was made since.',
    alter: steppingFrom((state, input) =>
      hears(input, 'txn-done') && state.offer !== null ? { ...state, ownModRevision: '0' } : state,
    ),
  },
  {
    name: 'deletes-by-create-revision',
    breaks: "An heir compares the create revision of the leader's key, not its mod revision.",
    alter: saying((message: EtcdMessage, { promise: held }) => {
      if (message.type !== 'txn' || held === null) return message;
      if (!message.success.some(({ type }) => type === 'delete')) return message;
      const compare = message.compare.map((each) =>
        each.key === held.leader.key
          ? ({ key: each.key, target: 'create', revision: held.leader.revision } as const)
          : each,
      );
      return { ...message, compare };
    }),
  },
  {
    name: 'waits-from-the-first-offer',
    breaks: 'An heir waits from the first offer, and not anew with each.',
    alter: changingOutcome((after, effects, { before: { promise: held }, input }) => {
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
    alter: steppingFrom((state, _input, nowMs) => {
      const { session, offer } = state;
      return offer !== null && session !== null
        ? { ...state, session: { ...session, renewedMs: nowMs } }
        : state;
    }),
  },
  {
    name: 'offers-to-a-second-heir',
    breaks: 'A leader offers to whoever volunteers, without having withdrawn its offer.',
    alter: steppingFrom((state, input) => (hears(input, 'volunteer') ? { ...state, offer: null } : state)),
  },
  {
    name: 'leaves-no-guard',
    breaks: "A leader leads until its heir's wait is over, by its own clock.",
    alter: prolonging((validForMs, { offer }) =>
      offer === null ? validForMs : validForMs + heirWaitMs - waitMs,
    ),
  },
  {
    name: 'leads-when-it-has-deleted',
    breaks: 'An heir leads as soon as etcd has answered, whatever the answer shows.',
    alter: changingOutcome((after, effects, { before, input, nowMs }) => {
      const { session, ownRevision, inheritance } = before;
      const isAnswer = hears(input, 'txn-done') && inheritance !== null && after.inheritance === null;
      if (!isAnswer || after.phase === 'leading' || ownRevision === null) return [after, effects];
      return leading({ ...after, session, ownRevision }, effects, nowMs);
    }),
  },
  {
    name: 'is-revived',
    breaks: 'What moves a deadline up does so although the deadline has passed.',
    alter: steppingFrom((state, input, nowMs) => {
      const isLate = state.offer !== null && nowMs >= state.offer.sinceMs + waitMs;
      return isLate && hears(input, 'promise', 'txn-done')
        ? withOffer(state, (offer) => ({ ...offer, sinceMs: nowMs - waitMs + 1 }))
        : state;
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
    alter: changingOutcome((after, effects, { before, input, nowMs }) => {
      const givesUp = before.phase === 'leading' && after.phase === 'leaving';
      if (givesUp && before.offer !== null) return [after, [...effects, deletionOf(before.offer.heir.key)]];
      const isFirst = before.members.length > 1 && after.members[0]?.key === before.session?.key;
      if (!hears(input, 'changed') || after.phase !== 'waiting' || !isFirst) return [after, effects];
      return leading({ ...after, look: null }, effects, nowMs);
    }),
  },
  {
    name: 'joins-under-another-name',
    breaks: 'A put that was not answered is repeated under another name, with the same lease.',
    alter: steppingFrom((state, input) => {
      const { session, phase } = state;
      const isRepeated = fires(input, 'request') && phase === 'joining' && session !== null;
      return isRepeated ? { ...state, session: { ...session, key: `${session.key}0` } } : state;
    }),
  },
  {
    name: 'detaches-its-key',
    breaks: "A withdrawal puts the leader's key without its lease.",
    alter: saying((message: EtcdMessage, { id }) => {
      if (message.type !== 'txn') return message;
      const success = message.success.map((operation) =>
        operation.type === 'touch'
          ? ({ ...operation, type: 'put', value: id, lease: '0' } as const)
          : operation,
      );
      return { ...message, success };
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
