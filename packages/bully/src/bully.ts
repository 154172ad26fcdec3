import type { Guarantees } from '@hustings/elector';
import type { Protocol } from '@hustings/elector/protocol';
import { decodeDurable, decodeMessage } from './messages.js';
import {
  type BullySettings,
  type BullyTypes,
  checkSettings,
  defaultSettings,
  initialState,
  readSettings,
} from './state.js';
import { step } from './step.js';

export type BullyProtocol = Protocol<BullyTypes>;

const guarantees: Guarantees = {
  atMostOneLeader: false,
  monotonicTokens: false,
  toleratesPartition: false,
  orderedSuccession: true,
  targetedTransfer: false,
  leased: false,
  assumptions: [
    'every node that is alive can reach every other',
    'no message takes longer than maxDelayMs, and few are lost',
    'a node that is alive is never slower than leaderTimeoutMs',
  ],
};

/** The bully algorithm with these settings; what is left out is as in `defaultSettings`. */
export function bully(settings: Partial<BullySettings> = {}): BullyProtocol {
  const checked = checkSettings({ ...defaultSettings, ...readSettings(settings) });
  return {
    algorithm: 'bully',
    variant: 'default',
    guarantees,
    periodicMessages: new Set(['heartbeat']),
    initialState: (id, peers) => initialState(id, peers, checked),
    step,
    decodeMessage,
    decodeDurable,
  };
}
