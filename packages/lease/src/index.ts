/**
 * Leader election by a lease in a store that is already there.
 *
 * @packageDocumentation
 */
export {
  decodeDurable,
  decodeMessage,
  type FailureReason,
  isDefiniteFailure,
  type LeaseAnnouncement,
  type LeaseDurable,
  type LeaseElectionRequest,
  type LeaseMessage,
  type LeaseReply,
  type LeaseRequest,
  type LeaseTimer,
  type LeaseView,
  type Token,
} from './messages.js';
export {
  type Acquired,
  type AcquireRequest,
  type Free,
  type Held,
  type LeaseStore,
  type Lost,
  type ReleaseRequest,
  type Renewed,
  type RenewRequest,
  type StoreGuarantees,
  StoreRefusedError,
  type StoreTraits,
} from './store.js';
export { Turns } from './turns.js';
