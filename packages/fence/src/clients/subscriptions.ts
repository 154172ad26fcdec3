/** What was opened to listen on, until all of it is closed; what is still being opened then is closed as soon as it is. */
export class Subscriptions {
  readonly #ends = new Set<() => void>();
  #isClosed = false;

  /** Resolves with a function that ends this one, and may be called twice. */
  async add(opening: Promise<() => void>): Promise<() => void> {
    const end = await opening;
    const endOnce = () => {
      if (this.#ends.delete(endOnce)) end();
    };
    this.#ends.add(endOnce);
    if (this.#isClosed) endOnce();
    return endOnce;
  }

  close(): void {
    this.#isClosed = true;
    for (const end of [...this.#ends]) end();
  }
}
