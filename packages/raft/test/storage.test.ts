import { copyFile, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StorageFailedError } from '@hustings/elector';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Entry, initialState, type RaftDurable, type RaftMessage, step } from '../src/index.js';
import { compact, type Log, merge } from '../src/log.js';
import { raftStorage } from '../src/storage.js';
import type { RaftEffect, RaftInput } from '../src/transition.js';
import { MemoryDisk } from './power-cut.js';

const membership = { voters: ['n1', 'n2', 'n3'], learners: [] };
const origin = { index: 0, term: 0, membership, data: null };
const entry = (index: number, term: number): Entry => ({
  index,
  term,
  type: 'data',
  data: `${index}/${term}`,
});
const path = join('state', 'n1.raft');

const open = (disk: MemoryDisk, rewriteAfterBytes?: number) =>
  raftStorage({
    directory: 'state',
    id: 'n1',
    disk,
    ...(rewriteAfterBytes === undefined ? {} : { rewriteAfterBytes }),
  });

/** What a node might save in turn: a vote, entries, entries that replace others, a snapshot. */
const history: readonly RaftDurable[] = [
  { currentTerm: 1, votedFor: 'n2', snapshot: origin, entries: [] },
  { currentTerm: 1, votedFor: 'n2', snapshot: origin, entries: [entry(1, 1), entry(2, 1), entry(3, 1)] },
  { currentTerm: 2, votedFor: null, snapshot: origin, entries: [entry(1, 1), entry(2, 1), entry(3, 1)] },
  { currentTerm: 2, votedFor: null, snapshot: origin, entries: [entry(1, 1), entry(2, 2)] },
  { currentTerm: 3, votedFor: 'n1', snapshot: origin, entries: [entry(1, 1), entry(2, 2)] },
];

async function fileAfter(saves: number): Promise<Uint8Array> {
  const disk = new MemoryDisk();
  const storage = open(disk);
  for (const durable of history.slice(0, saves)) await storage.save(durable);
  return disk.files.get(path)!;
}

function diskWith(bytes: Uint8Array): MemoryDisk {
  const disk = new MemoryDisk();
  disk.files.set(path, bytes);
  return disk;
}

describe('the file of a node', () => {
  it('does not exist before the first save', async () => {
    expect(await open(new MemoryDisk()).load()).toBeUndefined();
  });

  it('gives back what was saved last', async () => {
    for (let saves = 1; saves <= history.length; saves += 1) {
      expect(await open(diskWith(await fileAfter(saves))).load()).toEqual(history[saves - 1]);
    }
  });

  it('grows by the difference only', async () => {
    const long = Array.from({ length: 500 }, (_, index) => entry(index + 1, 1));
    const disk = new MemoryDisk();
    const storage = open(disk);
    await storage.save({ currentTerm: 1, votedFor: null, snapshot: origin, entries: long });
    const before = disk.bytesWritten;
    await storage.save({
      currentTerm: 1,
      votedFor: null,
      snapshot: origin,
      entries: [...long, entry(501, 1)],
    });
    expect(disk.bytesWritten - before).toBeLessThan(200);
  });

  it('is written anew when it has grown too long, and when there is a new snapshot', async () => {
    const disk = new MemoryDisk();
    const storage = open(disk, 1000);
    let durable = history[0]!;
    for (let term = 1; term <= 200; term += 1) {
      durable = { ...durable, currentTerm: term };
      await storage.save(durable);
      expect(disk.files.get(path)!.length).toBeLessThan(2000);
    }
    expect(await open(disk).load()).toEqual(durable);
  });

  it('gives back any history of saves, however often it is reopened', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change(), { maxLength: 20 }),
        fc.integer({ min: 50, max: 2000 }),
        async (changes, limit) => {
          const disk = new MemoryDisk();
          let storage = open(disk, limit);
          let durable: RaftDurable = { currentTerm: 0, votedFor: null, snapshot: origin, entries: [] };
          for (const { apply, reopen } of changes) {
            durable = apply(durable);
            await storage.save(durable);
            if (!reopen) continue;
            storage = open(disk, limit);
            expect(await storage.load()).toEqual(durable);
          }
          if (changes.length > 0) expect(await open(disk).load()).toEqual(durable);
        },
      ),
    );
  });
});

interface Change {
  readonly apply: (durable: RaftDurable) => RaftDurable;
  readonly reopen: boolean;
}

/** Changes as Raft makes them: a term's entries are the leader's, so equal index and term mean an equal entry. */
function change(): fc.Arbitrary<Change> {
  const apply = fc.oneof(
    fc.constantFrom('n1', 'n2', null).map((votedFor) => (durable: RaftDurable) => ({
      ...durable,
      currentTerm: durable.currentTerm + 1,
      votedFor,
    })),
    fc.tuple(fc.nat(5), fc.nat(3)).map(([back, count]) => (durable: RaftDurable) => {
      const log: Log = durable;
      const from = durable.snapshot.index + Math.max(0, durable.entries.length - back) + 1;
      const term = durable.currentTerm + 1;
      const entries = Array.from({ length: count }, (_, offset) => entry(from + offset, term));
      return { ...durable, ...merge(log, entries), currentTerm: term };
    }),
    fc.nat(5).map((count) => (durable: RaftDurable) => {
      const index = durable.snapshot.index + Math.min(count, durable.entries.length);
      return { ...durable, ...compact(durable, index, `through ${index}`) };
    }),
  );
  return fc.record({ apply, reopen: fc.boolean() });
}

describe('a torn tail, cut at every byte', () => {
  it('is dropped: the state is that of the save before, and saving goes on', async () => {
    for (let saves = 2; saves <= history.length; saves += 1) {
      const shorter = await fileAfter(saves - 1);
      const longer = await fileAfter(saves);
      for (let length = shorter.length; length < longer.length; length += 1) {
        const disk = diskWith(longer.slice(0, length));
        const storage = open(disk);
        expect(await storage.load()).toEqual(history[saves - 2]);
        await storage.save(history[saves - 1]!);
        expect(await open(disk).load()).toEqual(history[saves - 1]);
      }
    }
  });

  it('is dropped, too, where zeros follow, because room had been made for it', async () => {
    for (let saves = 2; saves <= history.length; saves += 1) {
      const { length: start } = await fileAfter(saves - 1);
      const whole = withRoom(await fileAfter(saves));
      for (let end = start; end < whole.length - roomBytes; end += 1) {
        const torn = whole.slice();
        torn.fill(0, end, whole.length - roomBytes);
        expect(await open(diskWith(torn)).load(), `cut at ${end}`).toEqual(history[saves - 2]);
      }
    }
  });

  it('is dropped, too, where only some of its sectors were written', async () => {
    const long = {
      ...history[1]!,
      entries: [...history[1]!.entries, { ...entry(4, 1), data: 'x'.repeat(1500) }],
    };
    for (let shift = 0; shift < 600; shift += 29) {
      const disk = new MemoryDisk();
      const storage = open(disk);
      const before = { ...history[1]!, votedFor: 'v'.repeat(shift) };
      await storage.save(before);
      const { length: start } = disk.files.get(path)!;
      await storage.save({ ...long, votedFor: before.votedFor });
      const whole = withRoom(disk.files.get(path)!);
      for (const missing of sectorsOf(start, whole.length - roomBytes)) {
        const torn = whole.slice();
        torn.fill(0, ...missing);
        expect(await open(diskWith(torn)).load(), `without ${missing}`).toEqual(before);
      }
    }
  });
});

const roomBytes = 1024;

/** As the file is on a real disk, where room is made ahead of records. */
function withRoom(file: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([file, new Uint8Array(roomBytes)]));
}

/** The parts of these bytes that a disk writes whole or not at all. */
function sectorsOf(start: number, end: number): [from: number, to: number][] {
  const sectors: [number, number][] = [];
  for (let from = start; from < end; ) {
    const to = Math.min(end, (Math.floor(from / 512) + 1) * 512);
    sectors.push([from, to]);
    from = to;
  }
  return sectors;
}

describe('a damaged last record', () => {
  it('is refused, whichever of its bytes is wrong, with room behind it or without', async () => {
    const { length: start } = await fileAfter(history.length - 1);
    const file = await fileAfter(history.length);
    for (const whole of [file, withRoom(file)]) {
      for (let position = start; position < file.length; position += 1) {
        const damaged = whole.slice();
        damaged[position]! ^= 0x10;
        await expect(open(diskWith(damaged)).load(), `byte ${position}`).rejects.toThrow(/is damaged/);
      }
    }
  });

  it('is refused, though some of it is missing, if anything but zeros follows', async () => {
    const { length: start } = await fileAfter(2);
    const damaged = withRoom(await fileAfter(3));
    damaged[start + 20] = 0;
    expect(await open(diskWith(damaged.slice())).load()).toEqual(history[1]);
    damaged[damaged.length - 1] = 1;
    await expect(open(diskWith(damaged)).load()).rejects.toThrow(/is damaged/);
  });
});

describe('a corrupt middle', () => {
  it('is refused, whichever byte before the last record is wrong', async () => {
    const file = await fileAfter(history.length);
    const lastRecord = (await fileAfter(history.length - 1)).length;
    for (let position = 0; position < lastRecord; position += 1) {
      const damaged = file.slice();
      damaged[position]! ^= 0x10;
      await expect(open(diskWith(damaged)).load(), `byte ${position}`).rejects.toThrow(StorageFailedError);
    }
  });

  it('is refused with a sentence that says what to do', async () => {
    const damaged = await fileAfter(3);
    damaged[40]! ^= 1;
    await expect(open(diskWith(damaged)).load()).rejects.toThrow(
      /is damaged.*Restore the file; or remove this node/,
    );
  });

  it('does not keep the last whole file from being read when a replacement was cut short', async () => {
    const disk = diskWith(await fileAfter(3));
    disk.bytesUntilCut = 10;
    const storage = open(disk);
    const durable = (await storage.load())!;
    const snapshot = { ...origin, index: 2, term: 1 };
    await expect(storage.save({ ...durable, snapshot, entries: [] })).rejects.toThrow(StorageFailedError);
    disk.restore();
    expect(await open(disk).load()).toEqual(durable);
  });
});

describe('a disk that has failed', () => {
  it('is not trusted again', async () => {
    const disk = new MemoryDisk();
    const storage = open(disk);
    await storage.save(history[0]!);
    disk.bytesUntilCut = 5;
    await expect(storage.save(history[1]!)).rejects.toThrow(/Could not write/);
    disk.restore();
    await expect(storage.save(history[1]!)).rejects.toThrow(/Could not write/);
  });
});

describe('a voter that loses power at every write boundary, and at every byte between', () => {
  const request = (from: string, term: number): RaftInput => ({
    type: 'received',
    from,
    message: { type: 'vote-request', term, lastIndex: 9, lastTerm: 9, transfer: false },
  });
  const requests = [request('n2', 1), request('n3', 1), request('n3', 2), request('n2', 2), request('n2', 3)];

  /** Runs one life of the voter; the votes that left it are added to `granted`. False when the power went off. */
  async function live(disk: MemoryDisk, granted: Map<number, Set<string>>): Promise<boolean> {
    const storage = open(disk);
    const durable = await storage.load();
    let [state] = step(
      initialState('n1', ['n2', 'n3']),
      durable === undefined ? { type: 'started' } : { type: 'restarted', durable },
      0,
    );
    try {
      for (const input of requests) {
        let effects: readonly RaftEffect[];
        [state, effects] = step(state, input, 1000);
        for (const effect of effects) {
          if (effect.type === 'save') await storage.save(effect.durable);
          else if (effect.type === 'send') record(effect.message, effect.to, granted);
        }
      }
      return true;
    } catch {
      return false;
    }
  }

  function record(message: RaftMessage, to: string, granted: Map<number, Set<string>>): void {
    if (message.type !== 'vote-reply' || !message.granted) return;
    granted.set(message.term, (granted.get(message.term) ?? new Set()).add(to));
  }

  it('never votes for two candidates in one term', async () => {
    const whole = new MemoryDisk();
    await live(whole, new Map());
    for (let first = 1; first <= whole.bytesWritten; first += 1) {
      // The second cut falls into the second life, at places that move with the first.
      for (const second of [1, (first * 7) % whole.bytesWritten, Number.POSITIVE_INFINITY]) {
        const disk = new MemoryDisk();
        const granted = new Map<number, Set<string>>();
        for (const cut of [first, second, Number.POSITIVE_INFINITY]) {
          disk.bytesUntilCut = cut;
          await live(disk, granted);
          disk.restore();
        }
        for (const [term, candidates] of granted) {
          expect([...candidates], `term ${term}, cuts at ${first} and ${second}`).toHaveLength(1);
        }
        expect(granted.size).toBeGreaterThan(0);
      }
    }
  });

  it('would be caught if it spoke before it saved', async () => {
    const disk = new MemoryDisk();
    const granted = new Map<number, Set<string>>();
    for (const input of [requests[0]!, requests[1]!]) {
      // The power goes off before every save, and the reply leaves all the same.
      const [, effects] = step(initialState('n1', ['n2', 'n3']), input, 1000);
      for (const effect of effects) if (effect.type === 'send') record(effect.message, effect.to, granted);
    }
    expect(disk.files.size).toBe(0);
    expect(granted.get(1)?.size).toBe(2);
  });
});

describe('a file on a real disk', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hustings-raft-'));
  });
  afterEach(() => rm(directory, { recursive: true }));
  const real = (id = 'n1') => raftStorage({ directory, id });
  const file = () => join(directory, 'n1.raft');

  it('survives reopening, appending and rewriting', async () => {
    const options = { directory: join(directory, 'new', 'folder'), id: 'node/1' };
    for (const durable of [...history, { ...history[4]!, snapshot: { ...origin, data: 'later' } }]) {
      const storage = raftStorage(options);
      await storage.load();
      await storage.save(durable);
      expect(await storage.load()).toEqual(durable);
      await storage.close();
      await using again = raftStorage(options);
      expect(await again.load()).toEqual(durable);
    }
    expect(await readdir(options.directory)).toEqual(['node%2F1.raft']);
  });

  it('is closed only when a save in progress has ended', async () => {
    const storage = raftStorage({ directory, id: 'n1' });
    await storage.load();
    let isSaved = false;
    const saving = storage.save(history[0]!).then(() => {
      isSaved = true;
    });
    await storage.close();
    expect(isSaved).toBe(true);
    await saving;
  });

  it('is refused to a second, until the first has closed it', async () => {
    const first = real();
    await first.load();
    const second = real();
    await expect(second.load()).rejects.toThrow(/Could not lock .*n1\.raft: This process uses it already/);
    await expect(second.save(history[0]!)).rejects.toThrow(StorageFailedError);
    await first.close();
    expect(await second.load()).toBeUndefined();
    await second.save(history[0]!);
    await second.close();
  });

  it('is not refused to another id in the same directory, nor to one that does without a lock', async () => {
    await using first = real();
    await first.load();
    await using other = real('n2');
    expect(await other.load()).toBeUndefined();
    await using reckless = raftStorage({ directory, id: 'n1', lock: false });
    expect(await reckless.load()).toBeUndefined();
  });

  it.each([
    ['deleted', () => rm(file())],
    ['moved away', () => rename(file(), `${file()}.old`)],
    ['replaced', () => copyFile(file(), `${file()}.new`).then(() => rename(`${file()}.new`, file()))],
  ])('is not written to once it was %s, for nobody would read it', async (_how, remove) => {
    await using storage = real();
    await storage.load();
    await storage.save(history[0]!);
    await storage.save(history[1]!);
    await remove();
    await expect(storage.save(history[2]!)).rejects.toThrow(/Could not write .*deleted or replaced/);
    await expect(storage.save(history[3]!)).rejects.toThrow(StorageFailedError);
  });

  it('is missed also by a node that has only read it since it started', async () => {
    const first = real();
    await first.save(history[0]!);
    await first.close();
    await using storage = real();
    await storage.load();
    await rm(file());
    await expect(storage.save(history[1]!)).rejects.toThrow(/deleted or replaced/);
  });
});
