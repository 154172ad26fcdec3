/**
 * A store of leases that runs in the simulator, the model checker and the browser: a service in the shape of a protocol,
 * which answers the messages of this package as a real store behind the gateway does. It has whatever traits it is given,
 * so it stands for PostgreSQL as well as for Redis with a replica that lags.
 *
 * @packageDocumentation
 */

import type { Machine } from '@hustings/elector/protocol';
import type { LeaseRequest } from './messages.js';
import { failOver, onFailure, restart, startTimers, takeOver } from './simulated/failures.js';
import { freeAll, onRequest } from './simulated/requests.js';
import {
  change,
  defaultSimulatedStore,
  initialState,
  majorityOf,
  type SimulatedStoreSettings,
  type SimulatedStoreState,
  type SimulatedStoreTypes,
  type StoreInput,
  type StoreTransition,
} from './simulated/state.js';

export { gatherMs, gathersOn, Renewals, shortened } from './renewals.js';
export {
  defaultSimulatedStore,
  type SimulatedStoreDurable,
  type SimulatedStoreRequest,
  type SimulatedStoreSettings,
  type SimulatedStoreState,
  type SimulatedStoreTimer,
} from './simulated/state.js';

export type SimulatedStore = Machine<SimulatedStoreTypes>;

/** Give it to a simulation as the service `store`. */
export function simulatedStore(settings: Partial<SimulatedStoreSettings> = {}): SimulatedStore {
  const complete = { ...defaultSimulatedStore, ...settings };
  return { initialState: () => initialState(complete), step };
}

/** Whether enough of it runs to answer. */
export const isAnswering = (state: SimulatedStoreState): boolean =>
  state.available && state.servers.filter(({ running }) => running).length >= majorityOf(state);

function step(state: SimulatedStoreState, input: StoreInput, nowMs: number): StoreTransition {
  switch (input.type) {
    case 'started':
      return [state, startTimers(state)];
    case 'restarted':
      return restart(state, input.durable, nowMs);
    case 'received':
      return isAnswering(state)
        ? onRequest(state, input.from, input.message as LeaseRequest, nowMs)
        : [state, []];
    case 'timer-fired':
      return input.timer === 'fail-over' ? failOver(state) : takeOver(state, nowMs);
    case 'link-down':
      return onDisconnected(state, input.peer, nowMs);
    case 'requested':
      return onFailure(state, input.request, nowMs);
    default:
      return [state, []];
  }
}

/** Whoever has lost its connection hears no hints, and where leases are locks of sessions has none any more. */
function onDisconnected(state: SimulatedStoreState, peer: string, nowMs: number): StoreTransition {
  const watches = state.watches.filter(({ client }) => client !== peer);
  const left = change(state, { watches });
  if (!state.settings.endsWithConnection) return [left, []];
  return freeAll(left, ({ client, holder }) => client === peer && holder !== null, nowMs);
}
