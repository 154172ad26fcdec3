/** Candidates, each in a process of its own, as the measuring process sees them. */

import { fileURLToPath } from 'node:url';
import { type SupervisedProcess, supervise } from '@hustings/servers';
import { until } from '@hustings/testkit/check';
import type { CandidateSettings, LocalSettings } from './settings.js';

// What was built, also where a test runs this from its source.
const scriptOf = (name: string): string =>
  fileURLToPath(new URL(`../../../dist/measurements/stores/${name}.js`, import.meta.url));
const patienceMs = 60_000;

/** Whoever competes for a lease. */
export interface Contender {
  /** Resolves with when it said so first, in ms by the machine's monotonic clock. */
  until(word: 'waits' | 'leads', withinMs?: number): Promise<number>;
  signal(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export class Candidate implements Contender {
  readonly #process: SupervisedProcess;
  readonly #id: string;

  constructor(id: string, process: SupervisedProcess) {
    this.#id = id;
    this.#process = process;
  }

  /** Where there is an environment to add, such as a clock's, it is given as well. */
  static start(settings: CandidateSettings, env: NodeJS.ProcessEnv = {}): Promise<Candidate> {
    return Candidate.#run('candidate-process', settings, env);
  }

  static startLocal(settings: LocalSettings): Promise<Candidate> {
    return Candidate.#run('local-process', settings);
  }

  static startBare(settings: LocalSettings): Promise<Candidate> {
    return Candidate.#run('bare-process', settings);
  }

  static async #run(
    script: string,
    settings: CandidateSettings | LocalSettings,
    more: NodeJS.ProcessEnv = {},
  ): Promise<Candidate> {
    const command = [scriptOf(script), JSON.stringify(settings)];
    const env = { ...process.env, ...more };
    return new Candidate(settings.id, await supervise(process.execPath, command, { env }));
  }

  /** When it said this word, in ms by the machine's monotonic clock; null if it has not. */
  saidAtMs(word: string): number | null {
    return this.timesOf(word)[0] ?? null;
  }

  timesOf(word: string): number[] {
    const lines = this.#process.lines.filter((line) => line.startsWith(`${word} `));
    return lines.map((line) => Number(line.split(' ').at(-1)) / 1e6);
  }

  get token(): bigint {
    const line = this.#process.lines.find((each) => each.startsWith('leads '));
    return BigInt(line?.split(' ')[1] ?? -1);
  }

  /** What its wall clock shows. */
  async wallClockMs(): Promise<number> {
    const earlier = this.timesOf('clock').length;
    this.signal('SIGUSR2');
    await until(`${this.#id} tells the time`, patienceMs, () => this.timesOf('clock').length > earlier);
    const line = this.#process.lines.findLast((each) => each.startsWith('clock '));
    return Number(line?.split(' ')[1]);
  }

  async until(word: string, withinMs = patienceMs): Promise<number> {
    const what = `${this.#id} ${word}`;
    await until(what, withinMs, () => this.saidAtMs(word) !== null || !this.#process.running);
    const atMs = this.saidAtMs(word);
    if (atMs === null) throw new Error(`${this.#id} has ended: ${this.#process.lines.slice(-5).join('\n')}`);
    return atMs;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.signal(signal);
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}

export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;
