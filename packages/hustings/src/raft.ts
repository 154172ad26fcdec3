/**
 * Raft: a majority of the nodes elects one leader. Needs nothing but the nodes, three or more, and a disk each.
 *
 * ```ts
 * import { lead, raftElector } from 'hustings/raft';
 *
 * const elector = raftElector({ id: 'node-1', listen: 7000, secret, directory: '/var/lib/billing',
 *   peers: { 'node-2': 'ws://10.0.0.2:7000', 'node-3': 'ws://10.0.0.3:7000' } });
 * await lead(elector, async ({ token, signal }) => serve({ token, signal }));
 * ```
 *
 * A process with many elections holds them all in one group, whose log keeps who leads which:
 *
 * ```ts
 * const session = raftSession({ id: 'node-1', listen: 7000, secret, directory: '/var/lib/billing', peers });
 * const elector = session.elector('partition-17');
 * ```
 *
 * @packageDocumentation
 */

import { readOptions } from '@hustings/elector/options';
import { peerTransport } from './peers.js';
import { openRaft, type RaftElectorOptions, type RaftFrontElector, raftRules } from './raft-group.js';

export * from './index.js';
export type { RaftElectorOptions, RaftFrontElector, RaftTimings } from './raft-group.js';
export { type RaftElectionSession, type RaftSessionOptions, raftSession } from './raft-session.js';
export type { ElectionSession } from './session.js';
export { raftTimings } from './timings.js';

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function raftElector(given: RaftElectorOptions): RaftFrontElector {
  const options = readOptions<RaftElectorOptions>('raftElector', given, raftRules);
  return openRaft(options, (decodeMessage, report) => peerTransport(options, decodeMessage, report));
}
