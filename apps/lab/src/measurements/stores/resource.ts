/** What leaders write to, fenced and unfenced side by side; and what it took from a leader whose time was over. */

import type { Credentials } from '@hustings/elector';
import { postgresFence } from '@hustings/fence/postgres';
import { redisFence } from '@hustings/fence/redis';
import { Redis } from 'ioredis';
import pg from 'pg';
import { isPostgres } from './settings.js';

export interface Resource {
  /** Creates what is written to. */
  prepare(): Promise<void>;
  /** First thing as leader. */
  begin(credentials: Credentials): Promise<void>;
  writeUnfenced(credentials: Credentials): Promise<void>;
  writeFenced(credentials: Credentials): Promise<void>;
  /** The tokens of all writes, in their order. */
  written(): Promise<{ readonly unfenced: readonly bigint[]; readonly fenced: readonly bigint[] }>;
  close(): Promise<void>;
}

export function openResource(address: string, name: string): Resource {
  return isPostgres(address) ? new Tables(address, name) : new Lists(address, name);
}

/** How many came after a write with a greater token. */
export function countStale(tokens: readonly bigint[]): number {
  let highest = -1n;
  let stale = 0;
  for (const token of tokens) {
    if (token < highest) stale += 1;
    else highest = token;
  }
  return stale;
}

class Tables implements Resource {
  readonly #pool: pg.Pool;
  readonly #name: string;
  readonly #fence;

  constructor(address: string, name: string) {
    this.#pool = new pg.Pool({ connectionString: address, max: 4 });
    this.#pool.on('error', () => {});
    this.#name = name;
    this.#fence = postgresFence({ client: this.#pool, resource: name });
  }

  async prepare(): Promise<void> {
    await this.#fence.install();
    for (const kind of ['unfenced', 'fenced']) {
      await this.#pool.query(`CREATE TABLE "${this.#name} ${kind}" (id bigserial, token numeric)`);
    }
    await this.#fence.protect(`"${this.#name} fenced"`);
  }

  begin(credentials: Credentials): Promise<void> {
    return this.#fence.beforeLead(credentials);
  }

  async writeUnfenced({ token }: Credentials): Promise<void> {
    await this.#pool.query(`INSERT INTO "${this.#name} unfenced" (token) VALUES ($1)`, [`${token}`]);
  }

  async writeFenced(credentials: Credentials): Promise<void> {
    await this.#fence.run(credentials, (connection) =>
      connection.query(`INSERT INTO "${this.#name} fenced" (token) VALUES ($1)`, [`${credentials.token}`]),
    );
  }

  async written() {
    const [unfenced, fenced] = await Promise.all(['unfenced', 'fenced'].map((kind) => this.#tokens(kind)));
    return { unfenced: unfenced ?? [], fenced: fenced ?? [] };
  }

  async #tokens(kind: string): Promise<bigint[]> {
    const { rows } = await this.#pool.query(`SELECT token FROM "${this.#name} ${kind}" ORDER BY id`);
    return rows.map(({ token }) => BigInt(token));
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

class Lists implements Resource {
  readonly #redis: Redis;
  readonly #name: string;
  readonly #fence;

  constructor(address: string, name: string) {
    this.#redis = new Redis(address);
    this.#redis.on('error', () => {});
    this.#name = name;
    this.#fence = redisFence({ client: this.#redis, resource: name });
  }

  async prepare(): Promise<void> {}

  async begin(credentials: Credentials): Promise<void> {
    await this.#fence.write(credentials);
  }

  async writeUnfenced({ token }: Credentials): Promise<void> {
    await this.#redis.rpush(`${this.#name} unfenced`, `${token}`);
  }

  async writeFenced(credentials: Credentials): Promise<void> {
    await this.#fence.write(credentials, ['RPUSH', `${this.#name} fenced`, `${credentials.token}`]);
  }

  async written() {
    const [unfenced, fenced] = await Promise.all(['unfenced', 'fenced'].map((kind) => this.#tokens(kind)));
    return { unfenced: unfenced ?? [], fenced: fenced ?? [] };
  }

  async #tokens(kind: string): Promise<bigint[]> {
    return (await this.#redis.lrange(`${this.#name} ${kind}`, 0, -1)).map(BigInt);
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
  }
}
