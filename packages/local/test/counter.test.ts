import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { raiseCounter, readCounter } from '../src/counter.js';

describe('a counter', () => {
  let directory: string;
  let file: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hustings-counter-'));
    file = join(directory, 'token');
  });

  afterEach(() => rm(directory, { recursive: true }));

  const [bootA, bootB, bootC] = ['a', 'b', 'c'].map((letter) => letter.repeat(36)) as [
    string,
    string,
    string,
  ];
  const linesOf = async () => (await readFile(file, 'utf8')).split('\n');

  it('is 0 before anybody has raised it, and counts from there', async () => {
    expect(readCounter(file)).toBe(0n);
    for (const raised of [1n, 2n, 3n, 4n]) {
      expect(await raiseCounter(file)).toBe(raised);
      expect(readCounter(file)).toBe(raised);
    }
    expect(await readdir(directory)).toEqual(['token']);
  });

  it('goes on from a number that a person wrote', async () => {
    await writeFile(file, '41\n');
    expect([await raiseCounter(file), await raiseCounter(file)]).toEqual([42n, 43n]);
  });

  it('goes on from the two lines of an earlier version', async () => {
    await writeFile(file, `${'41'.padStart(20, '0')}\n${'40'.padStart(20, '0')}\n`);
    expect([await raiseCounter(file), await raiseCounter(file)]).toEqual([42n, 43n]);
  });

  it('is above all numbers of the range after a reboot, which may have lost which of them were given', async () => {
    await raiseCounter(file, bootA);
    const [before, after] = [await readFile(file), await raiseCounter(file, bootA)];
    await writeFile(file, before);
    const end = BigInt((await linesOf())[1]!);
    expect(end).toBeGreaterThan(after);
    expect(readCounter(file, bootB)).toBe(end);
    expect([await raiseCounter(file, bootB), await raiseCounter(file, bootB)]).toEqual([end + 1n, end + 2n]);
  });

  it('flushes a new range when one is used up, and leaves the end of that one alone meanwhile', async () => {
    await raiseCounter(file, bootA);
    const end = BigInt((await linesOf())[1]!);
    for (let raised = 2n; raised <= end; raised += 1n) expect(await raiseCounter(file, bootA)).toBe(raised);
    expect((await linesOf()).slice(0, 2).map(BigInt)).toEqual([0n, end]);
    expect(await raiseCounter(file, bootA)).toBe(end + 1n);
    expect((await linesOf()).slice(0, 2).map(BigInt)).toEqual([2n * end, end]);
  });

  it('flushes each number where the machine does not say when it was started', async () => {
    for (const raised of [1n, 2n, 3n]) {
      expect(await raiseCounter(file, null)).toBe(raised);
      expect((await linesOf()).slice(0, 2).map(BigInt)).toContain(raised);
    }
    expect(await linesOf()).toHaveLength(3);
  });

  it('gives no number of a range whose end was written by a process that died before it was flushed', async () => {
    await raiseCounter(file, bootA);
    const [, end, range] = await linesOf();
    const unflushed = BigInt(end!) * 2n;
    await writeFile(file, `${`${unflushed}`.padStart(20, '0')}\n${end}\n${range!.replace(/^\d+/, end!)}\n`);
    expect(await raiseCounter(file, bootA)).toBe(unflushed + 1n);
    expect((await linesOf()).slice(0, 2).map(BigInt)).toContain(unflushed + BigInt(end!));
  });

  const endsLength = 42;
  const endOf = (text: string): bigint => {
    const [one, other] = text.slice(0, endsLength).trim().split('\n').map(BigInt);
    return one! > other! ? one! : other!;
  };

  describe.each([
    ['goes on with a range', false, bootA],
    ['begins the next range', true, bootA],
    ['is the first after a reboot', false, bootB],
  ])('when the one that is being written %s', (_, isUsedUp, writing) => {
    it.each([
      ['by the next process', writing],
      ['after a reboot', bootC],
    ])('gives no number twice %s, wherever a death or a crash has cut it off', async (_, next) => {
      for (let cutAfter = 0, isWhole = false; !isWhole; cutAfter += 1) {
        // One more digit within the next range: an end that is half written is then too great.
        await writeFile(file, '8999\n');
        let used = await raiseCounter(file, bootA);
        let before = await readFile(file, 'utf8');
        if (isUsedUp) {
          used = endOf(before);
          before = before.replace(/\d+ /, `${`${used}`.padStart(20, '0')} `);
          await writeFile(file, before);
        }

        const raised = await raiseCounter(file, writing);
        const after = await readFile(file, 'utf8');
        // Written in the order of the bytes: an end, if at all, then the line of the range.
        const written = [...after]
          .map((_byte, index) => index)
          .filter((index) => after[index] !== before[index]);
        const cut = written.slice(0, cutAfter);
        const torn = [...before].map((byte, index) => (cut.includes(index) ? after[index] : byte)).join('');
        await writeFile(file, torn);
        isWhole = cutAfter > written.length;

        const later = await raiseCounter(file, next);
        expect(later).toBeGreaterThan(isWhole ? raised : used);
        // Nor does the boot after that give it again, or any that follows: it finds on disk what has been flushed.
        const now = await readFile(file, 'utf8');
        const isReserved = now.slice(0, endsLength) !== torn.slice(0, endsLength);
        const wasFlushed = cut.some((index) => index >= endsLength);
        const flushedEnd = endOf(isReserved ? now : wasFlushed ? after : before);
        const [given, end] = now.slice(endsLength).split(' ');
        expect(BigInt(given!)).toBe(later);
        expect(flushedEnd).toBeGreaterThanOrEqual(BigInt(end!));
      }
    });
  });

  it('does not mind what a crash has left of the line of an earlier boot', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 100 }), async (rubbish) => {
        await rm(file, { force: true });
        const used = await raiseCounter(file, bootA);
        const ends = (await linesOf()).slice(0, 2).join('\n');
        await writeFile(file, `${ends}\n${rubbish}`);
        expect(await raiseCounter(file, bootB)).toBeGreaterThan(used);
      }),
    );
  });

  it('gives no number twice, whatever digits a crash left of an end that was being written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^\d{0,20}$/), async (torn) => {
        await rm(file, { force: true });
        const used = [await raiseCounter(file, null), await raiseCounter(file, null)];
        const lines = await linesOf();
        const other = BigInt(lines[0]!) < BigInt(lines[1]!) ? 0 : 1;
        lines[other] = torn + lines[other]!.slice(torn.length);
        await writeFile(file, lines.join('\n'));
        expect(await raiseCounter(file, bootA)).toBeGreaterThan(used[1]!);
      }),
    );
  });

  it.each(['', 'seven\n', '7', `${'7'.repeat(21)}\n`, `${'0'.repeat(20)}\n\0\0\0`, '1\n2\n', '-1\n'])(
    'takes %j for damage: it says what to write, and writes nothing itself',
    async (damage) => {
      await writeFile(file, damage);
      await expect(raiseCounter(file)).rejects.toThrow('Write the highest token that was ever used');
      expect(await readFile(file, 'utf8')).toBe(damage);
    },
  );
});
