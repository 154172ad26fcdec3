/**
 * A student's answer as an elector of the catalogue, so that the playground shows it like any other.
 *
 * @packageDocumentation
 */
import type { Algorithm } from '@hustings/catalogue';
import { exerciseOf } from './exercises/index.js';
import type { ExerciseFacts } from './grading/check.js';
import { guestName } from './grading/grade.js';
import { isCandidate } from './grading/runs.js';

type Exports = Readonly<Record<string, unknown>>;

/** Throws when the exercise asks for no elector, or the file is none. */
export function guestOf(facts: ExerciseFacts, exports: Exports): Algorithm<unknown> {
  const answer = exerciseOf(facts.id).read({ text: '', exports }, () => {}, facts);
  if (!isCandidate(answer))
    throw new TypeError(`${facts.title} asks for no elector: there is nothing to show.`);
  const { protocol, timing, fieldsOf, services = [] } = answer;
  // No store of an exercise has members that could fail.
  const coordinators = services.map((service) => ({ ...service, canCommit: () => true, failLeader: null }));
  const configured = { protocol, parameters: {}, services: coordinators, ...timing };
  return {
    name: guestName(facts.id),
    coordinator: services.length === 0 ? null : 'lease',
    variants: [{ variant: 'default', configure: () => configured }],
    invariants: {},
    portray: (state) =>
      Object.entries(fieldsOf(state)).map(([name, value]) => ({
        name,
        value: typeof value === 'string' ? value : JSON.stringify(value),
      })),
  };
}
