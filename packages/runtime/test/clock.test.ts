import { describe, expect, it } from 'vitest';
import { monotonicClock } from '../src/clock.js';

/** How far the clock had got when the timer called back. */
const elapsedMs = (delayMs: number): Promise<number> =>
  new Promise((resolve) => {
    const startedMs = monotonicClock.nowMs();
    monotonicClock.setTimer(delayMs, () => resolve(monotonicClock.nowMs() - startedMs));
  });

describe("the machine's clock", () => {
  it.each([0, 0.4, 1, 1.7, 3.2, 12.9])('calls back after %d ms, and never before', async (delayMs) => {
    expect(await elapsedMs(delayMs)).toBeGreaterThanOrEqual(delayMs);
  });

  it('does not call back from inside the call that sets the timer', () => {
    let called = false;
    const cancel = monotonicClock.setTimer(0, () => {
      called = true;
    });
    expect(called).toBe(false);
    cancel();
  });

  it.each([0.4, 2.5])('does not call back once cancelled, also after %d ms', async (delayMs) => {
    let called = false;
    const cancel = monotonicClock.setTimer(delayMs, () => {
      called = true;
    });
    cancel();
    await elapsedMs(delayMs + 2);
    expect(called).toBe(false);
  });
});
