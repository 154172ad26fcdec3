// Every partition of a stream has one owner, which counts what it has seen of it. All servers stand for all partitions;
// one that stops hands its own to the others at once.
//
//     REDIS_URL=redis://… node partition-owner.mjs node-1

import { redisFence } from '@hustings/fence/redis';
import { lead, redisElector } from 'hustings/redis';
import { Redis } from 'ioredis';

const [id] = process.argv.slice(2);
const partitions = [0, 1, 2, 3];
const redis = new Redis(process.env.REDIS_URL);
redis.on('error', (error) => console.error(`${id}: ${error.message}`));
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

await Promise.all(partitions.map(own));
redis.disconnect();

async function own(partition) {
  const election = `partition-${partition}`;
  const elector = redisElector({ id, election, client: redis, ttlMs: 2000 });
  const fence = redisFence({ client: redis, resource: election });
  await lead(
    elector,
    async (leadership) => {
      console.log(`${id} owns ${election}`);
      while (!leadership.signal.aborted) {
        // The count and its owner change together, and for the newest owner alone.
        await fence.write(leadership, ['INCR', `${election}:count`], ['SET', `${election}:owner`, id]);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    { signal: stop.signal },
  );
  await elector.stop();
}
