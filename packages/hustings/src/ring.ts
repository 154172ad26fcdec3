/**
 * Ring election. It can elect two leaders when the network is partitioned: for learning and measuring.
 *
 * @packageDocumentation
 */

import { readOptions } from '@hustings/elector/options';
import { ring } from '@hustings/ring';
import { fileStorage } from '@hustings/runtime';
import { type CommonOptions, type HustingsElector, openElector } from './front.js';
import { peerTransport } from './peers.js';
import { type PeerOptions, peerRules } from './shared-options.js';

export * from './index.js';

export interface RingElectorOptions extends CommonOptions, PeerOptions {}

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function ringElector(given: RingElectorOptions): HustingsElector {
  const options = readOptions<RingElectorOptions>('ringElector', given, peerRules);
  const { id, directory, peers } = options;
  const protocol = ring();
  return openElector(options, null, {
    protocol,
    peers: Object.keys(peers),
    storage: fileStorage({ directory, id, decode: protocol.decodeDurable }),
    transport: (report) => peerTransport(options, protocol.decodeMessage, report),
  });
}
