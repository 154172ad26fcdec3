import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { LeaseStore } from '@hustings/lease';
import { localStore } from '@hustings/local';
import { lockFile } from '@hustings/runtime/directory';
import { describeLeaseStore } from '@hustings/testkit';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Gate, type GateAddress, gateAddress, visit, waitAt } from '../src/gate.js';

let directory: string;
const stores: LeaseStore[] = [];
const children: ChildProcess[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hustings-local-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const store of stores.splice(0)) await store.close?.();
  await rm(directory, { recursive: true, force: true });
});

function open(): LeaseStore {
  const store = localStore({ directory });
  stores.push(store);
  return store;
}

const name = 'billing';
const ttlMs = 1000;
const asA = { name, holder: 'a#1', ttlMs };
const asB = { name, holder: 'b#1', ttlMs };

const scriptOf = (program: string): string => fileURLToPath(new URL(`${program}.mjs`, import.meta.url));

/** Another process, once it has the lease. */
async function holderProcess(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [scriptOf('holder-process'), directory, name, 'child#1'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = await once(child.stdout, 'data');
  expect(`${line}`).toMatch(/^acquired \d+\n$/);
  return child;
}

describeLeaseStore({ name: 'local', connect: open });

describe('a lease on one machine', () => {
  it('goes to one of many that want it at the same moment', async () => {
    const candidates = Array.from({ length: 20 }, (_, index) => ({ name, holder: `n${index}#1`, ttlMs }));
    const answers = await Promise.all(candidates.map((request) => open().acquire(request)));
    expect(answers.filter(({ type }) => type === 'acquired')).toHaveLength(1);
  });

  it('tells others who has it', async () => {
    await open().acquire(asA);
    expect(await open().acquire(asB)).toMatchObject({ type: 'held', holder: 'a#1', token: 1n });
    expect(await open().read(name)).toMatchObject({ type: 'held', holder: 'a#1', token: 1n });
  });

  it('is free before anybody came, and after it was released', async () => {
    const store = open();
    expect(await open().read(name)).toEqual({ type: 'free' });
    await store.acquire(asA);
    await store.release({ name, holder: 'a#1', token: 1n });
    expect(await open().read(name)).toEqual({ type: 'free' });
  });

  it('keeps its token when the same holder asks again', async () => {
    const store = open();
    const first = await store.acquire(asA);
    expect(await store.acquire(asA)).toEqual(first);
  });

  it('is renewed for its holder, and for nobody else', async () => {
    const store = open();
    await store.acquire(asA);
    expect(await store.renew({ ...asA, token: 1n })).toEqual({ type: 'renewed', validForMs: ttlMs });
    expect(await store.renew({ ...asA, token: 2n })).toEqual({ type: 'lost' });
    expect(await store.renew({ ...asB, token: 1n })).toEqual({ type: 'lost' });
  });

  it('is released by its holder, and by nobody else', async () => {
    const store = open();
    await store.acquire(asA);
    await store.release({ ...asB, token: 1n });
    await store.release({ ...asA, token: 7n });
    expect(await open().read(name)).toMatchObject({ holder: 'a#1' });
  });

  it('has nothing to do with the lease of another name, or of another directory', async () => {
    await open().acquire(asA);
    expect(await open().acquire({ ...asB, name: 'billing/eu' })).toMatchObject({ type: 'acquired' });
    const elsewhere = localStore({ directory: join(directory, 'elsewhere') });
    stores.push(elsewhere);
    expect(await elsewhere.acquire(asB)).toMatchObject({ type: 'acquired' });
  });

  it('gives a greater token each time, whoever held it before and wherever it was opened', async () => {
    for (const token of [1n, 2n, 3n]) {
      const store = open();
      expect(await store.acquire(asA)).toMatchObject({ token });
      await store.close?.();
    }
  });

  it('leaves nothing in the directory but the token', async () => {
    const store = open();
    await store.acquire(asA);
    await store.close?.();
    expect(await readdir(directory)).toEqual(['billing.token']);
  });

  it('is not kept by a call that ends after the store was closed', async () => {
    const store = open();
    const late = store.acquire(asA);
    await store.close?.();
    await expect(late).rejects.toThrow('closed');
    expect(await open().acquire(asB)).toMatchObject({ type: 'acquired' });
  });

  it('leaves nothing behind where the token cannot be written, however often it is asked for', async () => {
    // No file may have any content, as on a disk that is full.
    const script = scriptOf('unlucky-process');
    const child = spawn('sh', ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, script, directory]);
    children.push(child);
    const { refusals, left } = JSON.parse(await text(child.stdout));
    expect(refusals).toEqual(Array(3).fill(expect.stringMatching(/^The directory .* cannot be used: EFBIG/)));
    expect(left).toEqual([]);
  });

  it('is refused while the file holds something else than a token, and nothing is overwritten', async () => {
    const file = join(directory, 'billing.token');
    await writeFile(file, 'seven\n');
    await expect(open().acquire(asA)).rejects.toThrow(/holds no token, but "seven\\n"\. Write the highest/);
    expect(await readFile(file, 'utf8')).toBe('seven\n');
    await writeFile(file, '7\n');
    expect(await open().acquire(asA)).toMatchObject({ type: 'acquired', token: 8n });
  });

  it('is refused under a name that no file can have', async () => {
    await expect(open().acquire({ ...asA, name: 'x'.repeat(300) })).rejects.toThrow('Use a shorter one.');
  });

  it('is refused where no directory can be made', async () => {
    await writeFile(join(directory, 'file'), '');
    const store = localStore({ directory: join(directory, 'file', 'below') });
    await expect(store.acquire(asA)).rejects.toThrow(/^The directory .* cannot be used: /);
  });

  it.each([42, '', null])('takes no %j for a directory', (wrong) => {
    // @ts-expect-error: in JavaScript nothing keeps a user from it.
    expect(() => localStore({ directory: wrong })).toThrow('directory must be the path of a directory');
  });
});

describe('whoever waits for a lease', () => {
  it('hears at once that it could never take it, as nothing can be written there', async () => {
    const reading = localStore({ directory: '/proc/self' }).read(name);
    await expect(reading).rejects.toThrow('The directory /proc/self cannot be used');
  });

  it('is told when it is released', async () => {
    const store = open();
    await store.acquire(asA);
    const changed = vi.fn();
    const end = await open().watch!(name, changed);
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1)); // It listens.
    await store.release({ name, holder: 'a#1', token: 1n });
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(2));
    end();
  });

  it('is told when the process that has it is killed, and gets it with a greater token', async () => {
    const child = await holderProcess();
    const store = open();
    expect(await store.acquire(asB)).toMatchObject({ type: 'held', holder: 'child#1', token: 1n });
    const changed = vi.fn();
    const end = await store.watch!(name, changed);
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
    child.kill('SIGKILL');
    // A process that dies closes one socket after the other, so it may be seen once more.
    await vi.waitFor(() => expect(changed.mock.calls.length).toBeGreaterThan(1));
    end();
    await vi.waitFor(async () => {
      expect(await store.acquire(asB)).toMatchObject({ type: 'acquired', token: 2n });
    });
  });

  it('is told that somebody has it who is stopped, but not who', async () => {
    const child = await holderProcess();
    child.kill('SIGSTOP');
    expect(await open().acquire(asB)).toMatchObject({ type: 'held', holder: null, token: null });
    child.kill('SIGCONT');
    await vi.waitFor(async () => {
      expect(await open().acquire(asB)).toMatchObject({ type: 'held', holder: 'child#1' });
    });
  });
});

describe('a holder that is stopped', () => {
  it('is still told of when as many have asked in vain as fit before its door', async () => {
    const child = await holderProcess();
    child.kill('SIGSTOP');
    const { path } = gateAddress(join(await realpath(directory), 'billing.token'));
    const crowd = Array.from({ length: 600 }, () => connect(path).on('error', () => {}));
    await vi.waitFor(() => expect(crowd.some(({ errored }) => errored !== null)).toBe(true));
    expect(await open().acquire(asB)).toMatchObject({ type: 'held', holder: null, token: null });
    for (const socket of crowd) socket.destroy();
  });

  it('keeps its lease also as a worker of a cluster whose primary has died', async () => {
    const primary = spawn(process.execPath, [scriptOf('cluster-process'), directory, name]);
    children.push(primary);
    const [said] = await once(primary.stdout, 'data');
    const worker = Number(`${said}`);
    onTestFinished(() => void process.kill(worker, 'SIGKILL'));
    process.kill(worker, 'SIGSTOP');
    primary.kill('SIGKILL');
    await once(primary, 'exit');
    expect(await open().acquire(asB)).toMatchObject({ type: 'held' });
  });
});

describe('a process that shares the directory but not the network, as in another container', () => {
  it('keeps the lease from others, though nobody can wait for it at the gate', async () => {
    const lock = await lockFile(join(directory, 'billing.token'));
    expect(await open().acquire(asB)).toMatchObject({ type: 'held', holder: null, token: null });
    await lock.release();
    expect(await open().acquire(asB)).toMatchObject({ type: 'acquired' });
  });
});

describe('a gate that is a file, as where sockets have no abstract names', () => {
  const address = (): GateAddress => gateAddress(join(directory, 'billing.token'), 'darwin');

  it('is taken over from a process that died and left its file', async () => {
    await writeFile(address().path, '');
    expect(await visit(address())).toBeNull();
    const gate = new Gate(address(), 'keeper');
    expect(await gate.take()).toBe(true);
    gate.greet('hello');
    expect(await visit(address())).toBe('hello');
    await gate.leave();
    expect(await visit(address())).toBeNull();
  });

  it('tells those who wait when it is left', async () => {
    const gate = new Gate(address(), 'keeper');
    await gate.take();
    const changed = vi.fn();
    const end = await waitAt(address(), 'waiter', async () => 0n, changed);
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
    await gate.leave();
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(2));
    end();
  });

  it('tells them in the order of their coming, so that they do not get in the way of the first', async () => {
    const gate = new Gate(address(), 'keeper');
    await gate.take();
    const told: number[] = [];
    const ends: (() => void)[] = [];
    for (const place of [0, 1, 2]) {
      const changed = vi.fn(() => changed.mock.calls.length === 2 && told.push(place));
      ends.push(await waitAt(address(), `waiter ${place}`, async () => 0n, changed));
      await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
    }
    await gate.leave();
    await vi.waitFor(() => expect(told).toEqual([0, 1, 2]));
    for (const end of ends) end();
  });

  it('has no place in line for its own keeper, who dies with it', async () => {
    const gate = new Gate(address(), 'keeper');
    await gate.take();
    const places: number[] = [];
    for (const name of ['keeper', 'first', 'second']) places.push(await placeInLine(name));
    expect(places).toEqual([0, 0, 1]);
    await gate.leave();
  });

  /** What whoever comes to wait under this name is told. */
  async function placeInLine(name: string): Promise<number> {
    const socket = connect(address().path);
    socket.write(name);
    const [said] = await once(socket, 'data');
    return JSON.parse(`${said}`).ahead;
  }

  it('tells them of a holder that came and went between two looks', async () => {
    let holders = 0n;
    const changed = vi.fn();
    const end = await waitAt(address(), 'waiter', async () => holders, changed);
    holders = 1n;
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
    end();
  });
});
