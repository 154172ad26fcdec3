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

function variantOf({ lease, preVote, deathCertificates }: RaftSettings): string {
  if (!lease) return 'plain';
  if (deathCertificates) return 'certificates';
  return preVote ? 'default' : 'no-pre-vote';
}

const majorityNeeded =
  'a majority of the voters is alive and connected, and messages take much less than electionTimeoutMs';

/** A leader of an earlier term does not know that it was replaced; and votes that come late may make one. */
const withoutLease: Guarantees = {
  atMostOneLeader: false,
  monotonicTokens: false,
  toleratesPartition: false,
  orderedSuccession: false,
  targetedTransfer: true,
  leased: false,
  assumptions: ['what was saved is never lost: then a term has at most one leader', majorityNeeded],
};

function guaranteesOf({ lease, maxDriftRate, deathCertificates }: RaftSettings): Guarantees {
  if (!lease) return withoutLease;
  return {
    atMostOneLeader: true,
    monotonicTokens: true,
    toleratesPartition: true,
    orderedSuccession: false,
    targetedTransfer: true,
    leased: true,
    assumptions: [
      `every clock runs at ${1 - maxDriftRate} to ${1 + maxDriftRate} times real time: beyond that two nodes may lead at once, each with a token of its own`,
      'what was saved is never lost',
      majorityNeeded,
      ...(deathCertificates ? [deathCertificateAssumption] : []),
    ],
  };
}
