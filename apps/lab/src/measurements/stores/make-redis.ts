/** Candidates on Redis: ours, and what people use today. */

import { redisStore, redlockStore } from '@hustings/redis';
import { Redis } from 'ioredis';
import Redlock, { type Lock } from 'redlock';
import { type Candidate, first, onStore, type Start, unfenced } from './make.js';
import type { CandidateSettings } from './settings.js';

export const redis: Start = (settings) =>
  onStore(settings, redisStore({ client: redisOf(first(settings)), survives: 'disk' }));

export const redlock: Start = (settings) =>
  onStore(settings, redlockStore({ clients: settings.store.map(redisOf), survives: 'disk' }));

function redisOf(address: string): Redis {
  const redis = new Redis(address);
  redis.on('error', () => {});
  return redis;
}

const askAgainMs = 100;

/** As countless services have it: SET NX PX every 100 ms, renewed at a third, deleted if it is still ours. */
export async function setLoop(settings: CandidateSettings): Promise<Candidate> {
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
export async function redlockPackage(settings: CandidateSettings): Promise<Candidate> {
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
