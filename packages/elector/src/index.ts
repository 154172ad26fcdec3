/**
 * The contract of Hustings, as applications see it: `Elector`, `Leadership`, `lead`, `FencedStore` and the errors.
 * Authors of algorithms find their vocabulary in `@hustings/elector/protocol`.
 *
 * @packageDocumentation
 */
export type {
  Belief,
  BeliefJson,
  CampaignOptions,
  Elector,
  FencingToken,
  Guarantees,
  Leadership,
  LeadershipJson,
  NodeId,
  ObserveOptions,
  ResignOptions,
  Role,
} from './elector.js';
export {
  CampaignWithdrawnError,
  HustingsError,
  type HustingsErrorCode,
  helpAddress,
  InvalidOptionError,
  LeadershipLostError,
  ListenFailedError,
  MalformedError,
  NotStartedError,
  StaleTokenError,
  type StepDownReason,
  StoppedError,
  StorageFailedError,
  TransferUnsupportedError,
} from './errors.js';
export { admit, type Credentials, checkCredentials, FencedStore } from './fenced-store.js';
export {
  type FencingHeaders,
  fencingHeaders,
  type ReadableHeaders,
  readFencingHeaders,
} from './fencing-headers.js';
export { type LeadOptions, lead, type Predecessor } from './lead.js';
