import type { Write } from './types.js';

export class Store {
  /** Whether the write was taken. A write that is refused changes nothing. */
  write({ token, holder, key, value }: Write): boolean {
    return false;
  }

  read(key: string): string | undefined {
    return undefined;
  }
}
