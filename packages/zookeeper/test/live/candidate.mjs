import { createElector, memoryStorage } from '@hustings/runtime';
import { writeWhileLeading } from '@hustings/testkit/candidate';
import { zookeeper } from '@hustings/zookeeper';
import { zookeeperGateway } from '@hustings/zookeeper/gateway';

const [id, path, sessionTimeoutMs, hosts] = process.argv.slice(2);
await writeWhileLeading(
  createElector({
    protocol: zookeeper({ path, sessionTimeoutMs: Number(sessionTimeoutMs) }),
    transport: zookeeperGateway({ id, hosts }),
    peers: [],
    storage: memoryStorage(),
  }),
);
