/**
 * Leader election by a lease in a store that is already there: whoever has the lease leads, for as long as it is renewed.
 *
 * It cannot stop a leader that has lost its lease from writing: only the resource can, by refusing old tokens.
 *
 * What is here runs anywhere. `@hustings/lease/gateway` joins it to a real store, `@hustings/lease/simulated` to one in
 * the simulator or the browser.
 *
 * @example
 * ```ts
 * const elector = createElector({
 *   protocol: lease(store.traits, { name: 'billing', ttlMs: 5000 }),
 *   transport: leaseGateway({ id: 'node-1', store }),
 *   peers: [],
 *   storage: memoryStorage(),
 * });
 * await elector.start();
 * await lead(elector, async ({ token, signal }) => serve(token, signal));
 * ```
 *
 * @packageDocumentation
 */

export { Turns } from './gateway-turns.js';
export { invariants } from './invariants.js';
export { type LeaseProtocol, lease } from './lease.js';
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
  checkSettings,
  defaultSettings,
  guardMs,
  initialState,
  type LeaseSettings,
  type LeaseState,
  type OthersLease,
  type OwnLease,
  type Phase,
} from './state.js';
export { step } from './step.js';
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
export type { LeaseEffect, LeaseInput, LeaseTransition } from './transition.js';
