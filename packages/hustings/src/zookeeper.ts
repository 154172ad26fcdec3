/**
 * Leader election on ZooKeeper: candidates line up as ephemeral sequential znodes, as Curator's LeaderLatch does.
 *
 * ```ts
 * import { lead, zookeeperElector } from 'hustings/zookeeper';
 *
 * const elector = zookeeperElector({ id: 'node-1', election: 'billing', hosts: ['10.0.0.1:2181', '10.0.0.2:2181'] });
 * await lead(elector, async ({ token, signal }) => serve({ token, signal }));
 * ```
 *
 * A process with many elections holds them over one session:
 *
 * ```ts
 * const session = zookeeperSession({ id: 'node-1', hosts: ['10.0.0.1:2181', '10.0.0.2:2181'] });
 * const elector = session.elector('partition-17');
 * ```
 *
 * @packageDocumentation
 */

import {
  group,
  listOf,
  type OptionTable,
  oneOf,
  readOptions,
  required,
  show,
  text,
} from '@hustings/elector/options';
import { memoryStorage } from '@hustings/runtime';
import {
  checkSettings,
  collectMs,
  defaultSettings,
  type ZooKeeperAnnouncement,
  type ZooKeeperElectionRequest,
  type ZooKeeperSettings,
  zookeeper,
} from '@hustings/zookeeper';
import { sharedGateway, type ZooKeeperDiagnostic, zookeeperGateway } from '@hustings/zookeeper/gateway';
import type { Report, Reporter } from './diagnostics.js';
import { type CommonOptions, type HustingsElector, openElector } from './front.js';
import { slackMs } from './lease-kinds/kind.js';
import { zookeeper as zookeeperKind } from './lease-kinds/zookeeper.js';
import { linkedTransport } from './peers.js';
import { coordinatorSessionRules, type ElectionSession, openSession } from './session.js';
import {
  type CoordinatorOptions,
  certifiesByLinks,
  coordinatorRules,
  type LinkedOptions,
  linkedRules,
  password,
} from './shared-options.js';
import { adviceFor, type TimingsName, timingsOf, timingsRules, zookeeperTimings } from './timings.js';

export * from './index.js';
export type { ElectionSession } from './session.js';

type Auth =
  | { readonly username: string; readonly password: string }
  | { readonly scheme: string; readonly credentials: string };

interface ConnectionOptions extends CommonOptions, Omit<CoordinatorOptions, 'election'> {
  /** A user of the scheme `digest`; or another scheme with its credentials. */
  readonly auth?: Auth | undefined;
  /** Default `lan`. */
  readonly timings?: TimingsName | { readonly sessionTimeoutMs: number } | undefined;
  /** Whom a candidate watches. `queue`, the default: the one before it. `herd`: all watch the leader. */
  readonly succession?: 'queue' | 'herd' | undefined;
}

export interface ZooKeeperElectorOptions
  extends ConnectionOptions,
    LinkedOptions,
    Pick<CoordinatorOptions, 'election'> {}

export interface ZooKeeperSessionOptions extends Omit<ConnectionOptions, 'connectTimeoutMs'> {
  /** What the paths of its elections begin with. Default `hustings`. */
  readonly prefix?: string | undefined;
}

const member = (value: unknown): string | null =>
  typeof value === 'string' && /^(\[[^\]\s]+\]|[^:/,\s]+)(:\d{1,5})?$/.test(value)
    ? null
    : `must look like host:2181, not ${show(value)}`;

const digest = group({
  username: required(text, 'the name of a user'),
  password: required(password, 'the password of that user'),
});
const scheme = group({
  scheme: required(text, "such as 'digest'"),
  credentials: required(password, 'what the scheme asks for'),
});

const connectionRules: OptionTable = {
  ...coordinatorRules,
  hosts: required(listOf(member), "the members of the ensemble, ['10.0.0.1:2181']"),
  auth: (value: unknown) =>
    typeof value === 'object' && value !== null && 'scheme' in value ? scheme(value) : digest(value),
  ...timingsRules(zookeeperTimings),
  succession: oneOf('queue', 'herd'),
};

const electorRules = { ...connectionRules, ...linkedRules };

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function zookeeperElector(given: ZooKeeperElectorOptions): HustingsElector<ZooKeeperElectionRequest> {
  const options = readOptions<ZooKeeperElectorOptions>('zookeeperElector', given, electorRules);
  const { election, connectTimeoutMs = 3000 } = options;
  const settings: ZooKeeperSettings = {
    ...settingsOf(options, pathOf(election)),
    deathCertificates: certifiesByLinks('zookeeperElector', options),
  };
  const parts = partsOf(options, settings);
  return openElector(options, {
    ...parts,
    election,
    transport: (report) =>
      linkedTransport(connect(options, report), options, parts.protocol.decodeMessage, report),
    connection: { timeoutMs: connectTimeoutMs, server: 'ZooKeeper' },
  });
}

/**
 * Many elections of one process over one session: `elector('partition-17')` competes for `<prefix>/partition-17`.
 * Throws `InvalidOptionError`. Nothing happens before the first of its electors starts.
 */
export function zookeeperSession(given: ZooKeeperSessionOptions): ElectionSession<ZooKeeperElectionRequest> {
  const options = readOptions<ZooKeeperSessionOptions>(
    'zookeeperSession',
    given,
    coordinatorSessionRules(connectionRules),
  );
  const { prefix = 'hustings' } = options;
  const { sessionTimeoutMs } = checkSettings(settingsOf(options, pathOf(prefix)));
  // A session counts from the ping before the last, and each of the three may have waited.
  const collectedMs = 3 * collectMs(sessionTimeoutMs);
  return openSession(options, 'zookeeper', (report) => {
    const shared = sharedGateway({
      transport: connect(options, report),
      path: pathOf(prefix),
      settings: { sessionTimeoutMs },
    });
    return {
      open: (election, parts) =>
        openElector(options, {
          ...parts,
          ...partsOf(options, settingsOf(options, pathOf(`${prefix}/${election}`)), collectedMs),
          election: `${prefix}/${election}`,
          transport: () => shared.transport(election),
        }),
      stop: () => shared.stop(),
    };
  });
}

const pathOf = (election: string): string => (election.startsWith('/') ? election : `/${election}`);

function settingsOf(
  { timings, driftBound = defaultSettings.driftBound, succession = 'queue' }: ConnectionOptions,
  path: string,
): ZooKeeperSettings {
  return { ...defaultSettings, ...timingsOf(zookeeperTimings, timings), driftBound, succession, path };
}

/** What electors of both kinds have in common. `collectedMs`: how late elections that share a proof may be for it. */
const partsOf = ({ timings }: ConnectionOptions, settings: ZooKeeperSettings, collectedMs = 0) => ({
  protocol: zookeeper(settings),
  storage: () => memoryStorage<null>(),
  endurance: {
    slackMs: slackMs(zookeeperKind, settings.sessionTimeoutMs, settings.driftBound) - collectedMs,
    advice: adviceFor(timings, `sessionTimeoutMs (now ${settings.sessionTimeoutMs})`),
  },
  answers: { pong: 'ping', proven: 'prove' },
  answersNeeded: 1,
  withoutLeader: 'check that ZooKeeper answers this node',
  onAnnouncement: ({ type, detail }: ZooKeeperAnnouncement, report: Reporter) =>
    report(
      type === 'data-lost'
        ? { type, level: 'error', message: detail }
        : {
            type: 'denied',
            level: 'warn',
            message: `ZooKeeper refuses this node: ${detail}; check 'auth' and the ACL of the election. Trying again.`,
          },
    ),
});

const connect = ({ id, hosts, tls, auth }: ConnectionOptions, report: Reporter) =>
  zookeeperGateway({
    id,
    hosts: hosts.join(','),
    ...(tls === undefined ? {} : { tls: tls as object }),
    ...(auth === undefined ? {} : { auth: authOf(auth) }),
    onDiagnostic: (diagnostic) => {
      const given = ofZooKeeper(diagnostic);
      if (given !== null) report(given);
    },
  });

function authOf(auth: Auth): { readonly scheme: string; readonly credentials: string } {
  return 'scheme' in auth ? auth : { scheme: 'digest', credentials: `${auth.username}:${auth.password}` };
}

/** Null for what a session that goes on has no need to say. */
function ofZooKeeper(diagnostic: ZooKeeperDiagnostic): Report | null {
  switch (diagnostic.type) {
    case 'connected':
      return { type: 'connected', level: 'info', message: 'ZooKeeper answers.', about: 'zookeeper' };
    case 'unreachable': {
      const { host, error } = diagnostic;
      const message = `cannot reach ZooKeeper at ${host}: ${troubleOf(error)}. Trying again. (${error.message.replace(/\.$/, '')})`;
      return { type: 'unreachable', level: 'warn', message, about: host, error };
    }
    case 'authentication-failed':
      return {
        type: 'denied',
        level: 'warn',
        message:
          "ZooKeeper refuses this node: it does not accept 'auth'; check the scheme and the credentials. Trying again.",
        about: 'zookeeper',
      };
    default:
      return null;
  }
}

function troubleOf(error: NodeJS.ErrnoException): string {
  const { code = '', message } = error;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return "there is no host of that name; check 'hosts'";
  if (code === 'ECONNREFUSED') {
    return "the connection was refused; check that ZooKeeper is running, and the port in 'hosts'";
  }
  if (/TLS|certificate|SSL|self-signed/i.test(message) || /^ERR_(TLS|SSL)|CERT/.test(code)) {
    return "TLS could not be agreed upon; check 'tls', and that the port is a secureClientPort";
  }
  if (message.includes('session')) {
    return "what listens there grants no session; check the port in 'hosts', and that the ensemble has a majority";
  }
  return 'nobody answers; check that the host is up, and that no firewall stands between';
}
