/**
 * The electors by name: variants, settings, invariants and coordinators. It needs nothing of Node, so that a browser
 * can use it, too.
 *
 * @packageDocumentation
 */
export {
  type Algorithm,
  algorithmNames,
  type Configuration,
  type Configured,
  type CoordinatorKind,
  configure,
  coordinatorOf,
  type Entry,
  open,
  selfSufficientNames,
  type Variant,
  variantsOf,
} from './catalogue.js';
export { defaultBudgetMs, minBudgetMs, type ProfileName, profiles } from './profiles.js';
