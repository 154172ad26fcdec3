/** For stores that need several steps for a call: calls of one key come one after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<Answer>(key: string, call: () => Promise<Answer>): Promise<Answer> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(call);
    const done = turn.catch(() => {});
    this.#last.set(key, done);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === done) this.#last.delete(key);
    }
  }
}
