import { type ChildProcess, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { placeOf } from '../src/listener.js';
import { HandmadeNode } from './handmade-node.js';
import { LoopbackProxy } from './loopback-proxy.js';
import { Cluster, eventually, secret, type TestNode } from './nodes.js';
import { RawPeer } from './raw-peer.js';

/** Longer than any certificate takes, and short enough to wait for what must not come. */
const longEnoughMs = 300;

let cluster = new Cluster();
const children: ChildProcess[] = [];
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await cluster.stopAll();
  cluster = new Cluster();
});

interface CertifiedProcess {
  readonly child: ChildProcess;
  readonly port: number;
  readonly incarnation: string;
}

/** A node of its own process, whose only peer is `a`, which it never dials. */
async function startProcess(id: string, port = 0, more: object = {}): Promise<CertifiedProcess> {
  const child = spawnProcess({ id, port, peers: { a: null }, secret, ...more });
  return { child, ...(await firstWords(child)) };
}

function spawnProcess(settings: object): ChildProcess {
  const program = fileURLToPath(new URL('./certified-process.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

async function firstWords(child: ChildProcess) {
  const [line] = await once(createInterface({ input: child.stdout! }), 'line');
  return JSON.parse(line);
}

/** Node `a`, which certifies deaths, linked with whoever listens at this address as `b`. */
async function watcherOf(address: string, overrides: object = {}): Promise<TestNode> {
  const node = cluster.node('a', ['b'], { deathCertificates: true, peers: { b: address }, ...overrides });
  await node.start();
  await eventually(() => expect(node.events).toContain('up b'));
  return node;
}

/** The same, once the peer's death would be certified. */
async function vigilantWatcherOf(address: string, overrides: object = {}): Promise<TestNode> {
  const node = await watcherOf(address, overrides);
  await eventually(() => expect(node.transport.certifies('b')).toBe(true));
  return node;
}

const at = ({ port }: { readonly port: number }): string => `ws://127.0.0.1:${port}`;

async function handmade(): Promise<HandmadeNode> {
  const node = await HandmadeNode.listen('b');
  cleanups.push(() => node.close());
  return node;
}

/** Somebody watches over it. */
async function watched(node: HandmadeNode): Promise<HandmadeNode> {
  await eventually(() => expect(node.vigils).toHaveLength(1));
  return node;
}

describe('given a peer in a process of its own', () => {
  it('certifies its death when it is killed, after the link is down', async () => {
    const peer = await startProcess('b');
    const watcher = await vigilantWatcherOf(at(peer));
    peer.child.kill('SIGKILL');
    await eventually(() => expect(watcher.events).toEqual(['up b', 'down b', `gone b ${peer.incarnation}`]));
  });

  it.each(['127.0.0.1', 'localhost'])('certifies its death over TLS as well, at %s', async (host) => {
    const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
    const tls = { ca: fixture('authority.crt'), cert: fixture('node.crt'), key: fixture('node.key') };
    const peer = await startProcess('b', 0, { tls });
    const watcher = await vigilantWatcherOf(`wss://${host}:${peer.port}`, { tls });
    peer.child.kill('SIGKILL');
    await eventually(() => expect(watcher.recorder.gone).toEqual([`gone b ${peer.incarnation}`]));
  });

  it('certifies nothing while it is stopped, and its death when it is killed then', async () => {
    const peer = await startProcess('b');
    const watcher = await vigilantWatcherOf(at(peer));
    peer.child.kill('SIGSTOP');
    await sleep(longEnoughMs);
    expect(watcher.recorder.gone).toEqual([]);
    peer.child.kill('SIGKILL');
    await eventually(() => expect(watcher.recorder.gone).toEqual([`gone b ${peer.incarnation}`]));
  });

  it('takes another process at the same address and port for proof', async () => {
    const former = await startProcess('b');
    const watcher = await vigilantWatcherOf(at(former));
    former.child.kill('SIGKILL');
    await once(former.child, 'exit');
    const latter = await startProcess('b', former.port);
    await eventually(() => expect(watcher.recorder.gone).toEqual([`gone b ${former.incarnation}`]));
    await eventually(() => expect(watcher.transport.certifies('b')).toBe(true));
    latter.child.kill('SIGKILL');
    await eventually(() => expect(watcher.recorder.gone.at(-1)).toBe(`gone b ${latter.incarnation}`));
  });

  it('links no process again that was certified dead', async () => {
    const peer = await startProcess('b');
    const watcher = await vigilantWatcherOf(at(peer));
    peer.child.kill('SIGKILL');
    await eventually(() => expect(watcher.recorder.gone).toHaveLength(1));
    const revenant = new RawPeer(watcher.port(), peer.incarnation);
    await revenant.authenticate('b', 'a');
    expect(await revenant.closed).toBe(4009);
  });
});

describe('given two nodes of which only one dials the other', () => {
  it('both certify: each watches over where the other listens', async () => {
    const a = cluster.node('a', ['b'], { deathCertificates: true });
    const b = cluster.node('b', ['a'], { deathCertificates: true });
    await cluster.startAll(a, b);
    await eventually(() => expect(b.transport.certifies('a')).toBe(true));
    const { incarnation } = a.transport;
    await a.transport.stop();
    await eventually(() => expect(b.events).toEqual(['up a', 'down a', `gone a ${incarnation}`]));
  });

  it('nobody hears of a death unless it asked to', async () => {
    const a = cluster.node('a', ['b'], { deathCertificates: true });
    const b = cluster.node('b', ['a']);
    await cluster.startAll(a, b);
    await eventually(() => expect(b.events).toContain('up a'));
    await eventually(() => expect(a.diagnostics.map(({ type }) => type)).toContain('uncertifiable'));
    await a.transport.stop();
    await eventually(() => expect(b.events).toContain('down a'));
    await sleep(longEnoughMs);
    expect(b.recorder.gone).toEqual([]);
  });
});

describe('given a peer that lives, no certificate', () => {
  it('when its listener closes while the process goes on: dials are refused, but the vigil stands', async () => {
    const peer = await handmade();
    const watcher = await watcherOf(at(peer));
    (await watched(peer)).closeListener();
    for (const link of peer.links) link.destroy();
    await eventually(() => expect(watcher.events).toContain('down b'));
    await sleep(longEnoughMs);
    expect(watcher.recorder.gone).toEqual([]);
  });

  // What a REJECT rule or kube-proxy answers to a dial is ECONNREFUSED, too; to a connection it does nothing.
  it('when a firewall refuses every dial: what stands of the vigil counts', async () => {
    const peer = await handmade();
    const { port } = peer;
    const watcher = await watcherOf(at(peer));
    (await watched(peer)).closeListener();
    expect(await dialOf(port)).toBe('ECONNREFUSED');
    for (const link of peer.links) link.resetAndDestroy();
    await sleep(longEnoughMs);
    expect(watcher.recorder.gone).toEqual([]);
  });

  it('when its connections are reset, by a forger or a rule that says so, and dials are refused', async () => {
    const peer = await handmade();
    const watcher = await watcherOf(at(peer));
    (await watched(peer)).closeListener();
    for (const stream of [...peer.vigils, ...peer.links]) stream.resetAndDestroy();
    await eventually(() => expect(watcher.events).toContain('down b'));
    await sleep(longEnoughMs);
    expect(watcher.recorder.gone).toEqual([]);
  });

  it('when the reset comes right behind its proof, and is read together with it', async () => {
    const peer = await handmade();
    peer.onVigil = (stream) => {
      peer.closeListener();
      stream.resetAndDestroy();
    };
    const watcher = await watcherOf(at(peer));
    await watched(peer);
    await sleep(longEnoughMs);
    expect(watcher.recorder.gone).toEqual([]);
  });

  it('when a forwarder to it is killed: it says that it listens elsewhere', async () => {
    const peer = await startProcess('b');
    const forwarder = await LoopbackProxy.to(peer.port);
    const watcher = await watcherOf(at(forwarder));
    await eventually(() =>
      expect(watcher.diagnostics).toContainEqual(
        expect.objectContaining({ type: 'uncertifiable', peer: 'b' }),
      ),
    );
    await forwarder.close();
    await eventually(() => expect(watcher.events).toContain('down b'));
    await sleep(longEnoughMs);
    expect(watcher.recorder.gone).toEqual([]);
  });

  it('when only it dials: the port that it dialled from was never anybody to dial', async () => {
    const a = cluster.node('a', ['b'], { deathCertificates: true, peers: { b: null } });
    await a.start();
    const b = cluster.node('b', ['a'], {
      listens: false,
      deathCertificates: true,
      peers: { a: `ws://127.0.0.1:${a.port()}` },
    });
    await b.start();
    await eventually(() => expect(a.events).toContain('up b'));
    await b.transport.stop();
    await eventually(() => expect(a.events).toContain('down b'));
    await sleep(longEnoughMs);
    expect(a.recorder.gone).toEqual([]);
  });

  it('when its name leads to ::1 as well, where nobody listens; but when it is killed', async () => {
    const peer = await startProcess('b');
    const watcher = await vigilantWatcherOf(`ws://localhost:${peer.port}`);
    await sleep(longEnoughMs);
    expect(watcher.recorder.gone).toEqual([]);
    peer.child.kill('SIGKILL');
    await eventually(() => expect(watcher.recorder.gone).toEqual([`gone b ${peer.incarnation}`]));
  });

  it('when its address has moved, and another process of that name answers there', async () => {
    const peer = await handmade();
    const { port } = peer;
    const watcher = await watcherOf(at(peer));
    (await watched(peer)).closeListener();
    for (const link of peer.links) link.destroy();
    const newcomer = await startProcess('b', port);
    await eventually(() => expect(watcher.events.filter((event) => event === 'up b')).toHaveLength(2));
    await sleep(longEnoughMs);
    expect(watcher.recorder.gone).toEqual([]);
    newcomer.child.kill('SIGKILL');
    await sleep(longEnoughMs);
    expect(watcher.recorder.gone.filter((event) => event.endsWith(peer.incarnation))).toEqual([]);
  });

  it('when it has no room for a newcomer: the dial is not refused', async () => {
    const full = await fullBacklog();
    expect(await dialOf(full)).not.toBe('ECONNREFUSED');
  });

  it('when it is a worker of node:cluster, which may outlive its port: the option is refused', async () => {
    const child = spawnProcess({ id: 'b', port: 0, peers: {}, secret, inWorker: true });
    expect(await firstWords(child)).toEqual({ refused: expect.stringContaining('node:cluster') });
  });
});

describe('given a process that was stopped, and replaced by another of its name', () => {
  it('the two do not drive each other from their vigils without pause', async () => {
    const b = cluster.node('b', ['a'], {
      peers: { a: null },
      deathCertificates: true,
      handshakeTimeoutMs: 500,
    });
    await b.start();
    const peers = { b: `ws://127.0.0.1:${b.port()}` };
    const former = spawnProcess({ id: 'a', port: 0, peers, secret });
    await firstWords(former);
    await eventually(() => expect(b.events).toEqual(['up a']));
    await sleep(longEnoughMs);
    former.kill('SIGSTOP');
    await firstWords(spawnProcess({ id: 'a', port: 0, peers, secret }));
    await eventually(() => expect(b.events).toEqual(['up a', 'down a', 'up a']));
    await sleep(longEnoughMs);
    let connections = 0;
    const count = () => {
      connections += 1;
    };
    subscribe('net.server.socket', count);
    cleanups.push(() => unsubscribe('net.server.socket', count));
    former.kill('SIGCONT');
    await sleep(1500);
    expect(connections).toBeGreaterThan(0);
    expect(connections).toBeLessThan(60);
  });
});

describe('a place', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1:7000'],
    // What a listener on every interface sees of a peer that has dialled 10.0.0.1.
    ['::ffff:10.0.0.1', '10.0.0.1:7000'],
    ['::1', '[::1]:7000'],
    [undefined, null],
  ])('is the same at both ends: %s is written %s', (address, place) => {
    expect(placeOf(address, 7000)).toBe(place);
  });
});

/** How a dial ends: `connected`, `nothing`, or the error's code. */
function dialOf(port: number): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [
      '-e',
      `const s = require('net').connect(${port}, '127.0.0.1');
       s.on('connect', () => { console.log('connected'); process.exit(); });
       s.on('error', (e) => { console.log(e.code); process.exit(); });
       setTimeout(() => { console.log('nothing'); process.exit(); }, 500);`,
    ]);
    child.stdout.once('data', (data) => resolve(String(data).trim()));
  });
}

/** A port whose process is stopped and whose queue of connections is full. */
async function fullBacklog(): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '-e',
      `const s = require('net').createServer(); s.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(s.address().port));`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  children.push(child);
  const port = Number(await firstWords(child));
  child.kill('SIGSTOP');
  for (let count = 0; count < 8; count += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    cleanups.push(() => socket.destroy());
  }
  await sleep(50);
  return port;
}
