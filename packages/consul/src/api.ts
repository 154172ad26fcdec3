/** The few calls of Consul's HTTP API that a lease needs. */

import { StoreRefusedError } from '@hustings/lease';

/** A key, as Consul returns it. */
export interface Entry {
  readonly value: string;
  /** Of whoever has locked it; null if nobody has. */
  readonly session: string | null;
  /** The index of the last change to it, which no other change in the cluster shares. */
  readonly modifyIndex: bigint;
}

export interface ApiOptions {
  readonly hosts: readonly string[];
  readonly aclToken: string | undefined;
  readonly datacenter: string | undefined;
}

/** No answer after this time is none: whoever asks has to know that it may ask again. */
const answerWithinMs = 2000;

export class ConsulApi {
  readonly #options: ApiOptions;
  /** Which of the hosts is asked: the next one after each that did not answer, or is in trouble. */
  #turn = 0;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  /**
   * A session that ends by its TTL alone. Consul would otherwise end it when it takes this machine's agent for dead,
   * which may be before the lease is over.
   */
  async createSession(name: string, ttlMs: number, lockDelayMs: number): Promise<string> {
    const body = {
      Name: name,
      TTL: `${ttlMs}ms`,
      LockDelay: `${lockDelayMs}ms`,
      Behavior: 'release',
      NodeChecks: [],
    };
    const { ID } = await this.#json<{ ID: string }>('PUT', '/v1/session/create', {}, JSON.stringify(body));
    return ID;
  }

  /** False if there is no such session any more. */
  async renewSession(session: string): Promise<boolean> {
    const response = await this.#ask('PUT', `/v1/session/renew/${session}`, {});
    if (response.status !== 404) await expectSuccess(response);
    return response.ok;
  }

  async destroySession(session: string): Promise<void> {
    await expectSuccess(await this.#ask('PUT', `/v1/session/destroy/${session}`, {}));
  }

  /** False if somebody else has locked the key, or had until a moment ago. */
  lock(key: string, session: string, value: string): Promise<boolean> {
    return this.#json('PUT', keyPath(key), { acquire: session }, value);
  }

  /** Keeps the value. False if the session has not locked the key. */
  unlock(key: string, session: string, value: string): Promise<boolean> {
    return this.#json('PUT', keyPath(key), { release: session }, value);
  }

  /** As a majority of the servers knows it. */
  async get(key: string): Promise<Entry | null> {
    const response = await this.#ask('GET', keyPath(key), { consistent: '' });
    return entryOf(response);
  }

  /** Waits until the key has changed since `index`, or for as long as Consul likes. The index is to be asked with next. */
  async waitForChange(key: string, index: string, signal: AbortSignal): Promise<string> {
    const response = await this.#ask('GET', keyPath(key), { index, wait: '30s' }, undefined, signal);
    await entryOf(response);
    const next = Number(response.headers.get('X-Consul-Index'));
    // With 0 it would answer at once, again and again.
    if (!(next > 0)) throw new Error('Consul gives no index to wait with.');
    return `${next}`;
  }

  async #json<Answer>(method: string, path: string, query: Query, body?: string): Promise<Answer> {
    const response = await this.#ask(method, path, query, body);
    await expectSuccess(response);
    return response.json() as Promise<Answer>;
  }

  async #ask(
    method: string,
    path: string,
    query: Query,
    body?: string,
    signal?: AbortSignal,
  ): Promise<Response> {
    const { hosts, aclToken } = this.#options;
    const turn = this.#turn;
    const address = this.#addressOf(hosts[turn % hosts.length]!, path, query);
    try {
      const response = await fetch(address, {
        method,
        ...(body === undefined ? {} : { body }),
        ...(aclToken === undefined ? {} : { headers: { 'X-Consul-Token': aclToken } }),
        signal: signal ?? AbortSignal.timeout(answerWithinMs),
      });
      if (response.status >= 500) this.#moveOnFrom(turn);
      return response;
    } catch (error) {
      if (!signal?.aborted) this.#moveOnFrom(turn);
      throw error;
    }
  }

  /** Once, however many calls have failed there. */
  #moveOnFrom(turn: number): void {
    if (this.#turn === turn) this.#turn += 1;
  }

  #addressOf(host: string, path: string, query: Query): URL {
    const { datacenter } = this.#options;
    const address = new URL(path, host);
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    if (datacenter !== undefined) address.searchParams.set('dc', datacenter);
    return address;
  }
}

type Query = Readonly<Record<string, string>>;

/** Slashes are kept: they are folders in Consul's own interface. */
function keyPath(key: string): string {
  return `/v1/kv/${key.split('/').map(encodeURIComponent).join('/')}`;
}

async function entryOf(response: Response): Promise<Entry | null> {
  if (response.status === 404) return null;
  await expectSuccess(response);
  // Consul counts writes: a double holds that number exactly for centuries.
  const [{ Value, Session, ModifyIndex }] = (await response.json()) as [RawEntry];
  const value = Value === null ? '' : Buffer.from(Value, 'base64').toString('utf8');
  return { value, session: Session ?? null, modifyIndex: BigInt(ModifyIndex) };
}

interface RawEntry {
  readonly Value: string | null;
  readonly Session?: string;
  readonly ModifyIndex: number;
}

/**
 * 4xx will be the same next time, but for 'too many requests'; 5xx is Consul in trouble, such as without a leader, but
 * for one case.
 */
async function expectSuccess(response: Response): Promise<void> {
  if (response.ok) return;
  const said = (await response.text()).trim();
  const sentence = `Consul answers ${response.status}: ${said}`;
  if (response.status === 403) throw new StoreRefusedError(`${sentence}. ${neededRights}`);
  if (said.startsWith('Invalid Session TTL')) throw new StoreRefusedError(`${sentence}. ${shortestTtl}`);
  if (response.status < 500 && response.status !== 429) throw new StoreRefusedError(sentence);
  throw new Error(sentence);
}

const neededRights = 'The token needs key_prefix write and session_prefix write.';
const shortestTtl = 'Use a longer TTL, or lower session_ttl_min on the servers.';
