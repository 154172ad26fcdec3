/** A candidate among the processes of one machine. Prints `waits` once it knows who leads, and `leads TOKEN`, with the time. */

import { lead, localElector } from 'hustings/local';
import type { LocalSettings } from './settings.js';

const { id, directory }: LocalSettings = JSON.parse(process.argv[2] ?? '{}');
// Linux has one monotonic clock for all processes.
const say = (what: string): boolean => process.stdout.write(`${what} ${process.hrtime.bigint()}\n`);

const elector = localElector({ id, election: 'billing', directory, logger: false });
void lead(elector, ({ token, signal }) => {
  say(`leads ${token}`);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
});
for await (const { leaderId } of elector.observe()) {
  if (leaderId !== null && say('waits')) break;
}
