/** Passwords, permissions and certificates. */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { promisify } from 'node:util';
import { startZooKeeperEnsemble, type ZooKeeperEnsemble } from '@hustings/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, Nodes } from './nodes.js';

const run = promisify(execFile);
const everything = 31;
const owned = { acl: [{ perm: everything, scheme: 'auth', auth: '' }] };
const alice = { ...owned, auth: { scheme: 'digest', credentials: 'alice:secret' } };
const mallory = { ...owned, auth: { scheme: 'digest', credentials: 'mallory:guess' } };

let ensemble: ZooKeeperEnsemble;
let certificate: Buffer;
let tunnel: Server;
let secureHosts: string;

beforeAll(async () => {
  ensemble = await startZooKeeperEnsemble();
  tunnel = await openTunnel(ensemble.hosts);
  secureHosts = `localhost:${(tunnel.address() as { port: number }).port}`;
});
afterAll(async () => {
  tunnel?.close();
  await ensemble?.stop();
});

/** Ends TLS before a member, as a sidecar does. */
async function openTunnel(target: string): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), 'hustings-tls-'));
  const file = (name: string): string => join(directory, name);
  try {
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost'],
      ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ...['-keyout', file('key.pem'), '-out', file('cert.pem')],
    ]);
    certificate = await readFile(file('cert.pem'));
    const key = await readFile(file('key.pem'));
    const [host = '', port = ''] = target.split(':');
    const server = createServer({ key, cert: certificate }, (client) => {
      const member = connect(Number(port), host);
      for (const socket of [client, member]) socket.on('error', () => {});
      client.on('close', () => member.destroy());
      member.on('close', () => client.destroy());
      client.pipe(member).pipe(client);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

describe('given nodes that protect their znodes with a password', () => {
  it('then those who know it take turns', async () => {
    const nodes = new Nodes();
    try {
      const first = await nodes.start('first', { hosts: ensemble.hosts, ...alice });
      const second = await nodes.start('second', { hosts: ensemble.hosts, ...alice });
      first.stand();
      await eventually('the first leads', () => first.leads);
      second.stand();
      await eventually('the second waits', () => second.elector.belief().leaderId === 'first');
      await first.elector.resign();
      await eventually('the second leads', () => second.leads);
    } finally {
      await nodes.stop();
    }
  });

  it('then one who does not is refused, and says so, and never leads', async () => {
    const nodes = new Nodes();
    try {
      const leader = await nodes.start('leader', { hosts: ensemble.hosts, ...alice });
      leader.stand();
      await eventually('the leader leads', () => leader.leads);
      const stranger = await nodes.start('stranger', { hosts: ensemble.hosts, ...mallory });
      stranger.stand();
      await eventually('the stranger is refused', () => stranger.refusals.length > 0);
      expect([leader.leads, stranger.leads]).toEqual([true, false]);
    } finally {
      await nodes.stop();
    }
  });
});

describe('given an ensemble that is reached by TLS', () => {
  it('then a node that trusts its certificate leads', async () => {
    const nodes = new Nodes();
    try {
      const node = await nodes.start('node', { hosts: secureHosts, tls: { ca: certificate } });
      node.stand();
      await eventually('it leads', () => node.leads);
    } finally {
      await nodes.stop();
    }
  });

  it('then a node that does not trust it stays away, and says why', async () => {
    const nodes = new Nodes();
    try {
      const node = await nodes.start('node', { hosts: secureHosts, tls: {} });
      node.stand();
      const isTold = () =>
        node.diagnostics.some(
          (each) => each.type === 'unreachable' && /self.signed/.test(each.error.message),
        );
      await eventually('it says why', isTold);
      expect(node.leads).toBe(false);
    } finally {
      await nodes.stop();
    }
  });
});
