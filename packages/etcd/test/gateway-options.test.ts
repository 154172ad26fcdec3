import { InvalidOptionError } from '@hustings/elector';
import { describeGateway } from '@hustings/testkit';
import { describe, expect, it } from 'vitest';
import { etcdGateway } from '../src/gateway.js';

describe('a gateway', () => {
  it.each(['::1:2379', 'localhost:99999', 'http://'])('refuses %s, which is no address', (host) => {
    expect(() => etcdGateway({ id: 'node-1', hosts: ['http://localhost:2379', host] })).toThrow(
      InvalidOptionError,
    );
  });

  it.each(['localhost:2379', '10.0.0.1:2379', '[::1]:2379', 'https://etcd'])('takes %s', async (host) => {
    await etcdGateway({ id: 'node-1', hosts: host }).stop();
  });
});

describeGateway({
  name: 'etcd',
  async start(onDiagnostic) {
    const gateway = etcdGateway({
      id: 'node-1',
      hosts: ['http://127.0.0.1:1', 'http://127.0.0.1:2'],
      onDiagnostic,
    });
    await gateway.start({ received() {}, linkUp() {}, linkDown() {} });
    return gateway;
  },
});
