import { randomUUID } from 'node:crypto';
import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { eventually } from '@hustings/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { childrenOf, Hustings, isAlive } from './hustings.js';

let etcd: EtcdCluster;
beforeAll(async () => {
  etcd = await startEtcdCluster();
});
afterAll(() => etcd.stop());

const flags = (election = randomUUID()) => ['--etcd', etcd.endpoints[0]!, '--election', election];
const runShell = (script: string, ...more: string[]) =>
  new Hustings('run', ...flags(), ...more, '--', 'sh', '-c', script);
const pidIn = async (node: Hustings, name: string): Promise<number> =>
  Number((await node.says(new RegExp(`${name}=(\\d+)`)))[1]);
const waits = 'while :; do sleep 0.05; done';

describe('a command of hustings run', () => {
  it('has the token and its holder in its environment', async () => {
    await using node = runShell('echo token=$HUSTINGS_TOKEN holder=$HUSTINGS_HOLDER', '--id', 'node-1');
    expect(await node.exitCode()).toBe(0);
    expect(node.said).toMatch(/^token=\d+ holder=node-1#[0-9a-f-]{36}$/m);
  });

  it.each([
    ['its own', 'exit 7', 7],
    ['128 and the number of the signal that ended it', 'kill -USR1 $$', 138],
  ])('ends the whole with an exit code of %s', async (_what, script, code) => {
    await using node = runShell(script);
    expect(await node.exitCode()).toBe(code);
  });

  it.each([
    ['is not there', '/nowhere/job.sh', 127],
    ['cannot be run', '/etc', 126],
  ])('that %s is told of as a shell does', async (_what, path, code) => {
    await using node = new Hustings('run', ...flags(), '--', path);
    expect(await node.exitCode()).toBe(code);
    expect(node.said).toContain(path);
  });

  it('takes with it what it has started, and nobody is left', async () => {
    await using node = runShell('sleep 300 & echo child=$!; exit 0');
    const child = await pidIn(node, 'child');
    expect(await node.exitCode()).toBe(0);
    expect(isAlive(child)).toBe(false);
  });
});

describe('given a command that runs', () => {
  it('when hustings gets SIGTERM, the command is asked to end, and then the office is free', async () => {
    const election = flags();
    const script = `trap 'echo bye; exit 3' TERM; echo job=$$; ${waits}`;
    await using node = new Hustings('run', ...election, '--', 'sh', '-c', script);
    const job = await pidIn(node, 'job');
    await using next = new Hustings('run', ...election, '--', 'echo', 'mine');
    node.signal('SIGTERM');
    expect(await node.exitCode()).toBe(0);
    expect(node.said).toContain('bye');
    expect(isAlive(job)).toBe(false);
    expect(await next.exitCode()).toBe(0);
    expect(next.said).toContain('mine');
  });

  it('when it does not end, it is killed after --stop-ms', async () => {
    await using node = runShell(`trap '' TERM; echo job=$$; ${waits}`, '--stop-ms', '200');
    const job = await pidIn(node, 'job');
    node.signal('SIGTERM');
    expect(await node.exitCode()).toBe(0);
    expect(isAlive(job)).toBe(false);
  });

  it('when hustings is killed, the command and what it has started end', async () => {
    await using node = runShell(`sleep 300 & echo child=$! job=$$; ${waits}`);
    const [child, job] = [await pidIn(node, 'child'), await pidIn(node, 'job')];
    node.signal('SIGKILL');
    await eventually('both have ended', () => !isAlive(child) && !isAlive(job));
  });

  it('when its keeper is killed, it is killed as well', async () => {
    await using node = runShell(`echo job=$$ keeper=$PPID; ${waits}`);
    const job = await pidIn(node, 'job');
    process.kill(await pidIn(node, 'keeper'), 'SIGKILL');
    expect(await node.exitCode()).toBe(1);
    await eventually('the command has ended', () => !isAlive(job));
    expect(node.said).toContain('so the command was killed as well');
  });

  it('when the keeper of the next leader is killed, that one has another when it leads', async () => {
    const election = flags();
    await using node = new Hustings('run', ...election, '--', 'sh', '-c', `echo job=$$; ${waits}`);
    await pidIn(node, 'job');
    await using next = new Hustings('run', ...election, '--', 'echo', 'mine');
    await eventually('it has a keeper', () => childrenOf(next.process.pid!).length === 1);
    const [keeper] = childrenOf(next.process.pid!);
    process.kill(keeper!, 'SIGKILL');
    await eventually('the keeper is dead', () => childrenOf(next.process.pid!).length === 0);
    node.signal('SIGTERM');
    expect(await next.exitCode()).toBe(0);
    expect(next.said).toContain('mine');
  });
});

describe('given a leader whose key somebody deletes', () => {
  const deposed = async (node: Hustings, election: string) => {
    const job = await pidIn(node, 'job');
    await etcd.etcdctl('del', '--prefix', election);
    await eventually('the command has ended', () => !isAlive(job));
  };

  it('runs the command again when it is elected again, with a greater token', async () => {
    const election = randomUUID();
    const script = `echo job=$$ token=$HUSTINGS_TOKEN; ${waits}`;
    await using node = new Hustings('run', ...flags(election), '--', 'sh', '-c', script);
    await deposed(node, election);
    const tokens = () => [...node.said.matchAll(/token=(\d+)/g)].map((match) => BigInt(match[1]!));
    await eventually('it runs again', () => tokens().length === 2);
    expect(tokens()[1]).toBeGreaterThan(tokens()[0]!);
    node.signal('SIGTERM');
    expect(await node.exitCode()).toBe(0);
  });

  it('with --once it ends, and the exit code says that the job is not done', async () => {
    const election = randomUUID();
    await using node = new Hustings(
      'run',
      ...flags(election),
      '--once',
      '--',
      'sh',
      '-c',
      `echo job=$$; ${waits}`,
    );
    await deposed(node, election);
    expect(await node.exitCode()).toBe(75);
    expect(node.said).toContain("Leadership was lost before 'sh' had ended.");
  });
});

describe('given a command line that is still being loaded', () => {
  it('SIGTERM is heard, and nothing is begun', async () => {
    const hooks = `export async function resolve(specifier, context, next) {
      if (!specifier.endsWith('command-line.js')) return next(specifier, context);
      (await import('node:fs')).writeSync(2, 'loading');
      await new Promise((resolve) => setTimeout(resolve, 500));
      return next(specifier, context);
    }`;
    const preload = `import { register } from 'node:module'; register(${JSON.stringify(script(hooks))});`;
    vi.stubEnv('NODE_OPTIONS', `--import=${script(preload)}`);
    await using node = runShell('echo never');
    vi.unstubAllEnvs();
    await node.says(/loading/);
    node.signal('SIGTERM');
    expect(await node.exitCode()).toBe(0);
    expect(node.said).not.toContain('never');
  });
});

const script = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;

describe('given a server that cannot be reached', () => {
  it('hustings waits, and leaves when it is asked to', async () => {
    const flags = ['--etcd', 'http://127.0.0.1:1', '--election', 'e', '--listen', '127.0.0.1:0'];
    await using node = new Hustings('run', ...flags, '--', 'echo', 'never');
    await node.url();
    node.signal('SIGINT');
    expect(await node.exitCode()).toBe(0);
    expect(node.said).not.toContain('never');
  });

  it('so does one that only observes', async () => {
    await using node = new Hustings('observe', '--etcd', 'http://127.0.0.1:1', '--election', 'e');
    await node.says(/cannot reach etcd/);
    node.signal('SIGINT');
    expect(await node.exitCode()).toBe(0);
    expect(node.said).not.toContain('connectTimeoutMs');
  });
});
