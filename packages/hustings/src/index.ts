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
  fencingHeaders,
  type Guarantees,
  HustingsError,
  type HustingsErrorCode,
  InvalidOptionError,
  type Leadership,
  LeadershipLostError,
  type LeadOptions,
  ListenFailedError,
  lead,
  MalformedError,
  type NodeId,
  NotStartedError,
  type Predecessor,
  type Role,
  readFencingHeaders,
  StaleTokenError,
  type StepDownReason,
  StoppedError,
  StorageFailedError,
  TransferUnsupportedError,
} from '@hustings/elector';
export type { Diagnostic, DiagnosticType, Level } from './diagnostics.js';
export type { CommonOptions, HustingsElector } from './front.js';
export type { Logger } from './logger.js';
export type { CoordinatorOptions, PeerOptions, Tls } from './shared-options.js';
export type { LeadershipEvent, MessageEvent } from './telemetry.js';
export type { TimingsName } from './timings.js';
