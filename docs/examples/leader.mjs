import { lead, raftElector } from 'hustings/raft';

const { id, listen, peers, secret, directory } = JSON.parse(process.env.NODE_CONFIG);
const elector = raftElector({ id, listen, peers, secret, directory });
const leave = new AbortController();
process.once('SIGTERM', () => leave.abort());

await lead(elector, work, { signal: leave.signal });
await elector.stop();

async function work({ token, signal }) {
  console.log(`${id} leads with token ${token}`);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  console.log(`${id} leads no more`);
}
