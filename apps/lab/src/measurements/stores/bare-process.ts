/**
 * The least that can be done on one machine, without a library: whoever gets the socket counts one up, flushes the number
 * and leads. Prints `waits`, `binds` and `leads TOKEN`, with the time. Linux only.
 */

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
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

function raiseToken(): number {
  const file = join(directory, 'bare');
  const token = existsSync(file) ? Number(readFileSync(file, 'utf8')) + 1 : 1;
  const draft = openSync(`${file}.next`, 'w');
  writeSync(draft, `${token}\n`);
  flushAndClose(draft);
  renameSync(`${file}.next`, file);
  flushAndClose(openSync(directory, 'r'));
  return token;
}

function flushAndClose(descriptor: number): void {
  fsyncSync(descriptor);
  closeSync(descriptor);
}

stand();
