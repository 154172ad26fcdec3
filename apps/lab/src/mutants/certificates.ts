/** Death certificates, broken: what would elect two leaders if it were taken for the end of a process. */

import type { NodeId } from '@hustings/elector';
import type { Finding } from '@hustings/elector/protocol';
import {
  type EtcdMessage,
  type EtcdState,
  etcd,
  invariants as etcdInvariants,
  readValue,
} from '@hustings/etcd';
import { simulatedEtcd } from '@hustings/etcd/simulated';
import { type LeaseState, lease, invariants as leaseInvariants, type StoreTraits } from '@hustings/lease';
import { simulatedStore } from '@hustings/lease/simulated';
import { type RaftState, raft, invariants as raftInvariants } from '@hustings/raft';
import {
  type AnyProtocol,
  defaultSwarm,
  parseSchedule,
  type Schedule,
  type Service,
  Simulation,
  scheduleOfSeed,
} from '@hustings/simulator';
import { type ZooKeeperState, zookeeper, invariants as zookeeperInvariants } from '@hustings/zookeeper';
import { simulatedZooKeeper } from '@hustings/zookeeper/simulated';
import { changingInput, changingState, fires, ignoring, saying, withStep } from './alterations.js';
import { type Coordinated, judge } from './coordinated.js';
import { type Alteration, type Check, type Failure, type Mutant, named, type Subject } from './mutant.js';
import {
  type Build,
  fromEachSeed,
  inEachOf,
  judge as judgeRun,
  type Stories,
  seedsBelow,
  told,
  toldOf,
} from './runs.js';

/** What is asked of an elector with certificates, beside all else; and how it can be got wrong. */
type Certified<State> = Pick<Subject<State>, 'checks' | 'mutants'>;

/** What a broken rule takes for the certificate of a process; nothing, and the algorithm is as it should be. */
type Mistake<State> = (state: State, peer: NodeId) => string | undefined;

/** Both mistakes of one kind of state: who is meant, and by what, is left to whoever knows the state. */
function mistaken<State>(processOf: Mistake<State>): readonly Mutant<State>[] {
  return [
    {
      name: 'takes-a-closed-connection-for-a-death',
      breaks: 'A connection that has closed counts as the death certificate of whoever was at its other end.',
      alter: changingInput((input, state) => {
        if (input.type !== 'link-down') return input;
        const incarnation = processOf(state, input.peer);
        return incarnation === undefined ? input : { type: 'peer-gone', peer: input.peer, incarnation };
      }),
    },
    {
      name: 'certifies-the-node-and-not-its-process',
      breaks: 'The certificate of a former process of a node counts against its present one.',
      alter: changingInput((input, state) =>
        input.type === 'peer-gone'
          ? { ...input, incarnation: processOf(state, input.peer) ?? input.incarnation }
          : input,
      ),
    },
  ];
}

const keepsTheDead = <State>(breaks: string): Mutant<State> => ({
  name: 'keeps-the-dead',
  breaks,
  alter: ignoring((input) => input.type === 'peer-gone'),
});

const isQuick = <State>(replacedAfterMs: (alter: Alteration<State>) => number | null, withinMs: number) =>
  named<AnyProtocol<State>>(
    'a leader that dies is replaced long before its lease runs out',
    (alter): Finding => {
      const afterMs = replacedAfterMs(alter);
      return afterMs !== null && afterMs <= withinMs ? null : `after ${afterMs} ms`;
    },
  );

/** The median of some: a certificate may be late. */
function replacement<State>(protocol: AnyProtocol<State>, services: () => readonly Service[]): number | null {
  const times = Array.from({ length: 9 }, (_, seed) => {
    const schedule = parseSchedule(`nodes n1 n2 n3\nlatency 0.5 2\nseed ${seed}\nrun 20000`);
    const simulation = new Simulation({ ...schedule, protocol, services: services() });
    simulation.runUntilTrue(() => simulation.leader !== null, 10_000);
    simulation.runUntil(simulation.nowMs + 1000);
    const former = simulation.leader;
    const killedMs = simulation.nowMs;
    if (former !== null) simulation.inject({ type: 'crash', node: former.id });
    const isReplaced = simulation.runUntilTrue(() => simulation.leader !== null, 20_000);
    return isReplaced ? simulation.nowMs - killedMs : Number.POSITIVE_INFINITY;
  });
  return times.toSorted((a, b) => a - b)[4] ?? null;
}

// ---- Raft ----------------------------------------------------------------------------------------------------

const timing = { detectionMs: 160, maxDelayMs: 8, settleMs: 2000 };
/** Timeouts that leave room for a certificate to be late, but not for much else. */
const hasty = { electionTimeoutMs: [100, 160], heartbeatMs: 25, deathCertificates: true } as const;

const judgeRaft = (protocol: AnyProtocol<RaftState>, schedule: Schedule): Failure | null =>
  judgeRun(protocol, schedule, { invariants: raftInvariants, promised: protocol.guarantees });

/** Leaders that die, and come back, while others are cut off: then late certificates meet new leases. */
const ambushes: readonly string[] = [
  'at 500 isolate leader until 1500',
  'at 500 restart leader\nat 640 cut leader follower-1 until 1200\nat 900 restart leader',
  'at 500 restart leader\nat 700 restart leader\nat 900 restart leader\nat 1000 isolate leader until 1400',
  'at 300 isolate n1 until 500\nat 498 isolate leader until 900\nat 499 restart n2\nat 499 restart n3',
  'at 300 isolate n2 until 500\nat 498 isolate leader until 900\nat 499 restart n1\nat 499 restart n3',
  'at 500 crash leader until 540\nat 700 cut leader follower-1 until 1500\nat 760 cut leader follower-2 until 1500',
];

const nodesOf = (seed: number): string => (seed % 2 === 0 ? 'n1 n2 n3' : 'n1 n2 n3 n4 n5');

const holdsOneLeaseAtATime: Check<RaftState> = inEachOf(
  ambushes.flatMap((ambush, index) =>
    told(
      `ambush ${index + 1}`,
      seedsBelow(60),
      (seed) => `nodes ${nodesOf(seed)}\nlatency 0.5 4\nseed ${seed}\nrun 2500\n${ambush}`,
    ),
  ),
  (alter, { seed, schedule }) => judgeRaft(alter(raft({ ...hasty, preVote: seed % 3 > 0 })), schedule),
);

const keepsItsPromisesInSwarms: Check<RaftState> = inEachOf(
  fromEachSeed('swarm', seedsBelow(200)),
  (alter, { seed }) => {
    const protocol = alter(raft({ ...hasty, preVote: seed % 2 === 0 }));
    const schedule = scheduleOfSeed({ protocol, invariants: raftInvariants, timing }, defaultSwarm, seed);
    return judgeRaft(protocol, schedule);
  },
);

const isBoundTo = ({ boundTo }: RaftState, peer: NodeId): string | undefined =>
  boundTo?.peer === peer ? boundTo.incarnation : undefined;

export const certifiedRaft: Certified<RaftState> = {
  checks: [
    holdsOneLeaseAtATime,
    keepsItsPromisesInSwarms,
    isQuick((alter) => replacement(alter(raft({ deathCertificates: true })), () => []), 60),
  ],
  mutants: [
    ...mistaken(isBoundTo),
    {
      name: 'votes-right-after-a-restart',
      breaks: 'A voter that has restarted, and forgotten whom it was bound to, votes at once.',
      alter: changingState((after, _before, input) =>
        input.type === 'restarted' ? { ...after, boundSinceMs: null } : after,
      ),
    },
    {
      name: 'ignores-its-own-promise',
      breaks: 'A candidate stands at any death, and votes for itself although it is bound to another.',
      alter: withStep((step) => (state, input, nowMs) => {
        const isFree = fires(input, 'election') && state.role !== 'leader';
        const [after, effects] = step(isFree ? { ...state, boundSinceMs: null } : state, input, nowMs);
        if (input.type !== 'peer-gone' || state.role === 'leader') return [after, effects];
        return [after, [...effects, { type: 'set-timer', timer: 'election', delayMs: [0, 0] }]];
      }),
    },
    {
      name: 'is-freed-by-any-death',
      breaks: 'A voter that is bound to one process is freed by the death of another.',
      alter: changingInput((input, { boundTo }) =>
        input.type === 'peer-gone' && boundTo !== null ? { type: 'peer-gone', ...boundTo } : input,
      ),
    },
    {
      name: 'is-never-freed',
      breaks: 'A voter waits until its promise is over although the leader is certified dead.',
      alter: changingState((after) => ({ ...after, boundTo: null })),
    },
  ],
};

// ---- Coordinators --------------------------------------------------------------------------------------------

const stories: Stories = {
  'nothing goes wrong': '',
  'the leader dies': 'at 2000 crash leader until 9000',
  'the leader dies and comes back, again and again':
    'at 2000 restart leader\nat 2600 restart leader\nat 3200 restart leader\nat 4000 restart leader',
  'the leader dies, comes back, and leads again when the others resign':
    'at 2000 restart leader\nat 2150 graceful leader until 2200\nat 2300 graceful leader until 2350\nat 2400 slow-link leader 90 until 4000',
  'the leader is cut off from everyone': 'at 2000 isolate leader until 9000',
  'the leader is cut off from its peers':
    'at 2000 cut leader follower-1 until 9000\nat 2000 cut leader follower-2 until 9000',
  'the leader pauses': 'at 2000 pause leader until 7000',
  'messages come twice and out of order':
    'at 0 duplicate 0.3 until 9000\nat 0 reorder until 9000\nat 3000 restart leader',
};

const keepsItsPromises = <State>(
  builds: readonly Build<State>[],
  subject: Omit<Coordinated<State>, 'build'>,
): Check<State> =>
  inEachOf(
    toldOf(
      stories,
      seedsBelow(16),
      (faults, seed) => `nodes n1 n2 n3\nlatency 1 20\nrun 16000\nseed ${seed}\n${faults}`,
    ),
    (alter, { seed, schedule }) =>
      judge({ ...subject, build: builds[seed % builds.length]! }, alter, schedule),
  );

const etcdService = (): Service => ({ id: 'etcd', machine: simulatedEtcd({ expiryCheckMs: 5 }) });
const etcdSettings = {
  name: 'e',
  ttlSeconds: 1,
  marginMs: 0,
  requestTimeoutMs: 400,
  deathCertificates: true,
};
const queue = (): AnyProtocol<EtcdState> => etcd(etcdSettings) as AnyProtocol<EtcdState>;
const race = (): AnyProtocol<EtcdState> =>
  etcd({ ...etcdSettings, succession: 'race' }) as AnyProtocol<EtcdState>;

/** The process whose key it knows. */
const holdsAKey = ({ members }: EtcdState, peer: NodeId): string | undefined =>
  members.map(({ value }) => readValue(value)).find(({ leaderId }) => leaderId === peer)?.incarnation ??
  undefined;

export const certifiedEtcd: Certified<EtcdState> = {
  checks: [
    keepsItsPromises([queue, race], { invariants: etcdInvariants, service: etcdService }),
    isQuick((alter) => replacement(alter(queue()), () => [etcdService()]), 200),
  ],
  mutants: [
    ...mistaken(holdsAKey),
    {
      name: 'deletes-whatever-stands-in-its-place',
      breaks: "The key of a dead process is deleted without comparing that it is still that process's.",
      alter: saying((message: EtcdMessage) =>
        message.type === 'txn' && message.success[0]?.type === 'delete'
          ? { ...message, compare: [] }
          : message,
      ),
    },
    keepsTheDead('Nobody deletes the key of a dead process.'),
  ],
};

const zookeeperService = (): Service => ({ id: 'zookeeper', machine: simulatedZooKeeper({ tickMs: 50 }) });
const candidate = (): AnyProtocol<ZooKeeperState> =>
  zookeeper({
    ...{ path: '/e', sessionTimeoutMs: 1000, marginMs: 0, requestTimeoutMs: 300, deathCertificates: true },
  }) as AnyProtocol<ZooKeeperState>;

const isSeenLeading = ({ leader }: ZooKeeperState, peer: NodeId): string | undefined =>
  leader?.leaderId === peer ? (leader.incarnation ?? undefined) : undefined;

export const certifiedZooKeeper: Certified<ZooKeeperState> = {
  checks: [
    keepsItsPromises([candidate], { invariants: zookeeperInvariants, service: zookeeperService }),
    isQuick((alter) => replacement(alter(candidate()), () => [zookeeperService()]), 200),
  ],
  mutants: [...mistaken(isSeenLeading), keepsTheDead('Nobody deletes the znode of a dead process.')],
};

/** To a certificate it is all the same whose clock ends a lease. */
const clocks: readonly StoreTraits['clock'][] = ['store', 'observer'];
const storeService = (clock: StoreTraits['clock']): Service => ({
  id: 'store',
  machine: simulatedStore({ clock, hints: clock === 'store' }),
});
const leaseholder = (clock: StoreTraits['clock']): AnyProtocol<LeaseState> => {
  const store: StoreTraits = {
    ...{ name: 'simulated', clock, expiryFactor: 1, minTtlMs: 1, granularityMs: 1, survives: 'disk' },
    ...{ releasedBy: 'anybody', assumptions: [] },
    guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  };
  const settings = { name: 'e', ttlMs: 1000, marginMs: 0, requestTimeoutMs: 400, deathCertificates: true };
  return lease(store, settings) as AnyProtocol<LeaseState>;
};

const isSeenHolding = ({ other }: LeaseState, peer: NodeId): string | undefined => {
  const [node, process] = other?.holder?.split('#') ?? [];
  return node === peer ? process : undefined;
};

export const certifiedLease: Certified<LeaseState> = {
  checks: clocks.flatMap((clock) => [
    keepsItsPromises([() => leaseholder(clock)], {
      invariants: leaseInvariants,
      service: () => storeService(clock),
    }),
    isQuick((alter) => replacement(alter(leaseholder(clock)), () => [storeService(clock)]), 200),
  ]),
  mutants: [
    ...mistaken(isSeenHolding),
    {
      name: 'releases-whoever-has-the-lease',
      breaks: 'The death of any process counts as that of whoever has the lease.',
      alter: changingInput((input, { other }) => {
        const [peer, incarnation] = other?.holder?.split('#') ?? [];
        if (input.type !== 'peer-gone' || peer === undefined || incarnation === undefined) return input;
        return { type: 'peer-gone', peer, incarnation };
      }),
    },
    keepsTheDead('Nobody releases the lease of a dead process.'),
  ],
};
