/**
 * How long after the SIGKILL of its leader a cluster of five has another: ours beside etcd's own Raft with the
 * same settings, on the same machine, by turns. `node apps/lab/dist/measurements/raft/failover.js [trials]`
 */

import { writeFileSync } from 'node:fs';
import { type Cluster, startEtcd, startOurs } from './cluster.js';

const trials = Number(process.argv[2] ?? 15);
const heartbeatMs = 10;
const electionTimeoutMs = 50;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

const clusters: readonly Cluster[] = await Promise.all([
  startOurs({ heartbeatMs, electionTimeoutMs: [electionTimeoutMs, 2 * electionTimeoutMs] }),
  startEtcd(heartbeatMs, electionTimeoutMs),
]);
const failoversMs = new Map(clusters.map(({ name }) => [name, [] as number[]]));
try {
  for (let trial = 0; trial < trials; trial += 1) {
    for (const cluster of clusters) {
      const failoverMs = await cluster.killLeader();
      failoversMs.get(cluster.name)?.push(Math.round(failoverMs * 10) / 10);
      process.stderr.write(`${cluster.name}: ${failoverMs.toFixed(1)} ms\n`);
      await cluster.restart();
    }
  }
} finally {
  await Promise.all(clusters.map((cluster) => cluster.stop()));
}
const rows = [...failoversMs].map(([name, values]) => ({
  name,
  medianMs: median(values),
  failoversMs: values,
}));
const results = { trials, heartbeatMs, electionTimeoutMs: [electionTimeoutMs, 2 * electionTimeoutMs], rows };
writeFileSync(
  new URL('../../../../../docs/data/raft/failover.json', import.meta.url),
  `${JSON.stringify(results, null, 2)}\n`,
);
for (const { name, medianMs } of rows) process.stdout.write(`${name}: median ${medianMs} ms of ${trials}\n`);
