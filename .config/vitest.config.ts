import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import SlowestFirst from './slowest-first.js';

// Tests run on the packages' sources, so a failure points at the line that was written.
// 'import' and 'module' are not named: they would hold for what others require(), too, such as pg its pool.
const conditions = ['@hustings/source', 'node'];

export default defineConfig({
  resolve: { conditions },
  // What is not ours is loaded by Node as it would be anywhere.
  ssr: { resolve: { conditions, externalConditions: ['@hustings/source'] } },
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['{packages,apps}/*/test/**/*.test.ts', 'docs/test/**/*.test.ts'],
    reporters: ['default', fileURLToPath(new URL('./count-reporter.ts', import.meta.url))],
    // One more than there are processors: many tests wait for servers and leases most of the time.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second, which is vitest's own patience, is little on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
});
