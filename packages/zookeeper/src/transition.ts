/** The words in which the rules are written. */

import type { NodeId } from '@hustings/elector';
import { cancelTimer, type Effect, type Input, send, type Transition } from '@hustings/elector/protocol';
import type {
  ZooKeeperAnnouncement,
  ZooKeeperDurable,
  ZooKeeperElectionRequest,
  ZooKeeperMessage,
  ZooKeeperRequest,
  ZooKeeperTimer,
} from './messages.js';
import { change, type ZooKeeperState } from './state.js';

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

/** There is nothing to do until something happens. */
export const settle = (state: ZooKeeperState): ZooKeeperTransition => [
  change(state, { awaited: null }),
  [cancelTimer('request')],
];

export const isCoordinator = ({ settings }: ZooKeeperState, node: NodeId): boolean =>
  node === settings.coordinator;

export const toCoordinator = ({ settings }: ZooKeeperState, message: ZooKeeperRequest): ZooKeeperEffect =>
  send(settings.coordinator, message);
