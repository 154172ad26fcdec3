import { etcdElector, lead } from 'hustings/etcd';

const [id] = process.argv.slice(2);
const elector = etcdElector({ id, election: 'five-minutes', hosts: [process.env.ETCD_URL] });
const leave = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => leave.abort());

await lead(elector, work, { signal: leave.signal });
await elector.stop();

async function work({ token, signal }) {
  console.log(`${id} leads with token ${token}`);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}
