import type { Invariants } from '@hustings/elector/protocol';
import type { LeaseState, Phase } from './state.js';
import { isAfter } from './tokens.js';

const owners: ReadonlySet<Phase> = new Set(['leading', 'refusing']);
const strangers: ReadonlySet<Phase> = new Set(['following', 'waiting']);
const askers: ReadonlySet<Phase> = new Set(['acquiring', 'leaving']);

export const invariants: Invariants<LeaseState> = {
  ofOneState: {
    'whoever leads or refuses to has the lease, and whoever follows or waits has not': ({
      id,
      phase,
      own,
    }) =>
      (owners.has(phase) && own === null) || (strangers.has(phase) && own !== null)
        ? `${id} is ${phase} with token ${own?.token}`
        : null,
    'a leader is told to lead': ({ id, phase, told }) =>
      phase === 'leading' && told !== 'leading' ? `${id} leads and was told ${told}` : null,
    'only a healthy node that stands leads': ({ id, phase, standing, healthy }) =>
      phase !== 'leading' || (standing && healthy) ? null : `${id} leads`,
    'whoever acquires or leaves waits for an answer, and nobody else does': ({ id, phase, request }) =>
      askers.has(phase) === (request === null) ? `${id} is ${phase} and waits for ${request}` : null,
    'nobody looks at a lease that it is asking for': ({ id, phase, look }) =>
      phase === 'acquiring' && look !== null ? `${id} does` : null,
    'only a node that leaves owes a step-down': ({ id, phase, owesStepDown }) =>
      owesStepDown && phase !== 'leaving' ? `${id} is ${phase}` : null,
  },
  ofTwoStates: {
    'a renewal never counts from earlier than the one before': (before, after) =>
      before.phase === 'leading' && after.phase === 'leading' && isEarlier(after, before)
        ? `${after.id} went back to ${after.own?.sentMs}`
        : null,
    'a leader keeps its token': (before, after) =>
      before.phase === 'leading' && after.phase === 'leading' && before.own?.token !== after.own?.token
        ? `${after.id} went from ${before.own?.token} to ${after.own?.token}`
        : null,
    'nobody begins to lead with a token at or below one that it has seen': (before, after) =>
      before.phase !== 'leading' &&
      after.phase === 'leading' &&
      !isAfter(after.own?.token ?? '0', before.floor)
        ? `${after.id} leads with ${after.own?.token} after ${before.floor}`
        : null,
    'whoever gives its lease back does not lead before that is acknowledged': (before, after) =>
      before.phase === 'leaving' && after.phase === 'leading' ? `${after.id} does` : null,
  },
};

const isEarlier = (a: LeaseState, b: LeaseState): boolean =>
  a.own !== null && b.own !== null && a.own.sentMs < b.own.sentMs;
