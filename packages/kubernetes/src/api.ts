/** The few calls of the Kubernetes API that a lease needs. The official client is eighty megabytes. */

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { StoreRefusedError } from '@hustings/lease';
import type { ApiServer } from './api-server.js';

/** A Lease of `coordination.k8s.io/v1`. */
export interface LeaseObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: LeaseSpec;
}

export interface LeaseSpec {
  readonly holderIdentity?: string | null;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** No answer after this time is none: whoever asks has to know that it may ask again. */
const answerWithinMs = 2000;

/** After this time the server is asked to end a watch: one that does not has died without a word. */
const defaultWatchMs = 60_000;

export class LeaseApi {
  readonly #server: ApiServer;
  readonly #watchMs: number;
  readonly #path: string;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(server: ApiServer, namespace: string, watchMs = defaultWatchMs) {
    this.#server = server;
    this.#watchMs = watchMs;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
    const { ca, cert, key } = server;
    this.#agent = server.url.startsWith('https:')
      ? new HttpsAgent({ keepAlive: true, ...defined({ ca, cert, key }) })
      : new HttpAgent({ keepAlive: true });
  }

  /** Null if there is none. */
  async get(name: string): Promise<LeaseObject | null> {
    const response = await this.#ask('GET', this.#pathOf(name));
    if (response.statusCode === 404) return discard(response, null);
    return bodyOf(response);
  }

  /** Null if there is one already. */
  async create(lease: LeaseObject): Promise<LeaseObject | null> {
    const response = await this.#ask('POST', this.#path, lease);
    if (response.statusCode === 409) return discard(response, null);
    return bodyOf(response);
  }

  /** Null if it has changed since the version that it names, or is gone. */
  async replace(lease: LeaseObject): Promise<LeaseObject | null> {
    const response = await this.#ask('PUT', this.#pathOf(lease.metadata.name), lease);
    if (response.statusCode === 409 || response.statusCode === 404) return discard(response, null);
    return bodyOf(response);
  }

  /** Every change since a version, until the server or the signal ends it. */
  async *changes(
    name: string,
    resourceVersion: string,
    signal: AbortSignal,
  ): AsyncGenerator<LeaseObject | null> {
    const query = new URLSearchParams({
      ...{ watch: '1', fieldSelector: `metadata.name=${name}`, resourceVersion },
      timeoutSeconds: `${Math.ceil(this.#watchMs / 1000)}`,
    });
    const response = await this.#ask('GET', `${this.#path}?${query}`, undefined, signal);
    if (response.statusCode !== 200) await bodyOf(response);
    let rest = '';
    for await (const chunk of response.setEncoding('utf8')) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const { type, object } = JSON.parse(line);
        // The version is too old to go on from: whoever watches begins anew.
        if (type === 'ERROR') return;
        yield type === 'DELETED' ? null : object;
      }
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #pathOf(name: string): string {
    return `${this.#path}/${encodeURIComponent(name)}`;
  }

  #ask(
    method: string,
    path: string,
    body?: object,
    signal = AbortSignal.timeout(answerWithinMs),
  ): Promise<IncomingMessage> {
    const { url, token } = this.#server;
    const ask = url.startsWith('https:') ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      // Behind a gateway for several clusters, the address has a path of its own.
      const request = ask(`${url.replace(/\/+$/, '')}${path}`, {
        method,
        agent: this.#agent,
        headers: {
          accept: 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token()}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        signal,
      });
      request.setTimeout(this.#watchMs + answerWithinMs, () =>
        request.destroy(new Error('The API server has fallen silent.')),
      );
      request.on('response', resolve);
      request.on('error', reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

function discard<Answer>(response: IncomingMessage, answer: Answer): Answer {
  response.resume();
  return answer;
}

/** 4xx will be the same next time, but for 'too many requests'; 5xx is the server in trouble. */
async function bodyOf(response: IncomingMessage): Promise<LeaseObject> {
  const said = await text(response);
  const status = response.statusCode ?? 0;
  if (status < 300) return JSON.parse(said);
  const sentence = `Kubernetes answers ${status}: ${messageIn(said)}`;
  if (status === 401) throw new StoreRefusedError(`${sentence}. It does not know this token or certificate.`);
  if (status === 403) throw new StoreRefusedError(`${sentence}. ${neededRights}`);
  if (status < 500 && status !== 429) throw new StoreRefusedError(sentence);
  throw new Error(sentence);
}

const neededRights =
  'The account needs get, create, update and watch on leases of coordination.k8s.io in that namespace.';

function messageIn(said: string): string {
  try {
    return JSON.parse(said).message ?? said;
  } catch {
    return said.trim();
  }
}

function defined<Value>(values: Record<string, Value | undefined>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<
    string,
    Value
  >;
}
