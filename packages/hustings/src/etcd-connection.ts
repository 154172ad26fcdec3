/** How this package reaches etcd, and what it says about it. */

import { InvalidOptionError } from '@hustings/elector';
import { group, listOf, type OptionTable, required, show, text } from '@hustings/elector/options';
import { beatMs, defaultSettings, type EtcdSettings, heirGuardMs } from '@hustings/etcd';
import { type EtcdDenial, type EtcdDiagnostic, type EtcdTrouble, etcdGateway } from '@hustings/etcd/gateway';
import type { Report, Reporter } from './diagnostics.js';
import type { CommonOptions } from './front.js';
import { etcd as etcdKind } from './lease-kinds/etcd.js';
import { slackMs } from './lease-kinds/kind.js';
import { type CoordinatorOptions, coordinatorRules, password, type Tls } from './shared-options.js';
import {
  adviceFor,
  type Endurance,
  etcdTimings,
  type TimingsName,
  timingsOf,
  timingsRules,
} from './timings.js';

export interface EtcdConnectionOptions extends CommonOptions, Omit<CoordinatorOptions, 'election'> {
  readonly auth?: { readonly username: string; readonly password: string } | undefined;
  /** Default `lan`. */
  readonly timings?: TimingsName | { readonly ttlSeconds: number } | undefined;
}

const endpoint = (value: unknown): string | null =>
  typeof value === 'string' && /^https?:\/\/[^/\s]+$/.test(value) && URL.canParse(value)
    ? null
    : `must look like http://host:2379 or https://host:2379, not ${show(value)}`;

export const connectionRules: OptionTable = {
  ...coordinatorRules,
  hosts: required(listOf(endpoint), "the endpoints of etcd, ['http://10.0.0.1:2379']"),
  auth: group({
    username: required(text, 'the name of a user of etcd'),
    password: required(password, 'the password of that user'),
  }),
  ...timingsRules(etcdTimings),
};

export function settingsOf({
  timings,
  driftBound = defaultSettings.driftBound,
}: EtcdConnectionOptions): EtcdSettings {
  return { ...defaultSettings, ...timingsOf(etcdTimings, timings), driftBound };
}

/** Whatever is the shorter: from one renewal to the end of the lease, or from one heartbeat to the end of the wait. */
export function enduranceOf({ timings }: EtcdConnectionOptions, settings: EtcdSettings): Endurance {
  const ttlMs = 1000 * settings.ttlSeconds;
  const leaseMs = slackMs(etcdKind, ttlMs, settings.driftBound);
  const { heirWaitMs } = settings;
  const waitMs = heirWaitMs - heirGuardMs(settings) - beatMs(settings);
  if (heirWaitMs > 0 && waitMs < leaseMs) {
    return { slackMs: waitMs, advice: `use heirs: 'calm', or a longer heirWaitMs (now ${heirWaitMs})` };
  }
  return { slackMs: leaseMs, advice: adviceFor(timings, `ttlSeconds (now ${settings.ttlSeconds})`) };
}

export function connect({ id, hosts, tls, auth }: EtcdConnectionOptions, report: Reporter) {
  return etcdGateway({
    id,
    hosts,
    ...(tls === undefined ? {} : { credentials: credentialsOf(tls) }),
    ...(auth === undefined ? {} : { auth }),
    onDiagnostic: (diagnostic) => report(ofEtcd(diagnostic)),
  });
}

/** The client would speak TLS to it, whatever the address says. */
export function refusePlainText(owner: string, { hosts, tls }: EtcdConnectionOptions): void {
  const plain = hosts.find((host) => host.startsWith('http:'));
  if (tls === undefined || plain === undefined) return;
  throw new InvalidOptionError(
    `${owner}: option 'hosts' has '${plain}' although there is 'tls'; write https://, or leave out 'tls'.`,
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
