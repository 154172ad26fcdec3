/**
 * The electors by name: variants, settings, invariants and coordinators. It needs nothing of Node, so that a browser
 * can use it, too.
 *
 * @packageDocumentation
 */
export type {
  Algorithm,
  Configuration,
  Configured,
  Coordinator,
  CoordinatorKind,
  Variant,
} from './algorithm.js';
export {
  algorithmNames,
  canBefall,
  configure,
  coordinatorOf,
  type Entry,
  enrol,
  open,
  selfSufficientNames,
  variantsOf,
} from './catalogue.js';
export type { Trait } from './portrait.js';
export { defaultBudgetMs, maxBudgetMs, minBudgetMs, type ProfileName, profiles } from './profiles.js';
export { checkAlgorithm, withSubject } from './subject.js';
