import type { Run } from '../../exercises/08-kill-the-mutants/types.js';
import { mutants, runsOf } from '../given/raft-mutants.js';
import type { Check, Exercise, Watch } from '../grading/check.js';
import { isThenable } from '../sketch.js';
import { Slip, slips } from '../slips.js';

type Verdict = string | null;

interface Answer {
  /** What it says about each run of Raft, broken in this way or 'intact', up to its first accusation. */
  accuses(name: string): Verdict;
}

function answerOf(check: (run: Run) => unknown, watch: Watch): Answer {
  const known = new Map<string, Verdict>();
  const look = (name: string): Verdict => {
    for (const [index, run] of runsOf(name).entries()) {
      watch(() => `check() was given run ${index + 1} of '${name}'`);
      const verdict = check(run);
      if (isThenable(verdict)) throw slips.asyncStep('check()');
      if (typeof verdict === 'string') return verdict;
      if (verdict !== null) {
        throw new Slip(
          'missing-return',
          `check() returned ${String(verdict)}: it returns a sentence, or null.`,
        );
      }
    }
    return null;
  };
  return {
    accuses(name) {
      const verdict = known.has(name) ? known.get(name)! : look(name);
      known.set(name, verdict);
      return verdict;
    },
  };
}

const kills =
  (name: string): Check<Answer> =>
  (answer) => {
    const unjust = answer.accuses('intact');
    if (unjust !== null) {
      return {
        detail: `The check accuses Raft where nothing is wrong with it: '${unjust}'. That counts for all.`,
      };
    }
    return answer.accuses(name) === null ? { detail: 'The check says nothing.' } : null;
  };

export const killMutantsExercise: Exercise<Answer> = {
  id: '08-kill-the-mutants',
  read({ exports }, watch) {
    const { check } = exports as { readonly check?: (run: Run) => unknown };
    if (typeof check !== 'function') throw slips.noExport("export a function 'check'");
    return answerOf(check, watch);
  },
  checks: Object.fromEntries(Object.keys(mutants).map((name) => [name, kills(name)])),
};
