import { configureGlobal } from 'fast-check';

// A mutant that dies today must die tomorrow; and the runner knows a test by its name, which has the seed in it.
configureGlobal({ seed: 1 });
