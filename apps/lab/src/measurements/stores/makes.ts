/** Candidates of several makes: ours, and what people use today. */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { consulStore } from '@hustings/consul';
import { dynamoStore } from '@hustings/dynamodb';
import type { Leadership } from '@hustings/elector';
import { kubernetesStore, readKubeconfig } from '@hustings/kubernetes';
import { type LeaseStore, lease } from '@hustings/lease';
import { leaseGateway } from '@hustings/lease/gateway';
import { localStore } from '@hustings/local';
import { postgresStore } from '@hustings/postgres';
import { redisStore, redlockStore } from '@hustings/redis';
import { createElector, memoryStorage } from '@hustings/runtime';
import { Redis } from 'ioredis';
import pg from 'pg';
import Redlock, { type Lock } from 'redlock';
import type { CandidateSettings, MakeName } from './settings.js';

interface Candidate {
  campaign(): Promise<Leadership>;
  resign(): Promise<void>;
}

type Start = (settings: CandidateSettings) => Promise<Candidate>;

export const supportedMakes: Record<MakeName, Start> = {
  'hustings row': (settings) => onStore(settings, postgresStore({ client: poolOf(settings) })),
  'hustings session': (settings) =>
    onStore(settings, postgresStore({ client: poolOf(settings), mode: 'session' })),
  'hustings redis': (settings) =>
    onStore(settings, redisStore({ client: redisOf(first(settings)), survives: 'disk' })),
  'hustings redlock': (settings) =>
    onStore(settings, redlockStore({ clients: settings.store.map(redisOf), survives: 'disk' })),
  'hustings kubernetes': (settings) =>
    onStore(settings, kubernetesStore({ server: readKubeconfig(first(settings)) })),
  'hustings dynamodb': (settings) =>
    onStore(settings, dynamoStore({ client: dynamoOf(first(settings)), table: leaseTable })),
  'hustings consul': (settings) => onStore(settings, consulStore({ hosts: settings.store, minTtlMs: 100 })),
  'hustings local': (settings) => onStore(settings, localStore({ directory: first(settings) })),
  pg_advisory_lock: advisoryLock,
  'SET NX PX loop': setLoop,
  'redlock package': redlockPackage,
};

async function onStore({ id, election, ttlMs }: CandidateSettings, store: LeaseStore): Promise<Candidate> {
  const elector = createElector({
    protocol: lease(store.traits, { name: election, ttlMs }),
    transport: leaseGateway({ id, store }),
    peers: [],
    storage: memoryStorage(),
  });
  await elector.start();
  return elector;
}

const first = ({ store: [address = ''] }: CandidateSettings): string => address;

function poolOf(settings: CandidateSettings): pg.Pool {
  const pool = new pg.Pool({ connectionString: first(settings) });
  pool.on('error', () => {});
  return pool;
}

export const leaseTable = 'leases';

/** Of the emulator, which takes anybody for its owner. */
export const dynamoOf = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({
    endpoint,
    region: 'local',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  });

function redisOf(address: string): Redis {
  const redis = new Redis(address);
  redis.on('error', () => {});
  return redis;
}

// ---- Peers ---------------------------------------------------------------------------------------------

/** As its own documentation has it: wait for the lock, and hold it until the session ends. */
async function advisoryLock(settings: CandidateSettings): Promise<Candidate> {
  const client = new pg.Client(first(settings));
  await client.connect();
  return {
    async campaign() {
      await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [settings.election]);
      return unfenced;
    },
    async resign() {
      await client.query('SELECT pg_advisory_unlock_all()');
    },
  };
}

const askAgainMs = 100;

/** As countless services have it: SET NX PX every 100 ms, renewed at a third, deleted if it is still ours. */
async function setLoop(settings: CandidateSettings): Promise<Candidate> {
  const redis = redisOf(first(settings));
  const { election, ttlMs, id } = settings;
  let renewal: NodeJS.Timeout | undefined;
  const ifMine = (command: string) =>
    `if redis.call('GET', KEYS[1]) == ARGV[1] then return ${command} end return 0`;
  return {
    async campaign() {
      while ((await redis.set(election, id, 'PX', ttlMs, 'NX')) === null) {
        await new Promise((resolve) => setTimeout(resolve, askAgainMs));
      }
      const renew = ifMine(`redis.call('PEXPIRE', KEYS[1], '${ttlMs}')`);
      renewal = setInterval(() => void redis.eval(renew, 1, election, id).catch(() => {}), ttlMs / 3);
      return unfenced;
    },
    async resign() {
      clearInterval(renewal);
      await redis.eval(ifMine(`redis.call('DEL', KEYS[1])`), 1, election, id);
    },
  };
}

/** With its own defaults, but for ever. */
async function redlockPackage(settings: CandidateSettings): Promise<Candidate> {
  const redlock = new Redlock(settings.store.map(redisOf), { retryCount: -1 });
  redlock.on('clientError', () => {});
  const { election, ttlMs } = settings;
  let renewal: NodeJS.Timeout | undefined;
  let lock: Lock;
  return {
    async campaign() {
      lock = await redlock.lock(election, ttlMs);
      renewal = setInterval(() => void lock.extend(ttlMs).catch(() => {}), ttlMs / 3);
      return unfenced;
    },
    async resign() {
      clearInterval(renewal);
      await lock.unlock();
    },
  };
}

/** They know of no token, and of no end. */
const unfenced: Leadership = {
  token: 0n,
  holder: '',
  signal: new AbortController().signal,
  remainingMs: Number.POSITIVE_INFINITY,
  assertValid: () => {},
  toJSON: () => ({ token: '0', holder: '' }),
};
