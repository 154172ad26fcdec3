/**
 * What every elector has in common: `lead`, the contract, the errors, logging and fencing. The electors themselves
 * are subpaths, so that nobody loads a client of etcd who uses Raft: `hustings/raft`, `hustings/etcd` and so on.
 * Each of them exports `lead` as well.
 *
 * @packageDocumentation
 */
export {
  type Belief,
  CampaignWithdrawnError,
  type Elector,
  FencedStore,
  type FencingToken,
  type Guarantees,
  HustingsError,
  type HustingsErrorCode,
  InvalidOptionError,
  type Leadership,
  LeadershipLostError,
  type LeadOptions,
  lead,
  type NodeId,
  NotStartedError,
  type Role,
  StaleTokenError,
  type StepDownReason,
  StoppedError,
  StorageFailedError,
  TransferUnsupportedError,
} from '@hustings/elector';
export type { Diagnostic, Level } from './diagnostics.js';
export type { CommonOptions, HustingsElector } from './front.js';
export type { Logger } from './logger.js';
export type { Tls } from './shared-options.js';
