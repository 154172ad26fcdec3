import type { Guarantees } from '@hustings/elector';
import { deathCertificateAssumption, type Protocol } from '@hustings/elector/protocol';
import { decodeDurable, decodeMessage } from './messages.js';
import { checkSettings, defaultSettings, initialState, type RaftSettings, readSettings } from './state.js';
import { step } from './step.js';
import type { RaftTypes } from './transition.js';

export type RaftProtocol = Protocol<RaftTypes>;

/** Raft with these settings; what is left out is as in `defaultSettings`. */
export function raft(settings: Partial<RaftSettings> = {}): RaftProtocol {
  const checked = checkSettings({ ...defaultSettings, ...readSettings(settings) });
  return {
    algorithm: 'raft',
    variant: variantOf(checked),
    guarantees: guaranteesOf(checked),
    deathCertificates: checked.deathCertificates,
    periodicMessages: new Set(['heartbeat', 'heartbeat-reply']),
    initialState: (id, peers) => initialState(id, peers, checked),
    step,
    decodeMessage,
    decodeDurable,
  };
}

function variantOf({ preVote, deathCertificates }: RaftSettings): string {
  if (deathCertificates) return 'certificates';
  return preVote ? 'default' : 'no-pre-vote';
}

function guaranteesOf({ maxDriftRate, deathCertificates }: RaftSettings): Guarantees {
  return {
    atMostOneLeader: true,
    monotonicTokens: true,
    toleratesPartition: true,
    orderedSuccession: false,
    targetedTransfer: true,
    leased: true,
    assumptions: [
      `every clock runs at ${1 - maxDriftRate} to ${1 + maxDriftRate} times real time: beyond that two leases may overlap, while tokens still grow`,
      'what was saved is never lost',
      'a majority of the voters is alive and connected, and messages take much less than electionTimeoutMs',
      ...(deathCertificates ? [deathCertificateAssumption] : []),
    ],
  };
}
