import type { Clock } from '@hustings/runtime';
import { expect, it } from 'vitest';
import { until } from '../src/check.js';

/** An hour is over in a moment. */
function hastyClock(): Clock {
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    setTimer(delayMs, callback) {
      nowMs += delayMs;
      queueMicrotask(callback);
      return () => {};
    },
  };
}

it('until waits by the clock that it is given, and says what it waited for', async () => {
  await expect(until('pigs fly', 60_000, () => false, hastyClock())).rejects.toThrow(
    'Waited 60000 ms in vain until pigs fly.',
  );
});

it('until ends as soon as its condition holds', async () => {
  const clock = hastyClock();
  await until('ten milliseconds have passed', 60_000, () => clock.nowMs() >= 10, clock);
  expect(clock.nowMs()).toBe(10);
});
