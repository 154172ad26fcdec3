/** What a client has of an aggregator: a store of leases. */

import { Agent, type IncomingMessage, request as requestPlainly } from 'node:http';
import { request as requestSecurely, Agent as SecureAgent } from 'node:https';
import {
  listOf,
  must,
  numberAbove,
  type OptionTable,
  readOptions,
  record,
  required,
  text,
} from '@hustings/elector/options';
import { type Answer, type Call, decodeAnswer, encodeCall } from './gateway-wire.js';
import {
  type Acquired,
  type AcquireRequest,
  type Free,
  type Held,
  type LeaseStore,
  type Lost,
  type ReleaseRequest,
  type Renewed,
  type RenewRequest,
  StoreRefusedError,
  type StoreTraits,
} from './store.js';

export interface AggregatorStoreOptions {
  /** Of every aggregator that may lead, such as `http://10.0.0.7:7100`. */
  readonly urls: readonly string[];
  readonly secret: string;
  readonly tls?: {
    readonly ca?: string | Uint8Array;
    readonly cert?: string | Uint8Array;
    readonly key?: string | Uint8Array;
  };
  /** How long an answer may take. Default 1000. */
  readonly requestTimeoutMs?: number;
}

const address = must(
  'an address such as http://10.0.0.7:7100',
  (value) => typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value),
);

const rules: OptionTable = {
  urls: required(listOf(address), 'the addresses of the aggregators, such as http://10.0.0.7:7100'),
  secret: required(text, 'what the aggregators know as well'),
  tls: record,
  requestTimeoutMs: numberAbove(0),
};

/** Throws `InvalidOptionError`. */
export function aggregatorStore(given: AggregatorStoreOptions): LeaseStore {
  return new AggregatorStore(readOptions<AggregatorStoreOptions>('aggregatorStore', given, rules));
}

const traits: StoreTraits = {
  name: 'aggregator',
  clock: 'store',
  expiryFactor: 1,
  minTtlMs: 1,
  granularityMs: 1,
  survives: 'nothing',
  releasedBy: 'anybody',
  guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  assumptions: [
    'Of the aggregators at most one leads at a time, and a Leadership of theirs ends by its deadline or by their own will.',
    "No clock, the aggregator's included, is off by more than driftBound.",
  ],
};

/** Calls that go in one request. */
interface Batch {
  readonly calls: Call[];
  readonly answers: Promise<readonly Answer[]>;
}

class AggregatorStore implements LeaseStore {
  readonly traits = traits;
  readonly #options: AggregatorStoreOptions;
  readonly #agents = { http: new Agent({ keepAlive: true }), https: new SecureAgent({ keepAlive: true }) };
  readonly #watchers = new Map<string, Set<() => void>>();
  #turn = 0;
  #batch: Batch | null = null;
  #closeStream: (() => void) | null = null;
  #isClosed = false;

  constructor(options: AggregatorStoreOptions) {
    this.#options = options;
  }

  acquire({ name, holder, ttlMs }: AcquireRequest): Promise<Acquired | Held> {
    return this.#ask({ type: 'acquire', name, holder, ttlMs }) as Promise<Acquired | Held>;
  }

  renew(request: RenewRequest): Promise<Renewed | Lost> {
    return this.#ask({ type: 'renew', ...request }) as Promise<Renewed | Lost>;
  }

  renewAll(requests: readonly RenewRequest[]): Promise<readonly (Renewed | Lost)[]> {
    return this.#askAll(requests.map((request) => ({ type: 'renew', ...request }))) as Promise<
      readonly (Renewed | Lost)[]
    >;
  }

  async release(request: ReleaseRequest): Promise<void> {
    await this.#ask({ type: 'release', ...request });
  }

  read(name: string): Promise<Held | Free> {
    return this.#ask({ type: 'read', name }) as Promise<Held | Free>;
  }

  readAll(names: readonly string[]): Promise<readonly (Held | Free)[]> {
    return this.#askAll(names.map((name) => ({ type: 'read', name }))) as Promise<readonly (Held | Free)[]>;
  }

  async watch(name: string, changed: () => void): Promise<() => void> {
    const watchers = this.#watchers.get(name) ?? new Set();
    this.#watchers.set(name, watchers.add(changed));
    if (this.#closeStream === null) await this.#listen();
    return () => {
      watchers.delete(changed);
      if (watchers.size === 0) this.#watchers.delete(name);
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closeStream?.();
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /**
   * What is asked in one turn of the event loop travels together. A process asks for all of its leases when it starts,
   * and when another process dies: alone, each would want a connection of its own, and the busier the machine, the more.
   */
  async #ask(call: Call): Promise<Answer> {
    this.#batch ??= this.#askSoon();
    const { calls, answers } = this.#batch;
    const place = calls.push(call) - 1;
    return (await answers)[place]!;
  }

  #askSoon(): Batch {
    const calls: Call[] = [];
    const answers = new Promise((resolve) => setImmediate(resolve)).then(() => {
      this.#batch = null;
      return this.#askAll(calls);
    });
    return { calls, answers };
  }

  /** At whichever leads: the next one after each that does not, or does not answer. */
  async #askAll(calls: readonly Call[]): Promise<readonly Answer[]> {
    const { urls } = this.#options;
    let problem: unknown;
    for (let tried = 0; tried < urls.length; tried += 1) {
      const turn = this.#turn;
      try {
        return await this.#post(urls[turn % urls.length]!, calls);
      } catch (error) {
        if (error instanceof StoreRefusedError) throw error;
        problem = error;
        if (this.#turn === turn) this.#moveOn();
      }
    }
    throw problem;
  }

  #moveOn(): void {
    this.#turn += 1;
    this.#closeStream?.();
  }

  async #post(url: string, calls: readonly Call[]): Promise<readonly Answer[]> {
    const response = await this.#send(url, '/leases', JSON.stringify({ calls: calls.map(encodeCall) }));
    const body = parse(await textOf(response)) as { answers?: unknown; error?: unknown } | null | undefined;
    // A proxy answers for whoever it does not reach; and an address may be that of something else.
    if (typeof body !== 'object' || body === null)
      throw new Error(`What answers at ${url}, with ${response.statusCode}, is no aggregator; check 'urls'.`);
    if (response.statusCode === 401 || response.statusCode === 400) {
      throw new StoreRefusedError(`The aggregator at ${url} refuses: ${body.error}`);
    }
    if (response.statusCode !== 200)
      throw new Error(`The aggregator at ${url} does not serve: ${body.error}`);
    const answers = Array.isArray(body.answers) ? body.answers.map(decodeAnswer) : [];
    if (answers.length !== calls.length)
      throw new Error(`The aggregator at ${url} left something unanswered.`);
    return answers;
  }

  #send(url: string, path: string, body?: string): Promise<IncomingMessage> {
    const { secret, tls = {}, requestTimeoutMs = 1000 } = this.#options;
    const isSecure = url.startsWith('https:');
    const send = isSecure ? requestSecurely : requestPlainly;
    return new Promise((resolve, reject) => {
      const request = send(new URL(path, url), {
        ...(tls as object),
        method: body === undefined ? 'GET' : 'POST',
        agent: isSecure ? this.#agents.https : this.#agents.http,
        headers: { authorization: `Bearer ${secret}` },
        timeout: requestTimeoutMs,
      });
      // Not for a stream of hints, which is silent most of the time.
      const onTimeout = () => request.destroy(new Error(`No answer in ${requestTimeoutMs} ms.`));
      request.on('timeout', onTimeout);
      request.on('error', reject);
      request.on('response', (response) => {
        if (body === undefined) request.off('timeout', onTimeout);
        resolve(response);
      });
      request.end(body);
    });
  }

  // ---- Hints ----------------------------------------------------------------------------------------

  /** Goes on by itself after an interruption, and has everybody look once. */
  async #listen(): Promise<void> {
    const { urls } = this.#options;
    this.#closeStream = () => {};
    const response = await this.#send(urls[this.#turn % urls.length]!, '/watch').catch(() => null);
    if (response?.statusCode !== 200 || this.#isClosed) {
      response?.destroy();
      return this.#listenLater();
    }
    this.#closeStream = () => response.destroy();
    let unread = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      const lines = `${unread}${chunk}`.split('\n');
      unread = lines.pop() ?? '';
      for (const line of lines) {
        const name = parse(line);
        if (typeof name === 'string') this.#hint(name);
        // It is no aggregator, which is said where it is asked for leases.
        else response.destroy();
      }
    });
    response.on('error', () => {});
    response.once('close', () => this.#listenLater());
  }

  #listenLater(): void {
    this.#closeStream = null;
    if (this.#isClosed || this.#watchers.size === 0) return;
    this.#closeStream = () => {};
    setTimeout(() => {
      this.#closeStream = null;
      if (this.#isClosed) return;
      void this.#listen().then(() => {
        for (const name of this.#watchers.keys()) this.#hint(name);
      });
    }, 100).unref();
  }

  #hint(name: string): void {
    for (const changed of this.#watchers.get(name) ?? []) changed();
  }
}

/** Undefined for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) text += chunk;
  return text;
}
