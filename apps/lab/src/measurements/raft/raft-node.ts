/** One node of a cluster, with its state on disk. Prints `leads` each time it begins to. */

import { lead } from '@hustings/elector';
import { raft } from '@hustings/raft';
import { raftStorage } from '@hustings/raft/storage';
import { createElector } from '@hustings/runtime';
import { webSocketTransport } from '@hustings/transport/websocket';
import type { NodeConfig } from './cluster.js';

const { id, port, peers, directory, secret, settings }: NodeConfig = JSON.parse(process.argv[2] ?? '{}');
const protocol = raft(settings);
const elector = createElector({
  protocol,
  transport: webSocketTransport({
    id,
    listen: { host: '127.0.0.1', port },
    peers,
    secret,
    decodeMessage: protocol.decodeMessage,
    onDiagnostic: () => {},
  }),
  peers: Object.keys(peers),
  storage: raftStorage({ directory, id }),
});
await elector.start();
await lead(elector, async ({ signal }) => {
  process.stdout.write('leads\n');
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
});
