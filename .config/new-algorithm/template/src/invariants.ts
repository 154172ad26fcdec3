import { byRank, type Finding, type Invariants, type NodeView } from '@hustings/elector/protocol';
import type { RollCallState } from './state.js';

/** 'At most one leader' is not among them: roll call cannot promise it. */
export const invariants: Invariants<RollCallState> = {
  ofOneState: {
    'only a healthy node that stands leads': ({ id, leaderId, standing, healthy }) =>
      leaderId !== id || (standing && healthy) ? null : `${id} leads`,
  },
  ofTwoStates: {
    'the epoch never goes back': (before, after) =>
      after.epoch >= before.epoch ? null : `${after.id} went from epoch ${before.epoch} to ${after.epoch}`,
    'whoever begins to lead begins an epoch': (before, after) =>
      after.leaderId === after.id && before.leaderId !== after.id && after.epoch <= before.epoch
        ? `${after.id} began to lead in epoch ${after.epoch}, which it had heard of`
        : null,
  },
  eventually: {
    'one of those who stand leads, and everyone follows it': oneLeads,
  },
};

function oneLeads(nodes: readonly NodeView<RollCallState>[]): Finding {
  const running = nodes.filter((node) => node.running);
  const candidates = running.filter(({ state }) => state.standing && state.healthy).map(({ id }) => id);
  const leaders = running.filter(({ leading }) => leading).map(({ id }) => id);
  if (leaders.length !== Math.min(candidates.length, 1)) return `${leaders.sort(byRank)} lead`;
  const astray = running.find(({ belief }) => belief.leaderId !== (leaders[0] ?? null));
  return astray === undefined ? null : `${astray.id} follows ${astray.belief.leaderId}`;
}
