import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { InvalidOptionError } from '@hustings/elector';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Cluster, eventually, note, type TestNode } from './nodes.js';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const ca = fixture('authority.crt');
const trusted = { ca, cert: fixture('node.crt'), key: fixture('node.key') };
const stranger = { ca, cert: fixture('stranger.crt'), key: fixture('stranger.key') };

let cluster: Cluster;
beforeEach(() => {
  cluster = new Cluster();
});
afterEach(() => cluster.stopAll());

async function expectLinked(a: TestNode, b: TestNode): Promise<void> {
  await eventually(() => expect([a.events, b.events]).toEqual([['up b'], ['up a']]));
  a.transport.send('b', note('sealed'));
  await eventually(() => expect(b.recorder.messages).toEqual(['a: sealed']));
}

describe('over TLS', () => {
  it('nodes that trust each other are linked', async () => {
    const [a, b] = [cluster.node('a', ['b'], { tls: trusted }), cluster.node('b', ['a'], { tls: trusted })];
    await cluster.startAll(a, b);
    await expectLinked(a, b);
  });

  it('a node does not talk to one whose certificate it cannot trust', async () => {
    const b = cluster.node('b', ['a'], { tls: stranger, peers: { a: null } });
    const a = cluster.node('a', ['b'], { tls: trusted });
    await cluster.startAll(b, a);
    expect(a.diagnostics[0]).toMatchObject({ type: 'dial-failed', peer: 'b' });
    expect([...a.events, ...b.events]).toEqual([]);
  });

  it('a node that dials without TLS is refused', async () => {
    const b = cluster.node('b', ['a'], { tls: trusted, peers: { a: null } });
    await b.start();
    const a = cluster.node('a', ['b'], { peers: { b: `ws://127.0.0.1:${b.port()}` } });
    await a.start();
    expect(b.transport.refusals().unauthenticated).toBeGreaterThan(0);
    expect([...a.events, ...b.events]).toEqual([]);
  });
});

describe('a node that was given TLS', () => {
  /** Counts who comes to it in plain text. */
  async function plainServer(): Promise<{ url: string; visits: () => number; close: () => void }> {
    let visits = 0;
    const server = createServer((socket) => {
      visits += 1;
      socket.on('error', () => {}).destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return { url: `ws://127.0.0.1:${port}`, visits: () => visits, close: () => server.close() };
  }

  it('refuses a peer whose address says plain text', () => {
    const peers = { b: 'ws://127.0.0.1:1' };
    expect(() => cluster.node('a', ['b'], { tls: trusted, peers })).toThrow(InvalidOptionError);
    expect(() => cluster.node('a', ['b'], { tls: trusted, peers })).toThrow(/wss:\/\//);
  });

  it.each(['ws:', 'http:'])('refuses to start when a function says %s, and dials nobody', async (scheme) => {
    const server = await plainServer();
    const url = server.url.replace('ws:', scheme);
    const a = cluster.node('a', ['b'], { tls: trusted, peers: { b: () => url } });
    await expect(a.start()).rejects.toThrow(InvalidOptionError);
    expect(a.transport.address()).toBeNull();
    expect(server.visits()).toBe(0);
    server.close();
  });

  it('dials nobody when a function says plain text later, and reports it', async () => {
    const server = await plainServer();
    let url: string | null = null;
    const a = cluster.node('a', ['b'], { tls: trusted, peers: { b: () => url } });
    await a.start();
    url = server.url;
    await eventually(() =>
      expect(a.diagnostics).toContainEqual({
        type: 'dial-failed',
        peer: 'b',
        error: expect.any(InvalidOptionError),
      }),
    );
    expect(server.visits()).toBe(0);
    server.close();
  });

  it('keeps a link when strangers take all other places', async () => {
    const few = { tls: trusted, maxPendingConnections: 2 };
    const [a, b] = [cluster.node('a', ['b'], few), cluster.node('b', ['a'], { ...few, peers: { a: null } })];
    await cluster.startAll(b, a);
    await eventually(() => expect([a.events, b.events]).toEqual([['up b'], ['up a']]));
    const strangers = Array.from({ length: 10 }, () => connect(b.port(), '127.0.0.1').on('error', () => {}));
    await eventually(() => expect(b.transport.refusals()['too-many-connections']).toBeGreaterThanOrEqual(8));
    await expectLinked(a, b);
    for (const stranger of strangers) stranger.destroy();
  });
});

describe('over mutual TLS', () => {
  it('nodes that trust each other are linked', async () => {
    const tls = { ...trusted, requestCert: true };
    const [a, b] = [cluster.node('a', ['b'], { tls }), cluster.node('b', ['a'], { tls })];
    await cluster.startAll(a, b);
    await expectLinked(a, b);
  });

  it.each([
    ['no certificate', { ca }],
    ['the certificate of another authority', stranger],
  ])('a node with %s is refused, though it holds the secret', async (_, tls) => {
    const b = cluster.node('b', ['a'], { tls: { ...trusted, requestCert: true }, peers: { a: null } });
    const a = cluster.node('a', ['b'], { tls, listens: false });
    await cluster.startAll(b, a);
    expect(b.transport.refusals().unauthenticated).toBeGreaterThan(0);
    expect(a.diagnostics[0]).toMatchObject({ type: 'dial-failed', peer: 'b' });
    expect([...a.events, ...b.events]).toEqual([]);
  });
});
