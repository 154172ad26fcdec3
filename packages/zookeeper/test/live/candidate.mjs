/**
 * A candidate in a process of its own, so that it can be stopped and killed. It says `leads <token>`, and then
 * tries to write every few milliseconds: `write <token>`, or `refused` when its Leadership says no.
 */

import { createElector, memoryStorage } from '@hustings/runtime';
import { zookeeper } from '@hustings/zookeeper';
import { zookeeperGateway } from '@hustings/zookeeper/gateway';

const [id, path, sessionTimeoutMs, hosts] = process.argv.slice(2);
const elector = createElector({
  protocol: zookeeper({ path, sessionTimeoutMs: Number(sessionTimeoutMs) }),
  transport: zookeeperGateway({ id, hosts }),
  peers: [],
  storage: memoryStorage(),
});
await elector.start();
const leadership = await elector.campaign();
console.log(`leads ${leadership.token}`);
const writing = setInterval(() => {
  try {
    leadership.assertValid();
    console.log(`write ${leadership.token}`);
  } catch {
    console.log('refused');
    clearInterval(writing);
  }
}, 5);
