/** What befalls the cluster itself: its leader fails, or it restarts. */

import { cancelTimer, setTimer } from '@hustings/elector/protocol';
import {
  change,
  initialState,
  type ServerEffect,
  type ServerTransition,
  type SimulatedEtcdDurable,
  type SimulatedEtcdState,
  save,
} from './state.js';

export function failLeader(state: SimulatedEtcdState): ServerTransition {
  return [
    change(state, { available: false }),
    [setTimer('election', state.settings.electionMs), cancelTimer('failure')],
  ];
}

export function restart(
  state: SimulatedEtcdState,
  durable: SimulatedEtcdDurable,
  nowMs: number,
): ServerTransition {
  if (!state.settings.losesDataOnRestart) return takeOver(change(state, { ...durable, watches: [] }), nowMs);
  // Lease ids are chosen at random, so none comes twice.
  const empty = change(initialState(state.settings), { nextLease: durable.nextLease });
  const [begun, effects] = takeOver(empty, nowMs);
  return [begun, [save(begun), ...effects]];
}

/** A new leader does not know when leases were renewed last, and gives each its full time again. */
export function takeOver(state: SimulatedEtcdState, nowMs: number): ServerTransition {
  const leases = state.leases.map(({ id, ttlMs }) => ({ id, ttlMs, expiresMs: nowMs + ttlMs }));
  return [change(state, { available: true, leases }), startTimers(state)];
}

export function startTimers({ settings }: SimulatedEtcdState): ServerEffect[] {
  const { expiryCheckMs, leaderFailsEveryMs } = settings;
  const expiry = setTimer('expiry', [0, expiryCheckMs]);
  return leaderFailsEveryMs === null ? [expiry] : [expiry, setTimer('failure', leaderFailsEveryMs)];
}
