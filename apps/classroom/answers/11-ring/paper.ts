import { outranks } from '@hustings/classroom';
import {
  leaderTimeoutMs,
  type RingInput,
  type RingMessage,
  type RingState,
  type RingTransition,
} from '../../exercises/11-ring/types.js';

export function step(state: RingState, input: RingInput): RingTransition {
  switch (input.type) {
    case 'started':
      return [state, [{ type: 'set-timer', timer: 'leader', delayMs: leaderTimeoutMs }]];
    case 'timer-fired':
      return state.participant || state.leaderId !== null ? [state, []] : passOn(state, state.id);
    case 'received':
      return onMessage(state, input.message);
    default:
      return [state, []];
  }
}

function onMessage(state: RingState, message: RingMessage): RingTransition {
  if (message.type === 'coordinator') return onCoordinator(state, message.leader);
  const { candidate } = message;
  if (state.leaderId !== null) return [state, []];
  if (candidate === state.id) return becomeLeader(state);
  if (outranks(candidate, state.id)) return passOn(state, candidate);
  return state.participant ? [state, []] : passOn(state, state.id);
}

const passOn = (state: RingState, candidate: string): RingTransition => [
  { ...state, participant: true },
  [{ type: 'send', to: state.next, message: { type: 'election', candidate } }],
];

const becomeLeader = (state: RingState): RingTransition => [
  { ...state, participant: false, leaderId: state.id },
  [
    { type: 'cancel-timer', timer: 'leader' },
    { type: 'lead', token: 1n },
    { type: 'send', to: state.next, message: { type: 'coordinator', leader: state.id } },
  ],
];

function onCoordinator(state: RingState, leader: string): RingTransition {
  if (leader === state.id) return [state, []];
  return [
    { ...state, participant: false, leaderId: leader },
    [
      { type: 'cancel-timer', timer: 'leader' },
      { type: 'follow', leaderId: leader, token: 1n },
      { type: 'send', to: state.next, message: { type: 'coordinator', leader } },
    ],
  ];
}

export function fewestMessages(nodes: number): number {
  return nodes - 1 + nodes + nodes;
}

export function mostMessages(nodes: number): number {
  return (nodes * (nodes + 1)) / 2 + nodes;
}
