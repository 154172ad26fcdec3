/**
 * A region's aggregator. It leads by the region's own etcd, and gives out leases to the services of that region alone;
 * what crosses regions is elected on the central etcd, by those services themselves.
 *
 *     REGION=eu REGIONAL_ETCD=http://10.1.0.1:2379 SECRET=… node regional-aggregator.mjs
 */

import { aggregator } from '@hustings/lease/aggregator';
import { etcdElector, lead } from 'hustings/etcd';

const { REGION = 'eu', REGIONAL_ETCD = 'http://127.0.0.1:2379', SECRET = '', PORT = '7100' } = process.env;

const service = aggregator({ listen: { host: '0.0.0.0', port: Number(PORT) }, secret: SECRET });
const elector = etcdElector({
  id: `aggregator-${REGION}-${process.pid}`,
  election: `aggregators/${REGION}`,
  hosts: [REGIONAL_ETCD],
  // One and a half times as long as its clients' leases, or longer.
  timings: { ttlSeconds: 15 },
});

const leaving = new AbortController();
process.once('SIGTERM', () => leaving.abort());

await service.start();
await lead(elector, (leadership) => service.serve(leadership), { signal: leaving.signal });
await elector.stop();
await service.stop();
