import { randomUUID } from 'node:crypto';
import { lease } from '@hustings/lease';
import { leaseGateway } from '@hustings/lease/gateway';
import { createElector, memoryStorage } from '@hustings/runtime';
import { type PostgresServer, startPostgres } from '@hustings/servers';
import { electorConformance } from '@hustings/testkit';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { postgresStore } from '../src/index.js';

let server: PostgresServer;
const pools: pg.Pool[] = [];
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await server.stop();
});

const storeIn = (mode: 'row' | 'session', client = new pg.Pool({ connectionString: server?.url })) => {
  client.on('error', () => {});
  pools.push(client);
  return postgresStore({ client, mode });
};

for (const mode of ['row', 'session'] as const) {
  const { traits } = storeIn(mode);
  const protocol = () => lease(traits, { name: randomUUID(), ttlMs: 1000 });
  electorConformance({
    name: `lease in a ${mode} of PostgreSQL`,
    guarantees: protocol().guarantees,
    open: () => {
      const election = protocol();
      return {
        create: (id) =>
          createElector({
            protocol: election,
            transport: leaseGateway({ id, store: storeIn(mode) }),
            peers: [],
            storage: memoryStorage(),
          }),
      };
    },
  });
}
