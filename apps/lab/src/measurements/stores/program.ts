/** Somebody else's program that competes for a lease, as the measuring process hears it. */

import type { SupervisedProcess } from '@hustings/servers';
import { until } from '@hustings/testkit/check';
import { type Contender, nowMs } from './candidates.js';
import type { ProgramName } from './settings.js';

/** What each prints when it waits for another, and when it has the lock. */
const sayings: Readonly<Record<ProgramName, Readonly<Record<'waits' | 'leads', string>>>> = {
  'client-go': { waits: 'new leader elected', leads: 'successfully acquired lease' },
  'consul lock': { waits: 'Attempting lock acquisition', leads: 'leads' },
  flock: { waits: 'waits', leads: 'leads' },
};

const patienceMs = 180_000;

export class Program implements Contender {
  readonly #name: ProgramName;
  readonly #process: SupervisedProcess;

  constructor(name: ProgramName, process: SupervisedProcess) {
    this.#name = name;
    this.#process = process;
  }

  /** When it was heard, a few milliseconds after it was said. */
  async until(word: 'waits' | 'leads', withinMs = patienceMs): Promise<number> {
    await until(`${this.#name} ${word}`, withinMs, () => this.says(word) || !this.#process.running);
    if (!this.says(word))
      throw new Error(`${this.#name} has ended: ${this.#process.lines.slice(-5).join('\n')}`);
    return nowMs();
  }

  says(word: 'waits' | 'leads'): boolean {
    return this.hasSaid(sayings[this.#name][word]);
  }

  hasSaid(words: string): boolean {
    return this.#process.lines.some((line) => line.includes(words));
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.signal(signal);
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}
