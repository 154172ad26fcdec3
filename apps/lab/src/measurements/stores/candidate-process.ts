/**
 * A candidate in a process of its own. Prints `waits`, `leads TOKEN`, `lost` and `resigned`, and while it holds a valid
 * Leadership `holds`, each with the time; resigns on SIGINT, and says on SIGUSR2 what its `clock` shows. Where it has a resource it writes to it as leader and,
 * like work that listens to no signal, does not stop when its time is over.
 */

import type { Credentials, Leadership } from '@hustings/elector';
import { supportedMakes } from './makes.js';
import { openResource } from './resource.js';
import type { CandidateSettings } from './settings.js';

const settings: CandidateSettings = JSON.parse(process.argv[2] ?? '{}');
// Linux has one monotonic clock for all processes.
const say = (what: string, at = process.hrtime.bigint()): boolean => process.stdout.write(`${what} ${at}\n`);
const sleep = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));

const candidate = await supportedMakes[settings.make](settings);
process.on('SIGINT', () => {
  const resignedAt = process.hrtime.bigint();
  void candidate.resign().then(() => say('resigned', resignedAt));
});
process.on('SIGUSR2', () => say(`clock ${Date.now()}`));
say('waits');
const leadership = await candidate.campaign();
say(`leads ${leadership.token}`);
leadership.signal.addEventListener('abort', () => say('lost'));
if (settings.resource !== null) await write(settings.resource, leadership);
if (settings.reports) await report(leadership);

async function report(held: Leadership): Promise<void> {
  for (;;) {
    sayIfHeld(held);
    await sleep(20);
  }
}

/** The time is read first: a process that is stopped between the two would otherwise seem to hold it when it wakes. */
function sayIfHeld(held: Leadership): void {
  const at = process.hrtime.bigint();
  if (held.remainingMs > 0 && !held.signal.aborted) say('holds', at);
}

async function write(address: string, held: Leadership): Promise<void> {
  const credentials: Credentials = { token: held.token, holder: held.holder };
  const resource = openResource(address, settings.election);
  await resource.begin(credentials);
  for (;;) {
    sayIfHeld(held);
    await sleep(5);
    // Neither waits for the other, nor for an answer that may never come.
    resource.writeUnfenced(credentials).catch(() => {});
    resource.writeFenced(credentials).catch(() => {});
    await sleep(15);
  }
}
