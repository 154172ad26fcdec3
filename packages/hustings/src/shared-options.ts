/** The options that mean the same everywhere, and their rules. */

import { InvalidOptionError, type NodeId } from '@hustings/elector';
import {
  callback,
  either,
  flag,
  group,
  must,
  numberFrom,
  type OptionTable,
  type Rule,
  refused,
  renamed,
  required,
  text,
  wholeNumberFrom,
} from '@hustings/elector/options';
import { checkNodeId } from '@hustings/transport';
import type { PeerAddress } from '@hustings/transport/websocket';
import { longestMs } from './timings.js';

/** In PEM. What is left out, the system's authorities included, is as Node has it. */
export interface Tls {
  /** Whom to trust. */
  readonly ca?: string | Uint8Array | undefined;
  /** This node's own chain and key, where the other end asks for them. */
  readonly cert?: string | Uint8Array | undefined;
  readonly key?: string | Uint8Array | undefined;
}

/** How nodes reach each other. */
export interface LinkOptions {
  /** The other nodes, and where they listen: `{ 'node-2': 'ws://10.0.0.2:7000' }`. */
  readonly peers: Readonly<Record<NodeId, PeerAddress>>;
  /** Where the others reach this node: a port on every interface, or `host:port`. */
  readonly listen: number | string | { readonly host: string; readonly port: number };
  /** Shared by all nodes, at least 16 bytes, better 32 random ones. It never crosses the wire. */
  readonly secret: string | Uint8Array;
  /** With it every peer's address begins with `wss://`. `requestCert` demands a certificate from the others, too. */
  readonly tls?: (Tls & { readonly requestCert?: boolean | undefined }) | undefined;
}

/** What whoever's lease rests on time can do without waiting, once it is proven that a process has died. */
export interface CertificateOptions {
  /**
   * A leader whose process has died is replaced at once, and not only when its lease is over. Every node must be dialled
   * at the address and port of its own listener: no proxy, virtual address or mesh between. Default false.
   */
  readonly deathCertificates?: boolean | undefined;
}

/** Of nodes that talk to a coordinator, and may talk to each other for the sake of death certificates. */
export interface LinkedOptions extends CertificateOptions {
  /** How the nodes reach each other, for death certificates. Left out, they talk to the coordinator only. */
  readonly links?: LinkOptions | undefined;
}

/** Of nodes that talk to each other, and to nobody else. */
export interface PeerOptions extends LinkOptions {
  /** Nodes of different elections do not talk to each other, even if they share a secret. Default: none. */
  readonly election?: string | undefined;
  /** Where this node keeps what it must not forget: on a disk of its own, and never shared by two processes. */
  readonly directory: string;
}

/** Of nodes that talk to a coordinator. */
export interface CoordinatorOptions {
  /** Candidates of one election compete for it. */
  readonly election: string;
  readonly hosts: readonly string[];
  readonly tls?: Tls | undefined;
  /** How long `start()` waits for the first answer before it says that there is none and goes on trying. Default 3000. */
  readonly connectTimeoutMs?: number | undefined;
}

/** Never shown. */
export const password: Rule = (value) =>
  typeof value === 'string' && value !== '' ? null : 'must be a text that is not empty';

/** Never shown: a key is secret. The name of a file, or what is damaged, would fail much later and in OpenSSL's words. */
const pem: Rule = (value) =>
  (typeof value === 'string' || value instanceof Uint8Array) && Buffer.from(value).includes('-----BEGIN ')
    ? null
    : 'must be in PEM, -----BEGIN …, as a text or bytes: what the file holds, not its name';

function tls(more: OptionTable = {}): Rule {
  const files = group({ ca: pem, cert: pem, key: pem, ...more });
  return (value) =>
    files(value) ?? (isChainWithKey(value as Tls) ? null : "must have 'cert' and 'key', or neither");
}

const isChainWithKey = ({ cert, key }: Tls): boolean => (cert === undefined) === (key === undefined);

const nodeId = (value: unknown): string | null => {
  if (typeof value !== 'string') return text(value);
  try {
    checkNodeId(value);
    return null;
  } catch (error) {
    return `is not right: ${(error as Error).message.replace(/\.$/, '')}`;
  }
};

const logger = (value: unknown): string | null => {
  if (value === false) return null;
  const methods = ['info', 'warn', 'error'] as const;
  const isLogger = (given: object): boolean =>
    methods.every((name) => typeof (given as Record<string, unknown>)[name] === 'function');
  return typeof value === 'object' && value !== null && isLogger(value)
    ? null
    : "must have the functions 'info', 'warn' and 'error', or be false for silence";
};

export const commonRules: OptionTable = {
  id: required(nodeId, "what this node is called, such as 'node-1'"),
  driftBound: must(
    'a number of at least 0 and less than 1',
    (value) => typeof value === 'number' && value >= 0 && value < 1,
  ),
  onDiagnostic: callback,
  logger,
};

const port = wholeNumberFrom(0, 65_535);

const secret = (value: unknown): string | null => {
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) return 'must be a text or bytes';
  return Buffer.byteLength(value) >= 16 ? null : 'must have at least 16 bytes; use 32 random ones';
};

const peers = (value: unknown): string | null => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return "must be an object with the address of each other node, { 'node-2': 'ws://10.0.0.2:7000' }";
  }
  for (const [id, address] of Object.entries(value)) {
    const complaint = nodeId(id) ?? peerAddress(address);
    if (complaint !== null) return `has an entry '${id}' that ${complaint}`;
  }
  return null;
};

const peerAddress = must(
  'an address such as ws://host:port, null, or a function that returns one',
  (value) => typeof value === 'string' || value === null || typeof value === 'function',
);

const listen = either(
  port,
  group({ host: required(text, 'an address of this machine'), port: required(port, 'a port') }),
  (value) =>
    typeof value === 'string' && hostAndPort.test(value)
      ? null
      : "must be a port, 'host:port' or { host, port }",
);

const hostAndPort = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/;

export const linkRules: OptionTable = {
  peers: required(peers, "the address of each other node, { 'node-2': 'ws://10.0.0.2:7000' }"),
  listen: required(listen, "the port, or 'host:port', where the other nodes reach this one"),
  secret: required(secret, 'a secret that all nodes share, 32 random bytes'),
  tls: tls({ requestCert: flag }),
};

export const linkedRules: OptionTable = { links: group(linkRules), deathCertificates: flag };

export const peerRules: OptionTable = {
  ...commonRules,
  ...linkRules,
  election: text,
  directory: required(text, 'a directory on a local disk, where this node keeps what it must not forget'),
  maxDriftRate: renamed('driftBound'),
  storage: refused("is not taken here: state that a crash forgets can elect two leaders; give 'directory'"),
};

export const coordinatorRules: OptionTable = {
  ...commonRules,
  election: required(text, 'the name of the election; candidates of one name compete'),
  name: renamed('election'),
  path: renamed('election'),
  credentials: renamed('tls'),
  maxDriftRate: renamed('driftBound'),
  tls: tls(),
  connectTimeoutMs: numberFrom(1, longestMs),
};

/** No host means every interface. */
export function readListen(listen: PeerOptions['listen']): { readonly host: string; readonly port: number } {
  if (typeof listen === 'object') return listen;
  if (typeof listen === 'number') return { host: '', port: listen };
  const [, host = '', port = '0'] = hostAndPort.exec(listen) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** Whether death certificates are wanted, and can be had. */
export function certifies(caller: string, { deathCertificates = false, links }: LinkedOptions): boolean {
  if (!deathCertificates || links !== undefined) return deathCertificates;
  throw new InvalidOptionError(
    `${caller}: option 'deathCertificates' needs 'links', by which the nodes reach each other: { peers, listen, secret }.`,
  );
}

/** The same, where links are of no other use. */
export function certifiesByLinks(caller: string, options: LinkedOptions): boolean {
  const { links, deathCertificates = false } = options;
  if (links !== undefined && !deathCertificates) {
    throw new InvalidOptionError(
      `${caller}: option 'links' is of use only with deathCertificates: true; add that, or leave it out.`,
    );
  }
  return certifies(caller, options);
}
