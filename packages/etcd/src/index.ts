/**
 * Leader election on etcd: whoever holds the oldest key leads, for as long as its lease is renewed.
 *
 * It cannot stop a leader that etcd has given up from writing: only the resource can, by refusing old tokens.
 *
 * What is here runs anywhere. `@hustings/etcd/gateway` joins it to a real etcd, `@hustings/etcd/simulated` to
 * one in the simulator or the browser.
 *
 * @example
 * ```ts
 * const elector = createElector({
 *   protocol: etcd({ name: 'billing', ttlSeconds: 5 }),
 *   transport: etcdGateway({ id: 'node-1', hosts: ['http://10.0.0.1:2379', 'http://10.0.0.2:2379'] }),
 *   peers: [],
 *   storage: memoryStorage(),
 * });
 * await elector.start();
 * await lead(elector, async ({ token, signal }) => serve(token, signal));
 * ```
 *
 * @packageDocumentation
 */
export { type EtcdProtocol, etcd } from './etcd.js';
export type { Candidacy, HeirMessage } from './heirs/messages.js';
export { beatMs, type Heartbeat, type HeirPromise, heirGuardMs, type Offer } from './heirs/state.js';
export { invariants } from './invariants.js';
export { readValue } from './keys.js';
export {
  type Change,
  type Comparison,
  decodeDurable,
  decodeMessage,
  type EtcdAnnouncement,
  type EtcdDurable,
  type EtcdElectionRequest,
  type EtcdMessage,
  type EtcdReply,
  type EtcdRequest,
  type EtcdTimer,
  type FailureReason,
  isDefiniteFailure,
  type KeyValue,
  type LeaseId,
  type Operation,
  type Revision,
  type Transaction,
  type TransactionResult,
} from './messages.js';
export {
  type ProcessState,
  type SharedEtcdProtocol,
  type SharedEtcdSettings,
  sharedEtcd,
  sharedInvariants,
} from './shared/process.js';
export {
  checkSettings,
  defaultSettings,
  type EtcdSettings,
  type EtcdState,
  guardMs,
  initialState,
  type Member,
  type Phase,
  type Session,
  type Watch,
  type Watched,
} from './state.js';
export { step } from './step.js';
export type { EtcdEffect, EtcdInput, EtcdTransition } from './transition.js';
