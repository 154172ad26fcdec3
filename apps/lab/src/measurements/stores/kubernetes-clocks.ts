/** Wall clocks that jump: of a leader, of those who wait, of the API server. Nobody may be deposed or elected for that. */

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubernetesServer, type WallClock, wallClock } from '@hustings/servers';
import { Candidate } from './candidates.js';
import { Program } from './program.js';
import { programs } from './settings.js';

export type ClockVictim = 'leader' | 'follower' | 'follower of client-go' | 'API server';
export const clockVictims: readonly ClockVictim[] = [
  'leader',
  'follower',
  'follower of client-go',
  'API server',
];

export interface ClockResult {
  /** Whoever led, led no longer. */
  readonly deposed: boolean;
  /** Somebody else led. */
  readonly elected: boolean;
}

const ttlMs = 15_000;
/** Whoever took the jump for the end of a lease, would have led by then: client-go waits for a minute, and looks every 5 s. */
const watchedMs = programs['client-go'].ttlMs! + 15_000;
const hourSeconds = 3600;

/** Elections at once, each of a leader, a follower of ours and one of client-go. Clocks jump forward, and then back. */
export async function runClocks(
  kubernetes: KubernetesServer,
  victim: ClockVictim,
  elections: number,
): Promise<ClockResult[]> {
  const directory = await mkdtemp(join(tmpdir(), 'hustings-clocks-'));
  const clock = await wallClock(join(directory, 'clock'));
  const running: Election[] = [];
  try {
    while (running.length < elections) running.push(await Election.start(kubernetes, victim, clock));
    for (const direction of ['forward', 'back'] as const) {
      if (victim === 'API server') kubernetes.jumpClock(direction);
      else await clock.set(direction === 'forward' ? hourSeconds : 0);
      for (const election of running) await election.checkClock(direction === 'forward' ? hourSeconds : 0);
      await sleep(watchedMs);
    }
    return running.map((election) => election.result());
  } finally {
    await Promise.all(running.map((election) => election.stop()));
    await rm(directory, { recursive: true, force: true });
  }
}

/** That a clock does no harm says something only if it jumped. */
const checkedWithinSeconds = 600;

class Election {
  readonly #victimMs: () => Promise<number>;
  readonly #leader: Candidate | Program;
  readonly #followers: readonly (Candidate | Program)[];

  private constructor(
    victimMs: () => Promise<number>,
    leader: Candidate | Program,
    followers: readonly (Candidate | Program)[],
  ) {
    this.#victimMs = victimMs;
    this.#leader = leader;
    this.#followers = followers;
  }

  static async start(kubernetes: KubernetesServer, victim: ClockVictim, clock: WallClock): Promise<Election> {
    const election = `clocks-${randomUUID()}`;
    const store = [await kubernetes.kubeconfig()];
    const ours = (id: string, env: NodeJS.ProcessEnv) =>
      Candidate.start(
        { make: 'hustings kubernetes', id, election, ttlMs, store, resource: null, reports: true },
        env,
      );
    const theirs = async (id: string) =>
      new Program('client-go', await kubernetes.startCandidate(election, id));
    const isOurs = victim !== 'follower of client-go';
    const leader = isOurs
      ? await ours('leader', victim === 'leader' ? clock.env : {})
      : await theirs('leader');
    await leader.until('leads');
    const ourFollower = await ours('follower', victim.startsWith('follower') ? clock.env : {});
    const theirFollower = await theirs('client-go');
    await Promise.all([ourFollower.until('waits'), theirFollower.until('waits')]);
    const victimMs = () => {
      if (victim === 'API server') return kubernetes.wallClockMs();
      return victim === 'leader' && leader instanceof Candidate
        ? leader.wallClockMs()
        : ourFollower.wallClockMs();
    };
    return new Election(victimMs, leader, [ourFollower, theirFollower]);
  }

  async checkClock(aheadSeconds: number): Promise<void> {
    const seconds = ((await this.#victimMs()) - Date.now()) / 1000;
    if (Math.abs(seconds - aheadSeconds) < checkedWithinSeconds) return;
    throw new Error(`The clock should be ${aheadSeconds} s ahead, and is ${seconds} s.`);
  }

  result(): ClockResult {
    return { deposed: isDeposed(this.#leader), elected: this.#followers.some(hasLed) };
  }

  async stop(): Promise<void> {
    await Promise.all([this.#leader, ...this.#followers].map((candidate) => candidate.stop()));
  }
}

const isDeposed = (leader: Candidate | Program): boolean =>
  leader instanceof Candidate ? leader.saidAtMs('lost') !== null : leader.hasSaid('leader lost');

const hasLed = (follower: Candidate | Program): boolean =>
  follower instanceof Candidate ? follower.saidAtMs('leads') !== null : follower.says('leads');

const sleep = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs));
