/**
 * An etcd that runs in the simulator, the model checker and the browser: a service in the shape of a protocol,
 * which answers the messages of this package as a real etcd behind the gateway does. The same contract tests
 * run against both.
 *
 * It stands for a whole cluster. Its members are not simulated, only what a client can notice of them: that
 * nothing is answered between the failure of their leader and the next one, and that leases start afresh then.
 *
 * @packageDocumentation
 */

import { type Machine, setTimer } from '@hustings/elector/protocol';
import type { EtcdRequest } from './messages.js';
import { failLeader, restart, startTimers, takeOver } from './simulated/failures.js';
import { expireLeases, isAnyOver } from './simulated/leases.js';
import { onRequest } from './simulated/requests.js';
import {
  change,
  defaultSimulatedEtcd,
  initialState,
  type ServerInput,
  type ServerTransition,
  type SimulatedEtcdSettings,
  type SimulatedEtcdState,
  type SimulatedEtcdTimer,
  type SimulatedEtcdTypes,
} from './simulated/state.js';
import { compact } from './simulated/store.js';

export {
  defaultShared,
  initialShared,
  type SharedEffect,
  type SharedInput,
  type SharedState,
} from './shared/state.js';
export { step as stepShared } from './shared/step.js';
export {
  defaultSimulatedEtcd,
  type SimulatedEtcdDurable,
  type SimulatedEtcdRequest,
  type SimulatedEtcdSettings,
  type SimulatedEtcdState,
  type SimulatedEtcdTimer,
} from './simulated/state.js';

export type SimulatedEtcd = Machine<SimulatedEtcdTypes>;

/** Give it to a simulation as the service `etcd`. */
export function simulatedEtcd(settings: Partial<SimulatedEtcdSettings> = {}): SimulatedEtcd {
  const complete = { ...defaultSimulatedEtcd, ...settings };
  return { initialState: () => initialState(complete), step };
}

function step(state: SimulatedEtcdState, input: ServerInput, nowMs: number): ServerTransition {
  switch (input.type) {
    case 'started':
      return [state, startTimers(state)];
    case 'restarted':
      return restart(state, input.durable, nowMs);
    case 'received':
      return state.available
        ? onRequest(state, input.from, input.message as EtcdRequest, nowMs)
        : [state, []];
    case 'timer-fired':
      return onTimer(state, input.timer, nowMs);
    case 'link-down':
      return [change(state, { watches: state.watches.filter(({ client }) => client !== input.peer) }), []];
    case 'requested':
      return input.request.type === 'fail-leader'
        ? failLeader(state)
        : [compact(state, Number(input.request.revision)), []];
    default:
      return [state, []];
  }
}

function onTimer(state: SimulatedEtcdState, timer: SimulatedEtcdTimer, nowMs: number): ServerTransition {
  const { expiryCheckMs } = state.settings;
  switch (timer) {
    case 'expiry': {
      const again = setTimer(timer, expiryCheckMs);
      // A third of all steps of a search, and nearly always nothing is over.
      if (!state.available || !isAnyOver(state, nowMs)) return [state, [again]];
      const [after, effects] = expireLeases(state, nowMs);
      return [after, [again, ...effects]];
    }
    case 'failure':
      return failLeader(state);
    case 'election':
      return takeOver(state, nowMs);
  }
}
