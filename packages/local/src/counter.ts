/** A number in a file that only grows, also across crashes of the machine. Whoever calls must be alone with it. */

import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreRefusedError } from '@hustings/lease';
import { flushDirectory } from '@hustings/runtime/directory';

export async function readCounter(file: string): Promise<bigint> {
  const text = await readFile(file, 'utf8').catch(nothingIfMissing);
  if (text === null) return 0n;
  if (/^\d+\n$/.test(text)) return BigInt(text.trim());
  throw new StoreRefusedError(
    `${file} holds no token, but ${JSON.stringify(text.slice(0, 40))}. Write the highest token that was ever used into it, as a decimal number on a line of its own.`,
  );
}

/** The old number or the new one is on disk at every moment, and the new one when this resolves. */
export async function writeCounter(file: string, value: bigint): Promise<void> {
  const draft = `${file}.next`;
  try {
    await writeFlushed(draft, `${value}\n`);
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
