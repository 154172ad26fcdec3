/**
 * Roll call: of those who stand, the strongest takes a vacant office.
 *
 * It can elect two leaders: when the network is partitioned, each side elects one.
 *
 * @example
 * ```ts
 * const [state, effects] = step(initialState('n1', ['n2', 'n3']), { type: 'campaign-requested' });
 * // state.standing === true; effects tell n2 and n3, and set the timer after which n1 decides
 * ```
 *
 * @packageDocumentation
 */
export { invariants } from './invariants.js';
export {
  decodeDurable,
  decodeMessage,
  type RollCallDurable,
  type RollCallMessage,
  type RollCallTimer,
} from './messages.js';
export { type RollCallProtocol, rollCall } from './roll-call.js';
export {
  defaultSettings,
  initialState,
  type RollCallSettings,
  type RollCallState,
  type RollCallTypes,
} from './state.js';
export { step } from './step.js';
