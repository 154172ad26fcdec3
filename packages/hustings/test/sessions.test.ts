import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type EtcdCluster,
  startEtcdCluster,
  startZooKeeperEnsemble,
  type ZooKeeperEnsemble,
} from '@hustings/servers';
import { memoryLeaseStore } from '@hustings/testkit';
import { until } from '@hustings/testkit/check';
import { InvalidOptionError, ListenFailedError, lead } from 'hustings';
import { balance } from 'hustings/balance';
import { type ElectionSession, etcdSession } from 'hustings/etcd';
import { leaseSession } from 'hustings/lease';
import { raftSession } from 'hustings/raft';
import { zookeeperSession } from 'hustings/zookeeper';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, secret } from './cluster.js';

let etcd: EtcdCluster;
let ensemble: ZooKeeperEnsemble;
let directory: string;
const ports: number[] = [];
/** A group needs a majority: beside the nodes of a test, a third one runs. */
const thirds: ElectionSession<never>[] = [];
const groups = new Map<string, Readonly<Record<string, number>>>();
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hustings-sessions-'));
  [etcd, ensemble] = await Promise.all([startEtcdCluster(), startZooKeeperEnsemble()]);
  for (let count = 0; count < 12; count += 1) ports.push(await freePort());
});
afterAll(async () => {
  await Promise.all(thirds.map((session) => session.stop()));
  await Promise.all([etcd?.stop(), ensemble?.stop()]);
  await rm(directory, { recursive: true, force: true });
});

const patienceMs = 30_000;
const leases = new Map();
let runs = 0;

function joinGroup(id: string, prefix: string): ElectionSession<never> {
  const known = groups.get(prefix);
  const group = known ?? { n1: ports.pop()!, n2: ports.pop()!, n3: ports.pop()! };
  groups.set(prefix, group);
  const others = Object.entries(group).filter(([other]) => other !== id);
  const session = raftSession({
    ...{ id, prefix, secret, ttlMs: 2000, timings: 'fast', logger: false },
    listen: `127.0.0.1:${group[id]}`,
    directory: join(directory, prefix, id),
    peers: Object.fromEntries(others.map(([other, port]) => [other, `ws://127.0.0.1:${port}`])),
  });
  if (known === undefined) {
    const third = joinGroup('n3', prefix);
    thirds.push(third);
    void third.elector('beside').start();
  }
  return session;
}

/** Sessions of several nodes over the same elections. */
const kinds: Record<string, (id: string, prefix: string) => ElectionSession<never>> = {
  etcd: (id, prefix) => etcdSession({ id, prefix, hosts: etcd.endpoints, logger: false }),
  ZooKeeper: (id, prefix) =>
    zookeeperSession({
      ...{ id, prefix, hosts: ensemble.hosts.split(','), logger: false },
      timings: { sessionTimeoutMs: 4000 },
    }),
  'a store of leases': (id, prefix) =>
    leaseSession({ id, prefix, store: memoryLeaseStore(leases), ttlMs: 2000, logger: false }),
  'a Raft group': joinGroup,
};

describe.each(Object.entries(kinds))('a session on %s', (_, open) => {
  const prefix = () => {
    runs += 1;
    return `sessions-${runs}-${process.pid}`;
  };

  it('hands out one elector for each name, and each competes with its namesakes alone', async () => {
    const name = prefix();
    const [one, other] = [open('n1', name), open('n2', name)];
    const [a, b, rival] = [one.elector('a'), one.elector('b'), other.elector('a')];
    expect(one.elector('a')).toBe(a);
    await Promise.all([a.start(), b.start(), rival.start()]);
    const [first] = await Promise.all([a.campaign(), b.campaign()]);
    const second = rival.campaign();
    await until('the rival follows', patienceMs, () => rival.belief().leaderId === 'n1');
    await a.resign();
    expect((await second).token).toBeGreaterThan(first.token);
    expect(b.belief()).toMatchObject({ role: 'leader', leaderId: 'n1' });
    await Promise.all([one.stop(), other.stop()]);
  });

  it('goes on when one of its electors stops, and ends with the last', async () => {
    const name = prefix();
    const session = open('n1', name);
    const [a, b] = [session.elector('a'), session.elector('b')];
    await Promise.all([a.start(), b.start()]);
    await a.campaign();
    const { signal } = await b.campaign();
    await a.stop();
    expect(signal.aborted).toBe(false);
    const again = session.elector('a');
    expect(again).not.toBe(a);
    await again.start();
    await again.campaign();
    await session.stop();
    expect(signal.aborted).toBe(true);
    expect(() => session.elector('a')).toThrow(InvalidOptionError);
  });

  it('is balanced: two nodes lead as much, and the one that stays leads all', async () => {
    const name = prefix();
    const names = Array.from({ length: 8 }, (_, index) => `p${index}`);
    const sessions = [open('n1', name), open('n2', name)];
    const spreads = sessions.map((session) =>
      balance({
        ...{ names, seats: 3, calmMs: 200 },
        elector: (election) => session.elector(election),
        work: (_name, { signal }) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
      }),
    );
    await until('both lead four', patienceMs, () => spreads.every((spread) => spread.led().length === 4));
    await spreads[0]?.stop();
    await until('the other leads all', patienceMs, () => spreads[1]?.led().length === 8);
    await spreads[1]?.stop();
    await Promise.all(sessions.map((session) => session.stop()));
  }, 60_000);
});

describe('the options of a session', () => {
  const etcdOptions = { id: 'n1', hosts: ['http://127.0.0.1:1'] };
  it.each([
    [() => etcdSession({ ...etcdOptions, election: 'a' } as never), 'election'],
    [() => etcdSession({ id: 'n1' } as never), 'hosts'],
    [() => etcdSession({ ...etcdOptions, connectTimeoutMs: 9 } as never), 'connectTimeoutMs'],
    [() => zookeeperSession({ id: 'n1', hosts: ['127.0.0.1:1'], election: 'a' } as never), 'election'],
    [() => zookeeperSession({ id: 'n1', hosts: ['127.0.0.1:1'], prefix: 'a//b' }), 'path'],
    [() => zookeeperSession({ id: 'n1' } as never), 'hosts'],
    [
      () => zookeeperSession({ id: 'n1', hosts: ['127.0.0.1:1'], connectTimeoutMs: 9 } as never),
      'connectTimeoutMs',
    ],
    [() => leaseSession({ id: 'n1' } as never), 'store'],
    [() => raftSession({ id: 'n1', peers: {}, listen: 1, secret } as never), 'directory'],
    [() => raftSession({ id: 'n1', peers: {}, listen: 1, secret, directory: 'd', ttlMs: 0 }), 'ttlMs'],
    [
      () => balance({ names: ['a', 'seat-2'], seats: 2, elector: () => null, work: async () => {} } as never),
      'names',
    ],
    [() => balance({ names: ['a', 'a'], elector: () => null, work: async () => {} } as never), 'names'],
    [() => etcdSession(etcdOptions).elector(''), 'the name of an election'],
  ])('%s is refused for its %s', (open, what) => {
    expect(open).toThrow(InvalidOptionError);
    expect(open).toThrow(what);
  });
});

describe('given a Raft group that this node cannot join', () => {
  it('then its electors do not start, and say why', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const session = raftSession({
      ...{ id: 'n1', peers: {}, secret, logger: false, listen: `127.0.0.1:${port}` },
      directory: join(directory, 'port in use'),
    });
    await expect(session.elector('a').start()).rejects.toThrow(ListenFailedError);
    await expect(lead(session.elector('b'), async () => {})).rejects.toThrow('another process listens there');
    await session.stop();
    server.close();
  });
});

describe('given a node of a Raft group whose disk takes no more', () => {
  it('then its electors stop, so that whoever leads by one hears of it', { timeout: 60_000 }, async () => {
    const script = `
      import { lead, raftSession } from 'hustings/raft';
      process.on('SIGXFSZ', () => {}); // The write fails; the process goes on.
      const session = raftSession({ id: 'n1', peers: {}, listen: 0, secret: ${JSON.stringify(secret)}, timings: 'fast',
        logger: false, directory: ${JSON.stringify(join(directory, 'full'))} });
      const untilAborted = ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve));
      const ended = lead(session.elector('kept'), untilAborted).catch((error) => console.log(error.name));
      const fill = async () => {
        for (let job = 0; ; job += 1) await lead(session.elector('job-' + job), async () => {});
      };
      await Promise.all([ended, fill().catch(() => {})]);`;
    const limited = 'ulimit -f 16 && exec "$0" --input-type=module --eval "$1"';
    const cwd = fileURLToPath(new URL('../../../', import.meta.url));
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', limited, process.execPath, script], {
      cwd,
    });
    expect(stdout).toBe('StoppedError\n');
  });
});
