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
 * @packageDocumentation
 */

import { readOptions } from '@hustings/elector/options';
import { raft } from '@hustings/raft';
import { raftStorage } from '@hustings/raft/storage';
import { type CommonOptions, type HustingsElector, openElector } from './front.js';
import { peerTransport } from './peers.js';
import { type PeerOptions, peerRules } from './shared-options.js';

export * from './index.js';

export interface RaftElectorOptions extends CommonOptions, PeerOptions {}

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function raftElector(given: RaftElectorOptions): HustingsElector {
  const options = readOptions<RaftElectorOptions>('raftElector', given, peerRules);
  const { id, directory, driftBound, peers } = options;
  const protocol = raft(driftBound === undefined ? {} : { maxDriftRate: driftBound });
  return openElector(options, null, {
    protocol,
    peers: Object.keys(peers),
    storage: raftStorage({ directory, id }),
    transport: (report) => peerTransport(options, protocol.decodeMessage, report),
  });
}
