import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { configure, defaultBudgetMs, open, variantsOf } from '@hustings/catalogue';
import { consulStore } from '@hustings/consul';
import { dynamoStore } from '@hustings/dynamodb';
import { kubernetesStore } from '@hustings/kubernetes';
import type { LeaseState, LeaseStore, StoreTraits } from '@hustings/lease';
import type { SimulatedStoreState } from '@hustings/lease/simulated';
import { localStore } from '@hustings/local';
import { postgresStore } from '@hustings/postgres';
import { redisStore, redlockStore } from '@hustings/redis';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';

// None of these asks anything of its server before it is used.
const pool = new pg.Pool();
const redis = () => new Redis({ lazyConnect: true });
const directory = mkdtempSync(join(tmpdir(), 'hustings-traits-'));
const clients = Array.from({ length: 5 }, redis);
afterAll(() => rmSync(directory, { recursive: true }));

const real: Readonly<Record<string, LeaseStore>> = {
  default: postgresStore({ client: pool }),
  'postgres-session': postgresStore({ client: pool, mode: 'session' }),
  redis: redisStore({ client: clients[0]!, survives: 'disk' }),
  redlock: redlockStore({ clients, survives: 'disk' }),
  kubernetes: kubernetesStore({ server: { url: 'https://127.0.0.1:1' } }),
  dynamodb: dynamoStore({ client: new DynamoDBClient({ region: 'local' }), table: 'leases' }),
  consul: consulStore(),
  local: localStore({ directory }),
};

/** What an election on the simulated store is told of it, and how the store itself is set. */
function simulated(variant: string) {
  return open('lease')((algorithm) => {
    const { protocol, services } = configure(algorithm, variant, 'defaults', defaultBudgetMs);
    const { settings } = protocol.initialState('n1', [], 'n1.0') as LeaseState;
    const store = services[0]!.machine.initialState('store', []) as SimulatedStoreState;
    return { traits: settings.store, store: store.settings };
  });
}

/**
 * How short a lease may be, and to what it is rounded, is another matter: simulated ones are exact. So is what tokens are
 * made of: most simulated stores count, which is easier to read and forgives less.
 */
const comparable = ({ name, clock, expiryFactor, survives, releasedBy, guarantees }: StoreTraits) => ({
  ...{ name, clock, expiryFactor, survives, releasedBy: releasedBy ?? 'holder', guarantees },
});

describe('a simulated store', () => {
  it.each(Object.keys(real))('%s declares what the real one does', (variant) => {
    expect(comparable(simulated(variant).traits)).toEqual(comparable(real[variant]!.traits));
  });

  it.each(Object.keys(real))('%s gives hints if, and only if, the real one can be watched', (variant) => {
    expect(simulated(variant).store.hints).toBe(real[variant]!.watch !== undefined);
  });

  it('that breaks what the real one assumes is the only other store, and promises less', () => {
    const others = variantsOf('lease').filter((variant) => real[variant] === undefined);
    expect(others).toEqual(['redis-replica', 'certificates']);
    expect(simulated('certificates').traits).toEqual(simulated('default').traits);
    expect(simulated('redis-replica').traits.guarantees.atMostOneLeader).toBe(false);
  });
});
