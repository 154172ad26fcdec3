import cluster from 'node:cluster';
import type { SecureContextOptions } from 'node:tls';
import { InvalidOptionError, type NodeId } from '@hustings/elector';
import {
  callback,
  entriesOf,
  flag,
  group,
  must,
  numberAbove,
  type OptionTable,
  type Rule,
  readOptions,
  record,
  required,
  wholeNumberFrom,
} from '@hustings/elector/options';
import { type TransportDiagnostic, thinnedLog } from './diagnostics.js';
import { attempt } from './guarded.js';
import { checkNodeId } from './node-id.js';

/**
 * Where a peer listens, `ws://host:port` or `wss://host:port`; a function is asked before each attempt. Null
 * means that the address is not known, or not yet: the peer then has to dial this node.
 */
export type PeerAddress = string | null | (() => string | null);

/**
 * Passed to `node:https` for the listener and to `ws` for dialling. With it, every peer's address must be `wss://`.
 */
export interface WebSocketTlsOptions extends SecureContextOptions {
  /** Whether the listener demands a certificate from those who dial it: mutual TLS. */
  readonly requestCert?: boolean;
  /** Leave it true: false accepts any certificate, in both directions. */
  readonly rejectUnauthorized?: boolean;
}

export interface WebSocketTransportOptions<Message> {
  readonly id: NodeId;
  /** Where this node can be dialled; port 0 takes a free one. Without it, this node only dials. */
  readonly listen?: { readonly host: string; readonly port: number };
  readonly peers: Readonly<Record<NodeId, PeerAddress>>;
  /** Shared by all nodes, at least 16 bytes, better 32 random ones. It never crosses the wire. */
  readonly secret: string | Uint8Array;
  /** Turns a parsed but untrusted value into a message, or throws: `protocol.decodeMessage`. */
  readonly decodeMessage: (value: unknown) => Message;
  readonly tls?: WebSocketTlsOptions;
  /**
   * Tells `peerGone` when a peer's process is proven to have ended, by a connection that its kernel closed and a dial
   * to its own address that was then refused; and grants the peers the same. Every node must be dialled at the address
   * and port of its own listener: no proxy, virtual address or shared port between, nor a mesh. Default false.
   */
  readonly deathCertificates?: boolean;
  /** The largest frame that is sent or accepted, at least 4 KiB. Default 64 KiB. */
  readonly maxPayloadBytes?: number;
  /** A peer for which more than this would wait is dropped. Default 1 MiB. */
  readonly maxQueuedBytes?: number;
  /**
   * Inbound connections that have not proven who they are, at any one time; half of them from one address. Beyond
   * that the oldest is dropped for each that comes. Links are not counted. Default 256.
   */
  readonly maxPendingConnections?: number;
  /** From dialling to the open link. Default 2000. */
  readonly handshakeTimeoutMs?: number;
  /** Waits between attempts are drawn from 0 to a bound that doubles from `baseMs` to `capMs`. Default 50 and 1000. */
  readonly reconnectDelayMs?: { readonly baseMs: number; readonly capMs: number };
  /** From 0 to 1, 1 excluded: the jitter. Default `Math.random`. */
  readonly random?: () => number;
  /** Default: a line on standard error for the first, second, fourth, eighth … of each kind. */
  readonly onDiagnostic?: (diagnostic: TransportDiagnostic) => void;
}

export type Settings<Message> = Required<Omit<WebSocketTransportOptions<Message>, 'listen' | 'tls'>> &
  Pick<WebSocketTransportOptions<Message>, 'listen' | 'tls'>;

const peerAddress = must(
  'an address such as ws://host:port, null, or a function that returns one',
  (value) => typeof value === 'string' || value === null || typeof value === 'function',
);

/** The values are never shown: they are secret. */
const secret: Rule = (value) => {
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) return 'must be a text or bytes';
  return Buffer.byteLength(value) >= 16 ? null : 'must have at least 16 bytes; use 32 random ones';
};

const rules: OptionTable = {
  id: required(
    must('a text', (value) => typeof value === 'string'),
    "what this node is called, such as 'node-1'",
  ),
  listen: group({
    host: required(
      must('a text; an empty one is every interface', (value) => typeof value === 'string'),
      'an address of this machine',
    ),
    port: required(wholeNumberFrom(0, 65_535), 'a port, or 0 for a free one'),
  }),
  peers: required(
    entriesOf(peerAddress),
    "the address of each other node, { 'node-2': 'ws://10.0.0.2:7000' }",
  ),
  secret: required(secret, 'a secret that all nodes share, 32 random bytes'),
  decodeMessage: required(callback, 'the decodeMessage of the protocol'),
  tls: record,
  deathCertificates: flag,
  maxPayloadBytes: numberAbove(0),
  maxQueuedBytes: numberAbove(0),
  maxPendingConnections: numberAbove(0),
  handshakeTimeoutMs: numberAbove(0),
  reconnectDelayMs: group({
    baseMs: required(numberAbove(0), 'the first bound'),
    capMs: required(numberAbove(0), 'the last bound'),
  }),
  random: callback,
  onDiagnostic: callback,
};

/** Fills in the defaults. Throws `InvalidOptionError`. */
export function settle<Message>(given: WebSocketTransportOptions<Message>): Settings<Message> {
  const options = readOptions<WebSocketTransportOptions<Message>>('webSocketTransport', given, rules);
  const settings: Settings<Message> = {
    deathCertificates: false,
    maxPayloadBytes: 64 * 1024,
    maxQueuedBytes: 1024 * 1024,
    maxPendingConnections: 256,
    handshakeTimeoutMs: 2000,
    reconnectDelayMs: { baseMs: 50, capMs: 1000 },
    onDiagnostic: thinnedLog(options.id),
    ...options,
    random: fallingBack(options.random ?? Math.random),
  };
  checkIds(settings);
  checkAddresses(settings);
  checkNumbers(settings);
  checkCertificates(settings);
  return settings;
}

/** A source that fails, or draws what is no share of a delay, must not decide when peers are dialled. */
function fallingBack(random: () => number): () => number {
  return () => {
    let drawn = Number.NaN;
    attempt(
      () => {
        drawn = random();
      },
      () => {},
    );
    return drawn >= 0 && drawn <= 1 ? drawn : Math.random();
  };
}

function checkIds({ id, peers }: Settings<unknown>): void {
  for (const name of [id, ...Object.keys(peers)]) checkNodeId(name);
  if (Object.hasOwn(peers, id)) {
    throw new InvalidOptionError(`Node ${id} cannot be its own peer; leave it out of 'peers'.`);
  }
}

function checkAddresses({ peers, tls }: Settings<unknown>): void {
  for (const [peer, address] of Object.entries(peers)) {
    if (typeof address === 'string') checkAddress(peer, address, tls);
  }
}

/** Whether a function gave it or not. Throws `InvalidOptionError`. */
export function checkAddress(peer: NodeId, address: string, tls?: WebSocketTlsOptions): void {
  const scheme = URL.canParse(address) ? new URL(address).protocol : '';
  if (scheme !== 'ws:' && scheme !== 'wss:') {
    throw new InvalidOptionError(
      `The address of ${peer} must look like ws://host:port or wss://host:port, not '${address}'.`,
    );
  }
  if (scheme === 'ws:' && tls !== undefined) {
    throw new InvalidOptionError(
      `The address of ${peer} must begin with wss://: with 'tls', nobody is dialled in plain text at '${address}'.`,
    );
  }
}

/** The port of a cluster's worker belongs to its primary, and refuses dials while the worker runs. */
function checkCertificates({ deathCertificates }: Settings<unknown>): void {
  if (deathCertificates && cluster.isWorker) {
    throw new InvalidOptionError(
      "Option 'deathCertificates' cannot be used in a worker of node:cluster: its port outlives it, or it the port; run the node in a process of its own.",
    );
  }
}

function checkNumbers(settings: Settings<unknown>): void {
  const { reconnectDelayMs } = settings;
  if (settings.maxPayloadBytes < 4096) {
    throw new InvalidOptionError("Option 'maxPayloadBytes' must be at least 4096: the handshake needs room.");
  }
  if (settings.maxQueuedBytes < settings.maxPayloadBytes) {
    throw new InvalidOptionError("Option 'maxQueuedBytes' must not be below 'maxPayloadBytes'.");
  }
  if (reconnectDelayMs.capMs < reconnectDelayMs.baseMs) {
    throw new InvalidOptionError("Option 'reconnectDelayMs' must have 0 < baseMs <= capMs.");
  }
}
