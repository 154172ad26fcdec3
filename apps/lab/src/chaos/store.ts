import { type Credentials, FencedStore, StaleTokenError } from '@hustings/elector';

/** A write, and what hears whether the store accepted it. */
interface Write {
  readonly credentials: Credentials;
  readonly onArrival: (accepted: boolean) => void;
}

/** What leaders write to. A node's writes can be kept on their way, as a slow network does, and then arrive late. */
export class Store {
  readonly #fenced = new FencedStore<null>();
  readonly #waiting = new Map<string, Write[]>();

  write(node: string, credentials: Credentials, onArrival: (accepted: boolean) => void): void {
    const write: Write = { credentials, onArrival };
    const waiting = this.#waiting.get(node);
    if (waiting === undefined) this.#arrive(write);
    else waiting.push(write);
  }

  hold(node: string): void {
    if (!this.#waiting.has(node)) this.#waiting.set(node, []);
  }

  release(node: string): void {
    const waiting = this.#waiting.get(node) ?? [];
    this.#waiting.delete(node);
    for (const write of waiting) this.#arrive(write);
  }

  #arrive({ credentials, onArrival }: Write): void {
    onArrival(this.#accepts(credentials));
  }

  #accepts(credentials: Credentials): boolean {
    try {
      this.#fenced.write(credentials, 'key', null);
      return true;
    } catch (error) {
      if (error instanceof StaleTokenError) return false;
      throw error;
    }
  }
}
