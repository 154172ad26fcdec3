import type { Write } from '../../exercises/04-fence-a-store/types.js';

export class Store {
  readonly #values = new Map<string, string>();
  #highest: { token: bigint; holder: string } | null = null;

  write({ token, holder, key, value }: Write): boolean {
    if (typeof token !== 'bigint') return false;
    if (this.#highest !== null) {
      if (token < this.#highest.token) return false;
      if (token === this.#highest.token && holder !== this.#highest.holder) return false;
    }
    this.#highest = { token, holder };
    this.#values.set(key, value);
    return true;
  }

  read(key: string): string | undefined {
    return this.#values.get(key);
  }
}
