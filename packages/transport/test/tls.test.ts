import { readFileSync } from 'node:fs';
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
