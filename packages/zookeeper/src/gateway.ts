/**
 * Joins the elector to a real ensemble, ZooKeeper 3.5 or newer: a transport whose only peer is the ensemble. It
 * turns each message into calls of the `zookeeper` client, and what comes back into messages. It decides nothing
 * and repeats nothing: that is the protocol's part.
 *
 * The client is native code, which runs on this thread. What is known to be dangerous about it is kept in here.
 *
 * @packageDocumentation
 */

import { randomUUID } from 'node:crypto';
import { InvalidOptionError, type NodeId } from '@hustings/elector';
import type { Transport, TransportHandlers } from '@hustings/transport';
import { type ClientClass, loadClient } from './gateway-client.js';
import { Connection, type Credentials } from './gateway-connection.js';
import {
  type Host,
  readGatewayOptions,
  readHosts,
  type ZooKeeperDiagnostic,
  type ZooKeeperGatewayOptions,
} from './gateway-options.js';
import { Relay } from './gateway-relay.js';
import type { ZooKeeperMessage, ZooKeeperReply, ZooKeeperRequest } from './messages.js';

export type { Acl } from './gateway-client.js';
export type { ZooKeeperDiagnostic, ZooKeeperGatewayOptions } from './gateway-options.js';
export { type SharedGateway, type SharedGatewayOptions, sharedGateway } from './gateway-shared.js';

/** A node that is stopped does not start again: create another gateway. */
export function zookeeperGateway(options: ZooKeeperGatewayOptions): Transport<ZooKeeperMessage> {
  return new Gateway(readGatewayOptions(options));
}

type ConnectRequest = Extract<ZooKeeperRequest, { type: 'connect' }>;

/** How long to wait after credentials were refused. */
const refusedPauseMs = 1000;
/** Before all members are tried for the second time. From then on twice as long, up to a tenth of the session. */
const firstPauseMs = 20;
/** A member has a quarter of the session to answer a greeting, within these bounds. */
const greetingMs = { min: 200, max: 2000 };

class Gateway implements Transport<ZooKeeperMessage> {
  readonly id: NodeId;
  /** Of this process, and of the coordinator too: the gateway that speaks for it lives in here. */
  readonly incarnation = randomUUID();
  readonly peers: readonly NodeId[] = [];
  readonly #options: ZooKeeperGatewayOptions;
  readonly #coordinator: NodeId;
  readonly #hosts: readonly Host[];
  #Client: ClientClass | null = null;
  #handlers: TransportHandlers<ZooKeeperMessage> | null = null;
  #phase: 'new' | 'running' | 'stopped' = 'new';
  /** The session, from its opening to its end; it outlives connections. */
  #credentials: Credentials | null = null;
  #connection: Connection | null = null;
  /** The last `connect`, until it is answered. */
  #request: ConnectRequest | null = null;
  #isDialling = false;
  #nextHost: number;
  #notBeforeMs = 0;
  #pause: NodeJS.Timeout | undefined;
  #stopped: Promise<void> | null = null;

  constructor(options: ZooKeeperGatewayOptions) {
    this.#hosts = readHosts(options.hosts);
    this.id = options.id;
    this.#options = options;
    this.#coordinator = options.coordinator ?? 'zookeeper';
    // So that not everyone begins with the same member.
    this.#nextHost = Math.floor(Math.random() * this.#hosts.length);
  }

  async start(handlers: TransportHandlers<ZooKeeperMessage>): Promise<void> {
    if (this.#phase !== 'new') {
      throw new InvalidOptionError(`Transport ${this.id} starts only once; create another one.`);
    }
    this.#phase = 'running';
    this.#handlers = handlers;
    this.#Client = await loadClient();
  }

  send(to: NodeId, message: ZooKeeperMessage, incarnation = this.incarnation): void {
    if (this.#phase !== 'running' || this.#Client === null || to !== this.#coordinator) return;
    if (incarnation !== this.incarnation) return;
    const request = message as ZooKeeperRequest;
    if (this.#credentials?.session !== request.session && request.session !== null) {
      this.#deliver({ type: 'expired', session: request.session });
    } else if (request.type === 'connect') this.#connect(request);
    else if (this.#connection !== null) this.#connection.carryOut(request);
    else {
      const detail = 'not connected';
      this.#deliver({ type: 'failed', id: request.id, reason: 'connection-loss', detail });
    }
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#phase = 'stopped';
    this.#handlers = null;
    clearTimeout(this.#pause);
    await this.#connection?.close();
    this.#connection = null;
  }

  /** Whoever asks while there is a connection has lost patience with it: another member may be quicker. */
  #connect(request: ConnectRequest): void {
    this.#request = request;
    this.#connection?.abandon();
    this.#connection = null;
    if (!this.#isDialling) void this.#dial(request.sessionTimeoutMs);
  }

  /**
   * Tries one member after the other. Each attempt, and each connection, has a client object of its own, which is
   * not left to reconnect by itself: `Connection` tells why its sockets must be closed with care.
   */
  async #dial(sessionTimeoutMs: number): Promise<void> {
    this.#isDialling = true;
    for (let tried = 1; this.#phase === 'running' && this.#connection === null; tried += 1) {
      await this.#wait(Math.max(this.#notBeforeMs - performance.now(), 0));
      const host = this.#hosts[this.#nextHost % this.#hosts.length]!;
      this.#nextHost += 1;
      const outcome = await this.#greet(host, sessionTimeoutMs);
      if (outcome === 'ended') break;
      const rounds = tried / this.#hosts.length;
      if (outcome === 'failed' && Number.isInteger(rounds)) {
        await this.#wait(pauseAfterMs(rounds, sessionTimeoutMs));
      }
    }
    this.#isDialling = false;
  }

  async #greet(host: Host, sessionTimeoutMs: number): Promise<'connected' | 'failed' | 'ended'> {
    const patienceMs = Math.min(Math.max(sessionTimeoutMs / 4, greetingMs.min), greetingMs.max);
    const relay = await this.#reach(host, patienceMs);
    if (this.#phase !== 'running') {
      relay?.close();
      return 'ended';
    }
    if (relay === null) return 'failed';
    const address = `${relay.address}${host.root}`;
    const connection = new Connection(
      this.#Client!,
      { relay, address, sessionTimeoutMs, credentials: this.#credentials },
      this.#options,
      {
        deliver: (reply) => {
          if (this.#connection === connection) this.#deliver(reply);
        },
        diagnose: (diagnostic) => this.#diagnose(diagnostic),
        lost: () => this.#onLost(connection),
      },
    );
    const outcome = await connection.opened(patienceMs);
    if (this.#phase !== 'running') {
      await connection.close();
      return 'ended';
    }
    if (outcome === 'failed') {
      const why = relay.isBroken ? ': the member hung up' : ` within ${patienceMs} ms`;
      const error = relay.error ?? new Error(`No session was granted${why}.`);
      this.#diagnose({ type: 'unreachable', host: addressOf(host), error });
    }
    if (outcome === 'connected') this.#onConnected(connection);
    else connection.abandon();
    if (outcome === 'expired') this.#onExpired();
    if (outcome === 'refused') this.#onRefused();
    return outcome === 'connected' ? outcome : outcome === 'expired' ? 'ended' : 'failed';
  }

  async #reach(host: Host, patienceMs: number): Promise<Relay | null> {
    const { tls } = this.#options;
    const target = { host: host.name, port: host.port, ...(tls === undefined ? {} : { tls }) };
    try {
      return await Relay.open(target, patienceMs);
    } catch (error) {
      this.#diagnose({ type: 'unreachable', host: addressOf(host), error: error as Error });
      return null;
    }
  }

  #onConnected(connection: Connection): void {
    const { credentials, sessionTimeoutMs } = connection;
    this.#connection = connection;
    this.#credentials = credentials;
    const { session } = credentials;
    // Nothing is dialled that was not asked for.
    this.#deliver({ type: 'connected', id: this.#request!.id, session, sessionTimeoutMs });
    this.#request = null;
    this.#diagnose({ type: 'connected', session, sessionTimeoutMs });
  }

  #onLost(connection: Connection): void {
    if (this.#connection !== connection || this.#credentials === null) return;
    const { session } = this.#credentials;
    this.#connection = null;
    this.#deliver({ type: 'disconnected', session });
    this.#diagnose({ type: 'disconnected', session });
  }

  #onExpired(): void {
    if (this.#credentials === null) return;
    const { session } = this.#credentials;
    this.#credentials = null;
    this.#request = null;
    this.#deliver({ type: 'expired', session });
    this.#diagnose({ type: 'expired', session });
  }

  #onRefused(): void {
    this.#notBeforeMs = performance.now() + refusedPauseMs;
    this.#diagnose({ type: 'authentication-failed' });
  }

  /** Never from inside `send`, and never from inside the client's own code. */
  #deliver(reply: ZooKeeperReply): void {
    setImmediate(() => this.#handlers?.received(this.#coordinator, reply, this.incarnation));
  }

  #diagnose(diagnostic: ZooKeeperDiagnostic): void {
    if (this.#phase !== 'running') return;
    // A broken listener must not break the election, whether it throws or its promise is rejected.
    (async () => this.#options.onDiagnostic?.(diagnostic))().catch(() => {});
  }

  #wait(ms: number): Promise<void> {
    if (ms === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#pause = setTimeout(resolve, ms);
    });
  }
}

const addressOf = ({ name, port }: Host): string => `${name}:${port}`;

/** Half of it is left to chance, so that those who lost the ensemble together do not come back together. */
function pauseAfterMs(rounds: number, sessionTimeoutMs: number): number {
  const longestMs = Math.min(firstPauseMs * 2 ** (rounds - 1), sessionTimeoutMs / 10);
  return longestMs * (0.5 + Math.random() / 2);
}
