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

const withHeirs: Guarantees = {
  ...guarantees,
  assumptions: guarantees.assumptions.map((assumption) =>
    assumption.startsWith('nobody deletes')
      ? "nobody deletes a leader's key but the leader, its heir and etcd"
      : assumption,
  ),
};

/** The etcd elector with these settings; what is left out is as in `defaultSettings`. */
export function etcd(settings: Partial<EtcdSettings> = {}): EtcdProtocol {
  const checked = checkSettings({ ...defaultSettings, ...readSettings(settings) });
  return {
    algorithm: 'etcd',
    ...variantOf(checked),
    periodicMessages: new Set([
      'keep-alive',
      'kept-alive',
      'audit',
      'audited',
      'offer',
      'promise',
      'volunteer',
    ]),
    initialState: (id, peers) => initialState(id, checked, peers),
    step,
    decodeMessage,
    decodeDurable,
  };
}

function variantOf({ succession, heirWaitMs }: EtcdSettings): Pick<EtcdProtocol, 'variant' | 'guarantees'> {
  if (succession === 'race')
    return { variant: 'race', guarantees: { ...guarantees, orderedSuccession: false } };
  return heirWaitMs > 0 ? { variant: 'heirs', guarantees: withHeirs } : { variant: 'default', guarantees };
}
