import type { AnyEffect, AnyProtocol, Service, Timing } from '@hustings/simulator';
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
  return guarded({ ...spelt(protocol, facts), periodicMessages }, { before: watch, services });
}

/** The same protocol. It throws a slip for a message or a timer that the exercise does not have. */
function spelt<State>(protocol: AnyProtocol<State>, facts: ExerciseFacts): AnyProtocol<State> {
  return {
    ...protocol,
    step(state, input, nowMs) {
      const transition = protocol.step(state, input, nowMs);
      for (const effect of transition[1]) checkNames(effect, facts);
      return transition;
    },
  };
}

function checkNames(effect: AnyEffect, { messages, timers }: ExerciseFacts): void {
  if (effect.type === 'send') checkName('message', effect.message.type, messages);
  if (effect.type === 'set-timer' || effect.type === 'cancel-timer') checkName('timer', effect.timer, timers);
}

function checkName(kind: string, said: string, known: readonly string[] | undefined): void {
  if (known !== undefined && !known.includes(said)) throw slips.unknownName(kind, said, known);
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
