/**
 * A ZooKeeper ensemble that runs in the simulator, the model checker and the browser: a service in the shape of a
 * protocol, which answers the messages of this package as a real ensemble behind the gateway does. The same
 * contract tests run against both.
 *
 * It stands for a whole ensemble. Of its members it simulates what a client can notice: each session is connected
 * to one of them, whose view may lag behind its leader's; members tell the leader only every half tick which
 * sessions they have heard from; one that is cut off from the leader goes on answering reads for a while.
 *
 * @packageDocumentation
 */

import type { NodeId } from '@hustings/elector';
import { andThen, type Machine, send, setTimer } from '@hustings/elector/protocol';
import type { ZooKeeperRequest } from './messages.js';
import {
  cutMember,
  failLeader,
  nextTick,
  restart,
  returnMember,
  startTimers,
  takeOver,
} from './simulated/failures.js';
import { carryOut, catchUp, commit } from './simulated/requests.js';
import { disconnect, expireSessions, hear, indexOf, onConnect, relay } from './simulated/sessions.js';
import {
  defaultSimulatedZooKeeper,
  initialState,
  type ServerInput,
  type ServerTransition,
  type SimulatedZooKeeperSettings,
  type SimulatedZooKeeperTimer,
  type SimulatedZooKeeperTypes,
  type State,
} from './simulated/state.js';
import { childrenOf, without } from './simulated/tree.js';

export {
  defaultSimulatedZooKeeper,
  type SimulatedZooKeeperDurable,
  type SimulatedZooKeeperRequest,
  type SimulatedZooKeeperSettings,
  type SimulatedZooKeeperState,
  type SimulatedZooKeeperTimer,
} from './simulated/state.js';

export type SimulatedZooKeeper = Machine<SimulatedZooKeeperTypes>;

/** Give it to a simulation as the service `zookeeper`. */
export function simulatedZooKeeper(settings: Partial<SimulatedZooKeeperSettings> = {}): SimulatedZooKeeper {
  const complete = { ...defaultSimulatedZooKeeper, ...settings };
  return { initialState: () => initialState(complete), step };
}

function step(state: State, input: ServerInput, nowMs: number): ServerTransition {
  switch (input.type) {
    case 'started':
      return [state, startTimers(state, nowMs)];
    case 'restarted':
      return restart(state, input.durable, nowMs);
    case 'received':
      return state.available
        ? onRequest(state, input.from, input.message as ZooKeeperRequest, nowMs)
        : [state, []];
    case 'timer-fired':
      return onTimer(state, input.timer, nowMs);
    case 'link-down':
      return [disconnect(state, ({ client }) => client === input.peer), []];
    case 'requested':
      return input.request.type === 'fail-leader' ? failLeader(state) : cutMember(state);
    default:
      return [state, []];
  }
}

function onRequest(state: State, client: NodeId, message: ZooKeeperRequest, nowMs: number): ServerTransition {
  if (message.type === 'connect') return onConnect(state, client, message, nowMs);
  const { id, session: sessionId } = message;
  const index = indexOf(state, sessionId);
  const session = state.sessions[index];
  if (session === undefined) return [state, [send(client, { type: 'expired', session: sessionId })]];
  if (session.member === null) return [state, [send(client, { type: 'disconnected', session: sessionId })]];
  if (session.client !== client || id <= session.lastId) return [state, []];
  return carryOut(hear(state, index, id, nowMs), session.member, client, message);
}

function onTimer(state: State, timer: SimulatedZooKeeperTimer, nowMs: number): ServerTransition {
  const { tickMs, containerCheckMs } = state.settings;
  switch (timer) {
    case 'tick':
      return andThen([state, [nextTick(state, nowMs)]], (alive) =>
        alive.available ? expireSessions(alive, nowMs) : [alive, []],
      );
    case 'relay':
      return [state.available ? relay(state, nowMs) : state, [setTimer(timer, tickMs / 2)]];
    case 'containers':
      return andThen([state, [setTimer(timer, containerCheckMs)]], (alive) =>
        alive.available ? removeEmptyContainers(alive) : [alive, []],
      );
    case 'leader-failure':
      return failLeader(state);
    case 'election':
      return takeOver(state, nowMs);
    case 'member-cut':
      return cutMember(state);
    case 'member-return':
      return returnMember(state);
    default: {
      const member = Number(timer.slice('apply '.length));
      return member === state.cut || !state.available ? [state, []] : catchUp(state, member);
    }
  }
}

/** A container that has had children and has none is removed; a new one is left alone. */
function removeEmptyContainers(state: State): ServerTransition {
  const { tree } = state;
  const kept = without(
    tree,
    ({ isContainer, cversion }, path) => isContainer && cversion > 0 && childrenOf(tree, path).length === 0,
  );
  return kept === tree ? [state, []] : commit(state, kept);
}
