/** The words in which the rules are written. */

import { type Effect, type Input, send, type Transition } from '@hustings/elector/protocol';
import type {
  EtcdAnnouncement,
  EtcdDurable,
  EtcdElectionRequest,
  EtcdMessage,
  EtcdRequest,
  EtcdTimer,
} from './messages.js';
import type { EtcdState } from './state.js';

export interface EtcdTypes {
  readonly state: EtcdState;
  readonly message: EtcdMessage;
  readonly durable: EtcdDurable;
  readonly timer: EtcdTimer;
  readonly request: EtcdElectionRequest;
  readonly announcement: EtcdAnnouncement;
}

export type EtcdInput = Input<EtcdTypes>;
export type EtcdEffect = Effect<EtcdTypes>;
export type EtcdTransition = Transition<EtcdTypes>;

export const toCoordinator = ({ settings }: EtcdState, message: EtcdRequest): EtcdEffect =>
  send(settings.coordinator, message);

export const toPeers = ({ peers }: EtcdState, message: EtcdMessage): EtcdEffect[] =>
  peers.map((peer) => send(peer, message));
