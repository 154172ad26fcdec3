/**
 * Loses its connection again and again while it asks without a pause, which used to abort the process. Says `done`
 * when it has found a connection as often as its second parameter says; the first is a member's address. With a
 * third, `children`, it starts a process before each loss, which inherits the client's sockets and keeps them.
 */

import { spawn } from 'node:child_process';
import { loopbackProxy } from '@hustings/servers';
import { zookeeperGateway } from '@hustings/zookeeper/gateway';

const [address, times, startsChildren] = process.argv.slice(2);
const sessionTimeoutMs = 4000;
const proxy = await loopbackProxy({ target: `tcp://${address}` });
let connections = 0;
let id = 1;

/** One of several nodes, so that a socket of one is given the number that another's had. */
async function lose(name) {
  let session = null;
  const gateway = zookeeperGateway({ id: name, hosts: `127.0.0.1:${proxy.port}` });
  const send = (message) => gateway.send('zookeeper', { ...message, id: id++, session });
  await gateway.start({
    received(_, message) {
      if (message.type === 'connected') connections += 1;
      if (message.type === 'connected') session = message.session;
      if (message.type === 'expired') session = null;
      const isLost = message.type === 'expired' || message.type === 'disconnected';
      if (isLost) send({ type: 'connect', sessionTimeoutMs });
    },
    linkUp() {},
    linkDown() {},
  });
  send({ type: 'connect', sessionTimeoutMs });
  while (connections < Number(times)) {
    if (session !== null) send({ type: 'prove', path: '/zookeeper' });
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await gateway.stop();
}

const children = [];
const breaking = setInterval(() => {
  if (startsChildren !== undefined) children.push(spawn('sleep', ['60'], { stdio: 'ignore' }));
  proxy.reset();
}, 100);
await Promise.all(['a', 'b', 'c', 'd'].map(lose));
clearInterval(breaking);
for (const child of children) child.kill();
await proxy.close();
console.log('done');
