/**
 * Ring election: a message goes round the ring once to learn who stands, and once more to say who leads.
 *
 * It can elect two leaders: when the network splits, each side closes its own ring.
 *
 * @example
 * ```ts
 * const [state, effects] = step(initialState('n1', ['n2', 'n3']), { type: 'campaign-requested' });
 * // state.role === 'candidate'; effects hand n2 an election with n1 on its list
 * ```
 *
 * @packageDocumentation
 */
export { invariants } from './invariants.js';
export {
  type CirculatingMessage,
  type CoordinatorMessage,
  decodeDurable,
  decodeMessage,
  type ElectionMessage,
  type RingDurable,
  type RingMessage,
  type RingTimer,
} from './messages.js';
export { changRoberts, type RingProtocol, ring } from './ring.js';
export {
  defaultSettings,
  type Handover,
  initialState,
  type RingSettings,
  type RingState,
  type RingTypes,
  type RingVariant,
} from './state.js';
export { step } from './step.js';
