/** Passwords, permissions and certificates. */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startZooKeeperEnsemble, type ZooKeeperEnsemble } from '@hustings/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ZooKeeperGatewayOptions } from '../../src/gateway.js';
import { eventually, Nodes } from './nodes.js';

const run = promisify(execFile);
const everything = 31;
const owned = { acl: [{ perm: everything, scheme: 'auth', auth: '' }] };
const alice = { ...owned, auth: { scheme: 'digest', credentials: 'alice:secret' } };
const mallory = { ...owned, auth: { scheme: 'digest', credentials: 'mallory:guess' } };

let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  ensemble = await startZooKeeperEnsemble();
});
afterAll(() => ensemble?.stop());

async function takeTurns(connection: Omit<ZooKeeperGatewayOptions, 'id'>): Promise<void> {
  const nodes = new Nodes();
  try {
    const first = await nodes.start('first', connection);
    const second = await nodes.start('second', connection);
    first.stand();
    await eventually('the first leads', () => first.leads);
    second.stand();
    await eventually('the second waits', () => second.elector.belief().leaderId === 'first');
    await first.elector.resign();
    await eventually('the second leads', () => second.leads);
  } finally {
    await nodes.stop();
  }
}

describe('given nodes that protect their znodes with a password', () => {
  it('then those who know it take turns', () => takeTurns({ hosts: ensemble.hosts, ...alice }));

  it('then one who does not is refused, and says so, and never leads', async () => {
    const nodes = new Nodes();
    try {
      const leader = await nodes.start('leader', { hosts: ensemble.hosts, ...alice });
      leader.stand();
      await eventually('the leader leads', () => leader.leads);
      const stranger = await nodes.start('stranger', { hosts: ensemble.hosts, ...mallory });
      stranger.stand();
      await eventually('the stranger is refused', () => stranger.announcements.length > 0);
      expect([leader.leads, stranger.leads]).toEqual([true, false]);
    } finally {
      await nodes.stop();
    }
  });
});

async function zxid(): Promise<number> {
  return Number(/^Zxid: (\w+)/m.exec(await ensemble.ask(0, 'srvr'))?.[1]);
}

describe('given a candidate that may not write to the znode of the leader', () => {
  it('then it waits for it all the same, and leads when its turn comes', async () => {
    const nodes = new Nodes();
    const readable = { acl: [...owned.acl, { perm: 1, scheme: 'world', auth: 'anyone' }] };
    // It creates the path, where anybody may stand; but each znode is only to be read by others.
    const setUp = await nodes.start('set-up', { hosts: ensemble.hosts });
    try {
      setUp.stand();
      await eventually('the path is there', () => setUp.leads);
      const leader = await nodes.start('leader', { hosts: ensemble.hosts, ...alice, ...readable });
      leader.stand();
      await setUp.elector.resign();
      await eventually('the leader leads', () => leader.leads);
      const heir = await nodes.start('heir', { hosts: ensemble.hosts, ...mallory, ...readable });
      heir.stand();
      await eventually('the heir waits', () => heir.elector.belief().leaderId === 'leader');
      // Both ping by writes, each of which has a zxid, and take turns.
      const enough = (await zxid()) + 8;
      while ((await zxid()) < enough);
      expect(heir.diagnostics.map(({ type }) => type)).toEqual(['connected']);
      await leader.elector.resign();
      await eventually('the heir leads', () => heir.leads);
    } finally {
      await nodes.stop();
    }
  });
});

/** A key, a certificate that it has signed for itself, and both in one file, as ZooKeeper wants them. */
async function makeCertificate(directory: string, name: string) {
  const [keyFile, certFile, bothFile] = ['key', 'cert', 'both'].map((part) =>
    join(directory, `${name}-${part}.pem`),
  ) as [string, string, string];
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', `/CN=${name}`],
    ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ...['-keyout', keyFile, '-out', certFile],
  ]);
  const [key, cert] = await Promise.all([readFile(keyFile), readFile(certFile)]);
  await writeFile(bothFile, Buffer.concat([key, cert]));
  return { key, cert, certFile, bothFile };
}

type Certificate = Awaited<ReturnType<typeof makeCertificate>>;

describe('given an ensemble that speaks TLS', () => {
  let directory: string;
  let member: Certificate;
  let client: Certificate;
  let lenient: ZooKeeperEnsemble;
  /** It asks for certificates. */
  let strict: ZooKeeperEnsemble;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hustings-tls-'));
    member = await makeCertificate(directory, 'localhost');
    client = await makeCertificate(directory, 'client');
    const tls = { certificateAndKeyFile: member.bothFile, caFile: client.certFile };
    lenient = await startZooKeeperEnsemble({ tls });
    strict = await startZooKeeperEnsemble({ tls: { ...tls, clientCertificates: true } });
  });
  afterAll(async () => {
    await lenient?.stop();
    await strict?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function isTurnedAway(connection: Omit<ZooKeeperGatewayOptions, 'id'>, why: RegExp): Promise<void> {
    const nodes = new Nodes();
    try {
      const node = await nodes.start('node', connection);
      node.stand();
      await eventually('it says why', () =>
        node.diagnostics.some((each) => each.type === 'unreachable' && why.test(each.error.message)),
      );
      expect(node.leads).toBe(false);
    } finally {
      await nodes.stop();
    }
  }

  it('then nodes that trust it take turns', () =>
    takeTurns({ hosts: lenient.secureHosts, tls: { ca: member.cert } }));

  it('then a node that does not trust it stays away, and says why', () =>
    isTurnedAway({ hosts: lenient.secureHosts, tls: {} }, /self.signed/));

  it('then a node that does not encrypt is turned away, and says so', () =>
    isTurnedAway({ hosts: lenient.secureHosts }, /No session was granted/));

  it('when it asks for certificates, then nodes that have one take turns', () =>
    takeTurns({
      hosts: strict.secureHosts,
      tls: { ca: member.cert, key: client.key, cert: client.cert },
    }));

  it('when it asks for certificates, then a node that has none is turned away, and says why', () =>
    isTurnedAway({ hosts: strict.secureHosts, tls: { ca: member.cert } }, /bad certificate/));
});
