import type { Session } from '@hustings/fence/clients';
import { bellOf, isLock } from './locks.js';
import { readPid, type SessionSettings } from './statements.js';

const tryAgainMs = 200;

/**
 * Waits for the end of somebody's lease, however it ends. A session that waits for a lock cannot do anything else, so it
 * has one for each name, for as long as somebody else has the lease.
 */
export class Vigil {
  readonly #settings: SessionSettings;
  readonly #listeners = new Map<string, Set<() => void>>();
  /** The process that waits in PostgreSQL, by name; null while it is not known yet. */
  readonly #waiting = new Map<string, number | null>();
  #isClosed = false;

  constructor(settings: SessionSettings) {
    this.#settings = settings;
  }

  listen(name: string, ended: () => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(ended));
    return () => {
      listeners.delete(ended);
      if (listeners.size === 0) void this.#stop(name);
    };
  }

  /** Called when somebody was seen to have the lease. */
  begin(name: string): void {
    const nobodyListens = (this.#listeners.get(name)?.size ?? 0) === 0;
    if (this.#isClosed || nobodyListens || this.#waiting.has(name)) return;
    this.#waiting.set(name, null);
    void this.#wait(name);
  }

  /** Resolves when nothing waits any more. One that has only just begun cannot be interrupted yet, so it is tried again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (let tries = 0; this.#waiting.size > 0 && tries < 50; tries += 1) {
      await Promise.all([...this.#waiting.keys()].map((name) => this.#stop(name)));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async #wait(name: string): Promise<void> {
    let session: Session | null = null;
    try {
      session = await this.#settings.open();
      const [row] = await session.query('SELECT pg_backend_pid() AS pid');
      this.#waiting.set(name, readPid(row));
      // PostgreSQL gives it back by itself at the end of the statement: a process that is paused now keeps nothing.
      if (!this.#isClosed)
        await session.query(`SELECT pg_advisory_xact_lock_shared(${bellOf('$1::text')})`, [name]);
      session.close();
    } catch {
      session?.close(true);
      await new Promise((resolve) => setTimeout(resolve, tryAgainMs).unref());
    }
    this.#waiting.delete(name);
    if (!this.#isClosed) for (const ended of this.#listeners.get(name) ?? []) ended();
  }

  /** Only if it waits: its connection may be doing something else by now. */
  async #stop(name: string): Promise<void> {
    const pid = this.#waiting.get(name);
    if (typeof pid !== 'number') return;
    const statement = `SELECT pg_cancel_backend(pid) FROM pg_locks
      WHERE pid = $1 AND NOT granted AND ${isLock(bellOf('$2::text'))}`;
    await this.#settings.database.query(statement, [pid, name]).catch(() => {});
  }
}
