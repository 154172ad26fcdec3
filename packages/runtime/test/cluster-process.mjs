/** A primary of node:cluster, whose one worker locks the file and says which process it is. */

import cluster from 'node:cluster';
import { lockFile } from '@hustings/runtime/directory';

if (cluster.isPrimary) {
  cluster.fork();
} else {
  await lockFile(process.argv[2]);
  process.stdout.write(`${process.pid}\n`);
  setInterval(() => {}, 1000);
}
