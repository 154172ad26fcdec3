/** What listens, from when it is opened: its connection may be long in coming, and must be closed all the same. */
export interface Listening {
  /** Resolves once it listens. */
  readonly ready: Promise<unknown>;
  end(): void;
}

/** All that listens, until all of it is closed. */
export class Subscriptions {
  readonly #ends = new Set<() => void>();
  #isClosed = false;

  /** Resolves, once it listens, with a function that ends it and may be called twice. */
  async add({ ready, end }: Listening): Promise<() => void> {
    const endOnce = () => {
      if (this.#ends.delete(endOnce)) end();
    };
    this.#ends.add(endOnce);
    if (this.#isClosed) endOnce();
    try {
      await ready;
    } catch (error) {
      endOnce();
      throw error;
    }
    return endOnce;
  }

  close(): void {
    this.#isClosed = true;
    for (const end of [...this.#ends]) end();
  }
}
