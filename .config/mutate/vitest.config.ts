import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import base from '../vitest.config.ts';

const name = process.env.HUSTINGS_MUTATE ?? '*';

// They are run thousands of times, so these are the quick tests of the package that is mutated: no server, no process,
// no real time, no search.
const slow = [
  ...['conformance', 'contract', 'counts', 'data-loss', 'gateway', 'lost-report', 'random-faults', 'readme'],
  ...['replica', 'safety', 'simulation', 'storage'],
  'raft/test/properties', // Of every step of simulated runs.
];

/** Properties and simulations last: most mutants die before they, and what they import, are loaded. */
class CheapFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const cost = ({ moduleId }: TestSpecification) =>
      Number(/'(fast-check|@hustings\/simulator)'/.test(readFileSync(moduleId, 'utf8')));
    return files.toSorted((a, b) => cost(a) - cost(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [`packages/${name}/test/**/*.test.ts`],
    exclude: ['**/live/**', `**/{${slow.join(',')}}.test.ts`],
    setupFiles: [fileURLToPath(new URL('./same-seed.ts', import.meta.url))],
    sequence: { sequencer: CheapFirst },
    reporters: [],
    // One worker for all files of a run: most of the time goes into loading what they import.
    isolate: false,
  },
});
