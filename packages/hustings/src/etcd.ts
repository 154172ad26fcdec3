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

import { InvalidOptionError } from '@hustings/elector';
import { either, group, numberAbove, oneOf, readOptions, required } from '@hustings/elector/options';
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
import { linkedTransport } from './peers.js';
import { coordinatorSessionRules, type ElectionSession, openSession } from './session.js';
import {
  type CoordinatorOptions,
  certifies,
  type LinkedOptions,
  type LinkOptions,
  linkedRules,
} from './shared-options.js';
import { heirWaits } from './timings.js';

export * from './index.js';
export type { ElectionSession } from './session.js';

export interface EtcdElectorOptions
  extends EtcdConnectionOptions,
    LinkedOptions,
    Pick<CoordinatorOptions, 'election'> {
  /**
   * How the nodes reach each other, for heirs and death certificates. Left out, they talk to etcd only, and a leader
   * that falls silent is replaced when its lease has run out.
   */
  readonly links?: LinkOptions | undefined;
  /**
   * With `links`: how long the next in line lets the leader be silent before it takes over. `calm`, the default, is a
   * second, `fast` a quarter of one, for hosts and an etcd that are known to be quick.
   */
  readonly heirs?: 'calm' | 'fast' | { readonly heirWaitMs: number } | undefined;
  /** Who leads next. `queue`, the default: first come, first served. `race`: whoever is quickest. */
  readonly succession?: 'queue' | 'race' | undefined;
}

export interface EtcdSessionOptions extends Omit<EtcdConnectionOptions, 'connectTimeoutMs'> {
  /** What the names of its elections begin with. Every session of one prefix keeps a copy of all of its elections. */
  readonly prefix?: string | undefined;
}

const electorRules = {
  ...connectionRules,
  succession: oneOf('queue', 'race'),
  ...linkedRules,
  heirs: either(
    group({ heirWaitMs: required(numberAbove(0), 'how long the next in line waits') }),
    oneOf('calm', 'fast'),
  ),
};

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function etcdElector(given: EtcdElectorOptions): HustingsElector<EtcdElectionRequest> {
  const options = readOptions<EtcdElectorOptions>('etcdElector', given, electorRules);
  refusePlainText('etcdElector', options);
  const { election, connectTimeoutMs = 3000, succession = 'queue' } = options;
  const settings: EtcdSettings = {
    ...settingsOf(options),
    ...{ succession, heirWaitMs: heirWaitOf(options) },
    deathCertificates: certifies('etcdElector', options),
  };
  const parts = partsOf(options, settings, election);
  return openElector(options, {
    ...parts,
    election,
    transport: (report) =>
      linkedTransport(connect(options, report), options, parts.protocol.decodeMessage, report),
    connection: { timeoutMs: connectTimeoutMs, server: 'etcd' },
  });
}

function heirWaitOf({ links, heirs }: EtcdElectorOptions): number {
  if (links === undefined) {
    if (heirs === undefined) return 0;
    throw new InvalidOptionError(
      "etcdElector: option 'heirs' needs 'links', by which the nodes reach each other: { peers, listen, secret }.",
    );
  }
  return typeof heirs === 'object' ? heirs.heirWaitMs : heirWaits[heirs ?? 'calm'];
}

/**
 * Many elections of one process over one connection: `elector('partition-17')` competes for `<prefix>/partition-17`.
 * Throws `InvalidOptionError`. Nothing happens before the first of its electors starts.
 */
export function etcdSession(given: EtcdSessionOptions): ElectionSession<EtcdElectionRequest> {
  const options = readOptions<EtcdSessionOptions>(
    'etcdSession',
    given,
    coordinatorSessionRules(connectionRules),
  );
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
    const { type } = announcement;
    if (type === 'heirs-strained') report({ type, level: 'warn', message: announcement.detail });
    if (type !== 'data-lost' && type !== 'blocked') return;
    report({ type, level: 'error', message: announcement.detail });
  },
});
