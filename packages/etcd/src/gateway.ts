/**
 * Joins the elector to a real etcd, 3.4 or newer: a transport whose only peer is the cluster. It turns each
 * message into one call of the `etcd3` client, and what comes back into messages. It decides nothing and repeats
 * nothing: that is the protocol's part.
 *
 * It talks to one endpoint until that one fails, and then to the next.
 *
 * @packageDocumentation
 */

import { randomUUID } from 'node:crypto';
import { InvalidOptionError, type NodeId } from '@hustings/elector';
import type { Transport, TransportHandlers } from '@hustings/transport';
import type { Etcd3 } from 'etcd3';
import { connect, newLeaseId } from './gateway-client.js';
import { classify, denialOf, readChanges, readTransaction, writeTransaction } from './gateway-codec.js';
import { diagnoseEndpoint, type TlsFiles } from './gateway-diagnosis.js';
import {
  type EtcdDiagnostic,
  type EtcdGatewayOptions,
  readGatewayOptions,
  readHosts,
} from './gateway-options.js';
import { keepAlive, WatchStream } from './gateway-streams.js';
import {
  type EtcdMessage,
  type EtcdReply,
  type EtcdRequest,
  type FailureReason,
  isDefiniteFailure,
  type Transaction,
} from './messages.js';

export type { EtcdTrouble } from './gateway-diagnosis.js';
export type { EtcdDenial, EtcdDiagnostic, EtcdGatewayOptions } from './gateway-options.js';
export { type SharedGateway, type SharedGatewayOptions, sharedGateway } from './gateway-shared.js';

/** A node that is stopped does not start again: create another gateway. */
export function etcdGateway(options: EtcdGatewayOptions): Transport<EtcdMessage> {
  return new Gateway(readGatewayOptions(options));
}

/** How long `stop` waits for calls in progress: the last of them gives the lease back. */
const farewellMs = 250;
/** How long what was said of an endpoint is not said again. */
const sayAgainMs = 5000;

class Gateway implements Transport<EtcdMessage> {
  readonly id: NodeId;
  /** Of this process, and of the coordinator too: the gateway that speaks for it lives in here. */
  readonly incarnation = randomUUID();
  readonly peers: readonly NodeId[] = [];
  readonly #coordinator: NodeId;
  readonly #clients: readonly Etcd3[];
  readonly #requestTimeoutMs: number;
  readonly #reconnectMs: number;
  readonly #hosts: readonly string[];
  readonly #tls: TlsFiles;
  readonly #onDiagnostic: ((diagnostic: EtcdDiagnostic) => void) | undefined;
  readonly #inProgress = new Set<Promise<void>>();
  /** Leases whose renewal has not been answered yet. */
  readonly #renewing = new Set<string>();
  #handlers: TransportHandlers<EtcdMessage> | null = null;
  #phase: 'new' | 'running' | 'stopped' = 'new';
  #current = 0;
  #failuresInARow = 0;
  #isUp = false;
  /** It has been said that etcd answers, and nothing else since. */
  #isWell = false;
  /** When each endpoint, or denial, was last looked into. */
  readonly #lookedInto = new Map<number | string, number>();
  #watchStream: WatchStream | null = null;
  #probeTimer: NodeJS.Timeout | undefined;
  #stopped: Promise<void> | null = null;

  constructor(options: EtcdGatewayOptions) {
    const hosts = readHosts(options.hosts);
    this.id = options.id;
    this.#coordinator = options.coordinator ?? 'etcd';
    this.#requestTimeoutMs = options.requestTimeoutMs ?? 1000;
    this.#reconnectMs = options.reconnectMs ?? 200;
    this.#hosts = hosts;
    this.#tls = tlsOf(options.credentials);
    this.#onDiagnostic = options.onDiagnostic;
    this.#clients = hosts.map((host) => connect(host, options, this.#requestTimeoutMs));
  }

  async start(handlers: TransportHandlers<EtcdMessage>): Promise<void> {
    if (this.#phase !== 'new') {
      throw new InvalidOptionError(`Transport ${this.id} starts only once; create another one.`);
    }
    this.#phase = 'running';
    this.#handlers = handlers;
    for (let tried = 0; tried < this.#clients.length && !this.#isUp; tried += 1) await this.#probe();
    if (!this.#isUp) this.#probeLater();
  }

  send(to: NodeId, message: EtcdMessage, incarnation = this.incarnation): void {
    if (this.#phase !== 'running' || to !== this.#coordinator || incarnation !== this.incarnation) return;
    const request = message as EtcdRequest;
    switch (request.type) {
      case 'watch':
        this.#watch().watch(request);
        break;
      case 'cancel-watch':
        this.#watchStream?.cancel(request.id);
        break;
      case 'keep-alive':
        this.#renew(request);
        break;
      default:
        this.#track(this.#call(request.id, (client) => this.#ask(client, request)));
    }
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#phase = 'stopped';
    this.#handlers = null;
    clearTimeout(this.#probeTimer);
    this.#watchStream?.close();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, farewellMs);
    });
    await Promise.race([Promise.all(this.#inProgress), timeout]);
    clearTimeout(timer);
    for (const client of this.#clients) client.close();
  }

  // ---- Calls ----------------------------------------------------------------------------------------

  async #ask(
    client: Etcd3,
    request: Exclude<EtcdRequest, { type: 'watch' | 'cancel-watch' | 'keep-alive' }>,
  ): Promise<EtcdReply> {
    const { id } = request;
    switch (request.type) {
      case 'grant': {
        const { ID, TTL } = await client.leaseClient.leaseGrant({
          TTL: request.ttlSeconds,
          ID: newLeaseId(),
        });
        return { type: 'granted', id, lease: ID, ttlSeconds: Number(TTL), sentMs: request.sentMs };
      }
      case 'revoke':
        await client.leaseClient.leaseRevoke({ ID: request.lease });
        return { type: 'revoked', id };
      case 'txn':
      case 'audit': {
        const response = await client.kv.txn(writeTransaction(request));
        const type = request.type === 'audit' ? 'audited' : 'txn-done';
        return { type, id, ...readTransaction(response) };
      }
    }
  }

  #renew({ id, lease, sentMs }: Extract<EtcdRequest, { type: 'keep-alive' }>): void {
    // The protocol has lost patience with this endpoint. Another one may be quicker.
    if (this.#renewing.has(lease)) this.#moveOn(this.#current);
    this.#renewing.add(lease);
    const renewal = this.#call(id, async (client) => {
      const ttlSeconds = await keepAlive(client, lease, this.#requestTimeoutMs);
      this.#renewing.delete(lease);
      return { type: 'kept-alive', id, lease, ttlSeconds, sentMs };
    });
    this.#track(renewal.finally(() => this.#renewing.delete(lease)));
  }

  async #call(id: number, attempt: (client: Etcd3) => Promise<EtcdReply>): Promise<void> {
    const endpoint = this.#current;
    try {
      const reply = await attempt(this.#clients[endpoint]!);
      this.#onAnswer();
      this.#onWell(endpoint);
      this.#deliver(reply);
    } catch (error) {
      const { reason, detail } = classify(error);
      if (isDefiniteFailure(reason)) this.#onAnswer();
      else this.#onFailure(endpoint);
      this.#onTrouble(endpoint, reason, detail);
      if (reason === 'unauthenticated') await this.#authenticate(endpoint);
      this.#deliver({ type: 'failed', id, reason, detail });
    }
  }

  #track(call: Promise<void>): void {
    this.#inProgress.add(call);
    void call.finally(() => this.#inProgress.delete(call));
  }

  #deliver(reply: EtcdReply): void {
    this.#handlers?.received(this.#coordinator, reply, this.incarnation);
  }

  // ---- Watches --------------------------------------------------------------------------------------

  #watch(): WatchStream {
    const endpoint = this.#current;
    this.#watchStream ??= new WatchStream(this.#clients[endpoint]!, {
      watching: (id) => this.#deliver({ type: 'watching', id }),
      changed: (id, events, number) =>
        this.#deliver({ type: 'changed', id, changes: readChanges(events), number }),
      cancelled: (id) => this.#deliver({ type: 'watch-cancelled', id }),
      lost: (id, reason) => this.#deliver({ type: 'watch-lost', id, reason }),
      ended: (error) => {
        this.#watchStream = null;
        const reason = error === null ? null : classify(error).reason;
        if (reason === 'unavailable' || reason === 'timeout') this.#onFailure(endpoint);
        // Only a call that is not a stream makes the client fetch a new token.
        if (reason === 'unauthenticated') this.#track(this.#authenticate(endpoint));
      },
    });
    return this.#watchStream;
  }

  // ---- Endpoints ------------------------------------------------------------------------------------

  #onAnswer(): void {
    this.#failuresInARow = 0;
    if (this.#isUp || this.#phase !== 'running') return;
    this.#isUp = true;
    clearTimeout(this.#probeTimer);
    this.#handlers?.linkUp(this.#coordinator, this.incarnation);
  }

  #onFailure(endpoint: number): void {
    this.#failuresInARow += 1;
    this.#moveOn(endpoint);
    if (!this.#isUp || this.#failuresInARow < this.#clients.length) return;
    this.#isUp = false;
    this.#handlers?.linkDown(this.#coordinator);
    this.#probeLater();
  }

  /** To the next endpoint, and the watches with it, unless another call has done so already. */
  #moveOn(from: number): void {
    if (this.#current !== from || this.#clients.length === 1) return;
    this.#current = (from + 1) % this.#clients.length;
    this.#watchStream?.drop();
  }

  #probeLater(): void {
    clearTimeout(this.#probeTimer);
    if (this.#phase !== 'running') return;
    this.#probeTimer = setTimeout(() => {
      void this.#probe().then(() => {
        if (!this.#isUp) this.#probeLater();
      });
    }, this.#reconnectMs);
  }

  async #probe(): Promise<void> {
    const endpoint = this.#current;
    try {
      await this.#read(endpoint);
      this.#onAnswer();
      this.#onWell(endpoint);
    } catch (error) {
      const { reason, detail } = classify(error);
      if (isDefiniteFailure(reason)) this.#onAnswer();
      else this.#moveOn(endpoint);
      this.#onTrouble(endpoint, reason, detail);
    }
  }

  async #authenticate(endpoint: number): Promise<void> {
    await this.#read(endpoint).catch(() => {});
  }

  // ---- What an operator hears -------------------------------------------------------------------------

  #onWell(endpoint: number): void {
    if (this.#isWell) return;
    this.#isWell = true;
    this.#lookedInto.clear();
    this.#diagnose({ type: 'connected', host: this.#hosts[endpoint]! });
  }

  #onTrouble(endpoint: number, reason: FailureReason, detail: string): void {
    if (this.#onDiagnostic === undefined) return;
    if (!isDefiniteFailure(reason)) void this.#lookInto(endpoint);
    else if (reason !== 'lease-not-found') this.#onDenial(endpoint, detail);
  }

  /** While another endpoint answers, nobody needs to hear of this one. */
  async #lookInto(endpoint: number): Promise<void> {
    if (this.#isUp || this.#wasSaid(endpoint)) return;
    const host = this.#hosts[endpoint]!;
    const diagnosis = await diagnoseEndpoint(host, this.#tls, this.#requestTimeoutMs);
    if (this.#isUp) return;
    this.#isWell = false;
    this.#diagnose({ type: 'unreachable', host, ...diagnosis });
  }

  #onDenial(endpoint: number, detail: string): void {
    const denial = denialOf(detail);
    if (denial === null || this.#wasSaid(denial)) return;
    this.#isWell = false;
    this.#diagnose({ type: 'denied', host: this.#hosts[endpoint]!, denial, detail });
  }

  #wasSaid(what: number | string): boolean {
    const nowMs = performance.now();
    if (nowMs - (this.#lookedInto.get(what) ?? Number.NEGATIVE_INFINITY) < sayAgainMs) return true;
    this.#lookedInto.set(what, nowMs);
    return false;
  }

  #diagnose(diagnostic: EtcdDiagnostic): void {
    if (this.#phase !== 'running') return;
    // A broken listener must not break the election, whether it throws or its promise is rejected.
    (async () => this.#onDiagnostic?.(diagnostic))().catch(() => {});
  }

  /** A read that needs a majority, so that an endpoint which has none is not mistaken for etcd. */
  async #read(endpoint: number): Promise<void> {
    const probe: Transaction = { compare: [], success: [{ type: 'get', key: 'hustings' }], failure: [] };
    try {
      await this.#clients[endpoint]!.kv.txn(writeTransaction(probe));
    } catch (error) {
      // Whoever may not read this key may read those of the election: etcd has answered.
      if (denialOf(classify(error).detail) !== 'no-permission') throw error;
    }
  }
}

function tlsOf(credentials: EtcdGatewayOptions['credentials']): TlsFiles {
  const { rootCertificate: ca, certChain: cert, privateKey: key } = credentials ?? {};
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}
