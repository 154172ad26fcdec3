import type { Storage } from '../src/index.js';
import type { Kept } from './scripted.js';

/** A disk that finishes a write when the test says so. */
export function slowDisk() {
  const writes: { readonly durable: Kept; readonly finish: () => void }[] = [];
  const storage: Storage<Kept> = {
    load: async () => undefined,
    save: (durable) => new Promise<void>((resolve) => writes.push({ durable, finish: resolve })),
  };
  return { storage, writes };
}
