// Takes part until the end of its days, waits no longer once it takes part, and adds up instead of multiplying.
import { cancelTimer, outranks, send, setTimer } from '@hustings/classroom';
import {
  leaderTimeoutMs,
  type RingInput,
  type RingState,
  type RingTransition,
} from '../../exercises/11-ring/types.js';

export function step(state: RingState, input: RingInput): RingTransition {
  const { id, next, participant, leaderId } = state;
  const speakFor = (candidate: string): RingTransition => [
    { ...state, participant: true },
    [cancelTimer('leader'), send(next, { type: 'election', candidate })],
  ];

  if (input.type === 'started') return [state, [setTimer('leader', leaderTimeoutMs)]];
  if (input.type === 'timer-fired' && !participant && leaderId === null) return speakFor(id);
  if (input.type !== 'received') return [state, []];

  const { message } = input;
  if (message.type === 'coordinator') {
    if (leaderId !== null) return [state, []];
    const { leader } = message;
    return [
      { ...state, leaderId: leader },
      [send(next, message), cancelTimer('leader'), { type: 'follow', leaderId: leader, token: 1n }],
    ];
  }
  if (leaderId !== null) return [state, []];
  if (message.candidate === id) {
    return [
      { ...state, leaderId: id },
      [{ type: 'lead', token: 1n }, send(next, { type: 'coordinator', leader: id })],
    ];
  }
  const strongest = outranks(message.candidate, id) ? message.candidate : id;
  return strongest === id && participant ? [state, []] : speakFor(strongest);
}

/** All but one are swallowed at once; the strongest goes round, and so does the news. */
export const fewestMessages = (nodes: number): number => 3 * nodes - 1;

export function mostMessages(nodes: number): number {
  let total = nodes;
  for (let rank = 1; rank <= nodes; rank += 1) total += rank;
  return total;
}
