import { outranks } from '@hustings/classroom';
import { leaderTimeoutMs, type RingInput, type RingState, type RingTransition } from './types.js';

/**
 * Something happens to this node. Return its new state and what it does about it:
 *   { type: 'send', to: state.next, message: { type: 'election', candidate } }
 *   { type: 'send', to: state.next, message: { type: 'coordinator', leader } }
 *   { type: 'cancel-timer', timer: 'leader' }
 *   { type: 'lead', token: 1n }
 *   { type: 'follow', leaderId, token: 1n }
 */
export function step(state: RingState, input: RingInput): RingTransition {
  switch (input.type) {
    case 'started':
      return [state, [{ type: 'set-timer', timer: 'leader', delayMs: leaderTimeoutMs }]];
    case 'timer-fired':
      return [state, []];
    case 'received':
      return [state, []];
    default:
      return [state, []];
  }
}

/** How many messages an election takes in a ring of so many nodes, if all call it at once: at least. */
export function fewestMessages(nodes: number): number {
  return 0;
}

/** The same: at most. */
export function mostMessages(nodes: number): number {
  return 0;
}

// You will need `outranks`, too.
void outranks;
