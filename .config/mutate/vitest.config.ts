import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import base from '../vitest.config.ts';

const name = process.env.HUSTINGS_MUTATE ?? '*';

// They are run thousands of times, so these are the quick tests of the package that is mutated: no server, no process,
// no real time, no search.
const slow = [
  'conformance',
  'contract',
  'gateway',
  'random-faults',
  'readme',
  'safety',
  'simulation',
  'storage',
];

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [`packages/${name}/test/**/*.test.ts`],
    exclude: ['**/live/**', `**/{${slow.join(',')}}.test.ts`],
    setupFiles: [fileURLToPath(new URL('./same-seed.ts', import.meta.url))],
    reporters: [],
    testTimeout: 10_000,
  },
});
