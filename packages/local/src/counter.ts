/**
 * A number in a file that only grows, also across crashes of the machine. Whoever raises it must be alone with it.
 *
 * The file has two lines of the same length, each with a number, of which the greater one counts. To raise it is to write
 * over the other one and to flush what was written. If the machine crashes meanwhile, the number that was used last is
 * still on the line beside, whatever has become of this one. That needs one flush; a new file that is renamed into place
 * needs two, and each of a journal too, which takes several times as long.
 */

import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreRefusedError } from '@hustings/lease';
import { flushDirectory } from '@hustings/runtime/directory';

export async function readCounter(file: string): Promise<bigint> {
  return greatest(await readNumbers(file));
}

/** Adds one. The new number is on disk when this resolves. */
export async function raiseCounter(file: string): Promise<bigint> {
  const numbers = await readNumbers(file);
  const raised = greatest(numbers) + 1n;
  if (numbers.length === 2) await overwrite(file, numbers[0]! < numbers[1]! ? 0 : 1, raised);
  else await replace(file, `${lineOf(0n)}${lineOf(raised)}`);
  return raised;
}

/** As many as the regular expressions below say, and more than anybody needs. */
const digits = 20;
const lineOf = (number: bigint): string => `${`${number}`.padStart(digits, '0')}\n`;
const greatest = (numbers: readonly bigint[]): bigint =>
  numbers.reduce((most, number) => (number > most ? number : most), 0n);

/** Two; or one, as a person writes it; or none, if the file is missing. */
async function readNumbers(file: string): Promise<readonly bigint[]> {
  const text = await readFile(file, 'utf8').catch(nothingIfMissing);
  if (text === null) return [];
  const isWhole = /^\d{1,20}\n$/.test(text) || /^(\d{20}\n){2}$/.test(text);
  if (isWhole) return text.trim().split('\n').map(BigInt);
  throw new StoreRefusedError(
    `${file} holds no token, but ${JSON.stringify(text.slice(0, 80))}. Write the highest token that was ever used into it, as a decimal number on a line of its own.`,
  );
}

async function overwrite(file: string, line: number, number: bigint): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.write(lineOf(number), line * lineOf(0n).length);
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

function nothingIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
