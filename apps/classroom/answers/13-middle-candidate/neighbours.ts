// Finds its own place in the sorted queue, says whom it follows, and remembers whom it watches: other news is old.
import { send } from '@hustings/classroom';
import type {
  Place,
  QueueInput,
  QueueState,
  QueueTransition,
} from '../../exercises/13-middle-candidate/types.js';

interface Candidate extends QueueState {
  readonly watched?: number | null;
}

export function step(state: Candidate, input: QueueInput): QueueTransition {
  if (input.type === 'campaign-requested') return [state, [send('queue', { type: 'join' })]];
  if (input.type !== 'received') return [state, []];
  const { message } = input;
  if (message.type === 'joined') return [candidate(state, message.ticket), [send('queue', { type: 'list' })]];
  if (message.type === 'listed') return takePlace(state, message.places);
  if (message.type === 'gone' && message.ticket === state.watched) {
    return [candidate(state, state.ticket), [send('queue', { type: 'list' })]];
  }
  if (message.type === 'expired' && message.ticket === state.ticket) {
    return [candidate(state, null), [{ type: 'step-down', reason: 'session-lost' }]];
  }
  return [state, []];
}

const candidate = (state: Candidate, ticket: number | null): Candidate => ({
  ...state,
  ticket,
  watched: null,
});

function takePlace(state: Candidate, places: readonly Place[]): QueueTransition {
  const queue = [...places].sort((a, b) => a.ticket - b.ticket);
  const place = queue.findIndex(({ ticket }) => ticket === state.ticket);
  if (place === -1) return [state, []];
  const [leader, before] = [queue[0]!, queue[place - 1]];
  if (before === undefined) return [state, [{ type: 'lead', token: BigInt(leader.ticket) }]];
  const waiting: Candidate = { ...state, watched: before.ticket };
  return [
    waiting,
    [
      { type: 'follow', leaderId: leader.node, token: BigInt(leader.ticket) },
      send('queue', { type: 'watch', ticket: before.ticket }),
    ],
  ];
}
