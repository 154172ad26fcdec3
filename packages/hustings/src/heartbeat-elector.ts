/** What bully and ring have in common for whoever runs them: peers that watch a leader by its heartbeats. */

import { readOptions } from '@hustings/elector/options';
import type { MachineTypes, Protocol } from '@hustings/elector/protocol';
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
  timingsRules,
} from './timings.js';

export interface HeartbeatElectorOptions extends CommonOptions, PeerOptions {
  /** Default `lan`. */
  readonly timings?: TimingsName | HeartbeatTimings | undefined;
}

/** `name` is that of the function which was called, for what is wrong with its options. */
export function openHeartbeatElector<Types extends MachineTypes>(
  name: string,
  given: HeartbeatElectorOptions,
  protocolWith: (settings: HeartbeatTimings) => Protocol<Types>,
): HustingsElector {
  const rules = { ...peerRules, ...timingsRules(heartbeatTimings) };
  const options = readOptions<HeartbeatElectorOptions>(name, given, rules);
  const { id, election = null, directory, timings } = options;
  const settings = timingsOf(heartbeatTimings, timings);
  const protocol = protocolWith(settings);
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
