import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { childrenOf, descendantsOf, isAlive, type Started, start, temporaryDirectory } from './command.js';

const live = [
  '--mode',
  'live',
  '--algorithms',
  'bully',
  '--nodes',
  '5',
  '--trials',
  '1',
  '--budget-ms',
  '600',
];
const patience = { timeout: 50_000, interval: 20 };

/** Five nodes and the guardian. */
async function everyProcess(running: Started): Promise<number[]> {
  const pids = await vi.waitUntil(() => {
    const children = childrenOf(running.pid).map(({ pid }) => pid);
    return children.length === 6 && children;
  }, patience);
  return [running.pid, ...pids];
}

/** The leader is paused: a process that cannot end itself. */
async function stoppedProcess(running: Started): Promise<number> {
  return vi.waitUntil(() => childrenOf(running.pid).find(({ stopped }) => stopped)?.pid, patience);
}

describe('a live run', { timeout: 120_000 }, () => {
  it('replaces a leader that was killed, and leaves no process and no file', async () => {
    const temporary = temporaryDirectory();
    const running = start([...live, '--faults', 'crash', '--json'], temporary);
    const pids = await everyProcess(running);
    const { exitCode, stdout } = await running.finished;
    expect(exitCode).toBe(0);
    const { rows } = JSON.parse(stdout);
    expect(rows).toMatchObject([{ fault: 'crash', nodes: 5, trials: 1, unresolved: 0, replay: null }]);
    expect(rows[0].failoverMs.max).toBeGreaterThan(0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('has two leaders when the network is split, and fencing stops the stale one', async () => {
    // Longer time-outs than the others: on a busy machine bully does not settle within short ones.
    const { stdout } = await start([...live, '--budget-ms', '1500', '--faults', 'split', '--json']).finished;
    const [{ unresolved, splitBrain, writes }] = JSON.parse(stdout).rows;
    expect(unresolved).toBe(0);
    expect(splitBrain.incidents).toBeGreaterThan(0);
    expect(writes.staleAcceptedUnfenced).toBeGreaterThan(0);
    expect(writes.staleAcceptedFenced).toBeLessThan(writes.staleAcceptedUnfenced);
  });

  it('has one leader at a time when the old one resigns', async () => {
    // Bully does not promise that on a machine too busy for its time-outs.
    const { stdout } = await start([...live, '--algorithms', 'raft', '--faults', 'graceful', '--json'])
      .finished;
    expect(JSON.parse(stdout).rows).toMatchObject([{ unresolved: 0, splitBrain: { incidents: 0 } }]);
  });

  it('when interrupted ends every process, a stopped one too, and keeps the rows that were finished', async () => {
    const [temporary, out] = [temporaryDirectory(), temporaryDirectory()];
    const running = start([...live, '--faults', 'crash,pause', '--out', out], temporary);
    const stopped = await stoppedProcess(running);
    const pids = childrenOf(running.pid).map(({ pid }) => pid);
    running.signal('SIGINT');
    expect((await running.finished).exitCode).toBe(130);
    expect(pids).toContain(stopped);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
    const results = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8'));
    expect(results).toMatchObject({ complete: false, rows: [{ fault: 'crash', trials: 1 }] });
  });

  it('when interrupted keeps the trials of an unfinished row, too, and prints them', async () => {
    const out = temporaryDirectory();
    const running = start([...live, '--faults', 'crash', '--trials', '10', '--out', out]);
    await vi.waitUntil(() => running.stderr().includes('of 10 trials'), patience);
    running.signal('SIGINT');
    const { exitCode, stdout } = await running.finished;
    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/^bully +5 crash +[1-9] /m);
    const { complete, rows } = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8'));
    expect(complete).toBe(false);
    expect(rows).toHaveLength(1);
    expect(rows[0].trials).toBeLessThan(10);
  });

  it('keeps the state of raft where its README says, which is not where the others keep theirs', async () => {
    const temporary = temporaryDirectory();
    const running = start([...live, '--algorithms', 'raft,bully', '--faults', 'graceful'], temporary);
    const files = () => readdirSync(temporary, { recursive: true, encoding: 'utf8' });
    await vi.waitUntil(() => files().some((file) => file.endsWith('n1.raft')), patience);
    await vi.waitUntil(() => files().some((file) => file.endsWith('n1.json')), patience);
    expect((await running.finished).exitCode).toBe(0);
  });

  it('when killed outright still leaves no process, a stopped one neither, and no file', async () => {
    const temporary = temporaryDirectory();
    const running = start([...live, '--faults', 'pause'], temporary);
    await stoppedProcess(running);
    const pids = childrenOf(running.pid).map(({ pid }) => pid);
    running.signal('SIGKILL');
    await running.finished;
    await vi.waitUntil(() => !pids.some(isAlive) && readdirSync(temporary).length === 0, patience);
  });
});

describe('a live run with real servers', { timeout: 120_000 }, () => {
  const short = ['--mode', 'live', '--nodes', '3', '--trials', '1', '--budget-ms', '1000', '--json'];

  it.each(['raft', 'etcd', 'zookeeper'])('%s replaces a leader that was killed', async (algorithm) => {
    const { exitCode, stdout } = await start([
      ...short,
      ...['--algorithms', algorithm, '--faults', 'crash', '--coordinator-members', '1'],
    ]).finished;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).rows).toMatchObject([
      { unresolved: 0, splitBrain: { incidents: 0 }, writes: { staleAcceptedFenced: 0 } },
    ]);
  });

  it.each(['etcd', 'zookeeper'])('%s has no leader while its only server is dead', async (algorithm) => {
    const temporary = temporaryDirectory();
    // Leases so long that a busy machine costs nobody its own: who then takes over leads for what is left of it.
    const running = start(
      [
        ...[...short, '--budget-ms', '2500', '--algorithms', algorithm],
        ...['--faults', 'coordinator-crash', '--coordinator-members', '1'],
      ],
      temporary,
    );
    const { rows } = JSON.parse((await running.finished).stdout);
    expect(rows).toMatchObject([{ unresolved: 1, failoverMs: null, splitBrain: { incidents: 0 } }]);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe("a live run beside other people's electors", { timeout: 180_000 }, () => {
  const beside = [
    ...['--mode', 'live', '--peers', '--nodes', '3', '--trials', '1', '--coordinator-members', '1'],
  ];

  it('finds that a leader cut off from etcd goes on beside its successor, unless it is ours', async () => {
    const temporary = temporaryDirectory();
    const running = start(
      [...beside, '--algorithms', 'etcd', '--faults', 'isolate', '--budget-ms', '1500', '--json'],
      temporary,
    );
    const { exitCode, stdout } = await running.finished;
    expect(exitCode).toBe(0);
    const unobservable = { detectionMs: null, convergenceMs: null, messages: { failover: null, byType: {} } };
    const lease = { parameters: { ttlSeconds: 1 }, unresolved: 0 };
    const { rows } = JSON.parse(stdout);
    expect(rows).toMatchObject([
      { algorithm: 'etcd', splitBrain: { incidents: 0 }, writes: { staleAttempted: 0 }, ...lease },
      { algorithm: 'etcd3', peer: true, splitBrain: { incidents: 1 }, ...lease, ...unobservable },
      { algorithm: 'etcdctl', variant: 'lock', peer: true, ...lease, ...unobservable },
    ]);
    // Its client gives a lease up for lost only after twice its time.
    expect(rows[1].splitBrain.overlapMs.max).toBeGreaterThan(500);
    expect(rows[1].writes.staleAcceptedUnfenced).toBeGreaterThan(10);
    for (const { failoverMs, messages } of rows) {
      expect(failoverMs.max).toBeGreaterThan(0);
      expect(messages.wire.failover.max).toBeGreaterThan(0);
      expect(messages.wire.steadyPerSecond).toBeGreaterThan(0);
    }
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('when interrupted leaves none of their programs, a stopped one neither', async () => {
    const temporary = temporaryDirectory();
    const parameters = [...beside, '--algorithms', 'zookeeper', '--faults', 'pause', '--budget-ms', '1500'];
    const running = start(parameters, temporary);
    const family = await vi.waitUntil(
      () => {
        const everyone = descendantsOf(running.pid);
        return everyone.some(({ program, stopped }) => program === 'java' && stopped) && everyone;
      },
      { timeout: 120_000, interval: 50 },
    );
    running.signal('SIGINT');
    expect((await running.finished).exitCode).toBe(130);
    // The ensemble's one server, and the three candidates.
    expect(family.filter(({ program }) => program === 'java').length).toBe(4);
    const isLeft = ({ pid }: { readonly pid: number }) => isAlive(pid);
    await vi.waitUntil(() => !family.some(isLeft), patience);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
