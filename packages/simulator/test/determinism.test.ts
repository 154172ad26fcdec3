import { describe, expect, it } from 'vitest';
import { defaultSwarm, findDivergence, judge, type Subject, scheduleOfSeed } from '../src/index.js';
import { type HastyState, hastySubject, seeds } from './hasty-protocol.js';

function divergenceOf(subject: Subject<HastyState>, seed: number) {
  const schedule = scheduleOfSeed(subject, defaultSwarm, seed);
  const [first, second] = [1, 2].map(() => judge(subject, schedule, { trace: true }).trace);
  return findDivergence(first!, second!);
}

describe('a run', () => {
  it('is the same, event by event, when it is run again', () => {
    const subject = hastySubject();
    for (const seed of seeds(50)) expect(divergenceOf(subject, seed), `seed ${seed}`).toBeNull();
  });

  it('of a protocol that keeps a secret from the simulator is caught, and the event is named', () => {
    let secret = 0;
    const impure = hastySubject({
      impure: () => {
        secret += 1;
        return secret;
      },
    });
    const divergence = divergenceOf(impure, 1);
    expect(divergence).toMatchObject({
      first: { type: 'step', input: { type: 'timer-fired', timer: 'patience' } },
      second: { type: 'step', input: { type: 'timer-fired', timer: 'patience' } },
    });
    expect(divergence!.first!.sequence).toBe(divergence!.index);
  });

  it('that ends sooner differs where it ends', () => {
    const subject = hastySubject();
    const { trace } = judge(subject, scheduleOfSeed(subject, defaultSwarm, 1), { trace: true });
    const divergence = findDivergence(trace, trace.slice(0, 5));
    expect(divergence).toEqual({ index: 5, first: trace[5], second: null });
  });
});
