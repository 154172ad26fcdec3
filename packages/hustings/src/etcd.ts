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
 * @packageDocumentation
 */

import { InvalidOptionError } from '@hustings/elector';
import {
  either,
  flag,
  group,
  listOf,
  numberAbove,
  oneOf,
  readOptions,
  required,
  text,
} from '@hustings/elector/options';
import {
  beatMs,
  defaultSettings,
  type EtcdElectionRequest,
  type EtcdMessage,
  type EtcdSettings,
  etcd,
  heirGuardMs,
} from '@hustings/etcd';
import { type EtcdDenial, type EtcdDiagnostic, type EtcdTrouble, etcdGateway } from '@hustings/etcd/gateway';
import { memoryStorage } from '@hustings/runtime';
import { joinTransports, type Transport } from '@hustings/transport';
import type { Report, Reporter } from './diagnostics.js';
import { type CommonOptions, type HustingsElector, openElector } from './front.js';
import { etcd as etcdKind } from './lease-kinds/etcd.js';
import { slackMs } from './lease-kinds/kind.js';
import { peerTransport } from './peers.js';
import {
  type CertificateOptions,
  type CoordinatorOptions,
  certifies,
  coordinatorRules,
  type LinkOptions,
  linkRules,
  password,
  type Tls,
} from './shared-options.js';
import {
  adviceFor,
  type Endurance,
  etcdTimings,
  heirWaits,
  type TimingsName,
  timingsOf,
  timingsRule,
} from './timings.js';

export * from './index.js';

export interface EtcdElectorOptions extends CommonOptions, CoordinatorOptions, CertificateOptions {
  /**
   * How the nodes reach each other, for heirs and death certificates. Left out, they talk to etcd only, and a leader that falls silent is
   * replaced when its lease has run out.
   */
  readonly links?: LinkOptions | undefined;
  /**
   * With `links`: how long the next in line lets the leader be silent before it takes over. `calm`, the default, is a
   * second, `fast` a quarter of one, for hosts and an etcd that are known to be quick.
   */
  readonly heirs?: 'calm' | 'fast' | { readonly heirWaitMs: number } | undefined;
  readonly auth?: { readonly username: string; readonly password: string } | undefined;
  /** Default `lan`. */
  readonly timings?: TimingsName | { readonly ttlSeconds: number } | undefined;
  /** Who leads next. `queue`, the default: first come, first served. `race`: whoever is quickest. */
  readonly succession?: 'queue' | 'race' | undefined;
}

const endpoint = (value: unknown): string | null =>
  typeof value === 'string' && /^https?:\/\/[^/\s]+$/.test(value) && URL.canParse(value)
    ? null
    : 'must look like http://host:2379 or https://host:2379';

const rules = {
  ...coordinatorRules,
  hosts: required(listOf(endpoint), "the endpoints of etcd, ['http://10.0.0.1:2379']"),
  auth: group({
    username: required(text, 'the name of a user of etcd'),
    password: required(password, 'the password of that user'),
  }),
  timings: timingsRule(etcdTimings),
  succession: oneOf('queue', 'race'),
  links: group(linkRules),
  deathCertificates: flag,
  heirs: either(
    group({ heirWaitMs: required(numberAbove(0), 'how long the next in line waits') }),
    oneOf('calm', 'fast'),
  ),
};

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function etcdElector(given: EtcdElectorOptions): HustingsElector<EtcdElectionRequest> {
  const options = readOptions<EtcdElectorOptions>('etcdElector', given, rules);
  const { election, hosts, tls, timings, connectTimeoutMs = 3000 } = options;
  refusePlainText(hosts, tls);
  const { driftBound = defaultSettings.driftBound, succession = 'queue' } = options;
  const settings: EtcdSettings = {
    ...defaultSettings,
    ...timingsOf(etcdTimings, timings),
    ...{ name: election, driftBound, succession, heirWaitMs: heirWaitOf(options) },
    deathCertificates: certifies('etcdElector', options),
  };
  const protocol = etcd(settings);
  return openElector(options, {
    protocol,
    election,
    storage: () => memoryStorage(),
    transport: (report) => transportOf(options, protocol.decodeMessage, report),
    endurance: enduranceOf(settings, timings),
    answers: { 'kept-alive': null },
    answersNeeded: 1,
    withoutLeader: 'check that etcd answers this node',
    connection: { timeoutMs: connectTimeoutMs, server: 'etcd' },
    onAnnouncement: (announcement, report) => {
      const { type } = announcement;
      if (type === 'heirs-strained') report({ type, level: 'warn', message: announcement.detail });
      if (type !== 'data-lost' && type !== 'blocked') return;
      report({ type, level: 'error', message: announcement.detail });
    },
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

function transportOf(
  options: EtcdElectorOptions,
  decodeMessage: (value: unknown) => EtcdMessage,
  report: Reporter,
): Transport<EtcdMessage> {
  const { id, election, hosts, tls, auth, links, deathCertificates } = options;
  const gateway = etcdGateway({
    id,
    hosts,
    ...(tls === undefined ? {} : { credentials: credentialsOf(tls) }),
    ...(auth === undefined ? {} : { auth }),
    onDiagnostic: (diagnostic) => report(ofEtcd(diagnostic)),
  });
  if (links === undefined) return gateway;
  return joinTransports({
    coordinator: gateway,
    peers: peerTransport({ id, election, ...links, deathCertificates }, decodeMessage, report),
  });
}

/** Whatever is the shorter: from one renewal to the end of the lease, or from one heartbeat to the end of the wait. */
function enduranceOf(settings: EtcdSettings, timings: EtcdElectorOptions['timings']): Endurance {
  const ttlMs = 1000 * settings.ttlSeconds;
  const leaseMs = slackMs(etcdKind, ttlMs, settings.driftBound);
  const { heirWaitMs } = settings;
  const waitMs = heirWaitMs - heirGuardMs(settings) - beatMs(settings);
  if (heirWaitMs > 0 && waitMs < leaseMs) {
    return { slackMs: waitMs, advice: `use heirs: 'calm', or a longer heirWaitMs (now ${heirWaitMs})` };
  }
  return { slackMs: leaseMs, advice: adviceFor(timings, `ttlSeconds (now ${settings.ttlSeconds})`) };
}

/** The client would speak TLS to it, whatever the address says. */
function refusePlainText(hosts: readonly string[], tls: Tls | undefined): void {
  const plain = hosts.find((host) => host.startsWith('http:'));
  if (tls === undefined || plain === undefined) return;
  throw new InvalidOptionError(
    `etcdElector: option 'hosts' has '${plain}' although there is 'tls'; write https://, or leave out 'tls'.`,
  );
}

/** Without an authority, the system's are trusted. The client declares it to be required, and does not need it. */
function credentialsOf({ ca, cert, key }: Tls): { rootCertificate: Buffer } {
  const files = { rootCertificate: ca, privateKey: key, certChain: cert };
  const given = Object.entries(files).flatMap(([name, file]) =>
    file === undefined ? [] : [[name, Buffer.from(file)]],
  );
  return Object.fromEntries(given);
}

function ofEtcd(diagnostic: EtcdDiagnostic): Report {
  const { type, host } = diagnostic;
  if (type === 'connected')
    return { type, level: 'info', message: `etcd answers at ${host}.`, about: 'etcd' };
  const message =
    type === 'unreachable'
      ? `cannot reach etcd at ${host}: ${troubles[diagnostic.trouble]}. ${tryingAgain(diagnostic)}`
      : `etcd at ${host} refuses this node: ${denials[diagnostic.denial]}. ${tryingAgain(diagnostic)}`;
  return { type, level: 'warn', message, about: host };
}

const tryingAgain = ({ detail }: { readonly detail: string }): string =>
  `Trying again. (${detail.trim().replace(/\.$/, '')})`;

const troubles: Readonly<Record<EtcdTrouble, string>> = {
  'name-not-found': "there is no host of that name; check 'hosts'",
  refused: "the connection was refused; check that etcd is running, and the port in 'hosts'",
  timeout: 'nobody answers; check that the host is up, and that no firewall stands between',
  'needs-https': "it speaks TLS; write https:// in 'hosts', and give its authority as tls.ca",
  'needs-http': "it does not speak TLS; write http:// in 'hosts'",
  tls: 'TLS could not be agreed upon; check tls.ca, tls.cert and tls.key',
  'not-etcd': "what listens there is not an etcd; check the port in 'hosts'",
  'no-majority': 'an etcd is there but does not answer in time; its cluster may have lost its majority',
};

const denials: Readonly<Record<EtcdDenial, string>> = {
  'wrong-password': "user name or password are wrong; check 'auth'",
  'auth-not-enabled': "it does not use passwords; leave out 'auth', or enable them with etcdctl auth enable",
  'auth-required': "it asks for a user name and a password; give 'auth'",
  'no-permission': 'the user may not read and write below the name of the election; grant it a role that may',
  other: 'it does not say more than this',
};
