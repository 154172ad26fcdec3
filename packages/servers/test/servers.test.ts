import { once } from 'node:events';
import { createServer as createHttp2Server, connect as http2Connect } from 'node:http2';
import { connect, createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type LoopbackProxy, loopbackProxy, startEtcdCluster, supervise } from '../src/index.js';

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a supervised process', () => {
  it('can be read, and ends when it is stopped', async () => {
    const started = await supervise('sh', ['-c', 'echo one; echo two >&2; exec sleep 60']);
    await vi.waitUntil(() => started.lines.length === 2, { timeout: 30_000 });
    expect(started.lines.toSorted()).toEqual(['one', 'two']);
    expect(isAlive(started.pid)).toBe(true);
    await started.stop();
    expect([started.running, isAlive(started.pid)]).toEqual([false, false]);
  });

  it('says when it has ended by itself', async () => {
    const started = await supervise('true', []);
    await started.ended;
    expect(started.running).toBe(false);
    await started.stop();
  });

  it('is one of many, for all of which this process listens once for its own end', async () => {
    const listenersBefore = process.listenerCount('exit');
    const many = await Promise.all(Array.from({ length: 12 }, () => supervise('sleep', ['60'])));
    expect(process.listenerCount('exit')).toBe(listenersBefore + 1);
    await Promise.all(many.map((each) => each.stop()));
    expect(process.listenerCount('exit')).toBe(listenersBefore);
  });

  it('does not outlive the process that started it, even one that is killed', async () => {
    const script = fileURLToPath(new URL('./orphan.mjs', import.meta.url));
    const parent = await supervise(process.execPath, [script]);
    await vi.waitUntil(() => parent.lines.length === 1, { timeout: 10_000 });
    const child = Number(parent.lines[0]);
    expect(isAlive(child)).toBe(true);
    process.kill(parent.pid, 'SIGKILL');
    await vi.waitUntil(() => !isAlive(child), { timeout: 30_000 });
    await parent.stop();
  });
});

describe('an etcd cluster', () => {
  it('says how to install etcd where it is missing', async () => {
    vi.stubEnv('PATH', '/nowhere');
    try {
      await expect(startEtcdCluster()).rejects.toThrow("run 'apt-get install etcd-server etcd-client'");
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('keeps its data when all of its members die, and elects a leader without one', async () => {
    const cluster = await startEtcdCluster({ members: 3 });
    try {
      await cluster.etcdctl('put', 'key', 'value');
      const leader = await cluster.leader();
      await cluster.killMember(leader);
      await cluster.restartMember(leader);
      expect(await cluster.etcdctl('get', '--print-value-only', 'key')).toBe('value\n');
    } finally {
      await cluster.stop();
    }
  });
});

describe('the members of a cluster', () => {
  it('are refused, with what the server said last, when one of them does not start', async () => {
    await expect(startEtcdCluster({ flags: ['--no-such-flag'] })).rejects.toThrow(
      /^member-0 of etcd ended: .+/s,
    );
  });

  it('are numbered from 0, and another number is refused', async () => {
    const cluster = await startEtcdCluster();
    try {
      expect(() => cluster.pauseMember(1)).toThrow('There is no member 1 of etcd.');
    } finally {
      await cluster.stop();
    }
  });
});

describe('a loopback proxy', () => {
  let proxy: LoopbackProxy;
  let server: Server;
  afterEach(async () => {
    await proxy.close();
    server.close();
  });

  const listen = async (listener: Server): Promise<string> => {
    server = listener;
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return `http://127.0.0.1:${(listener.address() as { port: number }).port}`;
  };

  it('holds back everything while cut, and lets it through when healed', async () => {
    const target = await listen(createServer((socket) => socket.pipe(socket)));
    proxy = await loopbackProxy({ target });
    const client = connect(proxy.port, '127.0.0.1');
    let heard = '';
    client.on('data', (chunk) => {
      heard += String(chunk);
    });
    client.write('a');
    await vi.waitUntil(() => heard === 'a', { timeout: 30_000 });
    proxy.cut();
    client.write('b');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([heard, proxy.connections]).toEqual(['a', 1]);
    proxy.heal();
    await vi.waitUntil(() => heard === 'ab', { timeout: 30_000 });
    const closed = once(client, 'close');
    proxy.reset();
    await closed;
  });

  /** A server that says `hello` and keeps what it hears. */
  const hearing = async () => {
    const heard = { text: '', closed: false };
    const target = await listen(
      createServer((socket) => {
        socket.write('hello');
        socket.on('data', (chunk) => {
          heard.text += String(chunk);
        });
        socket.on('error', () => {});
        socket.on('close', () => {
          heard.closed = true;
        });
      }),
    );
    return { heard, target };
  };

  it('holds one way alone', async () => {
    const { heard, target } = await hearing();
    proxy = await loopbackProxy({ target, framing: 'none' });
    proxy.hold('to-server');
    const client = connect(proxy.port, '127.0.0.1');
    client.write('late');
    expect(String((await once(client, 'data'))[0])).toBe('hello');
    await vi.waitUntil(() => proxy.counts().toServer.bytes === 4, { timeout: 30_000 });
    expect(heard.text).toBe('');
    proxy.release('to-server');
    await vi.waitUntil(() => heard.text === 'late', { timeout: 30_000 });
    client.destroy();
  });

  it('delivers what it held after its sender is dead, and only then that it is', async () => {
    const { heard, target } = await hearing();
    proxy = await loopbackProxy({ target });
    proxy.hold('to-server');
    const sender = await supervise(process.execPath, [
      '-e',
      `require('net').connect(${proxy.port}, '127.0.0.1').write('last words'); setInterval(() => {}, 1000)`,
    ]);
    await vi.waitUntil(() => proxy.counts().toServer.bytes === 10, { timeout: 10_000 });
    await sender.stop();
    const another = connect(proxy.port, '127.0.0.1');
    await once(another, 'data');
    expect([heard, proxy.connections]).toEqual([{ text: '', closed: false }, 2]);
    proxy.release('to-server');
    await vi.waitUntil(() => heard.closed, { timeout: 30_000 });
    expect(heard.text).toBe('last words');
    another.destroy();
  });

  it('forgets what it held when it is reset', async () => {
    const { heard, target } = await hearing();
    proxy = await loopbackProxy({ target });
    proxy.cut();
    const client = connect(proxy.port, '127.0.0.1');
    const closed = once(client, 'close');
    client.write('lost');
    await vi.waitUntil(() => proxy.counts().toServer.bytes === 4, { timeout: 30_000 });
    proxy.reset();
    proxy.heal();
    await closed;
    await vi.waitUntil(() => heard.closed, { timeout: 30_000 });
    expect([heard.text, proxy.connections]).toEqual(['', 0]);
  });

  it('leads where it is told to, from the next connection on', async () => {
    const { target } = await hearing();
    proxy = await loopbackProxy({ target: 'http://127.0.0.1:1' });
    const refused = connect(proxy.port, '127.0.0.1');
    refused.on('error', () => {});
    await once(refused, 'close');
    proxy.retarget(target);
    const client = connect(proxy.port, '127.0.0.1');
    expect(String((await once(client, 'data'))[0])).toBe('hello');
    client.destroy();
  });

  it('counts the data frames of HTTP/2, each way', async () => {
    const http = createHttp2Server((request, response) => {
      request.resume();
      request.on('end', () => response.end('answer'));
    });
    proxy = await loopbackProxy({ target: await listen(http as unknown as Server) });
    const client = http2Connect(proxy.url);
    for (let requests = 0; requests < 3; requests += 1) {
      const request = client.request({ ':method': 'POST' });
      request.end('question');
      request.resume();
      await once(request, 'end');
    }
    const { toServer, toClient } = proxy.counts();
    expect([toServer.dataFrames, toClient.dataFrames]).toEqual([3, 3]);
    expect(toServer.bytes).toBeGreaterThan(3 * 'question'.length);
    client.destroy();
  });

  it('counts messages behind their length, however they are cut into pieces', async () => {
    const target = await listen(createServer((socket) => socket.resume()));
    let seen = 0;
    proxy = await loopbackProxy({
      target,
      framing: 'length-prefixed',
      onDataFrame: () => {
        seen += 1;
      },
    });
    const client = connect(proxy.port, '127.0.0.1');
    client.setNoDelay(true);
    const stream = Buffer.concat(['one', 'two and a half'].map(behindItsLength));
    for (const [from, to] of [
      [0, 2],
      [2, 6],
      [6, stream.length],
    ] as const) {
      client.write(stream.subarray(from, to));
      await vi.waitUntil(() => proxy.counts().toServer.bytes === to, { timeout: 30_000 });
    }
    expect([proxy.counts().toServer.dataFrames, proxy.counts().toClient.dataFrames, seen]).toEqual([2, 0, 2]);
    client.destroy();
  });
});

function behindItsLength(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, Buffer.from(text)]);
}
