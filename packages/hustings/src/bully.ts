/**
 * Bully election. It can elect two leaders when the network is partitioned: for learning and measuring.
 *
 * @packageDocumentation
 */

import { bully } from '@hustings/bully';
import { readOptions } from '@hustings/elector/options';
import { fileStorage } from '@hustings/runtime';
import { type CommonOptions, type HustingsElector, openElector } from './front.js';
import { peerTransport } from './peers.js';
import { type PeerOptions, peerRules } from './shared-options.js';

export * from './index.js';

export interface BullyElectorOptions extends CommonOptions, PeerOptions {}

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function bullyElector(given: BullyElectorOptions): HustingsElector {
  const options = readOptions<BullyElectorOptions>('bullyElector', given, peerRules);
  const { id, directory, peers } = options;
  const protocol = bully();
  return openElector(options, null, {
    protocol,
    peers: Object.keys(peers),
    storage: fileStorage({ directory, id, decode: protocol.decodeDurable }),
    transport: (report) => peerTransport(options, protocol.decodeMessage, report),
  });
}
