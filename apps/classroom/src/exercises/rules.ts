/** What exercises have in common in which a student writes some rules of Raft, and the rest is given. */

import type { Historian } from '@hustings/simulator';
import type { RaftState } from '../given/raft.js';
import { RaftHistory } from '../given/raft-history.js';
import type { Check, Submission } from '../grading/check.js';
import type { Rules } from '../grading/runs.js';
import { guardedRule } from '../guard.js';
import { slips } from '../slips.js';

/** The rules that a file exports. */
export function readRules<Given>(
  { exports }: Submission,
  ...names: readonly (keyof Given & string)[]
): Given {
  const rules = names.map((name) => {
    const rule = exports[name];
    if (typeof rule !== 'function') throw slips.noExport(`export a function '${name}'`);
    return [name, guardedRule(rule as Parameters<typeof guardedRule>[0])] as const;
  });
  return Object.fromEntries(rules) as Given;
}

/** Two lead at once in two terms, in the paper's Raft without leases, and that is not what is asked here. */
export const raftIsSafe = <State extends RaftState>(): Rules<State> => ({
  historian: () => new RaftHistory() as Historian<State>,
  settles: false,
});

/** Rules that are asked one by one, in cases that are made up. Of all of them, the first that goes wrong is told. */
export const casesOf =
  <Answer, Case, Asked extends { readonly effects: readonly unknown[] }>(
    ask: (answer: Answer, given: Case) => Asked,
    tell: (given: Case, asked: Asked) => readonly string[],
  ) =>
  (...cases: readonly (readonly [Case, (asked: Asked) => string | null])[]): Check<Answer> =>
  (answer) => {
    for (const [given, look] of cases) {
      const asked = ask(answer, given);
      const detail = look(asked);
      if (detail !== null) return { detail, story: storyOf(tell(given, asked), asked.effects) };
    }
    return null;
  };

function storyOf(lines: readonly string[], effects: readonly unknown[]): string {
  const told = effects.length === 0 ? ['none'] : effects.map(tellValue);
  return [...lines, ...told.map((line) => `  ${line}`)].map((line) => `  ${line}\n`).join('');
}

export const tellValue = (value: unknown): string =>
  JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? `${field}n` : field));
