import { etcd } from '@hustings/etcd';
import { etcdGateway } from '@hustings/etcd/gateway';
import { createElector, memoryStorage } from '@hustings/runtime';
import { writeWhileLeading } from '@hustings/testkit/candidate';

const [id, name, ttlSeconds, ...hosts] = process.argv.slice(2);
await writeWhileLeading(
  createElector({
    protocol: etcd({ name, ttlSeconds: Number(ttlSeconds) }),
    transport: etcdGateway({ id, hosts }),
    peers: [],
    storage: memoryStorage(),
  }),
);
