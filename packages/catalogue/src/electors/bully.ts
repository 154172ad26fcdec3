import { type BullyState, bully, defaultSettings, invariants } from '@hustings/bully';
import type { Algorithm } from '../algorithm.js';
import { absenceOf, portrait, roleOf } from '../portrait.js';
import { heartbeating } from './heartbeating.js';

export const bullyElector: Algorithm<BullyState> = {
  name: 'bully',
  coordinator: null,
  variants: [heartbeating('default', bully, defaultSettings)],
  invariants,
  portray: (state) =>
    portrait({
      role: state.listening ? 'listens for a leader' : roleOf(state.role, state.leaderId),
      epoch: state.epoch,
      election: state.role === 'candidate' && state.answered ? 'a stronger node has answered' : null,
      absence: absenceOf(state),
    }),
};
