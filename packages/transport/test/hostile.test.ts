import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { prove } from '../src/handshake.js';
import type { RefusalReason } from '../src/websocket.js';
import { Cluster, eventually, note, secret, type TestNode } from './nodes.js';
import { RawPeer, rawSocket } from './raw-peer.js';

let cluster: Cluster;
let b: TestNode;

beforeEach(async () => {
  cluster = new Cluster();
  b = cluster.node('b', ['a'], { peers: { a: null }, handshakeTimeoutMs: 1000, maxPendingConnections: 8 });
  await b.start();
});
afterEach(() => cluster.stopAll());

const raw = () => new RawPeer(b.port());

async function expectRefused(reason: RefusalReason): Promise<void> {
  await eventually(() => expect(b.transport.refusals()[reason]).toBe(1));
  expect(b.diagnostics).toContainEqual(expect.objectContaining({ type: 'refused', reason }));
}

describe('a stranger', () => {
  it('is let in when it proves that it holds the secret', async () => {
    const peer = await raw().link('a', 'b');
    peer.send(note('hello'));
    await eventually(() => expect(b.events).toEqual(['up a', 'a: hello']));
  });

  afterEach(({ task }) => {
    if (!task.name.startsWith('is let in')) expect(b.events).toEqual([]);
  });

  it('is refused when it speaks before it has proven anything', async () => {
    const peer = await raw().open();
    peer.send(note('hello'));
    expect(await peer.closed).toBe(1007);
    await expectRefused('malformed');
  });

  it('is refused when its proof is made with another secret', async () => {
    const peer = raw();
    const transcript = await peer.challenge('a', 'b');
    peer.send({ type: 'proof', proof: prove('another secret, long enough', 'dialler', transcript) });
    peer.send({ type: 'ready' });
    peer.send(note('hello'));
    expect(await peer.closed).toBe(4001);
    await expectRefused('unauthenticated');
  });

  it('is refused when it replays the proof of an earlier connection', async () => {
    const earlier = raw();
    const transcript = await earlier.challenge('a', 'b');
    const proof = prove(secret, 'dialler', transcript);
    const replayer = new RawPeer(b.port(), earlier.incarnation);
    await replayer.open();
    replayer.send(replayer.hello('a', 'b', { nonce: transcript.diallerNonce }));
    await replayer.next();
    replayer.send({ type: 'proof', proof });
    expect(await replayer.closed).toBe(4001);
    earlier.socket.terminate();
    await expectRefused('unauthenticated');
  });

  it('is refused when it hands back a proof that was made for the other direction', async () => {
    const peer = raw();
    const transcript = await peer.challenge('a', 'b');
    peer.send({ type: 'proof', proof: prove(secret, 'acceptor', transcript) });
    expect(await peer.closed).toBe(4001);
    await expectRefused('unauthenticated');
  });

  it('is refused when it is not among the peers', async () => {
    const peer = await raw().open();
    peer.send(peer.hello('mallory', 'b'));
    expect(await peer.closed).toBe(4002);
    await expectRefused('unknown-peer');
    expect(JSON.stringify(b.diagnostics)).not.toContain('mallory');
  });

  it('is refused when it means another node', async () => {
    const peer = await raw().open();
    peer.send(peer.hello('a', 'c'));
    expect(await peer.closed).toBe(4003);
    await expectRefused('wrong-node');
  });

  it('is refused when it speaks another version', async () => {
    const peer = await raw().open();
    peer.send(peer.hello('a', 'b', { version: 2 }));
    expect(await peer.closed).toBe(4005);
    await expectRefused('unsupported-version');
  });

  it('is refused when it stays silent', async () => {
    const peer = await raw().open();
    expect(await peer.closed).toBe(4006);
    await expectRefused('handshake-timeout');
  });

  it('is refused when it sends more than a frame may hold', async () => {
    const peer = await raw().open();
    peer.socket.send('x'.repeat(64 * 1024 + 1));
    expect(await peer.closed).toBe(1009);
    await expectRefused('oversized');
  });

  it('is refused when it says more in a handshake than there is to say', async () => {
    const peer = await raw().open();
    peer.send(peer.hello('a', 'b', { more: 'x'.repeat(5000) }));
    expect(await peer.closed).toBe(1009);
    await expectRefused('oversized');
  });

  it('is refused when it goes on talking without a proof, and what it says is not looked at', async () => {
    const peer = await raw().open();
    peer.send(peer.hello('a', 'b'));
    for (let count = 0; count < 100; count += 1) peer.send(note('x'.repeat(1000)));
    expect(await peer.closed).toBe(1009);
    await expectRefused('oversized');
  });

  it('is refused when it speaks before it has a WebSocket', async () => {
    const socket = await rawSocket(b.port(), Buffer.alloc(100));
    await expectRefused('malformed');
    socket.destroy();
  });

  it('is refused at its second fragment, whatever would have come of it', async () => {
    const peer = await raw().open();
    const [start, end] = halves(JSON.stringify(peer.hello('a', 'b')));
    peer.socket.send(start, { fin: false });
    peer.socket.send(end, { fin: true });
    expect(await peer.closed).toBe(1008);
    await expectRefused('malformed');
  });

  it('is refused when it sends a frame in crumbs', async () => {
    const socket = await rawSocket(b.port());
    // The header of a frame of 60,000 bytes.
    socket.write(Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0, 0xea, 0x60, 0, 0, 0, 0]));
    const crumbs = setInterval(() => socket.write('x'), 0);
    await closed(socket);
    clearInterval(crumbs);
    await expectRefused('malformed');
  });

  it.each(['ping', 'pong'] as const)(
    'is refused when it sends a %s before it has proven anything',
    async (type) => {
      const peer = await raw().open();
      peer.socket[type]();
      expect(await peer.closed).toBe(1007);
      await expectRefused('malformed');
    },
  );

  it.each([
    ['a frame that is none', [0x00, 0x00], 'malformed'],
    ['text that is not JSON', [0x81, 0x81, 0, 0, 0, 0, 0x7b], 'malformed'],
    ['a frame that is too large', [0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], 'oversized'],
  ] as const)('is not read any more once it has been refused for %s', async (_, bytes, reason) => {
    const socket = await rawSocket(b.port());
    const chunk = Buffer.alloc(64 * 1024);
    const flood = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.write(Buffer.from(bytes));
    await expectRefused(reason);
    socket.on('drain', flood);
    flood();
    await closed(socket);
    // What the buffers of the machine hold, and no more.
    expect(socket.bytesWritten).toBeLessThan(16 * 1024 * 1024);
  });

  it('is refused when it does not ask for a WebSocket', async () => {
    const response = await fetch(`http://127.0.0.1:${b.port()}/`);
    expect(response.status).toBe(426);
    await expectRefused('malformed');
  });

  it('is refused when its headers never end', async () => {
    const socket = connect(b.port(), '127.0.0.1').on('error', () => {});
    socket.write('GET / HTTP/1.1\r\n');
    const dribble = setInterval(() => socket.write('x-slow: loris\r\n'), 20);
    socket.resume();
    await closed(socket);
    clearInterval(dribble);
    await expectRefused('handshake-timeout');
  });

  it('is refused when it does not speak HTTP', async () => {
    const socket = connect(b.port(), '127.0.0.1');
    socket.on('error', () => {});
    socket.write('\0\x01\x02 this is no request\r\n\r\n');
    await once(socket, 'close');
    await expectRefused('malformed');
  });
});

describe('when all places are taken by strangers', () => {
  /** Resolves once each is in, or out again. */
  async function open(count: number, host?: string): Promise<RawPeer[]> {
    const peers = Array.from({ length: count }, () => new RawPeer(b.port(), undefined, host));
    await Promise.allSettled(peers.map((peer) => peer.open()));
    return peers;
  }
  const states = (peers: readonly RawPeer[]) => peers.map(({ socket }) => socket.readyState);

  it('the one that has waited longest makes room for a newcomer, and no other does', async () => {
    const [oldest, ...others] = (await open(4)) as [RawPeer, ...RawPeer[]];
    const [newcomer] = (await open(1)) as [RawPeer];
    expect(await oldest.closed).toBe(1006);
    await expectRefused('too-many-connections');
    expect(states([...others, newcomer])).toEqual(Array(4).fill(WebSocket.OPEN));
  });

  it.each([['upgraded'], ['not even that']])('a peer gets in all the same (%s)', async (how) => {
    const idle = Array.from({ length: 80 }, () => connect(b.port(), '127.0.0.1').on('error', () => {}));
    const arrived = (socket: Socket) =>
      new Promise((resolve) => socket.on('connect', resolve).on('close', resolve));
    if (how === 'upgraded') await open(8);
    await Promise.all(idle.filter(({ connecting }) => connecting).map(arrived));
    const peer = await raw().link('a', 'b');
    peer.send(note('hello'));
    await eventually(() => expect(b.events).toEqual(['up a', 'a: hello']));
    for (const socket of idle) socket.destroy();
  });

  it('a link keeps its own, which is none of theirs', async () => {
    const peer = await raw().link('a', 'b');
    const strangers = await open(4);
    expect(b.transport.refusals()['too-many-connections']).toBe(0);
    await open(20);
    expect(states(strangers)).not.toContain(WebSocket.OPEN);
    peer.send(note('hello'));
    await eventually(() => expect(b.events).toEqual(['up a', 'a: hello']));
  });

  it('those at one address drive out each other, and nobody at another', async () => {
    const here = await open(2);
    const there = await open(30, '127.0.0.2');
    await eventually(() => expect(states(there).filter((state) => state === WebSocket.OPEN)).toHaveLength(4));
    expect(states(here)).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
  });
});

describe('a peer that has been let in', () => {
  it.each([
    ['a frame that is not JSON', '{', 'malformed', 1007],
    ['a message that the decoder does not know', '{"type":"unheard-of"}', 'malformed', 1007],
    ['a binary frame', Buffer.from('{"type":"note","text":""}'), 'malformed', 1007],
    ['text that is not UTF-8', Buffer.from([0xc3, 0x28]), 'malformed', 1007],
    ['a frame that is too large', 'x'.repeat(64 * 1024 + 1), 'oversized', 1009],
  ] as const)('is dropped for %s, and nothing after it is heard', async (name, frame, reason, code) => {
    const peer = await raw().link('a', 'b');
    peer.send(note('before'));
    peer.socket.send(frame, { binary: name.includes('binary') });
    peer.send(note('after'));
    expect(await peer.closed).toBe(code);
    await expectRefused(reason);
    await eventually(() => expect(b.events).toEqual(['up a', 'a: before', 'down a']));
  });

  it('is dropped for fragments, since nobody here sends any', async () => {
    const peer = await raw().link('a', 'b');
    const [start, end] = halves(JSON.stringify(note('in two parts')));
    peer.socket.send(start, { fin: false });
    peer.socket.send(end, { fin: true });
    expect(await peer.closed).toBe(1008);
    await expectRefused('malformed');
    await eventually(() => expect(b.events).toEqual(['up a', 'down a']));
  });

  it('may ping, and is answered', async () => {
    const peer = await raw().link('a', 'b');
    peer.socket.ping();
    await once(peer.socket, 'pong');
    expect(b.events).toEqual(['up a']);
  });

  it('does no harm when the decoder itself fails', async () => {
    const c = cluster.node('c', ['a'], {
      peers: { a: null },
      decodeMessage: (value) => (value as { missing: { type: never } }).missing.type,
    });
    await c.start();
    const peer = await new RawPeer(c.port()).link('a', 'c');
    peer.send(note('hello'));
    expect(await peer.closed).toBe(1007);
    expect(c.transport.refusals().malformed).toBe(1);
    await eventually(() => expect(c.events).toEqual(['up a', 'down a']));
  });

  it('is reported down as soon as its socket closes', async () => {
    const peer = await raw().link('a', 'b');
    peer.socket.terminate();
    await eventually(() => expect(b.events).toEqual(['up a', 'down a']));
  });

  it('is dropped when it does not read, and what waits for it stays bounded', async () => {
    const peer = await raw().link('a', 'b');
    peer.socket.pause();
    const large = note('x'.repeat(60_000));
    await eventually(() => {
      for (let count = 0; count < 100; count += 1) b.transport.send('a', large);
      expect(b.events).toEqual(['up a', 'down a']);
    });
    await expectRefused('slow-peer');
    peer.socket.terminate();
  });

  it('is not dropped when it reads', async () => {
    const peer = await raw().link('a', 'b');
    const large = note('x'.repeat(60_000));
    for (let count = 0; count < 100; count += 1) {
      b.transport.send('a', large);
      await peer.next();
    }
    expect(b.events).toEqual(['up a']);
  });

  it('is told of its drop by no handler that runs inside send', async () => {
    const peer = await raw().link('a', 'b');
    await eventually(() => expect(b.events).toEqual(['up a']));
    peer.socket.pause();
    while (b.transport.refusals()['slow-peer'] === 0) b.transport.send('a', note('x'.repeat(60_000)));
    expect(b.events).toEqual(['up a']);
    await eventually(() => expect(b.events).toEqual(['up a', 'down a']));
    peer.socket.terminate();
  });

  it('is dropped when it asks for pongs and does not read them', async () => {
    const peer = await raw().link('a', 'b');
    peer.socket.pause();
    const payload = Buffer.alloc(125);
    await eventually(() => {
      for (let count = 0; count < 5000; count += 1) peer.socket.ping(payload);
      expect(b.transport.refusals()['slow-peer']).toBe(1);
    });
    await eventually(() => expect(b.events).toEqual(['up a', 'down a']));
    peer.socket.terminate();
  });
});

/** Unlike `once`, which gives up at an error. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

function halves(text: string): [string, string] {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

describe('nodes with different secrets', () => {
  it('are not linked, and both say why', async () => {
    const a = cluster.node('a', ['b'], { secret: 'not the secret of the others' });
    cluster.publish(b);
    await a.start();
    const reason = 'unauthenticated';
    expect(b.diagnostics).toContainEqual(expect.objectContaining({ type: 'refused', reason, peer: 'a' }));
    expect(a.diagnostics).toContainEqual({ type: 'refused-by-peer', reason, peer: 'b' });
    expect([...a.events, ...b.events]).toEqual([]);
  });
});

describe('a node that dials an impostor', () => {
  it('refuses it when it proves nothing, and never shows it the secret', async () => {
    const heard: string[] = [];
    const impostor = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(impostor, 'listening');
    impostor.on('connection', (socket) => {
      socket.on('message', (data) => {
        heard.push(data.toString());
        if (heard.length === 1) {
          socket.send(JSON.stringify({ type: 'challenge', incarnation: 'i', nonce: 'n' }));
        } else {
          // Its own proof, handed back.
          socket.send(data.toString());
          socket.send('{"type":"open"}');
          socket.send(JSON.stringify(note('obey me')));
        }
      });
    });
    const { port } = impostor.address() as { port: number };
    const a = cluster.node('a', ['b'], { peers: { b: `ws://127.0.0.1:${port}` } });
    await a.start();
    await a.transport.stop();
    expect(a.transport.refusals().unauthenticated).toBe(1);
    expect(a.events).toEqual([]);
    expect(heard.join()).not.toContain(secret);
    impostor.close();
  });
});
