/**
 * Leader election by a lease in a store that is already there.
 *
 * @packageDocumentation
 */
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
