/**
 * The contract of Hustings. Applications use `Elector`, `Leadership`, `lead` and the errors; algorithms are
 * written in the vocabulary of `Protocol`, `Input` and `Effect`; checks are written as `Invariants`.
 *
 * @packageDocumentation
 */
export { readCount, readRecord, readString, type UnknownRecord } from './decode.js';
export {
  type Belief,
  byRank,
  type CampaignOptions,
  type Elector,
  type FencingToken,
  type Guarantees,
  type Leadership,
  type NodeId,
  type ObserveOptions,
  outranks,
  type ResignOptions,
  type Role,
} from './elector.js';
export {
  CampaignWithdrawnError,
  HustingsError,
  type HustingsErrorCode,
  InvalidOptionError,
  LeadershipLostError,
  MalformedError,
  NotStartedError,
  StaleTokenError,
  type StepDownReason,
  StoppedError,
  StorageFailedError,
  TransferUnsupportedError,
} from './errors.js';
export { type Credentials, FencedStore } from './fenced-store.js';
export type { Finding, Invariants, NodeView } from './invariants.js';
export { type LeadOptions, lead } from './lead.js';
export {
  believe,
  type DelayRangeMs,
  type Effect,
  type Input,
  type Protocol,
  type ProtocolMessage,
  type RoleEffect,
  type Transition,
  undecided,
} from './protocol.js';
