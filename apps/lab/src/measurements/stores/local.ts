/**
 * Kills one leader after the other among eight processes of one machine, and by turns among eight that do without this
 * library the least that can be done: a socket, and a number that is flushed. After `npm run build`:
 *
 *     node apps/lab/dist/measurements/stores/local.js [kills]
 *
 * Prints JSON: how long until the next one led, and whether it was always exactly one, with a greater token, also after
 * all of them were killed at once. Of `bare`, what others take: until the next one has the socket, and until it leads.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@hustings/testkit/check';
import { Candidate, nowMs } from './candidates.js';

const candidateCount = 8;

/** The processes, and those of them that have led. */
class Machine {
  readonly #start: (id: string) => Promise<Candidate>;
  #candidates: Candidate[] = [];
  #started = 0;

  constructor(start: (id: string) => Promise<Candidate>) {
    this.#start = start;
  }

  /** Starts as many as are missing, and waits until they take part. */
  async fill(): Promise<void> {
    while (this.#candidates.length < candidateCount) {
      this.#started += 1;
      this.#candidates.push(await this.#start(`n${this.#started}`));
    }
    await until('all take part', 60_000, () => this.#candidates.every(takesPart));
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

  /** Kills the leader, and tells how long it took until the next one had said each of these. */
  async failOver(...words: readonly string[]): Promise<number[]> {
    const killedMs = await this.kill([await this.leader()]);
    const next = await this.leader();
    const saidMs = await Promise.all(words.map((word) => next.until(word)));
    await this.fill();
    return saidMs.map((atMs) => atMs - killedMs);
  }
}

const takesPart = (candidate: Candidate): boolean =>
  candidate.saidAtMs('waits') !== null || candidate.saidAtMs('leads') !== null;

export async function measureLocal(kills: number) {
  const directory = await mkdtemp(join(tmpdir(), 'hustings-local-'));
  const machine = new Machine((id) => Candidate.startLocal({ id, directory }));
  const bare = new Machine((id) => Candidate.startBare({ id, directory }));
  const failoversMs: number[] = [];
  const bareMs: { readonly binds: number; readonly leads: number }[] = [];
  const tokens: bigint[] = [];
  let mostLeadersAtOnce = 0;
  try {
    await machine.fill();
    await bare.fill();
    for (let kill = 0; kill < kills; kill += 1) {
      tokens.push((await machine.leader()).token);
      const [tookMs] = await machine.failOver('leads');
      failoversMs.push(tookMs!);
      mostLeadersAtOnce = Math.max(mostLeadersAtOnce, machine.leaders().length);
      const [binds, leads] = await bare.failOver('binds', 'leads');
      bareMs.push({ binds: binds!, leads: leads! });
    }
    await machine.killAll();
    await machine.fill();
    tokens.push((await machine.leader()).token);
  } finally {
    await Promise.all([machine.killAll(), bare.killAll()]);
    await rm(directory, { recursive: true, force: true });
  }
  return {
    candidates: candidateCount,
    kills,
    ...summary(failoversMs),
    mostLeadersAtOnce,
    tokensGrew: grow(tokens),
    bare: {
      socket: summary(bareMs.map(({ binds }) => binds)),
      socketAndFlush: summary(bareMs.map(({ leads }) => leads)),
    },
  };
}

function summary(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number =>
    Math.round((sorted[Math.floor(part * (sorted.length - 1))] ?? 0) * 10) / 10;
  return { minMs: at(0), medianMs: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
}

const grow = (tokens: readonly bigint[]): boolean =>
  tokens.every((token, index) => index === 0 || token > tokens[index - 1]!);

if (process.argv[1]?.endsWith('local.js')) {
  console.log(JSON.stringify(await measureLocal(Number(process.argv[2] ?? 50)), null, 2));
}
