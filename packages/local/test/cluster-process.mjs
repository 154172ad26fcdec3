/** A primary of node:cluster, whose one worker takes the lease of `directory` and `name` and says which process it is. */

import cluster from 'node:cluster';
import { localStore } from '@hustings/local';

const [directory, name] = process.argv.slice(2);
if (cluster.isPrimary) {
  cluster.fork();
} else {
  await localStore({ directory }).acquire({ name, holder: 'worker#1', ttlMs: 1000 });
  process.stdout.write(`${process.pid}\n`);
  setInterval(() => {}, 1000);
}
