/**
 * What storages need of a directory: to make it and its changes durable, and to be alone with a file in it.
 *
 * @packageDocumentation
 */

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, unlinkSync } from 'node:fs';
import { mkdir, open, realpath, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { basename, dirname, join, relative, resolve } from 'node:path';

/**
 * A new directory is durable once its parent is. Not with `recursive`: Node then calls a read-only disk a missing
 * directory, and tries for ever where a kernel denies that there could be one, as in `/proc`.
 */
export async function createDirectory(path: string): Promise<void> {
  const directory = resolve(path);
  if (await isDirectory(directory)) return;
  const parent = dirname(directory);
  if (parent !== directory) await createDirectory(parent);
  try {
    await mkdir(directory);
  } catch (error) {
    // Another process may have been faster.
    if (!(await isDirectory(directory))) throw error;
  }
  await flushDirectory(parent);
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** A rename is durable only once the directory is. Windows cannot flush one, and needs not. */
export async function flushDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

// ---- Being alone ---------------------------------------------------------------------------------------

/** The right to use a file alone, until it is released or the process ends, however it ends. */
export interface FileLock {
  release(): Promise<void>;
}

/** Another process, or this one, has the lock; or wanted it at the same moment. */
export class FileInUseError extends Error {
  override readonly name = 'FileInUseError';
}

/**
 * Keeps every other process of this machine from the file, as long as it asks as well; throws `FileInUseError`, which
 * says who has it. Node cannot lock files, but a kernel knows whether somebody listens on a socket, and forgets it with the
 * process. So whoever wants the file puts a socket of its own beside it, and then looks for others: of two, at least
 * the second to look sees the first. Two that come at the same moment may both be refused; never do both get it.
 */
export async function lockFile(path: string): Promise<FileLock> {
  const server = process.platform === 'win32' ? await listenAlone(path) : await listenAmongOthers(path);
  server.unref();
  return { release: () => close(server) };
}

async function listenAmongOthers(path: string): Promise<Server> {
  const directory = dirname(path);
  const prefix = `.lock-${hashOf(basename(path))}-`;
  const name = `${prefix}${process.pid}-${randomBytes(3).toString('hex')}`;
  const server = await listenBeside(join(directory, name));
  try {
    const names = readdirSync(directory).filter((entry) => entry.startsWith(prefix));
    // Somebody who looked before this process was listening took its socket for a dead one.
    if (!names.includes(name))
      throw new FileInUseError('Another process wanted it at the same moment. Try again.');
    for (const other of names) if (other !== name) await expectDead(directory, other);
    return server;
  } catch (error) {
    await close(server);
    throw error;
  }
}

/** Names are never used twice, so that of a dead process may go. */
async function expectDead(directory: string, name: string): Promise<void> {
  const path = join(directory, name);
  if (await isAlive(socketPath(path))) throw new FileInUseError(inUse(name.split('-').at(-2)));
  unlinkIfThere(path);
}

function inUse(pid: string | undefined): string {
  if (pid === `${process.pid}`) return 'This process uses it already. Close the other storage first.';
  return `Process ${pid} uses it. Stop that one first, or give this node a directory or an id of its own.`;
}

/** A pipe of Windows has a name, but no file; the kernel lets one process listen on it. */
async function listenAlone(path: string): Promise<Server> {
  const file = join(await realpath(dirname(path)), basename(path));
  try {
    return await listen(`\\\\.\\pipe\\hustings-${hashOf(file.toLowerCase())}`);
  } catch (cause) {
    if (codeOf(cause) !== 'EADDRINUSE') throw cause;
    throw new FileInUseError(
      'Another process uses it. Stop that one first, or give this node a directory of its own.',
      { cause },
    );
  }
}

async function listen(path: string): Promise<Server> {
  // Whoever connects only wants to know whether somebody is here.
  const server = createServer((connection) => connection.destroy());
  // `exclusive`: in a worker of node:cluster the primary would listen in its place, and the lock be the primary's.
  server.listen({ path, exclusive: true });
  await once(server, 'listening');
  server.on('error', () => {}); // Of a connection that could not be accepted: the answer is the same.
  return server;
}

async function listenBeside(path: string): Promise<Server> {
  const address = socketPath(path);
  try {
    return await listen(address);
  } catch (cause) {
    throw new Error(
      `No socket can be put beside it (${codeOf(cause)}). If its file system has none, set lock: false, and see to it yourself that no second process uses it.`,
      { cause },
    );
  }
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

/** Also of a process that is stopped: its kernel answers for it. In doubt, yes. */
async function isAlive(path: string): Promise<boolean> {
  const connection = connect(path);
  try {
    await once(connection, 'connect');
    return true;
  } catch (error) {
    const code = codeOf(error);
    return code !== 'ECONNREFUSED' && code !== 'ENOENT';
  } finally {
    connection.destroy();
  }
}

/** What fits into the address of a socket on every system. Node would cut off the rest without a word. */
const maxSocketPathBytes = 103;

function socketPath(path: string): string {
  const absolute = resolve(path);
  const fromHere = relative('', absolute);
  const shortest = fromHere.length < absolute.length ? fromHere : absolute;
  const length = Buffer.byteLength(shortest);
  if (length <= maxSocketPathBytes) return shortest;
  throw new Error(
    `Its directory is too long by ${length - maxSocketPathBytes} bytes for a socket beside it. Use a shorter one, or a symbolic link to it.`,
  );
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** Others may have removed it, too. */
function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
