import { admit, type Credentials } from '@hustings/elector';
import type { HighestToken } from './file.js';

/**
 * Where only one process serves a resource. Work of one leader runs side by side; that of a newer one begins when all of
 * it has ended, and its token is on disk by then.
 */
export class Gate {
  readonly #highest: HighestToken;
  /** Who was admitted last; undefined before the storage was asked. */
  #newest: Credentials | null | undefined;
  /** Admissions, one after the other. */
  #previous: Promise<unknown> = Promise.resolve();
  #superseded = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(highest: HighestToken) {
    this.#highest = highest;
  }

  async run<Result>(
    credentials: Credentials,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const begun = this.#previous.then(async () => {
      await this.#admit(credentials);
      return { result: this.#begin(work) };
    });
    this.#previous = begun.catch(() => {});
    return (await begun).result;
  }

  #begin<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const result = work(this.#superseded.signal);
    const ended = result.catch(() => {});
    this.#running.add(ended);
    void ended.then(() => this.#running.delete(ended));
    return result;
  }

  async #admit(credentials: Credentials): Promise<void> {
    this.#newest ??= (await this.#highest.load()) ?? null;
    admit(credentials, this.#newest);
    if (this.#newest?.token === credentials.token) return;
    this.#superseded.abort();
    await Promise.all(this.#running);
    this.#superseded = new AbortController();
    const { token, holder } = credentials;
    await this.#highest.save({ token, holder });
    this.#newest = { token, holder };
  }
}
