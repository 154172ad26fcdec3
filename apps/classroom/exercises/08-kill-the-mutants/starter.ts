import type { Run } from './types.js';

/** What is wrong with this run, in a sentence; null if nothing is. */
export function check(run: Run): string | null {
  for (const step of run.steps) {
    // For example: remember step.role and step.currentTerm, and compare.
    void step;
  }
  return null;
}
