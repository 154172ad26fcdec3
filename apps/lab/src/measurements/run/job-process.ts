/**
 * What `hustings run` runs here: it writes to a log that it is alive, as often as it can, and at its start whom of its
 * predecessors it finds alive. A stubborn one does not end when it is asked to.
 *
 *     node job-process.js LOG polite|stubborn
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';

export interface JobEvent {
  readonly event: 'started' | 'alive' | 'asked-to-end';
  readonly pid: number;
  readonly token: string;
  readonly holder: string;
  /** By the clock that all processes of a machine share. */
  readonly atMs: number;
  readonly foundAlive: readonly number[];
}

const [, , log = '', manner = 'polite'] = process.argv;
const aliveEveryMs = 2;

function note(event: JobEvent['event'], foundAlive: readonly number[] = []): void {
  const { HUSTINGS_TOKEN: token = '', HUSTINGS_HOLDER: holder = '' } = process.env;
  const atMs = Number(process.hrtime.bigint()) / 1e6;
  const line: JobEvent = { event, pid: process.pid, token, holder, atMs, foundAlive };
  appendFileSync(log, `${JSON.stringify(line)}\n`);
}

function predecessors(): number[] {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').filter(Boolean) : [];
  return [...new Set(lines.map((line) => (JSON.parse(line) as JobEvent).pid))];
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

process.on('SIGTERM', () => {
  note('asked-to-end');
  if (manner !== 'stubborn') process.exit();
});
note('started', predecessors().filter(isAlive));
setInterval(() => note('alive'), aliveEveryMs);
