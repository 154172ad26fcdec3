import { byRank, type Finding, type Invariants, type NodeView, outranks } from '@hustings/elector/protocol';
import type { BullyState } from './state.js';

/** 'At most one leader' is not among them: bully cannot promise it. */
export const invariants: Invariants<BullyState> = {
  ofOneState: {
    'a leader follows itself, and only a leader does': ({ id, role, leaderId }) =>
      (role === 'leader') === (leaderId === id) ? null : `${id} is ${role} and follows ${leaderId}`,
    'only a healthy node that stands campaigns or leads': ({ id, role, standing, healthy }) =>
      role === 'follower' || (standing && healthy) ? null : `${id} is ${role}`,
    'a node that could lead never follows a weaker one': ({ id, role, leaderId, standing, healthy }) =>
      role === 'follower' && standing && healthy && leaderId !== null && outranks(id, leaderId)
        ? `${id} follows ${leaderId}`
        : null,
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
  },
  eventually: {
    'the strongest node that stands leads, and everyone follows it': theStrongestLeads,
  },
};

function theStrongestLeads(nodes: readonly NodeView<BullyState>[]): Finding {
  const running = nodes.filter((node) => node.running);
  const candidates = running.filter(({ state }) => state.standing && state.healthy);
  const strongest =
    candidates
      .map(({ id }) => id)
      .sort(byRank)
      .at(-1) ?? null;
  const astray = running.find(({ belief }) => belief.leaderId !== strongest);
  if (astray !== undefined) return `${astray.id} follows ${astray.belief.leaderId}, not ${strongest}`;
  const pretender = running.find(({ id, leading }) => leading !== (id === strongest));
  return pretender === undefined ? null : `${pretender.id} ${pretender.leading ? 'leads' : 'does not lead'}`;
}
