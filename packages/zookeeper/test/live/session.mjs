import { createElector, memoryStorage } from '@hustings/runtime';
import { zookeeper } from '@hustings/zookeeper';
import { sharedGateway, zookeeperGateway } from '@hustings/zookeeper/gateway';

const [id, path, timeout, hosts, ...elections] = process.argv.slice(2);
const sessionTimeoutMs = Number(timeout);
const session = sharedGateway({
  transport: zookeeperGateway({ id, hosts }),
  path,
  settings: { sessionTimeoutMs },
});
for (const election of elections) {
  const elector = createElector({
    protocol: zookeeper({ path: `${path}/${election}`, sessionTimeoutMs }),
    transport: session.transport(election),
    storage: memoryStorage(),
  });
  void elector
    .start()
    .then(() => elector.campaign())
    .then(({ token }) => console.log(`${election} ${token}`));
}
