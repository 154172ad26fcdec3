import { type Listening, type Redis, type RedisClient, redisOf, within } from '@hustings/fence/clients';
import {
  type AcquireRequest,
  type ReleaseRequest,
  type RenewRequest,
  StoreRefusedError,
} from '@hustings/lease';
import * as scripts from './scripts.js';

/** What one Redis says of a lease. Times are what is left. */
export type Seen =
  | { readonly type: 'mine'; readonly token: bigint }
  | { readonly type: 'held'; readonly token: bigint; readonly holder: string; readonly leftMs: number }
  | { readonly type: 'free' };

/** A token to give, unless that would be too low, or further ahead of the clock of Redis. */
export interface Proposal {
  readonly token: bigint;
  readonly maxAheadMs: number;
}

/** One Redis, and the scripts that run there. */
export class Instance {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #requestTimeoutMs: number;

  constructor(client: RedisClient, prefix: string, requestTimeoutMs: number) {
    this.#redis = redisOf(client);
    this.#prefix = prefix;
    this.#requestTimeoutMs = requestTimeoutMs;
  }

  async acquire({ name, holder, ttlMs }: AcquireRequest, proposal?: Proposal): Promise<Seen> {
    const proposed = proposal === undefined ? [] : [`${proposal.token}`, `${proposal.maxAheadMs * 1000}`];
    return readSeen(await this.#run(scripts.acquire, name, [holder, inMs(ttlMs), ...proposed]));
  }

  /** Whether the lease was there. */
  async renew({ name, holder, token, ttlMs }: RenewRequest): Promise<boolean> {
    return (await this.#run(scripts.renew, name, [`${token} ${holder}`, inMs(ttlMs)])) === 1;
  }

  async release({ name, holder, token }: ReleaseRequest): Promise<void> {
    await this.#run(scripts.release, name, [`${token} ${holder}`, this.channel(name)]);
  }

  /** Frees what this holder has, under whatever token. */
  async forsake(name: string, holder: string): Promise<void> {
    await this.#run(scripts.forsake, name, [holder, this.channel(name)]);
  }

  /** Gives this holder's lease another token. Whether the lease was there, under no greater one. */
  async raise(name: string, holder: string, token: bigint): Promise<boolean> {
    return (await this.#run(scripts.raise, name, [holder, `${token}`])) === 1;
  }

  async read(name: string): Promise<Seen> {
    return readSeen(await this.#run(scripts.read, name, []));
  }

  listen(name: string, changed: () => void): Listening {
    return this.#redis.listen(this.channel(name), changed);
  }

  channel(name: string): string {
    return `${this.#prefix}:released:${name}`;
  }

  async #run(script: string, name: string, parameters: readonly string[]): Promise<unknown> {
    // The braces keep both keys in one slot of a cluster.
    const keys = [`${this.#prefix}:lease:{${name}}`, `${this.#prefix}:token:{${name}}`];
    try {
      return await within(this.#requestTimeoutMs, 'Redis', this.#redis.evaluate(script, keys, parameters));
    } catch (error) {
      throw asRefusal(error);
    }
  }
}

const inMs = (ttlMs: number): string => `${Math.ceil(ttlMs)}`;

function readSeen(reply: unknown): Seen {
  const [type, token = '0', holder = '', leftMs = 0] = reply as [string, string?, string?, number?];
  if (type === 'free') return { type };
  if (type === 'mine') return { type, token: BigInt(token) };
  return { type: 'held', token: BigInt(token), holder, leftMs: Math.max(Number(leftMs), 1) };
}

/** What Redis answers to a missing right, a wrong password, a key of another type, or as a replica. */
const refusals = /^(NOPERM|NOAUTH|WRONGPASS|WRONGTYPE|READONLY|ERR )|-(NOPERM|WRONGTYPE|READONLY)\b/;

function asRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || !refusals.test(error.message)) return error;
  return new StoreRefusedError(`${error.message.replace(/\.$/, '')}.`, { cause: error });
}
