import type { AnyProtocol, Service, Timing } from '@hustings/simulator';
import type { ExerciseFacts, Submission, Watch } from '../grading/check.js';
import type { Candidate } from '../grading/runs.js';
import { guarded } from '../guard.js';
import type { SketchState } from '../sketch.js';
import { slips } from '../slips.js';

/** The protocol that a file exports, watched. */
export function readProtocol<State>(
  { exports }: Submission,
  watch: Watch,
  facts: ExerciseFacts,
  expected: string,
  services: readonly string[] = [],
): AnyProtocol<State> {
  const { default: protocol } = exports as { readonly default?: AnyProtocol<State> };
  if (typeof protocol?.step !== 'function' || typeof protocol.initialState !== 'function') {
    throw slips.noExport(expected);
  }
  const periodicMessages = new Set(facts.periodicMessages ?? []);
  return guarded({ ...protocol, periodicMessages }, { before: watch, services, names: facts });
}

/** What `export default sketch({ … })` is, ready to run. */
export function readSketch(
  submission: Submission,
  watch: Watch,
  facts: ExerciseFacts,
  timing: Timing,
  services: readonly Service[] = [],
): Candidate<SketchState<object>> {
  const ids = services.map(({ id }) => id);
  return {
    protocol: readProtocol(submission, watch, facts, "have 'export default sketch({ … })'", ids),
    timing,
    services,
    fieldsOf: ({ own, leading }) => ({ ...own, leads: leading !== null }),
  };
}
