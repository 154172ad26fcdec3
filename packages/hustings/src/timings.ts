/**
 * Timings by name, and what they bear.
 *
 * A leader stays in office as long as its lease is renewed in time. From one renewal to the next, that leaves it
 * `slackMs` for everything that may delay the next one: a pause of this process, a round trip, a busy disk.
 *
 * | | raft | etcd | zookeeper |
 * |---|---|---|---|
 * | lease | shortest election timeout × (1 − d) / (1 + d) | TTL − guard | session − guard |
 * | guard | | 2 × d × TTL + 100 ms | 2 × d × session + 50 ms |
 * | renewed every | heartbeat | TTL / 3 | 0.52 × session |
 * | slack | lease − heartbeat | lease − TTL / 3 | lease − 0.52 × session |
 *
 * d is the drift bound, 0.01. A follower notices a dead leader after the election timeout, the TTL or the session, so
 * more slack is a slower failover.
 */

import { type OptionTable, oneOf, type Rule, readOptions, refused } from '@hustings/elector/options';

/**
 * `lan`, the default, bears an event loop that stands still for half a second. `wan` is for nodes on different
 * continents. `fast` fails over in a third of a second, on a quiet network and with nothing else to do.
 */
export type TimingsName = 'lan' | 'wan' | 'fast';

export type Presets<Timings> = Readonly<Record<TimingsName, Timings>>;

export const raftTimings: Presets<{
  readonly electionTimeoutMs: readonly [number, number];
  readonly heartbeatMs: number;
}> = {
  lan: { electionTimeoutMs: [1000, 2000], heartbeatMs: 100 },
  wan: { electionTimeoutMs: [5000, 10_000], heartbeatMs: 500 },
  fast: { electionTimeoutMs: [150, 300], heartbeatMs: 50 },
};

export const etcdTimings: Presets<{ readonly ttlSeconds: number }> = {
  lan: { ttlSeconds: 5 },
  wan: { ttlSeconds: 15 },
  fast: { ttlSeconds: 2 },
};

export const zookeeperTimings: Presets<{ readonly sessionTimeoutMs: number }> = {
  lan: { sessionTimeoutMs: 6000 },
  wan: { sessionTimeoutMs: 15_000 },
  // A ZooKeeper with the customary tick of 2 s grants no less than 4 s.
  fast: { sessionTimeoutMs: 4000 },
};

/** How long an heir waits. What that costs on a busy machine is in docs/data/etcd/heirs-calm.json. */
export const heirWaits = { calm: 1000, fast: 250 } as const;

/** For leases in a store. They are renewed after a third. */
export const leaseTimings: Presets<{ readonly ttlMs: number }> = {
  lan: { ttlMs: 5000 },
  wan: { ttlMs: 15_000 },
  fast: { ttlMs: 2000 },
};

/** For bully and ring: no lease, so too long a delay costs agreement and not only office. */
export interface HeartbeatTimings {
  /** How often a leader says that it is there. */
  readonly heartbeatMs: number;
  /** How long a follower lets the leader be silent; drawn from this range. */
  readonly leaderTimeoutMs: readonly [minMs: number, maxMs: number];
  /** The longest that a message may take. */
  readonly maxDelayMs: number;
}

export const heartbeatTimings: Presets<HeartbeatTimings> = {
  lan: { heartbeatMs: 100, leaderTimeoutMs: [1000, 1500], maxDelayMs: 400 },
  wan: { heartbeatMs: 500, leaderTimeoutMs: [5000, 7500], maxDelayMs: 2000 },
  fast: { heartbeatMs: 50, leaderTimeoutMs: [200, 300], maxDelayMs: 50 },
};

/** A day. Beyond 24 of them Node's timers fire at once. */
export const longestMs = 86_400_000;

/** What the timings bear, and what to change where they do not. */
export interface Endurance {
  readonly slackMs: number;
  /** `use timings: 'wan', or a longer electionTimeoutMs`. */
  readonly advice: string;
}

/** The option, and the settings that are its: many a reader will give them beside it. */
export function timingsRules<Timings extends object>(presets: Presets<Timings>): OptionTable {
  const settings = Object.entries(presets.lan).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const belongs = refused(`belongs to 'timings': { ${settings.join(', ')} }`);
  const names = Object.keys(presets.lan).map((name) => [name, belongs]);
  return { timings: timingsRule(presets), ...Object.fromEntries(names) };
}

/** By name, or as an object with these settings, of which none may be missing. */
export const timingsRule =
  <Timings extends object>(presets: Presets<Timings>): Rule =>
  (value) => {
    if (typeof value !== 'object' || value === null) return oneOf(...Object.keys(presets))(value);
    const known = Object.keys(presets.lan);
    const table: OptionTable = Object.fromEntries(
      known.map((name) => [name, { rule: () => null, hint: 'timings need it' }]),
    );
    try {
      readOptions('timings', value, table);
      return null;
    } catch (error) {
      return `is not right: ${(error as Error).message.replace(/^timings: |\.$/g, '')}`;
    }
  };

/** What they may be is checked by the protocol. */
export function timingsOf<Timings extends object>(
  presets: Presets<Timings>,
  given: TimingsName | Timings = 'lan',
): Timings {
  return typeof given === 'string' ? presets[given] : given;
}

export function adviceFor(given: TimingsName | object | undefined, setting: string): string {
  if (given === undefined || given === 'lan') return `use timings: 'wan', or a longer ${setting}`;
  if (given === 'fast') return `use timings: 'lan', or a longer ${setting}`;
  return `use a longer ${setting}`;
}
