/** One of the aggregators of a live trial. It says where it listens, whether it leads, and how often it was asked. */

import { subscribe } from 'node:diagnostics_channel';
import { aggregator } from '@hustings/lease/aggregator';
import { monotonicMs } from '@hustings/servers';
import { etcdElector, lead } from 'hustings/etcd';
import { aggregatorTtlSeconds } from '../plan.js';
import { type AggregatorOrder, cpuMs, say } from './lines.js';

const { id, election, hosts, secret } = JSON.parse(process.argv[2] ?? '{}') as AggregatorOrder;

let calls = 0;
subscribe('http.server.request.start', () => {
  calls += 1;
});

const service = aggregator({ listen: { host: '127.0.0.1', port: 0 }, secret });
await service.start();
const { host, port } = service.address;
let leads = false;
setInterval(
  () =>
    say({ type: 'state', url: `http://${host}:${port}`, leads, calls, cpuMs: cpuMs(), atMs: monotonicMs() }),
  100,
);
const timings = { ttlSeconds: aggregatorTtlSeconds };
await lead(etcdElector({ id, election, hosts: [...hosts], timings, logger: false }), async (leadership) => {
  leads = true;
  await service.serve(leadership);
  leads = false;
});
