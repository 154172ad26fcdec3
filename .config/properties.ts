/**
 * Stands in for `@fast-check/vitest` when tests run. That package builds every combination of vitest's modifiers when it
 * is loaded, which takes two seconds of processor time in each file; we need `test` and `test.prop` alone. What a
 * property was given when it failed, with the seed that repeats it, is in fast-check's message.
 */
import * as fc from 'fast-check';
import { test as plainTest } from 'vitest';

type Predicate = (...values: never[]) => unknown;

function prop(arbitraries: readonly fc.Arbitrary<unknown>[], parameters?: fc.Parameters<unknown[]>) {
  return (name: string, predicate: Predicate, timeoutMs?: number): void => {
    const property = fc.asyncProperty(...arbitraries, async (...values: unknown[]) => {
      const outcome = await predicate(...(values as never[]));
      return outcome === undefined ? undefined : Boolean(outcome);
    });
    plainTest(name, () => fc.assert(property, parameters), timeoutMs);
  };
}

export const test = Object.assign((...args: Parameters<typeof plainTest>) => plainTest(...args), { prop });
export { fc };
