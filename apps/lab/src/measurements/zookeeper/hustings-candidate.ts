/** Campaigns, prints `leads` and `lost`, and resigns on SIGUSR2. Parameters: id, path, session timeout, hosts. */

import { createElector, memoryStorage } from '@hustings/runtime';
import { zookeeper } from '@hustings/zookeeper';
import { zookeeperGateway } from '@hustings/zookeeper/gateway';

const [id = '', path = '', sessionTimeoutMs = '', hosts = ''] = process.argv.slice(2);
const say = (line: string): unknown => process.stdout.write(`${line}\n`);
const elector = createElector({
  protocol: zookeeper({ path, sessionTimeoutMs: Number(sessionTimeoutMs) }),
  transport: zookeeperGateway({ id, hosts }),
  peers: [],
  storage: memoryStorage(),
});
await elector.start();
process.on('SIGUSR2', () => void elector.resign().then(() => say('resigned')));
const { signal } = await elector.campaign();
signal.addEventListener('abort', () => say('lost'));
say('leads');
