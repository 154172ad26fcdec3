import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { ListenFailedError } from '@hustings/elector';
import { type WebSocket, WebSocketServer } from 'ws';
import { socketOptions } from './connection.js';
import { Refusal } from './refusals.js';
import { Turnstile } from './turnstile.js';
import { WaitingRoom } from './waiting-room.js';
import type { WebSocketTlsOptions } from './websocket-options.js';

export interface ListenerSettings {
  readonly host: string;
  readonly port: number;
  readonly tls?: WebSocketTlsOptions;
  readonly maxPayloadBytes: number;
  /** How many may be connected who have not proven who they are, at least one for each peer. */
  readonly maxPendingConnections: number;
  readonly peerCount: number;
  readonly handshakeTimeoutMs: number;
  /** A WebSocket has been opened by somebody, yet unknown. `trust` is to be called once it has proven who it is. */
  readonly accept: (socket: WebSocket, stream: Socket, trust: () => void) => void;
  /** Somebody was turned away before there was a WebSocket. */
  readonly refused: (refusal: Refusal, address: string | null) => void;
}

export interface Listener {
  readonly address: AddressInfo;
  /** Refuses newcomers. */
  close(): void;
  /** Cuts what is left, and resolves once the port is free. */
  closed(): Promise<void>;
}

export async function openListener(settings: ListenerSettings): Promise<Listener> {
  const server = createServer(settings);
  const sockets = new Set<Socket>();
  receive(server, sockets, settings);
  refuseOtherRequests(server, settings);
  const closed = new Promise<void>((resolve) => server.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    // It stays: an error that comes later, such as a failed accept, harms no other connection.
    server.on('error', (error) => reject(listenFailed(settings, error)));
    const { host, port } = settings;
    // `exclusive`: workers of node:cluster would otherwise share one port, and get each other's connections.
    server.listen({ host, port, exclusive: true }, resolve);
  });
  return {
    address: server.address() as AddressInfo,
    close() {
      server.close();
      server.closeIdleConnections();
    },
    closed() {
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}

function listenFailed({ host, port }: ListenerSettings, cause: NodeJS.ErrnoException): ListenFailedError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another process listens there; stop it, or choose another port',
    EADDRNOTAVAIL: 'that is no address of this machine; use one that is, or only a port',
    EACCES: 'this process may not use that port; choose one above 1023',
    ENOTFOUND: 'there is no host of that name; use an address of this machine, or only a port',
  };
  const where = `${host === '' ? 'every interface' : host}, port ${port}`;
  const why = reasons[cause.code ?? ''] ?? cause.message;
  return new ListenFailedError(`Cannot listen on ${where} (option 'listen'): ${why}.`, { cause });
}

/** Gives whoever connects a place, and a WebSocket to whoever asks for one. */
function receive(server: Server, sockets: Set<Socket>, settings: ListenerSettings): void {
  const waiting = openWaitingRoom(settings);
  const turnstile = new Turnstile();
  const upgrade = upgrader(settings);
  // By address: with TLS, the stream that is upgraded is not the socket that was connected.
  const leaving = new Map<string | null, () => void>();

  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket);
    const leave = waiting.enter(socket.remoteAddress ?? '', () => {
      settings.refused(new Refusal('too-many-connections', 'Its place was needed for a newcomer.'), address);
      socket.destroy();
    });
    leaving.set(address, leave);
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      leave();
      if (leaving.get(address) === leave) leaving.delete(address);
    });
  });
  server.on('upgrade', (request, stream: Socket, head) => {
    stream.on('error', () => {});
    turnstile.enter(() => upgrade(request, stream, head, () => leaving.get(addressOf(stream))?.()));
  });
}

type Upgrade = (request: IncomingMessage, stream: Socket, head: Buffer, trust: () => void) => void;

function upgrader({ maxPayloadBytes, accept, refused }: ListenerSettings): Upgrade {
  const options = { noServer: true, clientTracking: false, ...socketOptions(maxPayloadBytes) };
  const webSockets = new WebSocketServer(options);
  webSockets.on('wsClientError', (_error, socket, request) => {
    refused(new Refusal('malformed', 'An upgrade request is not well formed.'), addressOf(request.socket));
    socket.destroy();
  });
  return (request, stream, head, trust) => {
    if (stream.destroyed) return;
    if (head.length > 0) {
      refused(new Refusal('malformed', 'It spoke before it had a WebSocket.'), addressOf(stream));
      stream.destroy();
      return;
    }
    stream.setKeepAlive(true, 1000);
    webSockets.handleUpgrade(request, stream, head, (socket) => accept(socket, stream, trust));
  };
}

function refuseOtherRequests(server: Server, { refused }: ListenerSettings): void {
  server.on('request', (request, response) => {
    refused(new Refusal('malformed', 'A request is not for a WebSocket.'), addressOf(request.socket));
    response.writeHead(426, { connection: 'close' }).end();
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const refusal = refusalOf(error);
    if (refusal !== null) refused(refusal, addressOf(socket as Socket));
    socket.destroy();
  });
  server.on('tlsClientError', (_error: Error, socket: Socket) => {
    refused(new Refusal('unauthenticated', 'TLS could not be agreed upon.'), addressOf(socket));
  });
}

/** One network may hold half of the places. But all peers may be behind one address. */
function openWaitingRoom({ maxPendingConnections, peerCount }: ListenerSettings): WaitingRoom {
  const places = Math.max(maxPendingConnections, peerCount);
  return new WaitingRoom(places, Math.max(Math.ceil(places / 2), peerCount));
}

function createServer({ tls, handshakeTimeoutMs }: ListenerSettings): Server {
  const bounds = {
    headersTimeout: handshakeTimeoutMs,
    requestTimeout: handshakeTimeoutMs,
    connectionsCheckingInterval: Math.ceil(handshakeTimeoutMs / 4),
  };
  if (tls === undefined) return createHttpServer(bounds);
  return createHttpsServer({ ...bounds, handshakeTimeout: handshakeTimeoutMs, ...tls });
}

/** Where one end of a connection is, the same however its family is written: `10.0.0.1:7000`, `[::1]:7000`. */
export function placeOf(address: string | undefined, port: number | undefined): string | null {
  if (address === undefined || port === undefined) return null;
  const host = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A connection that merely broke is nobody's fault. */
function refusalOf({ code = '' }: NodeJS.ErrnoException): Refusal | null {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Refusal('handshake-timeout', 'The upgrade request took too long.');
  }
  return code.startsWith('HPE_') ? new Refusal('malformed', `Not HTTP (${code}).`) : null;
}

export function addressOf(socket: Socket): string | null {
  return socket.remoteAddress === undefined ? null : `${socket.remoteAddress}:${socket.remotePort}`;
}
