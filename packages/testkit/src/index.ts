/**
 * One contract, one suite, declared differences. A package that implements an elector, a transport or
 * a store of leases proves it in a dozen lines:
 *
 * ```ts
 * describeElector({ protocol: () => bully({ maxDelayMs: 50 }) });
 * ```
 *
 * Every check is also a plain function, so that a suite can be shown to catch what it should.
 *
 * @packageDocumentation
 */
export {
  type Attack,
  type AttackOptions,
  type AttackReport,
  attacks,
  attackWithCrumbs,
  attackWithFragments,
  attackWithGarbage,
  attackWithIdleSockets,
  attackWithOversizedFrames,
  attackWithPings,
  attackWithSlowHeaders,
} from './attacks.js';
export { type Check, until } from './check.js';
export {
  type AcceptLowerTokens,
  type CoordinatorSubject,
  describeCoordinator,
  type LiveLink,
  type LiveProcess,
  type LiveServers,
} from './coordinator-live.js';
export { electorChecks } from './elector-checks.js';
export type { ElectorCluster, ElectorSubject } from './elector-subject.js';
export { type GatewaySubject, gatewayChecks } from './gateway-checks.js';
export { type LeaseStoreServer, type LeaseStoreSubject, leaseStoreChecks } from './lease-store-checks.js';
export {
  type CreateCandidate,
  eventually,
  type LiveAnnouncement,
  LiveCandidate,
  LiveCandidates,
} from './live-candidates.js';
export { type MemoryLeases, memoryLeaseStore } from './memory-lease-store.js';
export { memoryNetwork, type Network, type NetworkKind, webSocketNetwork } from './networks.js';
export { type ProtocolSubject, protocolSubject } from './protocol-subject.js';
export {
  describeElector,
  describeGateway,
  describeLeaseStore,
  electorConformance,
  transportConformance,
} from './suites.js';
export { type Parcel, type TransportSubject, transportChecks } from './transport-checks.js';
