import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createWebServer, type Server } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type EtcdCluster,
  loopbackProxy,
  startEtcdCluster,
  startZooKeeperEnsemble,
  type ZooKeeperEnsemble,
} from '@hustings/servers';
import { consulElector } from 'hustings/consul';
import {
  type Diagnostic,
  type EtcdElectorOptions,
  etcdElector,
  type HustingsElector,
  lead,
} from 'hustings/etcd';
import { type ZooKeeperElectorOptions, zookeeperElector } from 'hustings/zookeeper';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

const connectTimeoutMs = 1500;
const electors: HustingsElector[] = [];
const heard: Diagnostic[] = [];
const lines: string[] = [];
const log = (line: string) => void lines.push(line);
const logger = { info: log, warn: log, error: log };
const common = {
  id: 'node-1',
  election: 'billing',
  connectTimeoutMs,
  logger,
  onDiagnostic: (diagnostic: Diagnostic) => void heard.push(diagnostic),
};
const eventually = (what: () => void) => vi.waitFor(what, { timeout: 20_000, interval: 20 });

afterEach(async () => {
  await Promise.all(electors.splice(0).map((elector) => elector.stop()));
  heard.length = 0;
  lines.length = 0;
});

function kept<Kept extends HustingsElector<never>>(elector: Kept): Kept {
  electors.push(elector as unknown as HustingsElector);
  return elector;
}

const onEtcd = (options: Partial<EtcdElectorOptions>) =>
  kept(etcdElector({ ...common, hosts: ['http://127.0.0.1:1'], ...options }));
const onZooKeeper = (options: Partial<ZooKeeperElectorOptions>) =>
  kept(zookeeperElector({ ...common, hosts: ['127.0.0.1:1'], ...options }));

/** It starts, says what is the matter and that it has waited, and goes on trying. */
async function expectToHear(elector: HustingsElector<never>, sentence: RegExp): Promise<void> {
  const startedMs = performance.now();
  await elector.start();
  expect(performance.now() - startedMs).toBeLessThan(connectTimeoutMs + 5000);
  await eventually(() => expect(lines.join('\n')).toMatch(sentence));
  expect(lines.join('\n')).toMatch(
    /has not answered within 1500 ms \(connectTimeoutMs\); .* goes on trying\./,
  );
  expect(elector.belief().leaderId).toBeNull();
}

/** It says so at once, and does not call that no answer. */
async function expectToBeDenied(elector: HustingsElector<never>, sentence: RegExp): Promise<void> {
  await elector.start();
  expect(lines.join('\n')).toMatch(sentence);
  expect(lines.join('\n')).not.toContain('has not answered');
}

async function listening(server: Server | ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('etcd', () => {
  let cluster: EtcdCluster;
  let host: string;
  const web = createWebServer((_request, response) => response.end('hello'));
  const mute = createServer(() => {});
  let webPort: number;
  let mutePort: number;
  beforeAll(async () => {
    cluster = await startEtcdCluster({ flags: ['--bcrypt-cost=4'] });
    host = cluster.endpoints[0]!;
    webPort = await listening(web);
    mutePort = await listening(mute);
  });
  afterAll(async () => {
    web.close();
    mute.close();
    await cluster.stop();
  });

  it('that is not there', () =>
    expectToHear(onEtcd({}), /cannot reach etcd at http:\/\/127\.0\.0\.1:1: the connection was refused/));

  it('under a name that does not exist', () =>
    expectToHear(
      onEtcd({ hosts: ['http://no-such-host.invalid:2379'] }),
      /there is no host of that name; check 'hosts'/,
    ));

  it('that is a web server', () =>
    expectToHear(onEtcd({ hosts: [`http://127.0.0.1:${webPort}`] }), /what listens there is not an etcd/));

  it('that says nothing', () =>
    expectToHear(onEtcd({ hosts: [`http://127.0.0.1:${mutePort}`] }), /what listens there is not an etcd/));

  it('that does not speak TLS, by https', () =>
    expectToHear(
      onEtcd({ hosts: [host.replace('http:', 'https:')] }),
      /it does not speak TLS; write http:\/\/ in 'hosts'/,
    ));

  it('that knows no passwords, with one', () =>
    expectToBeDenied(
      onEtcd({ hosts: [host], auth: { username: 'root', password: 'secret' } }),
      /it does not use passwords; leave out 'auth'/,
    ));

  it('that goes away and comes back: each is said once, and the node leads again', {
    timeout: 60_000,
  }, async () => {
    const own = await startEtcdCluster();
    try {
      const elector = onEtcd({ hosts: own.endpoints, timings: 'fast' });
      const tokens: bigint[] = [];
      const stop = new AbortController();
      const work = async ({ token, signal }: { token: bigint; signal: AbortSignal }) => {
        tokens.push(token);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      };
      const run = lead(elector, work, { signal: stop.signal });
      await eventually(() => expect(tokens).toHaveLength(1));
      await own.killMember(0);
      await eventually(() => expect(lines.join('\n')).toMatch(/leads no more \(\S+\)/));
      await eventually(() =>
        expect(lines.join('\n')).toMatch(/cannot reach etcd .* the connection was refused/),
      );
      await own.restartMember(0);
      await eventually(() => expect(tokens).toHaveLength(2));
      stop.abort();
      await run;
      expect(lines.filter((line) => line.includes('etcd answers at'))).toHaveLength(2);
      expect(lines.filter((line) => line.includes('leads with token'))).toHaveLength(2);
    } finally {
      await own.stop();
    }
  });

  it('that is slow is measured beside what the timings bear', { timeout: 60_000 }, async () => {
    const proxy = await loopbackProxy({ target: host });
    try {
      const elector = onEtcd({ hosts: [proxy.url], timings: 'fast', election: 'slow' });
      await elector.start();
      await elector.campaign();
      const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      // A renewal that waits for longer than half of the slack, and not for all of it. When it is sent depends on the
      // last answer, so the time between two holds varies until one of them meets it early.
      for (
        let openMs = 700;
        !lines.join().includes('a renewal takes');
        openMs = 700 + ((openMs - 550) % 650)
      ) {
        proxy.hold('to-client');
        await pause(1000);
        proxy.release('to-client');
        await pause(openMs);
      }
      expect(lines.join('\n')).toMatch(
        /a renewal takes \d{3} ms, and leadership is lost at 1193 ms: use timings: 'lan', or a longer ttlSeconds \(now 2\)\./,
      );
    } finally {
      await proxy.close();
    }
  });

  describe('with users', () => {
    beforeAll(async () => {
      await cluster.etcdctl('user', 'add', 'root:secret');
      await cluster.etcdctl('user', 'grant-role', 'root', 'root');
      await cluster.etcdctl('auth', 'enable');
    });

    it('and a wrong password', () =>
      expectToBeDenied(
        onEtcd({ hosts: [host], auth: { username: 'root', password: 'wrong' } }),
        /user name or password are wrong; check 'auth'/,
      ));

    it('and none', () =>
      expectToBeDenied(onEtcd({ hosts: [host] }), /it asks for a user name and a password; give 'auth'/));

    it('and the right one is well', async () => {
      const elector = onEtcd({ hosts: [host], auth: { username: 'root', password: 'secret' } });
      await lead(elector, async () => {});
      expect(lines[0]).toBe(`hustings billing/node-1: etcd answers at ${host}.`);
    });
  });

  describe('that speaks TLS', () => {
    let directory: string;
    let secured: EtcdCluster;
    let ca: Buffer;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'hustings-tls-'));
      const files = await makeCertificates(directory);
      secured = await startEtcdCluster({ tls: files });
      ca = await readFile(files.caFile);
    });
    afterAll(async () => {
      await secured.stop();
      await rm(directory, { recursive: true });
    });

    it('by http', () =>
      expectToHear(
        onEtcd({ hosts: [secured.endpoints[0]!.replace('https:', 'http:')] }),
        /it speaks TLS; write https:\/\/ in 'hosts', and give its authority as tls\.ca/,
      ));

    it('and is not trusted', () =>
      expectToHear(onEtcd({ hosts: secured.endpoints }), /TLS could not be agreed upon; check tls\.ca/));

    it('and is trusted is well', async () => {
      await lead(onEtcd({ hosts: secured.endpoints, tls: { ca } }), async () => {});
      expect(lines[0]).toContain('etcd answers at https://');
    });
  });
});

describe('ZooKeeper', () => {
  let ensemble: ZooKeeperEnsemble;
  const web = createWebServer((_request, response) => response.end('hello'));
  let webPort: number;
  beforeAll(async () => {
    ensemble = await startZooKeeperEnsemble();
    webPort = await listening(web);
  });
  afterAll(async () => {
    web.close();
    await ensemble.stop();
  });

  it('that is not there', () =>
    expectToHear(onZooKeeper({}), /cannot reach ZooKeeper at 127\.0\.0\.1:1: the connection was refused/));

  it('under a name that does not exist', () =>
    expectToHear(
      onZooKeeper({ hosts: ['no-such-host.invalid:2181'] }),
      /there is no host of that name; check 'hosts'/,
    ));

  it('that is a web server', () =>
    expectToHear(
      onZooKeeper({ hosts: [`127.0.0.1:${webPort}`] }),
      /what listens there grants no session; check the port/,
    ));

  it('that does not speak TLS, with it', () =>
    expectToHear(
      onZooKeeper({ hosts: ensemble.hosts.split(','), tls: {} }),
      /TLS could not be agreed upon; check 'tls', and that the port is a secureClientPort/,
    ));

  it('that is well', async () => {
    await lead(onZooKeeper({ hosts: ensemble.hosts.split(',') }), async () => {});
    expect(lines).toEqual([
      'hustings billing/node-1: ZooKeeper answers.',
      expect.stringMatching(/^hustings billing\/node-1: leads with token \d+\.$/),
      'hustings billing/node-1: leads no more (resigned).',
    ]);
  });
});

describe('a store', () => {
  it('that is not there', () =>
    expectToHear(
      kept(consulElector({ ...common, hosts: ['http://127.0.0.1:7999'] })),
      /cannot reach Consul: connect ECONNREFUSED 127\.0\.0\.1:7999\. Trying again\./,
    ));

  it('under a name that does not exist', () =>
    expectToHear(
      kept(consulElector({ ...common, hosts: ['http://no-such-host.invalid:8500'] })),
      /cannot reach Consul: getaddrinfo \w+ no-such-host\.invalid\. Trying again\./,
    ));
});

/** An authority, and a certificate of it for the loopback interface. */
async function makeCertificates(directory: string) {
  const run = promisify(execFile);
  const path = (name: string): string => join(directory, name);
  const [caFile, caKey, certFile, keyFile] = ['ca.pem', 'ca.key', 'node.pem', 'node.key'].map(path) as [
    ...[string, string, string, string],
  ];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = path('names');
  await writeFile(names, 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n');
  await run('openssl', [
    'req',
    '-x509',
    ...key,
    '-keyout',
    caKey,
    '-out',
    caFile,
    '-days',
    '2',
    '-subj',
    '/CN=authority',
  ]);
  await run('openssl', ['req', ...key, '-keyout', keyFile, '-out', path('csr'), '-subj', '/CN=node']);
  const signing = ['-CA', caFile, '-CAkey', caKey, '-CAcreateserial', '-days', '2', '-extfile', names];
  await run('openssl', ['x509', '-req', '-in', path('csr'), ...signing, '-out', certFile]);
  return { caFile, certFile, keyFile };
}
