import type { FencingToken, Leadership } from './elector.js';
import { InvalidOptionError, StaleTokenError } from './errors.js';

/** What a write must show: a Leadership has both. */
export type Credentials = Pick<Leadership, 'token' | 'holder'>;

/**
 * A store that no stale leader can damage. It refuses a token lower than the highest it has seen, and a
 * second holder of an equal one. Any resource that can keep one number and compare it can do the same; this
 * one shows how, and serves the tests and the benchmark.
 */
export class FencedStore<Value> {
  readonly #values = new Map<string, Value>();
  #highest: Credentials | null = null;

  /** The greatest token that has written so far. */
  get highestToken(): FencingToken | null {
    return this.#highest?.token ?? null;
  }

  read(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /**
   * Throws `StaleTokenError`, and changes nothing, when the credentials are not the newest; `InvalidOptionError`
   * when they are no credentials at all.
   */
  write(credentials: Credentials, key: string, value: Value): void {
    admit(credentials, this.#highest);
    this.#highest = { token: credentials.token, holder: credentials.holder };
    this.#values.set(key, value);
  }
}

/**
 * The rule of every fence: a token lower than the highest that was seen is refused, and so is a second holder of an
 * equal one. Throws `StaleTokenError`, or `InvalidOptionError` when these are no credentials at all.
 */
export function admit(presented: Credentials, highest: Credentials | null): void {
  checkCredentials(presented);
  if (highest === null) return;
  const { token, holder } = presented;
  if (token < highest.token) {
    throw new StaleTokenError(
      `${holder} wrote with token ${token}, but token ${highest.token} of ${highest.holder} has been seen; it no longer leads.`,
    );
  }
  if (token === highest.token && holder !== highest.holder) {
    throw new StaleTokenError(
      `${holder} wrote with token ${token}, which ${highest.holder} holds; two leaders were elected with one token.`,
    );
  }
}

/**
 * Throws `InvalidOptionError` unless the token is a bigint that is not negative, and the holder a string. Tokens often
 * arrive over a wire, where types say nothing; one that does not compare, such as NaN, would pass every fence and then
 * open it to everybody.
 */
export function checkCredentials({ token, holder }: Credentials): void {
  if (typeof token !== 'bigint') {
    throw new InvalidOptionError(
      `The token of a write must be a bigint, not ${typeof token}: make it one with BigInt(...) where it is read.`,
    );
  }
  if (token < 0n) {
    throw new InvalidOptionError(
      `The token of a write must not be negative, like ${token}: no leader has one.`,
    );
  }
  if (typeof holder !== 'string') {
    throw new InvalidOptionError(
      `The holder of a write must be a string, not ${typeof holder}: carry leadership.holder.`,
    );
  }
}
