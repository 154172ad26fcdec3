/**
 * Every order of what may happen between a leader, those behind it in the queue and etcd, from the moment at which all
 * have joined. Leases are long and nothing is watched, so that what is left is what heirs are about: heartbeats, answers,
 * withdrawals and deletions, each late, lost, twice or never; nodes that end, and come back.
 */

import { type EtcdState, etcd, invariants } from '@hustings/etcd';
import { type SimulatedEtcdState, simulatedEtcd } from '@hustings/etcd/simulated';
import {
  type AnyMachine,
  type AnyProtocol,
  type Exploration,
  type ExploreBounds,
  type ExploreProgress,
  explore,
} from '@hustings/simulator';

/** A wait of three ticks: long enough for two heartbeats to go unanswered and for etcd to be asked. */
const heirWaitMs = 1000;
const tickMs = 350;
const ttlSeconds = 60;

export const heirsProtocol = (): AnyProtocol<EtcdState> =>
  etcd({
    ...{ name: 'e', ttlSeconds, marginMs: 0, driftBound: 0, heirWaitMs },
    // Nothing is asked twice but by heirs: what is not answered counts as lost.
    requestTimeoutMs: 1000 * ttlSeconds,
  }) as AnyProtocol<EtcdState>;

/** Where the lease ids of a simulated etcd begin. */
const firstLease = 0x1001;
const leaseOf = (place: number): string => `${firstLease + place}`;
const keyOf = (place: number): string => `e/${(firstLease + place).toString(16)}`;
const revisionOf = (place: number): string => `${place + 2}`;

/** The nodes stand in line in the order of their names. */
function queued(protocol: AnyProtocol<EtcdState>, ids: readonly string[]): AnyProtocol<EtcdState> {
  return {
    ...protocol,
    initialState(id, peers, incarnation) {
      const state = protocol.initialState(id, peers, incarnation);
      // A process that has restarted has no place in line.
      if (incarnation !== `${id}.0`) return state;
      const place = ids.indexOf(id);
      return {
        ...state,
        ...{ phase: 'waiting', standing: true },
        ...{ ownRevision: revisionOf(place), ownModRevision: revisionOf(place) },
        session: { lease: leaseOf(place), key: keyOf(place), ttlMs: 1000 * ttlSeconds, renewedMs: 0 },
      };
    },
    step(state, input, nowMs) {
      const [after, effects] = protocol.step(state, input, nowMs);
      return [
        after,
        effects.filter(
          (effect) => effect.type !== 'send' || !['watch', 'cancel-watch'].includes(effect.message.type),
        ),
      ];
    },
  };
}

function populated(ids: readonly string[]): AnyMachine<unknown> {
  const machine = simulatedEtcd() as unknown as AnyMachine<unknown>;
  return {
    step: (state, input, nowMs) => machine.step(state, input, nowMs),
    initialState(id, peers): SimulatedEtcdState {
      const empty = machine.initialState(id, peers) as SimulatedEtcdState;
      const ttlMs = 1000 * ttlSeconds;
      return {
        ...empty,
        revision: ids.length + 1,
        nextLease: firstLease + ids.length,
        leases: ids.map((_, place) => ({ id: leaseOf(place), ttlMs, expiresMs: ttlMs })),
        keys: ids.map((value, place) => ({
          ...{ key: keyOf(place), value, lease: leaseOf(place) },
          ...{ createRevision: revisionOf(place), modRevision: revisionOf(place) },
        })),
      };
    },
  };
}

export interface HeirsExploration extends Partial<ExploreBounds> {
  readonly nodes: number;
  /** For mutants. */
  readonly protocol?: AnyProtocol<EtcdState>;
  readonly onDepth?: (progress: ExploreProgress) => void;
}

export function exploreHeirs({
  nodes,
  protocol = heirsProtocol(),
  ...bounds
}: HeirsExploration): Exploration {
  const ids = Array.from({ length: nodes }, (_, index) => `n${index + 1}`);
  return explore({
    ...{ depth: 1000, maxCrashes: 0, tickMs, maxTicks: 5, maxLate: 1, maxLosses: 1, maxStates: 20_000_000 },
    ...bounds,
    protocol: queued(protocol, ids),
    nodes: ids,
    services: [{ id: 'etcd', machine: populated(ids) }],
    invariants,
    promised: { atMostOneLeader: true },
  });
}
