import type { Place, QueueInput, QueueMessage, QueueState, QueueTransition } from './types.js';

/** It watches the one before it, as exercise 12 asks. The rest of it hopes for the best. */
export function step(state: QueueState, input: QueueInput): QueueTransition {
  switch (input.type) {
    case 'campaign-requested':
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
      // The one before me is gone. So it is my turn?
      return [state, [{ type: 'lead', token: BigInt(state.ticket ?? 0) }]];
    default:
      return [state, []];
  }
}

function onListed(state: QueueState, places: readonly Place[]): QueueTransition {
  const mine = state.ticket;
  if (mine === null) return [state, []];
  const before = places.map(({ ticket }) => ticket).filter((ticket) => ticket < mine);
  if (before.length === 0) return [state, [{ type: 'lead', token: BigInt(mine) }]];
  return [state, [{ type: 'send', to: 'queue', message: { type: 'watch', ticket: Math.max(...before) } }]];
}
