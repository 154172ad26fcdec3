import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { InvalidOptionError } from '@hustings/elector';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { describeDiagnostic, type TransportDiagnostic, webSocketTransport } from '../src/websocket.js';
import { LoopbackProxy } from './loopback-proxy.js';
import { Cluster, decodeNote, eventually, note, secret } from './nodes.js';

let cluster: Cluster;
beforeEach(() => {
  cluster = new Cluster();
});
afterEach(() => cluster.stopAll());

describe('two nodes over WebSockets', () => {
  it('are linked by the time that the second has started', async () => {
    const [a, b] = [cluster.node('a', ['b']), cluster.node('b', ['a'])];
    await cluster.startAll(a, b);
    expect(b.events).toEqual(['up a']);
    await eventually(() => expect(a.events).toEqual(['up b']));
  });

  it('exchange messages in order', async () => {
    const [a, b] = [cluster.node('a', ['b']), cluster.node('b', ['a'])];
    await cluster.startAll(a, b);
    await eventually(() => expect(a.events).toEqual(['up b']));
    for (const text of ['one', 'two', 'three']) a.transport.send('b', note(text));
    b.transport.send('a', note('four'));
    await eventually(() => expect(b.recorder.messages).toEqual(['a: one', 'a: two', 'a: three']));
    await eventually(() => expect(a.recorder.messages).toEqual(['b: four']));
  });

  it('may send from inside linkUp', async () => {
    const a = cluster.node('a', ['b']);
    const b = cluster.node('b', ['a']);
    a.recorder.linkUp = () => a.transport.send('b', note('first from a'));
    b.recorder.linkUp = () => b.transport.send('a', note('first from b'));
    await cluster.startAll(a, b);
    await eventually(() => expect(a.events).toEqual(['b: first from b']));
    await eventually(() => expect(b.events).toEqual(['a: first from a']));
  });

  it.each([
    ['the weaker', 'a', 'b'],
    ['the stronger', 'b', 'a'],
  ])('are linked when only %s can dial', async (_, dialler, acceptor) => {
    const accepts = cluster.node(acceptor, [dialler], { peers: { [dialler]: null } });
    const dials = cluster.node(dialler, [acceptor], { listens: false });
    await cluster.startAll(accepts, dials);
    expect(dials.transport.address()).toBeNull();
    expect(dials.events).toEqual([`up ${acceptor}`]);
    dials.transport.send(acceptor, note('one'));
    await eventually(() => expect(accepts.events).toEqual([`up ${dialler}`, `${dialler}: one`]));
    accepts.transport.send(dialler, note('two'));
    await eventually(() => expect(dials.recorder.messages).toEqual([`${acceptor}: two`]));
  });

  it('keep one connection, and hear of one link, when both dial at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const eager = { reconnectDelayMs: { baseMs: 1, capMs: 1 } };
      const [a, b] = [cluster.node('a', ['b'], eager), cluster.node('b', ['a'], eager)];
      await Promise.all([a.start(), b.start()]);
      const [toA, toB] = [await LoopbackProxy.to(a.port()), await LoopbackProxy.to(b.port())];
      cluster.publish(a, toA.port);
      cluster.publish(b, toB.port);
      await eventually(() => expect([a.events, b.events]).toEqual([['up b'], ['up a']]));
      await eventually(() => expect(toA.open + toB.open).toBe(1));
      a.transport.send('b', note('still'));
      b.transport.send('a', note('here'));
      await eventually(() => expect(b.events).toEqual(['up a', 'a: still']));
      await eventually(() => expect(a.events).toEqual(['up b', 'b: here']));
      await cluster.stopAll();
      await Promise.all([toA.close(), toB.close()]);
      cluster = new Cluster();
    }
  });

  it('are all linked, each once, when five start at the same time', async () => {
    const ids = ['n1', 'n2', 'n3', 'n4', 'n5'];
    const nodes = ids.map((id) =>
      cluster.node(
        id,
        ids.filter((peer) => peer !== id),
      ),
    );
    await Promise.all(nodes.map((node) => node.start().then(() => cluster.publish(node))));
    for (const node of nodes) {
      const ups = ids.filter((id) => id !== node.transport.id).map((id) => `up ${id}`);
      await eventually(() => expect([...node.events].sort()).toEqual(ups));
    }
    expect(nodes.flatMap((node) => node.diagnostics)).toEqual([]);
  });

  it('hear that the link is down when one stops, after what it said last', async () => {
    const [a, b] = [cluster.node('a', ['b']), cluster.node('b', ['a'])];
    await cluster.startAll(a, b);
    b.transport.send('a', note('goodbye'));
    await b.transport.stop();
    await eventually(() => expect(a.events).toEqual(['up b', 'b: goodbye', 'down b']));
    expect(b.events).toEqual(['up a']);
  });

  it('hear that the link is down when the socket breaks, and are linked again', async () => {
    const [a, b] = [cluster.node('a', ['b']), cluster.node('b', ['a'], { peers: { a: null } })];
    await b.start();
    const proxy = await LoopbackProxy.to(b.port());
    cluster.publish(b, proxy.port);
    await a.start();
    await proxy.close();
    await eventually(() => expect(a.events).toEqual(['up b', 'down b']));
    await eventually(() => expect(b.events).toEqual(['up a', 'down a']));
    cluster.publish(b);
    await eventually(() => expect(a.events).toEqual(['up b', 'down b', 'up b']));
    await eventually(() => expect(b.events).toEqual(['up a', 'down a', 'up a']));
  });

  it('are linked again after one is restarted', async () => {
    const [a, b] = [cluster.node('a', ['b']), cluster.node('b', ['a'])];
    await cluster.startAll(a, b);
    await b.transport.stop();
    const again = cluster.node('b', ['a']);
    await cluster.startAll(again);
    await eventually(() => expect(a.events).toEqual(['up b', 'down b', 'up b']));
    await eventually(() => expect(again.events).toEqual(['up a']));
  });

  it.each([
    ['weaker', 'a', 'b'],
    ['stronger', 'b', 'a'],
  ])('let a restarted %s node in although its old socket seems alive', async (_, restarted, other) => {
    const survivor = cluster.node(other, [restarted], {
      peers: { [restarted]: null },
      handshakeTimeoutMs: 200,
    });
    await survivor.start();
    const proxy = await LoopbackProxy.to(survivor.port());
    cluster.publish(survivor, proxy.port);
    const before = cluster.node(restarted, [other]);
    await before.start();
    proxy.silence();
    await before.transport.stop();
    const after = cluster.node(restarted, [other]);
    await after.start();
    await eventually(() => expect(after.events).toEqual([`up ${other}`]));
    await eventually(() =>
      expect(survivor.events).toEqual([`up ${restarted}`, `down ${restarted}`, `up ${restarted}`]),
    );
    expect(survivor.transport.refusals()['duplicate-identity']).toBe(0);
    await Promise.all([after.transport.stop(), proxy.close()]);
  });

  it.each([
    ['weaker', 'a', 'b'],
    ['stronger', 'b', 'a'],
  ])('refuse a second process with the id of a living %s node', async (_, twin, other) => {
    const witness = cluster.node(other, [twin]);
    const first = cluster.node(twin, [other]);
    const second = cluster.node(twin, [other]);
    await cluster.startAll(witness);
    await first.start();
    await second.start();
    expect(witness.transport.refusals()['duplicate-identity']).toBeGreaterThan(0);
    expect(second.diagnostics).toContainEqual({
      type: 'refused-by-peer',
      reason: 'duplicate-identity',
      peer: other,
    });
    expect(second.events).toEqual([]);
    expect(witness.events).toEqual([`up ${twin}`]);
    await first.transport.stop();
    await eventually(() => expect(second.events).toEqual([`up ${other}`]));
  });
});

describe('starting and stopping', () => {
  it('starts although a peer is not there', async () => {
    const a = cluster.node('a', ['b'], { peers: { b: 'ws://127.0.0.1:1' } });
    await a.start();
    expect(a.events).toEqual([]);
    expect(a.diagnostics).toContainEqual(expect.objectContaining({ type: 'dial-failed', peer: 'b' }));
  });

  it('starts although a peer accepts and never answers', async () => {
    const silent = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const a = cluster.node('a', ['b'], { peers: { b: `ws://127.0.0.1:${port}` }, handshakeTimeoutMs: 50 });
    await a.start();
    expect(a.diagnostics).toMatchObject([{ type: 'dial-failed', error: { message: 'no answer in 50 ms' } }]);
    await a.transport.stop();
    silent.close();
    await once(silent, 'close');
  });

  it('rejects the start when the port is taken', async () => {
    const a = cluster.node('a', []);
    await a.start();
    const b = cluster.node('b', [], { listen: { host: '127.0.0.1', port: a.port() } });
    await expect(b.start()).rejects.toThrow('another process listens there');
  });

  it('starts only once', async () => {
    const a = cluster.node('a', []);
    await a.start();
    await expect(a.start()).rejects.toThrow(InvalidOptionError);
  });

  it('stops twice, in the middle of its start, or without one', async () => {
    const [a, b] = [cluster.node('a', ['b']), cluster.node('b', ['a'])];
    const starting = a.start();
    await Promise.all([a.transport.stop(), a.transport.stop(), b.transport.stop()]);
    await starting;
    expect(a.events).toEqual([]);
    await expect(b.start()).rejects.toThrow(InvalidOptionError);
  });

  it('frees the port and every connection when it stops, even those that say nothing', async () => {
    const a = cluster.node('a', []);
    await a.start();
    const idle = connect(a.port(), '127.0.0.1');
    await once(idle, 'connect');
    const closed = once(idle, 'close');
    const { port } = a.transport.address() ?? { port: 0 };
    await a.transport.stop();
    await closed;
    const b = cluster.node('b', [], { listen: { host: '127.0.0.1', port } });
    await b.start();
  });

  it('calls no handler, and sends nothing, after it has stopped', async () => {
    const [a, b] = [cluster.node('a', ['b']), cluster.node('b', ['a'])];
    await cluster.startAll(a, b);
    b.transport.send('a', note('perhaps too late'));
    const stopping = a.transport.stop();
    const before = [...a.events];
    a.transport.send('b', note('never'));
    await stopping;
    await eventually(() => expect(b.events).toEqual(['up a', 'down a']));
    expect(a.events).toEqual(before);
  });

  it('never throws from send, and says what it could not send', async () => {
    const [a, b] = [cluster.node('a', ['b']), cluster.node('b', ['a'])];
    a.transport.send('b', note('too early'));
    await cluster.startAll(a, b);
    a.transport.send('nobody', note('to nobody'));
    a.transport.send('b', note('x'.repeat(70_000)));
    const cyclic: { type: string; text: string; self?: unknown } = { type: 'note', text: '' };
    cyclic.self = cyclic;
    a.transport.send('b', cyclic);
    a.transport.send('b', note('sound'));
    await eventually(() => expect(b.events).toEqual(['up a', 'a: sound']));
    expect(a.diagnostics.filter(({ type }) => type === 'unsendable')).toHaveLength(2);
  });
});

describe('options that cannot work are refused with what to do', () => {
  const good = { id: 'a', peers: {}, secret, decodeMessage: decodeNote };

  it.each([
    [{ decodeMessage: undefined }, "option 'decodeMessage' is missing: the decodeMessage of the protocol."],
    [{ secret: undefined }, "option 'secret' is missing"],
    [{ peers: undefined }, "option 'peers' is missing"],
    [{ listen: '127.0.0.1:18003' }, "option 'listen' is not right: the options must be an object"],
    [{ handshakeTimeoutMs: '5' }, "option 'handshakeTimeoutMs' must be a number above 0, not '5'."],
    [{ onDiagnostics: () => {} }, "there is no option 'onDiagnostics'; did you mean 'onDiagnostic'?"],
  ])('names %j', (wrong: object, sentence) => {
    expect(() => webSocketTransport({ ...good, ...wrong } as typeof good)).toThrow(sentence);
  });

  it('takes undefined for the default', () => {
    const undefinedOptions = { onDiagnostic: undefined, maxPayloadBytes: undefined } as object;
    expect(webSocketTransport({ ...good, ...undefinedOptions }).id).toBe('a');
  });
  it.each([
    ['a short secret', { secret: 'short' }],
    ['an address that is not a WebSocket', { peers: { b: 'http://127.0.0.1:1' } }],
    ['an address that is no URL', { peers: { b: 'somewhere' } }],
    ['itself as a peer', { peers: { a: null } }],
    ['an empty id', { id: '' }],
    ['a time-out of nothing', { handshakeTimeoutMs: 0 }],
    ['a payload that no handshake fits in', { maxPayloadBytes: 100 }],
    ['a queue smaller than a payload', { maxQueuedBytes: 4096 }],
    ['delays the wrong way round', { reconnectDelayMs: { baseMs: 10, capMs: 5 } }],
  ])('%s', (_, bad) => {
    expect(() => webSocketTransport({ ...good, ...bad })).toThrow(InvalidOptionError);
  });

  it('a function that names no address, once it is started', async () => {
    const a = cluster.node('a', ['b'], { peers: { b: () => 'somewhere' } });
    await expect(a.start()).rejects.toThrow(InvalidOptionError);
  });

  it('a function that throws what is no error, which is told as one', async () => {
    const told: string[] = [];
    const address = () => {
      throw 'no such host';
    };
    const onDiagnostic = (diagnostic: TransportDiagnostic) => told.push(describeDiagnostic('a', diagnostic));
    const a = cluster.node('a', ['b'], { peers: { b: address }, onDiagnostic });
    await a.start();
    expect(told[0]).toBe('hustings transport a: could not reach b: no such host');
  });

  it('while good ones are not', () => {
    expect(() => webSocketTransport(good)).not.toThrow();
  });
});

describe('given two nodes that are workers of one cluster', () => {
  it('each has a port of its own', async () => {
    const program = fileURLToPath(new URL('./cluster-workers.mjs', import.meta.url));
    const primary = spawn(process.execPath, [program, secret], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void primary.kill());
    const ports: string[] = [];
    for await (const port of createInterface({ input: primary.stdout })) if (ports.push(port) === 2) break;
    expect(new Set(ports).size).toBe(2);
  });
});
