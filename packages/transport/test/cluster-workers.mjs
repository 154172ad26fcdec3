// A primary of node:cluster with two workers, each a node on a free port. Runs on what `npm run build` has made.
import cluster from 'node:cluster';
import { webSocketTransport } from '@hustings/transport/websocket';

if (cluster.isPrimary) {
  cluster.fork();
  cluster.fork();
} else {
  const transport = webSocketTransport({
    id: `worker-${cluster.worker.id}`,
    listen: { host: '127.0.0.1', port: 0 },
    peers: {},
    secret: process.argv[2],
    decodeMessage: (value) => value,
  });
  await transport.start({ received() {}, linkUp() {}, linkDown() {} });
  console.log(transport.address().port);
}
