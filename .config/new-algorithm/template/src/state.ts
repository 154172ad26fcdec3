import { InvalidOptionError, type NodeId } from '@hustings/elector';
import type { RollCallDurable, RollCallMessage, RollCallTimer } from './messages.js';

export interface RollCallSettings {
  /** How long a candidate waits for the others to say that they stand, too. Longer than a message takes. */
  readonly decideAfterMs: number;
}

export const defaultSettings: RollCallSettings = { decideAfterMs: 50 };

export interface RollCallState {
  readonly id: NodeId;
  readonly peers: readonly NodeId[];
  readonly settings: RollCallSettings;
  /** Whom this node follows; itself while leading. */
  readonly leaderId: NodeId | null;
  /** The highest epoch heard of, and a leader's own. Always saved. */
  readonly epoch: number;
  /** The peers that are known to stand. */
  readonly rivals: readonly NodeId[];
  /** The application asks to lead. */
  readonly standing: boolean;
  /** An unhealthy node does not stand. */
  readonly healthy: boolean;
}

export function initialState(
  id: NodeId,
  peers: readonly NodeId[],
  settings: RollCallSettings = defaultSettings,
): RollCallState {
  return { id, peers, settings, leaderId: null, epoch: 0, rivals: [], standing: false, healthy: true };
}

/** Throws `InvalidOptionError` for settings under which no election could end well. */
export function checkSettings(settings: RollCallSettings): RollCallSettings {
  if (!(settings.decideAfterMs > 0)) {
    throw new InvalidOptionError(
      'decideAfterMs must be greater than 0: others need time to say that they stand.',
    );
  }
  return settings;
}

export interface RollCallTypes {
  readonly state: RollCallState;
  readonly message: RollCallMessage;
  readonly durable: RollCallDurable;
  readonly timer: RollCallTimer;
  readonly request: never;
  readonly announcement: never;
}
