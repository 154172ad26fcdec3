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
 * @packageDocumentation
 */

import { group, listOf, oneOf, readOptions, required, text } from '@hustings/elector/options';
import { memoryStorage } from '@hustings/runtime';
import {
  defaultSettings,
  type ZooKeeperElectionRequest,
  type ZooKeeperSettings,
  zookeeper,
} from '@hustings/zookeeper';
import { type ZooKeeperDiagnostic, zookeeperGateway } from '@hustings/zookeeper/gateway';
import type { Report, Reporter } from './diagnostics.js';
import { type CommonOptions, type HustingsElector, openElector } from './front.js';
import { slackMs } from './lease-kinds/kind.js';
import { zookeeper as zookeeperKind } from './lease-kinds/zookeeper.js';
import { linkedTransport } from './peers.js';
import {
  type CoordinatorOptions,
  certifiesByLinks,
  coordinatorRules,
  type LinkedOptions,
  linkedRules,
  password,
} from './shared-options.js';
import { adviceFor, type TimingsName, timingsOf, timingsRule, zookeeperTimings } from './timings.js';

export * from './index.js';

type Auth =
  | { readonly username: string; readonly password: string }
  | { readonly scheme: string; readonly credentials: string };

export interface ZooKeeperElectorOptions extends CommonOptions, CoordinatorOptions, LinkedOptions {
  /** A user of the scheme `digest`; or another scheme with its credentials. */
  readonly auth?: Auth | undefined;
  /** Default `lan`. */
  readonly timings?: TimingsName | { readonly sessionTimeoutMs: number } | undefined;
  /** Whom a candidate watches. `queue`, the default: the one before it. `herd`: all watch the leader. */
  readonly succession?: 'queue' | 'herd' | undefined;
}

const member = (value: unknown): string | null =>
  typeof value === 'string' && /^(\[[^\]\s]+\]|[^:/,\s]+)(:\d{1,5})?$/.test(value)
    ? null
    : 'must look like host:2181';

const digest = group({
  username: required(text, 'the name of a user'),
  password: required(password, 'the password of that user'),
});
const scheme = group({
  scheme: required(text, "such as 'digest'"),
  credentials: required(password, 'what the scheme asks for'),
});

const rules = {
  ...coordinatorRules,
  hosts: required(listOf(member), "the members of the ensemble, ['10.0.0.1:2181']"),
  auth: (value: unknown) =>
    typeof value === 'object' && value !== null && 'scheme' in value ? scheme(value) : digest(value),
  timings: timingsRule(zookeeperTimings),
  succession: oneOf('queue', 'herd'),
  ...linkedRules,
};

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function zookeeperElector(given: ZooKeeperElectorOptions): HustingsElector<ZooKeeperElectionRequest> {
  const options = readOptions<ZooKeeperElectorOptions>('zookeeperElector', given, rules);
  const { election, timings, connectTimeoutMs = 3000 } = options;
  const { driftBound = defaultSettings.driftBound, succession = 'queue' } = options;
  const settings: ZooKeeperSettings = {
    ...defaultSettings,
    ...timingsOf(zookeeperTimings, timings),
    ...{ driftBound, succession, path: election.startsWith('/') ? election : `/${election}` },
    deathCertificates: certifiesByLinks('zookeeperElector', options),
  };
  const { sessionTimeoutMs } = settings;
  const protocol = zookeeper(settings);
  return openElector(options, {
    protocol,
    election,
    storage: () => memoryStorage(),
    transport: (report) => linkedTransport(connect(options, report), options, protocol.decodeMessage, report),
    endurance: {
      slackMs: slackMs(zookeeperKind, sessionTimeoutMs, driftBound),
      advice: adviceFor(timings, `sessionTimeoutMs (now ${sessionTimeoutMs})`),
    },
    answers: { pong: 'ping', proven: 'prove' },
    answersNeeded: 1,
    withoutLeader: 'check that ZooKeeper answers this node',
    connection: { timeoutMs: connectTimeoutMs, server: 'ZooKeeper' },
    onAnnouncement: ({ type, detail }, report) =>
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
}

function connect({ id, hosts, tls, auth }: ZooKeeperElectorOptions, report: Reporter) {
  return zookeeperGateway({
    id,
    hosts: hosts.join(','),
    ...(tls === undefined ? {} : { tls: tls as object }),
    ...(auth === undefined ? {} : { auth: authOf(auth) }),
    onDiagnostic: (diagnostic) => {
      const given = ofZooKeeper(diagnostic);
      if (given !== null) report(given);
    },
  });
}

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
