import { lead } from '@hustings/elector';
import { raft } from '@hustings/raft';
import { raftStorage } from '@hustings/raft/storage';
import { createElector } from '@hustings/runtime';
import { webSocketTransport } from '@hustings/transport/websocket';

const { id, listen, peers, secret, directory } = JSON.parse(process.env.NODE_CONFIG);
const protocol = raft();
const transport = webSocketTransport({ id, listen, peers, secret, decodeMessage: protocol.decodeMessage });
const storage = raftStorage({ directory, id });
const elector = createElector({ protocol, transport, peers: Object.keys(peers), storage });

await elector.start();
await lead(elector, async ({ token, signal }) => {
  console.log(`${id} leads with token ${token}`);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  console.log(`${id} leads no more`);
});
