import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { CallLink } from '../src/raft-session/calls.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('a call that is not answered in time is forgotten', async () => {
  const link = new CallLink<never>(async () => [], 10);
  let refused = 0;
  const askInVain = (): WeakRef<Promise<unknown>> => {
    const answer = link.ask('node-2', []);
    answer.catch(() => {
      refused += 1;
    });
    return new WeakRef(answer);
  };
  const asked = Array.from({ length: 100 }, askInVain);
  await sleep(100);
  expect(refused).toBe(100);
  collectGarbage();
  await sleep(1);
  collectGarbage();
  // The last of them may still be on the stack.
  expect(asked.filter((answer) => answer.deref() !== undefined).length).toBeLessThan(10);
  expect(link).toBeDefined();
});
