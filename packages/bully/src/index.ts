/**
 * Bully election: the strongest node that is alive leads.
 *
 * It can elect two leaders: when the network splits, each side elects one.
 *
 * @example
 * ```ts
 * const [state, effects] = step(initialState('n1', ['n2', 'n3']), { type: 'campaign-requested' });
 * // state.role === 'candidate'; effects ask n2 and n3 whether they are there
 * ```
 *
 * @packageDocumentation
 */
export { type BullyProtocol, bully } from './bully.js';
export { invariants } from './invariants.js';
export {
  type BullyDurable,
  type BullyMessage,
  type BullyTimer,
  decodeDurable,
  decodeMessage,
} from './messages.js';
export {
  type BullySettings,
  type BullyState,
  type BullyTypes,
  defaultSettings,
  initialState,
} from './state.js';
export { step } from './step.js';
