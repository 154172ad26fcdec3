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
import {
  adviceFor,
  type HeartbeatTimings,
  heartbeatTimings,
  type TimingsName,
  timingsOf,
  timingsRule,
} from './timings.js';

export * from './index.js';

export interface BullyElectorOptions extends CommonOptions, PeerOptions {
  /** Default `lan`. */
  readonly timings?: TimingsName | HeartbeatTimings | undefined;
}

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function bullyElector(given: BullyElectorOptions): HustingsElector {
  const rules = { ...peerRules, timings: timingsRule(heartbeatTimings) };
  const options = readOptions<BullyElectorOptions>('bullyElector', given, rules);
  const { id, election = null, directory, timings } = options;
  const settings = timingsOf(heartbeatTimings, timings);
  const protocol = bully(settings);
  return openElector(options, {
    protocol,
    election,
    storage: () => fileStorage({ directory, id, decode: protocol.decodeDurable }),
    transport: (report) => peerTransport(options, protocol.decodeMessage, report),
    endurance: {
      slackMs: settings.leaderTimeoutMs[0] - settings.heartbeatMs,
      advice: adviceFor(timings, 'leaderTimeoutMs'),
    },
    withoutLeader: 'check that the nodes reach each other',
    answers: {},
    answersNeeded: 1,
  });
}
