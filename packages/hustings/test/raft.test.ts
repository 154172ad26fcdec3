import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Leadership, ListenFailedError, lead, StorageFailedError } from 'hustings/raft';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Cluster } from './cluster.js';

let cluster: Cluster;
afterEach(() => cluster.close());

const aborted = (signal: AbortSignal) => once(signal, 'abort');
const eventually = (what: () => void) => vi.waitFor(what, { timeout: 20_000, interval: 20 });

/** As a computation would that never yields. */
function block(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

describe('three nodes that were never started', () => {
  it('elect one leader at a time when they are asked to lead, and say so', async () => {
    cluster = await Cluster.open('node-1', 'node-2', 'node-3');
    const tokens: bigint[] = [];
    await Promise.all(
      cluster
        .nodes({ timings: 'fast' })
        .map((node) => lead(node, async ({ token }) => void tokens.push(token))),
    );
    expect(new Set(tokens).size).toBe(3);
    expect(new Set(cluster.messages('leads'))).toEqual(
      new Set(tokens.map((token) => `leads with token ${token}.`)),
    );
    expect(cluster.messages('lost-leadership')).toEqual(Array(3).fill('leads no more (resigned).'));
  });

  it('let go of their files and ports when they stop', async () => {
    cluster = await Cluster.open('node-1');
    for (const _ of [1, 2]) {
      const node = cluster.node('node-1', { timings: 'fast' });
      await lead(node, async () => {});
      await node.stop();
    }
  });
});

describe('calm timings, which are the default', () => {
  it('keep a leader in office whose event loop stands still for 200 ms, again and again', {
    timeout: 60_000,
  }, async () => {
    cluster = await Cluster.open('node-1', 'node-2', 'node-3');
    const nodes = cluster.nodes();
    await Promise.all(nodes.map((node) => node.start()));
    const leadership = await nodes[0]!.campaign();
    for (let turn = 0; turn < 10; turn += 1) {
      // The machine itself may be slower than the timings bear: each time begins with a lease that is fresh.
      await eventually(() => expect(leadership.remainingMs).toBeGreaterThan(600));
      block(200);
      leadership.assertValid();
    }
    expect(cluster.messages('lost-leadership')).toEqual([]);
  });

  it('say which setting to change when they are exceeded', { timeout: 60_000 }, async () => {
    cluster = await Cluster.open('node-1', 'node-2', 'node-3');
    const nodes = cluster.nodes();
    await Promise.all(nodes.map((node) => node.start()));
    const leadership = await nodes[0]!.campaign();
    block(1500);
    expect(() => leadership.assertValid()).toThrow('lease-expired');
    await eventually(() =>
      expect(cluster.messages('stalled').join()).toMatch(
        /the event loop stood still for \d{4} ms, and these timings bear 880 ms: find what blocks it, or use timings: 'wan', or a longer electionTimeoutMs \(now 1000 to 2000\)\./,
      ),
    );
    expect(cluster.messages('lost-leadership')[0]).toContain("use timings: 'wan'");
  });
});

describe('a port that is in use', () => {
  it('is named with its option', async () => {
    cluster = await Cluster.open('node-1');
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const node = cluster.node('node-1', { listen: `127.0.0.1:${port}` });
    const sentence = `Cannot listen on 127.0.0.1, port ${port} (option 'listen'): another process listens there; stop it, or choose another port.`;
    await expect(node.start()).rejects.toThrow(ListenFailedError);
    await expect(node.start()).rejects.toThrow(sentence);
    expect(cluster.messages('transport-failed')).toEqual([
      `has left the election (transport-failed): ${sentence}`,
    ]);
    server.close();
  });

  it('is never another one than was asked for', async () => {
    cluster = await Cluster.open('node-1', 'node-2');
    const [first, second] = cluster.nodes({ timings: 'fast' });
    await Promise.all([first!.start(), second!.start()]);
    await first!.campaign();
    await eventually(() => expect(second!.belief().leaderId).toBe('node-1'));
  });
});

describe('a port without a host', () => {
  it('is one of every interface', async () => {
    cluster = await Cluster.open('node-1', 'node-2');
    const { freePort } = await import('./cluster.js');
    const port = await freePort();
    const first = cluster.node('node-1', { listen: port, timings: 'fast' });
    const second = cluster.node('node-2', { peers: { 'node-1': `ws://127.0.0.1:${port}` }, timings: 'fast' });
    await Promise.all([first.start(), second.start()]);
    await second.campaign();
    await eventually(() => expect(first.belief().leaderId).toBe('node-2'));
  });
});

describe('two processes with one directory and id', () => {
  it('are one: the second is refused, and told who is there', async () => {
    cluster = await Cluster.open('node-1');
    await cluster.node('node-1').start();
    const second = cluster.node('node-1', { listen: 0 });
    await expect(second.start()).rejects.toThrow(StorageFailedError);
    await expect(second.start()).rejects.toThrow(
      /Could not lock .*node-1\.raft: This process uses it already/,
    );
  });

  it('even when the other is another program', async () => {
    cluster = await Cluster.open('node-1');
    const directory = join(cluster.directory, 'node-1');
    const script = `
      import { raftElector } from 'hustings/raft';
      const elector = raftElector({ id: 'node-1', listen: 0, secret: 'a secret of at least sixteen bytes',
        peers: {}, directory: ${JSON.stringify(directory)}, logger: false });
      await elector.start();
      console.log('started');`;
    const root = fileURLToPath(new URL('../../../', import.meta.url));
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      const message = new RegExp(
        `Process ${child.pid} uses it. Stop that one first, or give this node a directory`,
      );
      await expect(cluster.node('node-1').start()).rejects.toThrow(message);
      expect(cluster.messages('storage-failed').join()).toMatch(message);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

describe('three nodes that are configured to be five', () => {
  it('say so, and how to add the others; and then are five', { timeout: 60_000 }, async () => {
    const three = ['node-1', 'node-2', 'node-3'];
    cluster = await Cluster.open(...three, 'node-4', 'node-5');
    const before = three.map((id) => cluster.node(id, { timings: 'fast' }, three));
    await Promise.all(before.map((node) => node.start()));
    await before[0]!.campaign();
    await Promise.all(before.map((node) => node.stop()));
    expect(cluster.messages('membership-differs')).toEqual([]);

    const nodes = cluster.nodes({ timings: 'fast' });
    await Promise.all(nodes.map((node) => node.start()));
    const message =
      "configured 5, stored voters 3 (node-1, node-2, node-3), and only these vote: change them on the leader with elector.addVoter('node-4'), elector.addVoter('node-5').";
    expect(cluster.messages('membership-differs')).toEqual([message, message, message]);

    const leader = nodes[0]!;
    await leader.campaign();
    await leader.addVoter('node-4');
    await leader.addVoter('node-5');
    expect(leader.replica.membership?.voters).toHaveLength(5);
    await leader.removeVoter('node-5');
    expect(leader.replica.membership?.voters).toHaveLength(4);
  });
});

describe('a node that is to vote and does not run', () => {
  it('is waited for until somebody has waited enough', async () => {
    cluster = await Cluster.open('node-1', 'node-2', 'node-3', 'node-4');
    const three = ['node-1', 'node-2', 'node-3'].map((id) =>
      cluster.node(id, { timings: 'fast' }, ['node-1', 'node-2', 'node-3']),
    );
    await Promise.all(three.map((node) => node.start()));
    const [leader] = three;
    await leader!.campaign();
    const enough = new AbortController();
    const adding = leader!.addVoter('node-4', { signal: enough.signal });
    await eventually(() => expect(leader!.replica.membership?.learners).toEqual(['node-4']));
    enough.abort(new Error('enough'));
    // Either while it waits to ask again, or while it waits for the answer.
    await expect(adding).rejects.toThrow(/enough|is not known here/);
  });
});

describe('nodes of two elections that share a secret', () => {
  it('do not talk to each other, and say so', async () => {
    cluster = await Cluster.open('node-1', 'node-2');
    const first = cluster.node('node-1', { election: 'billing' });
    const second = cluster.node('node-2', { election: 'shipping' });
    await Promise.all([first.start(), second.start()]);
    await eventually(() => expect(cluster.messages('peer-refused').join()).toContain('the secrets differ'));
  });
});

describe('something to do before leading', () => {
  it('is told who led before', async () => {
    cluster = await Cluster.open('node-1', 'node-2', 'node-3');
    const [first, second, third] = cluster.nodes({ timings: 'fast' });
    await Promise.all([first!.start(), second!.start(), third!.start()]);
    const before = await first!.campaign();
    await eventually(() => expect(second!.belief().leaderId).toBe('node-1'));
    const told: unknown[] = [];
    const beforeLead = (leadership: Leadership, predecessor: unknown) =>
      void told.push({ predecessor, isLater: leadership.token > before.token });
    const run = lead(second!, async () => {}, { beforeLead });
    await first!.resign();
    await run;
    expect(told).toEqual([{ predecessor: { leaderId: 'node-1', token: before.token }, isLater: true }]);
  });
});

describe('a node that is alone', () => {
  it('says whom it cannot reach, and when it can', async () => {
    cluster = await Cluster.open('node-1', 'node-2');
    const first = cluster.node('node-1');
    await first.start();
    expect(cluster.messages('peer-unreachable')[0]).toMatch(/^could not reach node-2: .*ECONNREFUSED/);
    const [unreachable] = cluster.diagnostics.filter(({ type }) => type === 'peer-unreachable');
    expect(unreachable?.error).toMatchObject({ code: 'ECONNREFUSED' });
    await cluster.node('node-2').start();
    await eventually(() => expect(cluster.messages('peer-connected')).toEqual(['node-2 is connected.']));
  });
});

describe('a node that stands and cannot win', () => {
  it('says so, and what to look for', async () => {
    cluster = await Cluster.open('node-1', 'node-2', 'node-3');
    const node = cluster.node('node-1', { timings: 'fast' });
    await node.start();
    const campaign = node.campaign().catch(() => {});
    await eventually(() =>
      expect(cluster.messages('no-leader')[0]).toMatch(
        /^stands, and has known of no leader for 970 ms: check that 2 of the 3 nodes run and reach each other; .*addVoter\('node-1'\) on the leader\.$/,
      ),
    );
    await node.stop();
    await campaign;
  });

  it('counts from when the last leader left', async () => {
    cluster = await Cluster.open('node-1', 'node-2');
    const nodes = cluster.nodes({ timings: 'fast' });
    await Promise.all(nodes.map((node) => node.start()));
    const campaigns = nodes.map((node) => node.campaign().catch(() => {}));
    await Promise.race(campaigns);
    await sleep(800);
    await nodes.find((node) => node.belief().role === 'leader')!.stop();
    const leftMs = performance.now();
    await eventually(() => expect(cluster.messages('no-leader')).not.toEqual([]));
    expect(performance.now() - leftMs).toBeGreaterThan(800);
    await Promise.all(nodes.map((node) => node.stop()));
    await Promise.all(campaigns);
  });
});

describe('an elector that stops while it leads', () => {
  it('ends its Leadership first', async () => {
    cluster = await Cluster.open('node-1');
    const node = cluster.node('node-1', { timings: 'fast' });
    await node.start();
    const { signal } = await node.campaign();
    const ended = aborted(signal);
    await node.stop();
    await ended;
    expect(cluster.messages('lost-leadership')).toEqual(['leads no more (stopped).']);
  });
});
