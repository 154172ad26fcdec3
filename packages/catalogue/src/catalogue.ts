import * as bullyPackage from '@hustings/bully';
import type { Invariants } from '@hustings/elector/protocol';
import * as etcdPackage from '@hustings/etcd';
import { defaultSimulatedEtcd, simulatedEtcd } from '@hustings/etcd/simulated';
import * as raftPackage from '@hustings/raft';
import * as ringPackage from '@hustings/ring';
import type { AnyProtocol, Service } from '@hustings/simulator';
import * as zookeeperPackage from '@hustings/zookeeper';
import { defaultSimulatedZooKeeper, simulatedZooKeeper } from '@hustings/zookeeper/simulated';
import type { ProfileName } from './profiles.js';

/** What an algorithm was configured with; printed beside its results. */
export type Configuration = Readonly<Record<string, number | string | readonly number[]>>;

export interface Configured<State> {
  readonly protocol: AnyProtocol<State>;
  readonly parameters: Configuration;
  /** The simulated coordinators that the protocol talks to; in live mode real ones take their place. */
  readonly services: readonly Service[];
  /** The longest that a silent leader goes unnoticed. A trial's times are multiples of it. */
  readonly detectionMs: number;
  /** The slowest message that the settings allow for. */
  readonly maxDelayMs: number;
}

export interface Variant<State> {
  readonly variant: string;
  /**
   * `budgetMs` is the detection budget of the matched profile; `defaults` takes no notice of it. `election` is a
   * name that nobody else uses on the same servers.
   */
  configure(profile: ProfileName, budgetMs: number, election?: string): Configured<State>;
}

/** The kind of server that an algorithm cannot do without. */
export type CoordinatorKind = 'etcd' | 'zookeeper';

export interface Algorithm<State> {
  readonly name: string;
  /** Null for algorithms whose nodes need nobody but each other. */
  readonly coordinator: CoordinatorKind | null;
  /** The default one first. */
  readonly variants: readonly Variant<State>[];
  readonly invariants: Invariants<State>;
}

/** An algorithm whose state's type only it knows: whoever opens it must work for every type of state. */
export type Entry = <Result>(use: <State>(algorithm: Algorithm<State>) => Result) => Result;

const entry =
  <State>(algorithm: Algorithm<State>): Entry =>
  (use) =>
    use(algorithm);

const registry: ReadonlyMap<string, Entry> = new Map([
  [
    'bully',
    entry({
      name: 'bully',
      coordinator: null,
      variants: [heartbeating('default', bullyPackage.bully, bullyPackage.defaultSettings)],
      invariants: bullyPackage.invariants,
    }),
  ],
  [
    'ring',
    entry({
      name: 'ring',
      coordinator: null,
      variants: [
        heartbeating('default', ringPackage.ring, ringPackage.defaultSettings),
        heartbeating('chang-roberts', ringPackage.changRoberts, ringPackage.defaultSettings),
      ],
      invariants: ringPackage.invariants,
    }),
  ],
  [
    'raft',
    entry({
      name: 'raft',
      coordinator: null,
      variants: [raftVariant('default', true), raftVariant('no-pre-vote', false)],
      invariants: raftPackage.invariants,
    }),
  ],
  [
    'zookeeper',
    entry({
      name: 'zookeeper',
      coordinator: 'zookeeper',
      variants: [zookeeperVariant('default', 'queue'), zookeeperVariant('herd', 'herd')],
      invariants: zookeeperPackage.invariants,
    }),
  ],
  [
    'etcd',
    entry({
      name: 'etcd',
      coordinator: 'etcd',
      variants: [etcdVariant('default', 'queue'), etcdVariant('race', 'race')],
      invariants: etcdPackage.invariants,
    }),
  ],
]);

/** In the order of the tables. */
export const algorithmNames: readonly string[] = [...registry.keys()];

/** Those whose nodes need nobody but each other: all there is of them can be explored. */
export const selfSufficientNames: readonly string[] = algorithmNames.filter(
  (name) => coordinatorOf(name) === null,
);

export function variantsOf(algorithm: string): readonly string[] {
  return open(algorithm)(({ variants }) => variants.map(({ variant }) => variant));
}

export function coordinatorOf(algorithm: string): CoordinatorKind | null {
  return open(algorithm)(({ coordinator }) => coordinator);
}

export function open(algorithm: string): Entry {
  const found = registry.get(algorithm);
  if (found === undefined) throw new RangeError(`There is no algorithm ${algorithm}.`);
  return found;
}

/** Throws `RangeError` when there is no such variant, and what the algorithm throws when the settings cannot work. */
export function configure<State>(
  { name, variants }: Algorithm<State>,
  variant: string,
  profile: ProfileName,
  budgetMs: number,
  election?: string,
): Configured<State> {
  const found = variants.find((candidate) => candidate.variant === variant);
  if (found === undefined) throw new RangeError(`${name} has no variant ${variant}.`);
  return found.configure(profile, budgetMs, election);
}

/** What bully and ring have in common: the leader sends heartbeats, and followers wait for them. */
interface HeartbeatSettings {
  readonly heartbeatMs: number;
  readonly leaderTimeoutMs: readonly [minMs: number, maxMs: number];
  readonly maxDelayMs: number;
}

function heartbeating<State>(
  variant: string,
  create: (settings: HeartbeatSettings) => AnyProtocol<State>,
  customary: HeartbeatSettings,
): Variant<State> {
  return {
    variant,
    configure(profile, budgetMs) {
      const { heartbeatMs, leaderTimeoutMs, maxDelayMs } =
        profile === 'defaults' ? customary : matched(budgetMs);
      const settings: HeartbeatSettings = { heartbeatMs, leaderTimeoutMs, maxDelayMs };
      return {
        protocol: create(settings),
        parameters: { ...settings },
        services: [],
        detectionMs: leaderTimeoutMs[1],
        maxDelayMs,
      };
    },
  };
}

/**
 * How long a follower waits for a silent leader in the matched profile: the same draw for bully, ring and raft. The
 * ratio of one to two is Raft's, wide enough that votes seldom split.
 */
const matchedTimeoutMs = (budgetMs: number): readonly [minMs: number, maxMs: number] => [
  budgetMs / 2,
  budgetMs,
];

const matched = (budgetMs: number): HeartbeatSettings => ({
  heartbeatMs: budgetMs / 10,
  leaderTimeoutMs: matchedTimeoutMs(budgetMs),
  // Fifty times the simulated network's slowest message at the default budget: room for a busy machine.
  maxDelayMs: budgetMs / 20,
});

function raftVariant(variant: string, preVote: boolean): Variant<raftPackage.RaftState> {
  return {
    variant,
    configure(profile, budgetMs) {
      const { electionTimeoutMs, heartbeatMs } =
        profile === 'defaults'
          ? raftPackage.defaultSettings
          : { electionTimeoutMs: matchedTimeoutMs(budgetMs), heartbeatMs: budgetMs / 10 };
      return {
        protocol: raftPackage.raft({ electionTimeoutMs, heartbeatMs, preVote }),
        parameters: { electionTimeoutMs, heartbeatMs },
        services: [],
        detectionMs: electionTimeoutMs[1],
        maxDelayMs: electionTimeoutMs[1] / 10,
      };
    },
  };
}

/** A quarter of the budget: far longer than a server takes to answer, and short enough to ask twice in time. */
const requestShare = 0.25;
/** There and back, an answer comes well before its request is given up. */
const delayShare = 0.15;

function etcdVariant(
  variant: string,
  succession: etcdPackage.EtcdSettings['succession'],
): Variant<etcdPackage.EtcdState> {
  return {
    variant,
    configure(profile, budgetMs, election) {
      const customary = etcdPackage.defaultSettings;
      const name = election ?? customary.name;
      const isMatched = profile === 'matched';
      const { expiryCheckMs } = defaultSimulatedEtcd;
      // The longest whole seconds that, with the server's lateness, stay within the budget.
      const ttlSeconds = isMatched
        ? Math.max(1, Math.floor((budgetMs - expiryCheckMs) / 1000))
        : customary.ttlSeconds;
      const requestTimeoutMs = isMatched ? requestShare * ttlSeconds * 1000 : customary.requestTimeoutMs;
      return {
        protocol: etcdPackage.etcd({ name, succession, ttlSeconds, requestTimeoutMs }),
        parameters: { ttlSeconds, requestTimeoutMs, expiryCheckMs },
        services: [{ id: customary.coordinator, protocol: simulatedEtcd() }],
        detectionMs: 1000 * ttlSeconds + expiryCheckMs,
        maxDelayMs: delayShare * requestTimeoutMs,
      };
    },
  };
}

/** ZooKeeper grants sessions of two to twenty of its ticks. */
const leastTicks = 2;
const mostTicks = 20;
/** Members tell their leader every half tick whom they have heard, and a session ends at the tick after its time. */
const lateTicks = 1.5;

function zookeeperVariant(
  variant: string,
  succession: 'queue' | 'herd',
): Variant<zookeeperPackage.ZooKeeperState> {
  return {
    variant,
    configure(profile, budgetMs, election) {
      const customary = zookeeperPackage.defaultSettings;
      const path = election === undefined ? customary.path : `/${election}`;
      const isMatched = profile === 'matched';
      const shortestTickMs = defaultSimulatedZooKeeper.tickMs;
      const tickMs = Math.max(
        shortestTickMs,
        Math.ceil(isMatched ? budgetMs / (mostTicks + lateTicks) : customary.sessionTimeoutMs / mostTicks),
      );
      // The longest that, with the ensemble's lateness, stays within the budget.
      const sessionTimeoutMs = isMatched
        ? Math.max(leastTicks * tickMs, Math.floor(budgetMs - lateTicks * tickMs))
        : customary.sessionTimeoutMs;
      const requestTimeoutMs = isMatched ? requestShare * sessionTimeoutMs : customary.requestTimeoutMs;
      return {
        protocol: zookeeperPackage.zookeeper({ path, succession, sessionTimeoutMs, requestTimeoutMs }),
        parameters: { sessionTimeoutMs, requestTimeoutMs, tickMs },
        services: [{ id: customary.coordinator, protocol: simulatedZooKeeper({ tickMs }) }],
        detectionMs: sessionTimeoutMs + lateTicks * tickMs,
        maxDelayMs: delayShare * requestTimeoutMs,
      };
    },
  };
}
