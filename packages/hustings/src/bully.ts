/**
 * Bully election. It can elect two leaders when the network is partitioned: for learning and measuring.
 *
 * @packageDocumentation
 */

import { bully } from '@hustings/bully';
import type { HustingsElector } from './front.js';
import { type HeartbeatElectorOptions, openHeartbeatElector } from './heartbeat-elector.js';

export * from './index.js';

export type { HeartbeatElectorOptions as BullyElectorOptions };

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function bullyElector(given: HeartbeatElectorOptions): HustingsElector {
  return openHeartbeatElector('bullyElector', given, bully);
}
