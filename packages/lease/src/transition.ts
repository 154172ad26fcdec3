/** The words in which the rules are written. */

import { type Effect, type Input, send, type Transition } from '@hustings/elector/protocol';
import type {
  LeaseAnnouncement,
  LeaseDurable,
  LeaseElectionRequest,
  LeaseMessage,
  LeaseRequest,
  LeaseTimer,
} from './messages.js';
import type { LeaseState } from './state.js';

export interface LeaseTypes {
  readonly state: LeaseState;
  readonly message: LeaseMessage;
  readonly durable: LeaseDurable;
  readonly timer: LeaseTimer;
  readonly request: LeaseElectionRequest;
  readonly announcement: LeaseAnnouncement;
}

export type LeaseInput = Input<LeaseTypes>;
export type LeaseEffect = Effect<LeaseTypes>;
export type LeaseTransition = Transition<LeaseTypes>;

export const toStore = ({ settings }: LeaseState, message: LeaseRequest): LeaseEffect =>
  send(settings.coordinator, message);
