import { type Clock, monotonicClock } from '@hustings/runtime';

/** One sentence of a contract. `run` rejects when the subject does not keep it. */
export interface Check<Subject> {
  readonly name: string;
  run(subject: Subject): Promise<void>;
}

const pollEveryMs = 2;

/** Resolves once `condition` holds. Rejects, saying what was awaited, when it does not in time. */
export async function until(
  what: string,
  withinMs: number,
  condition: () => boolean,
  clock: Clock = monotonicClock,
): Promise<void> {
  const giveUpMs = clock.nowMs() + withinMs;
  while (!condition()) {
    if (clock.nowMs() > giveUpMs) throw new Error(`Waited ${withinMs} ms in vain until ${what}.`);
    await pause(pollEveryMs, clock);
  }
}

export const pause = (forMs: number, clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    clock.setTimer(forMs, resolve);
  });

/** What a promise rejects with. Throws when it does not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('The promise was fulfilled; it should have been rejected.');
}
