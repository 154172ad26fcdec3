/**
 * How long a lease must be. The electors measure by it what their timings bear, and `hustings ttl` and the calculator
 * of the documents turn it round: they ask for the lease that a failover and a pause allow.
 *
 * A lease of length `ttlMs` is renewed every `renewEveryMs`. It counts from when the renewal was sent, and ends
 * `guardMs` early, so that clocks may differ. What is left is the slack: how late one renewal may be.
 *
 * @packageDocumentation
 */

import { numberFrom, type OptionTable, readOptions, required } from '@hustings/elector/options';
import { etcd } from './lease-kinds/etcd.js';
import { type LeaseKind, slackMs } from './lease-kinds/kind.js';
import { raft } from './lease-kinds/raft.js';
import { consul, dynamodb, kubernetes, store } from './lease-kinds/stores.js';
import { zookeeper } from './lease-kinds/zookeeper.js';

const kinds = {
  raft,
  etcd,
  zookeeper,
  postgres: store,
  redis: store,
  kubernetes,
  dynamodb,
  consul,
} as const satisfies Readonly<Record<string, LeaseKind>>;

export type LeasedElector = keyof typeof kinds;

export const leasedElectors = Object.keys(kinds) as readonly LeasedElector[];

/** What a lease is wanted for. */
export interface LeaseDemands {
  /** The longest that nobody may lead after a leader has died without a word. */
  readonly failoverMs: number;
  /** The longest that a process which is well, or its disk or server, may stand still. */
  readonly pauseMs: number;
  /** To the server, or to a majority of the nodes. */
  readonly roundTripMs: number;
  /** How much faster or slower than real time a clock may run: 0.01 is one per cent. */
  readonly driftBound: number;
}

export interface LeasePlan {
  readonly elector: LeasedElector;
  readonly setting: string;
  /** In the unit of the setting. */
  readonly value: number;
  readonly ttlMs: number;
  readonly renewEveryMs: number;
  readonly guardMs: number;
  /** The longest pause after which the leader still leads: the slack, less a round trip. */
  readonly pauseMs: number;
  /** The longest that nobody leads. */
  readonly worstGapMs: number;
  /** Whether that is within the failover that was asked for. If not, the lease is the shortest that the elector allows and that bears the pause. */
  readonly isEnough: boolean;
}

const anyMs = numberFrom(0, Number.MAX_SAFE_INTEGER);
const demandRules: OptionTable = {
  failoverMs: required(anyMs, 'how long nobody may lead'),
  pauseMs: required(anyMs, 'how long a process may stand still'),
  roundTripMs: required(anyMs, 'how long an answer takes'),
  // Beyond it no session of ZooKeeper could be kept, and something is broken that a lease cannot mend.
  driftBound: required(numberFrom(0, 0.05), 'how far off a clock may be'),
};

/**
 * The longest lease that keeps to the failover: a lease that is longer than need be costs nothing but failover, and one
 * that is too short costs leaders that did nothing wrong.
 */
export function planLease(elector: LeasedElector, demands: LeaseDemands): LeasePlan {
  const kind: LeaseKind = kinds[elector];
  const { failoverMs, pauseMs, roundTripMs, driftBound } = readOptions<LeaseDemands>(
    'planLease',
    demands,
    demandRules,
  );
  const gapMs = (ttlMs: number): number =>
    kind.silenceMs(ttlMs, driftBound) / (1 - driftBound) + 2 * roundTripMs;
  const bornMs = (ttlMs: number): number => slackMs(kind, ttlMs, driftBound) - roundTripMs;
  const shortestMs = Math.max(
    kind.leastMs,
    upTo(kind.stepMs, reaching(pauseMs, bornMs)),
    upTo(
      kind.unitMs,
      reaching(0, (ttlMs) => kind.guardShare * ttlMs - kind.guardMs(ttlMs, driftBound)),
    ),
  );
  const longestMs = downTo(kind.stepMs, reaching(failoverMs, gapMs));
  const ttlMs = Math.max(shortestMs, longestMs);
  return {
    elector,
    setting: kind.setting,
    value: ttlMs / kind.unitMs,
    ttlMs,
    renewEveryMs: kind.renewEveryMs(ttlMs),
    guardMs: kind.guardMs(ttlMs, driftBound),
    pauseMs: bornMs(ttlMs),
    worstGapMs: gapMs(ttlMs),
    isEnough: shortestMs <= longestMs,
  };
}

export function planLeases(demands: LeaseDemands): readonly LeasePlan[] {
  return leasedElectors.map((elector) => planLease(elector, demands));
}

/** Where a line that rises comes to a value. */
function reaching(value: number, line: (ttlMs: number) => number): number {
  const rise = (line(10_000) - line(0)) / 10_000;
  return (value - line(0)) / rise;
}

// A lease of exactly 5000 ms must not become 5001 by the last digit of a double.
const downTo = (stepMs: number, ms: number): number => Math.floor(ms / stepMs + 1e-9) * stepMs;
const upTo = (stepMs: number, ms: number): number => Math.ceil(ms / stepMs - 1e-9) * stepMs;
