/**
 * Ring election. It can elect two leaders when the network is partitioned: for learning and measuring.
 *
 * @packageDocumentation
 */

import { ring } from '@hustings/ring';
import type { HustingsElector } from './front.js';
import { type HeartbeatElectorOptions, openHeartbeatElector } from './heartbeat-elector.js';

export * from './index.js';

export type { HeartbeatElectorOptions as RingElectorOptions };

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function ringElector(given: HeartbeatElectorOptions): HustingsElector {
  return openHeartbeatElector('ringElector', given, ring);
}
