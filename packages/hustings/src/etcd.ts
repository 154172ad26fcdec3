/**
 * Leader election on etcd: candidates line up, and each lease ends before the next leader begins.
 *
 * ```ts
 * import { etcdElector, lead } from 'hustings/etcd';
 *
 * const elector = etcdElector({ id: 'node-1', election: 'billing', hosts: ['http://10.0.0.1:2379'] });
 * await lead(elector, async ({ token, signal }) => serve({ token, signal }));
 * ```
 *
 * A process with many elections holds them over one session, with a few leases and one watch for all:
 *
 * ```ts
 * const session = etcdSession({ id: 'node-1', hosts: ['http://10.0.0.1:2379'] });
 * const elector = session.elector('partition-17');
 * ```
 *
 * @packageDocumentation
 */

import { oneOf, readOptions } from '@hustings/elector/options';
import { type EtcdAnnouncement, type EtcdElectionRequest, type EtcdSettings, etcd } from '@hustings/etcd';
import { sharedGateway } from '@hustings/etcd/gateway';
import { memoryStorage } from '@hustings/runtime';
import type { Reporter } from './diagnostics.js';
import {
  connect,
  connectionRules,
  type EtcdConnectionOptions,
  enduranceOf,
  refusePlainText,
  settingsOf,
} from './etcd-connection.js';
import { type HustingsElector, openElector } from './front.js';
import { type ElectionSession, openSession, sessionRules } from './session.js';
import type { CoordinatorOptions } from './shared-options.js';

export * from './index.js';
export type { ElectionSession } from './session.js';

export interface EtcdElectorOptions extends EtcdConnectionOptions, Pick<CoordinatorOptions, 'election'> {
  /** Who leads next. `queue`, the default: first come, first served. `race`: whoever is quickest. */
  readonly succession?: 'queue' | 'race' | undefined;
}

export interface EtcdSessionOptions extends EtcdConnectionOptions {
  /** What the names of its elections begin with. Every session of one prefix keeps a copy of all of its elections. */
  readonly prefix?: string | undefined;
}

const electorRules = { ...connectionRules, succession: oneOf('queue', 'race') };

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function etcdElector(given: EtcdElectorOptions): HustingsElector<EtcdElectionRequest> {
  const options = readOptions<EtcdElectorOptions>('etcdElector', given, electorRules);
  refusePlainText('etcdElector', options);
  const { election, connectTimeoutMs = 3000, succession = 'queue' } = options;
  const settings = { ...settingsOf(options), succession };
  return openElector(options, {
    ...partsOf(options, settings, election),
    election,
    transport: (report) => connect(options, report),
    connection: { timeoutMs: connectTimeoutMs, server: 'etcd' },
  });
}

/**
 * Many elections of one process over one connection: `elector('partition-17')` competes for `<prefix>/partition-17`.
 * Throws `InvalidOptionError`. Nothing happens before the first of its electors starts.
 */
export function etcdSession(given: EtcdSessionOptions): ElectionSession<EtcdElectionRequest> {
  const options = readOptions<EtcdSessionOptions>('etcdSession', given, sessionRules(connectionRules));
  refusePlainText('etcdSession', options);
  const { prefix = 'hustings' } = options;
  const settings = settingsOf(options);
  return openSession(options, 'etcd', (report) => {
    const shared = sharedGateway({
      transport: connect(options, report),
      name: prefix,
      settings: { ttlSeconds: settings.ttlSeconds },
    });
    return {
      open: (election, parts) =>
        openElector(options, {
          ...parts,
          ...partsOf(options, settings, `${prefix}/${election}`),
          election: `${prefix}/${election}`,
          transport: () => shared.transport(election),
        }),
      stop: () => shared.stop(),
    };
  });
}

/** What electors of both kinds have in common. */
const partsOf = (options: EtcdConnectionOptions, settings: EtcdSettings, name: string) => ({
  protocol: etcd({ ...settings, name }),
  storage: () => memoryStorage<null>(),
  endurance: enduranceOf(options, settings),
  answers: { 'kept-alive': null },
  answersNeeded: 1,
  withoutLeader: 'check that etcd answers this node',
  onAnnouncement: (announcement: EtcdAnnouncement, report: Reporter) => {
    if (announcement.type !== 'data-lost' && announcement.type !== 'blocked') return;
    report({ type: announcement.type, level: 'error', message: announcement.detail });
  },
});
