/**
 * A number in a file that only grows, also across crashes of the machine. Whoever raises it must be alone with it.
 *
 * To flush a number to the disk takes about as long as to notice that a leader has died, so a range of numbers is flushed
 * at once. Which of them was given last is written, but not flushed: the kernel keeps it while the machine runs, whatever
 * becomes of processes. When the machine has started anew, the count goes on after the range.
 *
 * The first two lines of the file are ends of ranges, of which the greater one counts. The next end is written over the
 * other one, so a crash leaves the one that was in use, whatever has become of this one. The third line is `given end boot`:
 * the number given last, the end of its range, which was flushed before, and which boot of the machine that was. Numbers
 * only grow, so of a line that is written in part no field is too low; and it is believed only if its end is one of the
 * ends, and with its last field, the boot.
 */

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreRefusedError } from '@hustings/lease';
import { flushDirectory } from '@hustings/runtime/directory';

/** What a machine calls its time since it was started. Null if it does not say: then every number is flushed. */
type Boot = string | null;

/** No greater number has been given. */
export function readCounter(file: string, boot: Boot = presentBoot()): bigint {
  const { ends, range } = read(file, boot);
  return range?.given ?? greatest(ends);
}

/** Adds one, or after a boot more. This number is never given again. */
export async function raiseCounter(file: string, boot: Boot = presentBoot()): Promise<bigint> {
  const { ends, range } = read(file, boot);
  const { given, end } =
    range !== null && range.given < range.end
      ? range
      : await reserve(file, ends, boot === null ? 1n : rangeLength);
  const raised = given + 1n;
  if (boot !== null) write(file, `${field(raised)} ${field(end)} ${boot}\n`);
  return raised;
}

/** So many are skipped at most when the machine is started anew. */
const rangeLength = 1000n;

/** Numbers that may be given without a flush: those after `given`, up to `end`. */
interface Range {
  readonly given: bigint;
  readonly end: bigint;
}

interface Content {
  /** Two; or one number, as a person writes it; or none, if the file is missing. */
  readonly ends: readonly bigint[];
  /** Null before the first number of a boot. */
  readonly range: Range | null;
}

/** As many as the regular expressions below say, and more than anybody needs. */
const digits = 20;
const field = (number: bigint): string => `${number}`.padStart(digits, '0');
const endLength = digits + '\n'.length;
const greatest = (numbers: readonly bigint[]): bigint =>
  numbers.reduce((most, number) => (number > most ? number : most), 0n);

function read(file: string, boot: Boot): Content {
  const text = readIfThere(file);
  if (text === null) return { ends: [], range: null };
  const [lines] = /^(\d{20}\n){2}|^\d{1,20}\n$/.exec(text) ?? [];
  if (lines !== undefined) {
    const ends = lines.trim().split('\n').map(BigInt);
    return { ends, range: rangeIn(text.slice(lines.length), ends, boot) };
  }
  throw new StoreRefusedError(
    `${file} holds no token, but ${JSON.stringify(text.slice(0, 80))}. Write the highest token that was ever used into it, as a decimal number on a line of its own.`,
  );
}

/** After a crash the line is whatever it is, but not of this boot. */
function rangeIn(line: string, ends: readonly bigint[], boot: Boot): Range | null {
  const [, given = '', end = '', writtenIn] = /^(\d{20}) (\d{20}) (.+)\n$/.exec(line) ?? [];
  if (writtenIn === undefined || writtenIn !== boot || !ends.includes(BigInt(end))) return null;
  return { given: BigInt(given), end: BigInt(end) };
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** A range of numbers that were never given. Its end is on disk when this resolves. */
async function reserve(file: string, ends: readonly bigint[], length: bigint): Promise<Range> {
  const given = greatest(ends);
  const end = given + length;
  if (ends.length === 2) await overwriteFlushed(file, `${field(end)}\n`, ends[0]! < ends[1]! ? 0 : endLength);
  else await replace(file, `${field(0n)}\n${field(end)}\n`);
  return { given, end };
}

/** The third line. At once: a few bytes for the kernel take less time than another thread that is asked for it. */
function write(file: string, line: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    writeSync(descriptor, line, 2 * endLength);
  } finally {
    closeSync(descriptor);
  }
}

async function overwriteFlushed(file: string, text: string, position: number): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.write(text, position);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** The old text or the new one is on disk at every moment. */
async function replace(file: string, text: string): Promise<void> {
  const draft = `${file}.next`;
  try {
    await writeFlushed(draft, text);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await flushDirectory(dirname(file));
}

async function writeFlushed(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function presentBoot(): Boot {
  if (process.platform !== 'linux') return null;
  const boot = readIfThere('/proc/sys/kernel/random/boot_id')?.trim();
  return boot || null;
}
