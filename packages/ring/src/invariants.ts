import { type Finding, type Invariants, type NodeView, outranks } from '@hustings/elector/protocol';
import type { RingState } from './state.js';

/** 'At most one leader' is not among them: a ring cannot promise it. */
export const invariants: Invariants<RingState> = {
  ofOneState: {
    'a leader follows itself, and only a leader does': ({ id, role, leaderId }) =>
      (role === 'leader') === (leaderId === id) ? null : `${id} is ${role} and follows ${leaderId}`,
    'only a healthy node that stands campaigns or leads': ({ id, role, standing, healthy }) =>
      role === 'follower' || (standing && healthy) ? null : `${id} is ${role}`,
    'a candidate takes part in an election and follows nobody': ({ id, role, participant, leaderId }) =>
      role === 'candidate' && !(participant && leaderId === null) ? `${id} follows ${leaderId}` : null,
    'nothing is handed to a node that is passed over': ({ id, handed, unreachable, silent }) => {
      const astray = handed.find(({ to }) => unreachable.includes(to) || silent.includes(to));
      return astray === undefined ? null : `${id} has handed a message to ${astray.to}`;
    },
  },
  ofTwoStates: {
    'the epoch never goes back': (before, after) =>
      after.epoch >= before.epoch ? null : `${after.id} went from epoch ${before.epoch} to ${after.epoch}`,
    'whoever begins to lead begins an epoch': (before, after) =>
      after.role === 'leader' && before.role !== 'leader' && after.epoch <= before.epoch
        ? `${after.id} began to lead in epoch ${after.epoch}, which it had heard of`
        : null,
    'a leader leads in one epoch only': (before, after) =>
      before.role === 'leader' && after.role === 'leader' && before.epoch !== after.epoch
        ? `${after.id} led in epoch ${before.epoch} and then in ${after.epoch}`
        : null,
    'within an epoch a node leaves its leader only for a stronger one': (before, after) =>
      before.epoch === after.epoch &&
      before.leaderId !== null &&
      after.leaderId !== null &&
      outranks(before.leaderId, after.leaderId)
        ? `${after.id} left ${before.leaderId} for ${after.leaderId} in epoch ${after.epoch}`
        : null,
  },
  eventually: {
    'one node leads, and everyone follows it': oneLeads,
  },
};

/** Not necessarily the strongest: a ring does not depose a leader for a stronger node that comes later. */
function oneLeads(nodes: readonly NodeView<RingState>[]): Finding {
  const running = nodes.filter((node) => node.running);
  const leaders = running.filter(({ leading }) => leading);
  const isWanted = running.some(({ state }) => state.standing && state.healthy);
  if (leaders.length !== (isWanted ? 1 : 0)) {
    return leaders.length === 0 ? 'nobody leads' : `${leaders.map(({ id }) => id).join(' and ')} lead`;
  }
  const [leader] = leaders;
  const astray = running.find(
    ({ belief }) =>
      belief.leaderId !== (leader?.id ?? null) || belief.token !== (leader?.belief.token ?? null),
  );
  return astray === undefined
    ? null
    : `${astray.id} follows ${astray.belief.leaderId} with token ${astray.belief.token}`;
}
