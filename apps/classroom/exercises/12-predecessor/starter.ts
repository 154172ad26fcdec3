import type { Place, QueueInput, QueueMessage, QueueState, QueueTransition } from './types.js';

/** It elects, and it does so with a herd: all wait for the same ticket to go. */
export function step(state: QueueState, input: QueueInput): QueueTransition {
  switch (input.type) {
    case 'started':
      return [state, [{ type: 'send', to: 'queue', message: { type: 'join' } }]];
    case 'received':
      return onMessage(state, input.message);
    default:
      return [state, []];
  }
}

function onMessage(state: QueueState, message: QueueMessage): QueueTransition {
  switch (message.type) {
    case 'joined':
      return [
        { ...state, ticket: message.ticket },
        [{ type: 'send', to: 'queue', message: { type: 'list' } }],
      ];
    case 'listed':
      return onListed(state, message.places);
    case 'gone':
      return [state, [{ type: 'send', to: 'queue', message: { type: 'list' } }]];
    default:
      return [state, []];
  }
}

function onListed(state: QueueState, places: readonly Place[]): QueueTransition {
  if (state.ticket === null) return [state, []];
  const first = Math.min(...places.map(({ ticket }) => ticket));
  if (first === state.ticket) return [state, [{ type: 'lead', token: BigInt(state.ticket) }]];
  return [state, [{ type: 'send', to: 'queue', message: { type: 'watch', ticket: first } }]];
}
