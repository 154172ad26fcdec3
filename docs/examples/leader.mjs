import { bully } from '@hustings/bully';
import { lead } from '@hustings/elector';
import { createElector, fileStorage } from '@hustings/runtime';
import { webSocketTransport } from '@hustings/transport/websocket';

const { id, listen, peers, secret, directory } = JSON.parse(process.env.NODE_CONFIG);
const protocol = bully();
const transport = webSocketTransport({ id, listen, peers, secret, decodeMessage: protocol.decodeMessage });
const storage = fileStorage({ directory, id, decode: protocol.decodeDurable });
const elector = createElector({ protocol, transport, peers: Object.keys(peers), storage });

await elector.start();
await lead(elector, async ({ token, signal }) => {
  console.log(`${id} leads with token ${token}`);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  console.log(`${id} leads no more`);
});
