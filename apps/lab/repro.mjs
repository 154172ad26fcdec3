import { loopbackProxy, startRedis, supervise } from '@hustings/servers';
import { Candidate } from './dist/measurements/stores/candidates.js';
for (let i = 0; i < Number(process.argv[2]); i++) {
  const servers = await startRedis({ members: 3 });
  const proxy = await loopbackProxy({ target: servers.urls[0], framing: 'none' });
  await servers.cli(1, 'REPLICAOF', '127.0.0.1', String(proxy.port));
  for (;;) { if ((await servers.cli(1, 'INFO', 'replication')).includes('master_link_status:up')) break; await new Promise(r => setTimeout(r, 20)); }
  proxy.cut();
  const t = performance.now();
  const old = await Candidate.start({ make: 'hustings redis', id: 'old', election: 'e', ttlMs: 2000, store: [servers.urls[0]], resource: servers.urls[2] });
  const r = await Promise.race([old.until('holds').then(() => 'ok'), new Promise(r => setTimeout(r, 15000, 'HANG'))]);
  console.log(i, r, performance.now() - t | 0);
  if (r === 'HANG') { console.log(await servers.cli(0, 'KEYS', '*'), await servers.cli(0, 'INFO', 'clients'), await servers.cli(0, 'INFO','commandstats'), await servers.cli(2, 'KEYS', '*'), old.timesOf('waits'), old.timesOf('leads')); }
  await old.stop(); await proxy.close(); await servers.stop();
}
