import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

// A mutant that dies today must die tomorrow; and the runner knows a test by its name, which has the seed in it.
const { testPath = '' } = expect.getState();
if (readFileSync(testPath, 'utf8').includes('fast-check')) {
  // To load it costs more than most tests do, and most mutants die before.
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ seed: 1 });
}
