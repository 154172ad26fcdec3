import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StorageFailedError } from '@hustings/elector';
import { readCount, readRecord } from '@hustings/elector/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStorage, memoryStorage } from '../src/index.js';

interface Ballot {
  readonly term: number;
}

const decode = (value: unknown): Ballot => ({ term: readCount(readRecord(value, 'The ballot'), 'term') });

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hustings-'));
});
afterEach(() => rm(directory, { recursive: true }));

const storage = (id = 'a') => fileStorage({ directory, id, decode });
const file = () => join(directory, 'a.json');

/** As a process would that ends afterwards. */
async function save(term: number, id = 'a'): Promise<void> {
  await using process = storage(id);
  await process.save({ term });
}

async function load(id = 'a'): Promise<Ballot | undefined> {
  await using process = storage(id);
  return await process.load();
}

describe('given a file store', () => {
  it('has nothing at first, and creates its directory', async () => {
    await using nested = fileStorage({ directory: join(directory, 'deep', 'down'), id: 'a', decode });
    expect(await nested.load()).toBeUndefined();
    await nested.save({ term: 1 });
    expect(await nested.load()).toEqual({ term: 1 });
  });

  it('gives another process what was saved last', async () => {
    await save(1);
    await save(2);
    expect(await load()).toEqual({ term: 2 });
  });

  it('keeps nodes apart in one directory, whatever they are called', async () => {
    await save(1, 'a/../b');
    await save(2, 'b');
    expect(await load('a/../b')).toEqual({ term: 1 });
    expect(await readdir(directory)).toHaveLength(2);
  });

  it('keeps others from the file until a slow write has ended, though it is closed meanwhile', async () => {
    const pipe = `${file()}.tmp`;
    await promisify(execFile)('mkfifo', [pipe]);
    const slow = storage();
    await slow.load();
    const writing = slow.save({ term: 1 }).catch(() => 'a pipe is no file');
    const closing = slow.close();
    await expect(load()).rejects.toThrow('uses it already');
    await readFile(pipe);
    expect(await writing).toBe('a pipe is no file');
    await closing;
    expect(await load()).toBeUndefined();
  });

  it('leaves no temporary file behind', async () => {
    await save(1);
    expect(await readdir(directory)).toEqual(['a.json']);
  });

  it('is refused to a second user, until the first has closed it', async () => {
    const first = storage();
    await first.load();
    await expect(load()).rejects.toThrow(/Could not read .*a\.json: This process uses it already/);
    await expect(save(1)).rejects.toThrow(StorageFailedError);
    await first.close();
    expect(await load()).toBeUndefined();
  });

  it('is not refused where no lock is wanted', async () => {
    await using first = storage();
    await first.load();
    const reckless = fileStorage({ directory, id: 'a', decode, lock: false });
    expect(await reckless.load()).toBeUndefined();
  });
});

describe('given a crash', () => {
  it('keeps the old state when the new file was only half written', async () => {
    await save(1);
    await writeFile(`${file()}.tmp`, '{"version":1,"check');
    expect(await load()).toEqual({ term: 1 });
    await save(2);
    expect(await load()).toEqual({ term: 2 });
  });

  it('counts a first write that never finished as nothing', async () => {
    await writeFile(`${file()}.tmp`, '{"version":1,"check');
    expect(await load()).toBeUndefined();
  });
});

describe('given a damaged file', () => {
  const damaged = async (change: (text: string) => string) => {
    await save(41);
    await writeFile(file(), change(await readFile(file(), 'utf8')));
    return load();
  };

  it.each([
    ['is empty', () => ''],
    ['was cut short', (text: string) => text.slice(0, -10)],
    ['has a changed value', (text: string) => text.replace('41', '42')],
    ['has a changed checksum', (text: string) => text.replace(/"checksum":"./, '"checksum":"x')],
    ['is of a later format', (text: string) => text.replace('"version":1', '"version":2')],
    ['is not an object', () => 'null'],
  ])('refuses one that %s', async (_how, change) => {
    await expect(damaged(change)).rejects.toThrow(StorageFailedError);
  });

  it('says which file and what to do', async () => {
    await expect(damaged(() => '')).rejects.toThrow(/a\.json is damaged.*new id/);
  });

  it('refuses a whole file whose content the protocol does not know', async () => {
    const other = fileStorage<unknown>({ directory, id: 'a', decode: (value) => value });
    await other.save({ epoch: 'first' });
    await other.close();
    await expect(load()).rejects.toThrow(StorageFailedError);
  });
});

describe('given a directory that cannot be written', () => {
  it('fails with the cause', async () => {
    await writeFile(join(directory, 'occupied'), '');
    const blocked = fileStorage({ directory: join(directory, 'occupied'), id: 'a', decode });
    await expect(blocked.load()).rejects.toThrow(StorageFailedError);
    await expect(blocked.save({ term: 1 })).rejects.toThrow(StorageFailedError);
  });
});

describe('given a memory store', () => {
  it('keeps a copy', async () => {
    const memory = memoryStorage<{ term: number }>();
    const durable = { term: 1 };
    await memory.save(durable);
    durable.term = 2;
    expect(await memory.load()).toEqual({ term: 1 });
  });

  it('has nothing at first', async () => {
    expect(await memoryStorage().load()).toBeUndefined();
  });
});
