/**
 * Kills one leader after the other among eight processes of one machine. After `npm run build`:
 *
 *     node apps/lab/dist/measurements/stores/local.js [kills]
 *
 * Prints JSON: how long until the next one led, and whether it was always exactly one, with a greater token, also after
 * all of them were killed at once.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@hustings/testkit/check';
import { Candidate, nowMs } from './candidates.js';

const candidateCount = 8;

/** The processes, and those of them that have led. */
class Machine {
  readonly #directory: string;
  #candidates: Candidate[] = [];
  #started = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Starts as many as are missing, and waits until they take part. */
  async fill(): Promise<void> {
    while (this.#candidates.length < candidateCount) this.#candidates.push(await this.#start());
    await Promise.all(this.#candidates.map((candidate) => candidate.until('waits')));
  }

  async leader(): Promise<Candidate> {
    await until('somebody leads', 30_000, () => this.leaders().length > 0);
    return this.leaders()[0]!;
  }

  leaders(): Candidate[] {
    return this.#candidates.filter((candidate) => candidate.saidAtMs('leads') !== null);
  }

  async kill(victims: readonly Candidate[]): Promise<number> {
    const killedMs = nowMs();
    for (const victim of victims) victim.signal('SIGKILL');
    this.#candidates = this.#candidates.filter((candidate) => !victims.includes(candidate));
    await Promise.all(victims.map((victim) => victim.stop()));
    return killedMs;
  }

  killAll(): Promise<number> {
    return this.kill(this.#candidates);
  }

  #start(): Promise<Candidate> {
    this.#started += 1;
    return Candidate.startLocal({ id: `n${this.#started}`, directory: this.#directory });
  }
}

export async function measureLocal(kills: number) {
  const directory = await mkdtemp(join(tmpdir(), 'hustings-local-'));
  const machine = new Machine(directory);
  const failoversMs: number[] = [];
  const tokens: bigint[] = [];
  let successors = 0;
  try {
    await machine.fill();
    for (let kill = 0; kill < kills; kill += 1) {
      const leader = await machine.leader();
      tokens.push(leader.token);
      const killedMs = await machine.kill([leader]);
      failoversMs.push((await (await machine.leader()).until('leads')) - killedMs);
      await machine.fill();
      successors = Math.max(successors, machine.leaders().length);
    }
    await machine.killAll();
    await machine.fill();
    tokens.push((await machine.leader()).token);
  } finally {
    await machine.killAll();
    await rm(directory, { recursive: true, force: true });
  }
  return {
    candidates: candidateCount,
    ...summary(failoversMs),
    mostLeadersAtOnce: successors,
    tokensGrew: grow(tokens),
  };
}

function summary(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number =>
    Math.round((sorted[Math.floor(part * (sorted.length - 1))] ?? 0) * 10) / 10;
  return { kills: sorted.length, minMs: at(0), medianMs: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
}

const grow = (tokens: readonly bigint[]): boolean =>
  tokens.every((token, index) => index === 0 || token > tokens[index - 1]!);

if (process.argv[1]?.endsWith('local.js')) {
  console.log(JSON.stringify(await measureLocal(Number(process.argv[2] ?? 50)), null, 2));
}
