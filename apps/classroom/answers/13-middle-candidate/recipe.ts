import type {
  Place,
  QueueInput,
  QueueMessage,
  QueueState,
  QueueTransition,
} from '../../exercises/13-middle-candidate/types.js';

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
      return look({ ...state, ticket: message.ticket });
    case 'listed':
      return onListed(state, message.places);
    case 'gone':
      return look(state);
    case 'expired':
      if (message.ticket !== state.ticket) return [state, []];
      return [{ ...state, ticket: null }, [{ type: 'step-down', reason: 'session-lost' }]];
    default:
      return [state, []];
  }
}

const look = (state: QueueState): QueueTransition => [
  state,
  [{ type: 'send', to: 'queue', message: { type: 'list' } }],
];

function onListed(state: QueueState, places: readonly Place[]): QueueTransition {
  const mine = state.ticket;
  const tickets = places.map(({ ticket }) => ticket);
  if (mine === null || !tickets.includes(mine)) return [state, []];
  const before = tickets.filter((ticket) => ticket < mine);
  if (before.length === 0) return [state, [{ type: 'lead', token: BigInt(mine) }]];
  return [state, [{ type: 'send', to: 'queue', message: { type: 'watch', ticket: Math.max(...before) } }]];
}
