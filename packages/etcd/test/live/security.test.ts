/** Passwords and certificates. */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { afterEach, describe, expect, it } from 'vitest';
import type { EtcdDiagnostic } from '../../src/gateway.js';
import { eventually, Nodes } from './nodes.js';

let cluster: EtcdCluster | undefined;
let nodes = new Nodes();
afterEach(async () => {
  await nodes.stop();
  await cluster?.stop();
});

describe('given an etcd that asks for a user and a password', () => {
  const startWithUsers = async (): Promise<EtcdCluster> => {
    const started = await startEtcdCluster({ flags: ['--auth-token-ttl=1', '--bcrypt-cost=4'] });
    await started.etcdctl('user', 'add', 'root:secret');
    await started.etcdctl('user', 'grant-role', 'root', 'root');
    await started.etcdctl('auth', 'enable');
    return started;
  };

  it('then nodes lead in turn, although their tokens expire while they wait', async () => {
    cluster = await startWithUsers();
    nodes = new Nodes({ ttlSeconds: 5 });
    const connection = { hosts: cluster.endpoints, auth: { username: 'root', password: 'secret' } };
    const leader = await nodes.start('leader', connection);
    const heir = await nodes.start('heir', connection);
    leader.stand();
    await eventually('the leader leads', () => leader.leads);
    heir.stand();
    await eventually('the heir waits', () => heir.elector.belief().leaderId === 'leader');
    // Tokens live for one second, and those of a node that only waits are used by nothing.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(leader.leads).toBe(true);
    await leader.elector.resign();
    await eventually('the heir leads', () => heir.leads);
    expect(heir.announcements).toEqual([]);
  });

  it('then a user who may do no more than this election needs leads, and is not called refused', async () => {
    cluster = await startWithUsers();
    nodes = new Nodes({ name: 'billing' });
    const asRoot = ['--user', 'root:secret'];
    await cluster.etcdctl(...asRoot, 'role', 'add', 'biller');
    await cluster.etcdctl(
      ...asRoot,
      'role',
      'grant-permission',
      'biller',
      '--prefix=true',
      'readwrite',
      'billing/',
    );
    await cluster.etcdctl(...asRoot, 'user', 'add', 'biller:secret');
    await cluster.etcdctl(...asRoot, 'user', 'grant-role', 'biller', 'biller');
    const diagnostics: EtcdDiagnostic[] = [];
    const node = await nodes.start('node', {
      hosts: cluster.endpoints,
      auth: { username: 'biller', password: 'secret' },
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    });
    node.stand();
    await eventually('it leads', () => node.leads);
    expect(diagnostics).toEqual([{ type: 'connected', host: cluster.endpoints[0] }]);
    expect(node.announcements).toEqual([]);
  });

  it('then a node with the wrong password never leads, and says why', async () => {
    cluster = await startWithUsers();
    nodes = new Nodes();
    const hosts = cluster.endpoints;
    const stranger = await nodes.start('stranger', { hosts, auth: { username: 'root', password: 'wrong' } });
    stranger.stand();
    await eventually('it says why', () => stranger.announcements.length > 0);
    expect(stranger.announcements[0]).toMatchObject({ type: 'refused', reason: 'unauthenticated' });
    expect(stranger.leads).toBe(false);
  });
});

describe('given an etcd that speaks TLS and asks for certificates', () => {
  it('then a node that has one leads, and one that has none does not', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'hustings-tls-'));
    try {
      const tls = await makeCertificates(directory);
      cluster = await startEtcdCluster({ tls: { ...tls, clientCertificates: true } });
      nodes = new Nodes();
      const rootCertificate = await readFile(tls.caFile);
      const certChain = await readFile(tls.certFile);
      const privateKey = await readFile(tls.keyFile);
      const hosts = cluster.endpoints;
      const member = await nodes.start('member', {
        hosts,
        credentials: { rootCertificate, certChain, privateKey },
      });
      const stranger = await nodes.start('stranger', { hosts, credentials: { rootCertificate } });
      stranger.stand();
      member.stand();
      await eventually('the member leads', () => member.leads);
      expect(stranger.leads).toBe(false);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

/** An authority, and one certificate of it that serves both sides. */
async function makeCertificates(directory: string) {
  const run = promisify(execFile);
  const path = (name: string): string => join(directory, name);
  const [caFile, caKey] = [path('ca.pem'), path('ca.key')];
  const [certFile, keyFile, request] = [path('node.pem'), path('node.key'), path('node.csr')];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
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
  await run('openssl', ['req', ...key, '-keyout', keyFile, '-out', request, '-subj', '/CN=node']);
  await writeFile(path('names'), 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n');
  await run('openssl', [
    'x509',
    '-req',
    '-in',
    request,
    '-CA',
    caFile,
    '-CAkey',
    caKey,
    '-CAcreateserial',
    '-out',
    certFile,
    '-days',
    '2',
    '-extfile',
    path('names'),
  ]);
  return { caFile, certFile, keyFile };
}
