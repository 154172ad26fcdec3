/** The words in which the rules are written: transitions, the effects they are made of, and what is told. */

import type { NodeId } from '@hustings/elector';
import type { Effect, Input, Transition } from '@hustings/elector/protocol';
import type {
  ZnodeName,
  ZooKeeperAnnouncement,
  ZooKeeperDurable,
  ZooKeeperElectionRequest,
  ZooKeeperMessage,
  ZooKeeperRequest,
  ZooKeeperTimer,
} from './messages.js';
import { isEligible, type ZooKeeperState } from './state.js';

export interface ZooKeeperTypes {
  readonly state: ZooKeeperState;
  readonly message: ZooKeeperMessage;
  readonly durable: ZooKeeperDurable;
  readonly timer: ZooKeeperTimer;
  readonly request: ZooKeeperElectionRequest;
  readonly announcement: ZooKeeperAnnouncement;
}

export type ZooKeeperInput = Input<ZooKeeperTypes>;
export type ZooKeeperEffect = Effect<ZooKeeperTypes>;
export type ZooKeeperTransition = Transition<ZooKeeperTypes>;

export function andThen(
  first: ZooKeeperTransition,
  ...rules: readonly ((state: ZooKeeperState) => ZooKeeperTransition)[]
): ZooKeeperTransition {
  let [state, effects] = first;
  for (const rule of rules) {
    const [after, more] = rule(state);
    state = after;
    if (more.length > 0) effects = effects.length === 0 ? more : [...effects, ...more];
  }
  return [state, effects];
}

/** Has the driver believe what this node knows, if it does not yet. A leader has nobody to follow. */
export function tell(state: ZooKeeperState): ZooKeeperTransition {
  const { leader, own } = state;
  // Until it has stepped down, a leader that resigns counts as one.
  if (state.told === 'leading') return [state, []];
  // A token below one that was seen is of a ZooKeeper that has lost data: whoever has it is not believed.
  if (leader !== null && leader.name !== own?.name && leader.czxid >= state.floor) {
    const told = `${leader.czxid}`;
    if (state.told === told) return [state, []];
    return [{ ...state, told }, [{ type: 'follow', leaderId: leader.leaderId, token: BigInt(leader.czxid) }]];
  }
  const told = isEligible(state) ? 'candidate' : 'nobody';
  if (state.told === told) return [state, []];
  const effect: ZooKeeperEffect = isEligible(state)
    ? { type: 'campaign' }
    : { type: 'follow', leaderId: null, token: null };
  return [{ ...state, told }, [effect]];
}

/** There is nothing to do until something happens. */
export const settle = (state: ZooKeeperState): ZooKeeperTransition => [
  { ...state, awaited: null },
  [cancel('request')],
];

export const isCoordinator = ({ settings }: ZooKeeperState, node: NodeId): boolean =>
  node === settings.coordinator;
export const pathOf = ({ settings }: ZooKeeperState, name: ZnodeName): string => `${settings.path}/${name}`;
/** The name of a znode in the queue; the empty name for the queue itself. */
export const nameOf = ({ settings }: ZooKeeperState, path: string): ZnodeName =>
  path.slice(settings.path.length + 1);

export const send = ({ settings }: ZooKeeperState, message: ZooKeeperRequest): ZooKeeperEffect => ({
  type: 'send',
  to: settings.coordinator,
  message,
});
export const setTimer = (timer: ZooKeeperTimer, delayMs: number): ZooKeeperEffect => ({
  type: 'set-timer',
  timer,
  delayMs: [delayMs, delayMs],
});
export const cancel = (timer: ZooKeeperTimer): ZooKeeperEffect => ({ type: 'cancel-timer', timer });
