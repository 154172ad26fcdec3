/**
 * The least that can be done on one machine, without a library: whoever gets the socket counts one up, flushes the number
 * and leads. Prints `waits`, `binds` and `leads TOKEN`, with the time. Linux only.
 */

import { closeSync, constants, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { LocalSettings } from './settings.js';

const { directory }: LocalSettings = JSON.parse(process.argv[2] ?? '{}');
const path = `\0bare-${directory}`;
const say = (what: string, at = process.hrtime.bigint()): boolean => process.stdout.write(`${what} ${at}\n`);

function stand(): void {
  const server = createServer();
  server.on('error', wait);
  server.listen(path, () => {
    const boundAt = process.hrtime.bigint();
    say(`leads ${raiseToken()}`);
    say('binds', boundAt);
  });
}

function wait(): void {
  const socket = connect(path, () => say('waits')).resume();
  socket.on('error', () => {});
  socket.on('close', stand);
}

/** Written over the last one, which takes one flush. */
function raiseToken(): number {
  const file = openSync(join(directory, 'bare'), constants.O_RDWR | constants.O_CREAT);
  const token = Number(readFileSync(file, 'utf8')) + 1;
  writeSync(file, `${token}`, 0);
  fdatasyncSync(file);
  closeSync(file);
  return token;
}

stand();
