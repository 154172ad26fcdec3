/**
 * Measures many elections over one session in each of several processes, on one real etcd: what they cost while nothing
 * happens, and what happens when one process is killed. After `npm run build`:
 *
 *     node apps/lab/dist/measurements/sessions/live.js [elections] [processes] [seconds of a lease]
 *
 * Prints JSON.
 */

import { startEtcdCluster } from '@hustings/servers';
import { runSessions } from './trial.js';

const [, , elections = '1000', processes = '3', ttlSeconds = '5'] = process.argv;
const etcd = await startEtcdCluster();
try {
  const result = await runSessions(etcd, {
    elections: Number(elections),
    processes: Number(processes),
    ttlSeconds: Number(ttlSeconds),
    quietMs: 30_000,
  });
  console.log(JSON.stringify(result, null, 2));
} finally {
  await etcd.stop();
}
