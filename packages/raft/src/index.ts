/**
 * Raft: a majority elects one leader a term, and the leader replicates a log.
 *
 * Outside the declared drift bound two leases may overlap; the token, which is the term, still tells them apart.
 *
 * @example
 * ```ts
 * const node = step(initialState('n1', ['n2', 'n3']), { type: 'campaign-requested' }, 0)[0];
 * const [state, effects] = step(node, { type: 'timer-fired', timer: 'election' }, 200);
 * // state.role === 'pre-candidate'; effects ask n2 and n3 whether they would vote for n1
 * ```
 *
 * @packageDocumentation
 */

export { invariants } from './invariants.js';
export { type Entry, type Json, type Log, membershipOf, type Snapshot } from './log.js';
export type { Membership, MembershipChange } from './membership.js';
export {
  type Acknowledgement,
  decodeDurable,
  decodeMessage,
  type RaftAnnouncement,
  type RaftDurable,
  type RaftMessage,
  type RaftRequest,
  type RaftTimer,
  type RefusalReason,
} from './messages.js';
export { type RaftProtocol, raft } from './raft.js';
export {
  type LogEvent,
  type Place,
  type ProposalOptions,
  ProposalRefusedError,
  ProposalUncertainError,
  type RaftElector,
  Replica,
} from './replica.js';
export {
  defaultSettings,
  initialState,
  leaseMs,
  type Progress,
  plainSettings,
  type RaftRole,
  type RaftSettings,
  type RaftState,
} from './state.js';
export { step } from './step.js';
