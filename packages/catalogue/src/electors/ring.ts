import { changRoberts, defaultSettings, invariants, type RingState, ring } from '@hustings/ring';
import type { Algorithm } from '../algorithm.js';
import { absenceOf, portrait, roleOf } from '../portrait.js';
import { heartbeating } from './heartbeating.js';

export const ringElector: Algorithm<RingState> = {
  name: 'ring',
  coordinator: null,
  variants: [
    heartbeating('default', ring, defaultSettings),
    heartbeating('chang-roberts', changRoberts, defaultSettings),
  ],
  invariants,
  portray: (state) =>
    portrait({
      role: state.listening ? 'listens for a leader' : roleOf(state.role, state.leaderId),
      epoch: state.epoch,
      election: state.participant ? 'has seen one go round' : null,
      handed: state.handed.map(({ to, message }) => `${message.type} to ${to}`).join(', '),
      'passes over': [...new Set([...state.unreachable, ...state.silent])].join(', '),
      absence: absenceOf(state),
    }),
};
