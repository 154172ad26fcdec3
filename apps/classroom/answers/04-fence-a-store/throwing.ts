// Plain objects, and an error for what is no token.
import type { Write } from '../../exercises/04-fence-a-store/types.js';

export class Store {
  private values: Record<string, string> = {};
  private token = -1n;
  private holder = '';

  write(write: Write): boolean {
    if (typeof write.token !== 'bigint') throw new TypeError('That is no token.');
    const isNewer = write.token > this.token;
    const isOwner = write.token === this.token && write.holder === this.holder;
    if (!isNewer && !isOwner) return false;
    this.token = write.token;
    this.holder = write.holder;
    this.values = { ...this.values, [write.key]: write.value };
    return true;
  }

  read(key: string): string | undefined {
    return this.values[key];
  }
}
