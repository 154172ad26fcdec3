/** What befalls the store itself. */

import { cancelTimer, setTimer } from '@hustings/elector/protocol';
import { extend } from './server.js';
import {
  change,
  emptyServer,
  initialState,
  type Server,
  type SimulatedStoreDurable,
  type SimulatedStoreRequest,
  type SimulatedStoreState,
  type StoreEffect,
  type StoreTransition,
  save,
} from './state.js';

export function onFailure(
  state: SimulatedStoreState,
  request: SimulatedStoreRequest,
  nowMs: number,
): StoreTransition {
  switch (request.type) {
    case 'fail-over':
      return failOver(state);
    case 'forget-last-writes':
      return saved(forgetLastWrites(state, nowMs));
    case 'stop-server':
    case 'start-server':
      return saved(
        alter(state, request.server, (server) => ({ ...server, running: request.type === 'start-server' })),
      );
    case 'forget-server':
      return saved(alter(state, request.server, (server) => ({ ...server, leases: [] })));
    case 'step-clock':
      return saved(
        alter(state, request.server, (server) => ({ ...server, aheadMs: server.aheadMs + request.byMs })),
      );
  }
}

const saved = (state: SimulatedStoreState): StoreTransition => [state, [save(state)]];

const alter = (
  state: SimulatedStoreState,
  index: number,
  alteration: (server: Server) => Server,
): SimulatedStoreState =>
  change(state, {
    servers: state.servers.map((server, each) => (each === index ? alteration(server) : server)),
  });

export function failOver(state: SimulatedStoreState): StoreTransition {
  return [
    change(state, { available: false }),
    [setTimer('taken-over', state.settings.failoverMs), cancelTimer('fail-over')],
  ];
}

/** The replica has been promoted. Nobody watches it yet. */
export function takeOver(state: SimulatedStoreState, nowMs: number): StoreTransition {
  const promoted = change(forgetLastWrites(state, nowMs), { available: true, watches: [] });
  return [promoted, [save(promoted), ...startTimers(state)]];
}

/** What was written too late for the replica to have heard of it has never been. */
function forgetLastWrites(state: SimulatedStoreState, nowMs: number): SimulatedStoreState {
  const { replicaLagMs } = state.settings;
  const lost = state.past.find(({ atMs }) => atMs > nowMs - replicaLagMs);
  if (lost === undefined) return state;
  const former = alter(state, 0, (server) => ({ ...server, leases: lost.leases }));
  return change(former, { past: [] });
}

/**
 * After a crash. Its clock has begun anew, so nobody knows what was left of a lease: each has its full time again. A
 * real one would end it sooner, at the time that was written down. What was said to be lost stays lost.
 */
export function restart(
  state: SimulatedStoreState,
  { servers, highestToken }: SimulatedStoreDurable,
  nowMs: number,
): StoreTransition {
  if (state.settings.losesDataOnRestart) {
    const empty: SimulatedStoreState = {
      ...initialState(state.settings),
      servers: servers.map(({ writes }) => ({ ...emptyServer, writes })),
      highestToken,
    };
    return [empty, [save(empty), ...startTimers(state)]];
  }
  const begunAnew = servers.map((server) =>
    server.leases.reduce(
      (after, lease) => (lease.holder === null ? after : extend(after, lease, lease.ttlMs, nowMs)),
      server,
    ),
  );
  const back: SimulatedStoreState = {
    ...initialState(state.settings),
    ...{ servers: begunAnew, highestToken },
  };
  return [back, [save(back), ...startTimers(state)]];
}

export const startTimers = ({ settings }: SimulatedStoreState): StoreEffect[] =>
  settings.failsOverEveryMs === null ? [] : [setTimer('fail-over', settings.failsOverEveryMs)];
