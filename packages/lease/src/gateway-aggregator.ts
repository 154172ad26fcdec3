/**
 * A service that holds one lease in a coordinator on behalf of many clients, and gives them leases of its own, which end no
 * later than that one. To its clients it is a `LeaseStore`: `aggregatorStore`. A hundred thousand elections then cost
 * the coordinator one.
 *
 * It cannot keep its clients' leaders when it fails: whoever takes over begins with nothing, and every client asks again.
 *
 * ```ts
 * const service = aggregator({ listen: { host: '10.0.0.7', port: 7100 }, secret });
 * await service.start();
 * await lead(elector, (leadership) => service.serve(leadership), { signal });
 * await service.stop();
 * ```
 *
 * @packageDocumentation
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { InvalidOptionError, type Leadership, ListenFailedError } from '@hustings/elector';
import {
  group,
  numberAbove,
  type OptionTable,
  readOptions,
  record,
  required,
  text,
  wholeNumberFrom,
} from '@hustings/elector/options';
import { MalformedError } from '@hustings/elector/protocol';
import { type Call, decodeCall, encodeAnswer } from './gateway-wire.js';
import { Ledger, type Moment } from './ledger.js';

export { type AggregatorStoreOptions, aggregatorStore } from './gateway-aggregator-store.js';

export interface AggregatorOptions {
  readonly listen: { readonly host: string; readonly port: number };
  /** Shared with the clients, at least 16 bytes. It crosses the wire: use `tls` where others may listen. */
  readonly secret: string;
  readonly tls?: Pick<ServerOptions, 'key' | 'cert' | 'ca' | 'requestCert'>;
  /** The longest lease that it gives out. Default 60000. */
  readonly maxTtlMs?: number;
}

export interface Aggregator {
  /** Where it listens: known once it has started. */
  readonly address: { readonly host: string; readonly port: number };
  /**
   * Resolves when clients can reach it; rejects with `ListenFailedError` when it cannot listen there. Until `serve` is
   * called it tells clients to ask somebody else.
   */
  start(): Promise<void>;
  /**
   * Gives out leases while this Leadership lasts. When its signal aborts nothing more is given out, and it resolves when
   * all that was given out is over: only then may the Leadership be released. `lead` does it in this order.
   */
  serve(leadership: Leadership): Promise<void>;
  stop(): Promise<void>;
}

const rules: OptionTable = {
  listen: required(
    group({
      host: required(text, 'an address of this machine'),
      port: required(wholeNumberFrom(0, 65_535), 'a port'),
    }),
    'where clients reach it: { host, port }',
  ),
  secret: required(text, 'what clients must know: 32 random bytes, as text'),
  tls: record,
  maxTtlMs: numberAbove(0),
};

/** Throws `InvalidOptionError`. */
export function aggregator(given: AggregatorOptions): Aggregator {
  const options = readOptions<AggregatorOptions>('aggregator', given, rules);
  if (Buffer.byteLength(options.secret) < 16) {
    throw new InvalidOptionError(
      "aggregator: option 'secret' must have at least 16 bytes; use 32 random ones.",
    );
  }
  return new Service(options);
}

/** A reign: what is given out under one Leadership. */
interface Reign {
  readonly leadership: Leadership;
  readonly ledger: Ledger;
}

const longestBody = 4_000_000;

class Service implements Aggregator {
  readonly #options: AggregatorOptions;
  readonly #secret: Buffer;
  readonly #server: Server;
  readonly #listeners = new Set<ServerResponse>();
  #reign: Reign | null = null;

  constructor(options: AggregatorOptions) {
    this.#options = options;
    this.#secret = digest(options.secret);
    const handle = (request: IncomingMessage, response: ServerResponse) =>
      void this.#handle(request, response);
    this.#server = options.tls === undefined ? createServer(handle) : createSecureServer(options.tls, handle);
  }

  get address(): { readonly host: string; readonly port: number } {
    const { address, port } = this.#server.address() as AddressInfo;
    return { host: address, port };
  }

  async start(): Promise<void> {
    const { host, port } = this.#options.listen;
    this.#server.listen(port, host);
    await once(this.#server, 'listening').catch((cause: Error) => {
      const where = `${host}, port ${port} (option 'listen')`;
      throw new ListenFailedError(`Cannot listen on ${where}: ${cause.message}.`, { cause });
    });
    this.#server.on('error', () => {}); // Of a connection that could not be accepted: its client asks again.
  }

  async serve(leadership: Leadership): Promise<void> {
    const { signal, token } = leadership;
    const ledger = new Ledger(token);
    this.#reign = { leadership, ledger };
    await aborted(signal);
    this.#reign = null;
    // Not while a client may still lead by what it was given. It ends with this Leadership at the latest.
    const leftMs = Math.min(ledger.outstandingMs(performance.now()), leadership.remainingMs);
    if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.ceil(leftMs)));
  }

  async stop(): Promise<void> {
    this.#reign = null;
    for (const response of this.#listeners) response.end();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (!this.#isKnown(request)) return answer(response, 401, { error: 'The secret is wrong.' });
      if (request.url === '/watch') return this.#listen(response);
      if (request.method !== 'POST' || request.url !== '/leases') return answer(response, 404, {});
      const calls = await readCalls(request);
      // Asked in the turn in which it is answered, so that nothing can happen between.
      const reign = this.#present();
      if (reign === null) return answer(response, 503, { error: 'This aggregator does not lead.' });
      answer(response, 200, { answers: calls.map((call) => this.#answer(reign, call)) });
    } catch (error) {
      answer(response, error instanceof MalformedError ? 400 : 500, { error: (error as Error).message });
    }
  }

  #isKnown({ headers }: IncomingMessage): boolean {
    return timingSafeEqual(digest(headers.authorization?.replace(/^Bearer /, '') ?? ''), this.#secret);
  }

  #present(): (Reign & Moment) | null {
    const reign = this.#reign;
    if (reign === null || reign.leadership.signal.aborted) return null;
    const { remainingMs } = reign.leadership;
    return remainingMs <= 0 ? null : { ...reign, nowMs: performance.now(), remainingMs };
  }

  #answer({ ledger, ...moment }: Reign & Moment, call: Call): unknown {
    const { maxTtlMs = 60_000 } = this.#options;
    switch (call.type) {
      case 'acquire':
        return encodeAnswer(ledger.acquire({ ...call, ttlMs: Math.min(call.ttlMs, maxTtlMs) }, moment));
      case 'renew':
        return encodeAnswer(ledger.renew({ ...call, ttlMs: Math.min(call.ttlMs, maxTtlMs) }, moment));
      case 'read':
        return encodeAnswer(ledger.read(call.name, moment));
      case 'release':
        if (ledger.release(call)) this.#tell(call.name);
        return { type: 'released' };
    }
  }

  /** Every client hears of every release; whether it matters, it knows itself. */
  #listen(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.flushHeaders();
    this.#listeners.add(response);
    response.once('close', () => this.#listeners.delete(response));
  }

  #tell(name: string): void {
    for (const response of this.#listeners) response.write(`${JSON.stringify(name)}\n`);
  }
}

async function readCalls(request: IncomingMessage): Promise<Call[]> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += (chunk as Buffer).length;
    if (length > longestBody) throw new MalformedError('The request is too long.');
    chunks.push(chunk as Buffer);
  }
  const body: unknown = parse(Buffer.concat(chunks).toString());
  const calls = (body as { readonly calls?: unknown } | null)?.calls;
  if (!Array.isArray(calls)) throw new MalformedError("Field 'calls' must be a list.");
  return calls.map(decodeCall);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new MalformedError('The request is not JSON.');
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes);
}

/** So that secrets of any length are compared in the same time. */
const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
