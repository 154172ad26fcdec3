// Sorts the whole queue and looks for its own place; says whom it follows, too.
import { send } from '@hustings/classroom';
import type { QueueInput, QueueState, QueueTransition } from '../../exercises/12-predecessor/types.js';

export function step(state: QueueState, input: QueueInput): QueueTransition {
  if (input.type === 'started') return [state, [send('queue', { type: 'join' })]];
  if (input.type !== 'received') return [state, []];
  const { message } = input;
  if (message.type === 'joined')
    return [{ ...state, ticket: message.ticket }, [send('queue', { type: 'list' })]];
  if (message.type === 'gone') return [state, [send('queue', { type: 'list' })]];
  if (message.type !== 'listed') return [state, []];

  const queue = [...message.places].sort((a, b) => a.ticket - b.ticket);
  const place = queue.findIndex(({ ticket }) => ticket === state.ticket);
  const leader = queue[0];
  const before = queue[place - 1];
  if (place === -1 || leader === undefined) return [state, []];
  if (before === undefined) return [state, [{ type: 'lead', token: BigInt(leader.ticket) }]];
  return [
    state,
    [
      { type: 'follow', leaderId: leader.node, token: BigInt(leader.ticket) },
      send('queue', { type: 'watch', ticket: before.ticket }),
    ],
  ];
}
