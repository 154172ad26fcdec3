import type { Guarantees } from '@hustings/elector';
import { deathCertificateAssumption, type Protocol } from '@hustings/elector/protocol';
import { decodeDurable, decodeMessage } from './messages.js';
import { checkSettings, defaultSettings, type EtcdSettings, initialState, readSettings } from './state.js';
import { step } from './step.js';
import type { EtcdTypes } from './transition.js';

export type EtcdProtocol = Protocol<EtcdTypes>;

const whoDeletes = "nobody deletes a leader's key but the leader and etcd";

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
    whoDeletes,
    'etcd keeps what it has acknowledged; if it does not, a process started since cannot know which tokens were used',
  ],
};

/** The etcd elector with these settings; what is left out is as in `defaultSettings`. */
export function etcd(settings: Partial<EtcdSettings> = {}): EtcdProtocol {
  const checked = checkSettings({ ...defaultSettings, ...readSettings(settings) });
  return {
    algorithm: 'etcd',
    variant: variantOf(checked),
    guarantees: guaranteesOf(checked),
    deathCertificates: checked.deathCertificates,
    periodicMessages: new Set([
      'keep-alive',
      'kept-alive',
      'audit',
      'audited',
      'offer',
      'promise',
      'volunteer',
    ]),
    initialState: (id, peers, incarnation) => initialState(id, checked, peers, incarnation),
    step,
    decodeMessage,
    decodeDurable,
  };
}

function variantOf({ succession, heirWaitMs, deathCertificates }: EtcdSettings): string {
  if (succession === 'race') return 'race';
  const added = [...(heirWaitMs > 0 ? ['heirs'] : []), ...(deathCertificates ? ['certificates'] : [])];
  return added.length === 0 ? 'default' : added.join('-');
}

function guaranteesOf({ succession, heirWaitMs, deathCertificates }: EtcdSettings): Guarantees {
  const others = [
    ...(heirWaitMs > 0 ? ['its heir'] : []),
    ...(deathCertificates ? ['whoever has the death certificate of its process'] : []),
  ];
  const assumptions = guarantees.assumptions.map((assumption) =>
    assumption === whoDeletes ? [whoDeletes, ...others].join(', ') : assumption,
  );
  return {
    ...guarantees,
    orderedSuccession: succession === 'queue',
    assumptions: deathCertificates ? [...assumptions, deathCertificateAssumption] : assumptions,
  };
}
