import type { Guarantees } from '@hustings/elector';
import type { Protocol } from '@hustings/elector/protocol';
import { decodeDurable, decodeMessage } from './messages.js';
import {
  checkSettings,
  defaultSettings,
  initialState,
  type RollCallSettings,
  type RollCallTypes,
} from './state.js';
import { step } from './step.js';

export type RollCallProtocol = Protocol<RollCallTypes>;

const guarantees: Guarantees = {
  atMostOneLeader: false,
  monotonicTokens: false,
  toleratesPartition: false,
  orderedSuccession: true,
  targetedTransfer: false,
  leased: false,
  assumptions: [
    'every node that is alive can reach every other',
    'a node that dies closes its connections, and no message is lost on one that stands',
    'no message takes longer than decideAfterMs',
  ],
};

/** Roll call with these settings; what is left out is as in `defaultSettings`. */
export function rollCall(settings: Partial<RollCallSettings> = {}): RollCallProtocol {
  const checked = checkSettings({ ...defaultSettings, ...settings });
  return {
    algorithm: 'roll-call',
    variant: 'default',
    guarantees,
    periodicMessages: new Set(),
    initialState: (id, peers) => initialState(id, peers, checked),
    step,
    decodeMessage,
    decodeDurable,
  };
}
