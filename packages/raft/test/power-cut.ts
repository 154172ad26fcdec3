import type { Disk } from '../src/storage.js';

export class PowerCut extends Error {
  constructor() {
    super('The power went off.');
  }
}

/**
 * A disk in memory whose power goes off once so many bytes have been written: an append leaves what was
 * written of it, a replacement the old file or the new. Whoever waits for it then waits in vain.
 */
export class MemoryDisk implements Disk {
  readonly files = new Map<string, Uint8Array>();
  bytesUntilCut = Number.POSITIVE_INFINITY;
  bytesWritten = 0;

  async lock(): Promise<void> {}

  async read(path: string): Promise<Uint8Array | undefined> {
    return this.files.get(path);
  }

  async append(path: string, bytes: Uint8Array): Promise<void> {
    const written = bytes.subarray(0, Math.min(bytes.length, this.bytesUntilCut));
    this.files.set(path, new Uint8Array(Buffer.concat([this.files.get(path) ?? new Uint8Array(), written])));
    this.#spend(bytes.length);
  }

  async truncate(path: string, length: number): Promise<void> {
    this.files.set(path, this.files.get(path)!.slice(0, length));
  }

  async replace(path: string, bytes: Uint8Array): Promise<void> {
    this.#spend(bytes.length);
    this.files.set(path, bytes.slice());
  }

  async close(): Promise<void> {}

  /** The power is back, and what reached the disk is there. */
  restore(): void {
    this.bytesUntilCut = Number.POSITIVE_INFINITY;
  }

  #spend(bytes: number): void {
    this.bytesUntilCut -= bytes;
    // Also when exactly everything was written: the disk has it, but nobody was told.
    if (this.bytesUntilCut <= 0) throw new PowerCut();
    this.bytesWritten += bytes;
  }
}
