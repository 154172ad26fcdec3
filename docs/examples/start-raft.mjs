import { lead, raftElector } from 'hustings/raft';

const ports = { 'node-1': 7001, 'node-2': 7002, 'node-3': 7003 };
const [id] = process.argv.slice(2);
const peers = {};
for (const [name, port] of Object.entries(ports)) {
  if (name !== id) peers[name] = `ws://127.0.0.1:${port}`;
}

const elector = raftElector({
  id,
  listen: ports[id],
  peers,
  secret: process.env.SECRET,
  directory: `state/${id}`,
});
const leave = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => leave.abort());

await lead(elector, work, { signal: leave.signal });
await elector.stop();

async function work({ token, signal }) {
  console.log(`${id} leads with token ${token}`);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}
