/**
 * Leader election on ZooKeeper: whoever holds the ephemeral znode with the lowest number leads, for as long as
 * its session certainly lives.
 *
 * It cannot stop a leader that ZooKeeper has given up from writing: only the resource can, by refusing old tokens.
 *
 * What is here runs anywhere. `@hustings/zookeeper/gateway` joins it to a real ensemble,
 * `@hustings/zookeeper/simulated` to one in the simulator or the browser.
 *
 * @example
 * ```ts
 * const elector = createElector({
 *   protocol: zookeeper({ path: '/billing/leader', sessionTimeoutMs: 6000 }),
 *   transport: zookeeperGateway({ id: 'node-1', hosts: '10.0.0.1:2181,10.0.0.2:2181,10.0.0.3:2181' }),
 *   peers: [],
 *   storage: memoryStorage(),
 * });
 * await elector.start();
 * await lead(elector, async ({ token, signal }) => serve(token, signal));
 * ```
 *
 * @packageDocumentation
 */
export { invariants } from './invariants.js';
export {
  decodeDurable,
  decodeMessage,
  type FailureReason,
  isDefiniteFailure,
  type SessionId,
  type ZnodeName,
  type ZooKeeperAnnouncement,
  type ZooKeeperDurable,
  type ZooKeeperElectionRequest,
  type ZooKeeperMessage,
  type ZooKeeperReply,
  type ZooKeeperRequest,
  type ZooKeeperTimer,
} from './messages.js';
export {
  type ProcessState,
  type SharedZooKeeperProtocol,
  type SharedZooKeeperSettings,
  sharedInvariants,
  sharedZooKeeper,
} from './shared/process.js';
export { collectMs } from './shared/proofs.js';
export {
  checkSettings,
  defaultSettings,
  guardMs,
  initialState,
  type LeaderView,
  type OwnZnode,
  pingRestMs,
  type Question,
  type Session,
  type SignOfLife,
  type ZooKeeperSettings,
  type ZooKeeperState,
} from './state.js';
export { step, type ZooKeeperEffect, type ZooKeeperInput, type ZooKeeperTransition } from './step.js';
export { inOrder, namesOf, protectedName, sequenceOf } from './znodes.js';
export { type ZooKeeperProtocol, zookeeper } from './zookeeper.js';
