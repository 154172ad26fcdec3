import type { Guarantees } from '@hustings/elector';
import type { Protocol } from '@hustings/elector/protocol';
import { decodeDurable, decodeMessage } from './messages.js';
import {
  checkSettings,
  defaultSettings,
  initialState,
  type RingSettings,
  type RingTypes,
  type RingVariant,
  readSettings,
} from './state.js';
import { step } from './step.js';

export type RingProtocol = Protocol<RingTypes>;

const guarantees: Guarantees = {
  atMostOneLeader: false,
  monotonicTokens: false,
  toleratesPartition: false,
  orderedSuccession: true,
  targetedTransfer: false,
  leased: false,
  assumptions: [
    'every node that is alive can reach every other, for a dead neighbour must be passed over',
    'no message takes longer than maxDelayMs, and few are lost',
    'a node that is alive is never slower than leaderTimeoutMs',
  ],
};

/** The list-collecting ring with these settings; what is left out is as in `defaultSettings`. */
export function ring(settings: Partial<RingSettings> = {}): RingProtocol {
  return protocol(settings, 'default');
}

/** The ring of Chang and Roberts: weaker candidacies are swallowed on their way. */
export function changRoberts(settings: Partial<RingSettings> = {}): RingProtocol {
  return protocol(settings, 'chang-roberts');
}

function protocol(settings: Partial<RingSettings>, variant: RingVariant): RingProtocol {
  const checked = checkSettings({ ...defaultSettings, ...readSettings(settings) });
  return {
    algorithm: 'ring',
    variant,
    guarantees,
    periodicMessages: new Set(['heartbeat']),
    initialState: (id, peers) => initialState(id, peers, checked, variant),
    step,
    decodeMessage,
    decodeDurable,
  };
}
