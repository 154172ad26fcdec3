import type { Guarantees } from '@hustings/elector';
import type { Protocol } from '@hustings/elector/protocol';
import { decodeDurable, decodeMessage } from './messages.js';
import { checkSettings, defaultSettings, type EtcdSettings, initialState, readSettings } from './state.js';
import { step } from './step.js';
import type { EtcdTypes } from './transition.js';

export type EtcdProtocol = Protocol<EtcdTypes>;

const guarantees: Guarantees = {
  atMostOneLeader: true,
  monotonicTokens: true,
  toleratesPartition: true,
  orderedSuccession: true,
  targetedTransfer: false,
  leased: true,
  assumptions: [
    'a majority of the etcd cluster is up, and this node can reach it',
    "no clock, the etcd leader's included, is off by more than driftBound",
    'a process that runs acts on the end of its lease within marginMs',
    "nobody deletes a leader's key but the leader and etcd",
    'etcd keeps what it has acknowledged; if it does not, a process started since cannot know which tokens were used',
  ],
};

/** The etcd elector with these settings; what is left out is as in `defaultSettings`. */
export function etcd(settings: Partial<EtcdSettings> = {}): EtcdProtocol {
  const checked = checkSettings({ ...defaultSettings, ...readSettings(settings) });
  const isQueue = checked.succession === 'queue';
  return {
    algorithm: 'etcd',
    variant: isQueue ? 'default' : 'race',
    guarantees: isQueue ? guarantees : { ...guarantees, orderedSuccession: false },
    periodicMessages: new Set(['keep-alive', 'kept-alive', 'audit', 'audited']),
    initialState: (id) => initialState(id, checked),
    step,
    decodeMessage,
    decodeDurable,
  };
}
