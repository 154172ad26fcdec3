// A node that certifies deaths, until it is killed. Runs on what `npm run build` has made.
import cluster from 'node:cluster';
import { webSocketTransport } from '@hustings/transport/websocket';

const { id, port, peers, secret, inWorker, tls } = JSON.parse(process.argv[2]);

if (inWorker && cluster.isPrimary) {
  cluster.fork();
} else {
  try {
    const transport = webSocketTransport({
      id,
      listen: { host: '127.0.0.1', port },
      peers,
      secret,
      decodeMessage: (value) => value,
      deathCertificates: true,
      tls,
      onDiagnostic: () => {},
    });
    await transport.start({ received() {}, linkUp() {}, linkDown() {} });
    console.log(JSON.stringify({ port: transport.address().port, incarnation: transport.incarnation }));
  } catch (error) {
    console.log(JSON.stringify({ refused: error.message }));
    process.exit(1);
  }
}
