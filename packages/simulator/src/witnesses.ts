import type { Belief, NodeId } from '@hustings/elector';
import { believe, undecided } from '@hustings/elector/protocol';
import { leadsAfter } from './lifelines.js';
import { atMostOneLeader, tokensDiffer, tokensGrow, type Violation } from './oracle.js';
import { happenedBefore, type TraceEvent } from './trace.js';

/** What the trace of a broken run says of one node. */
interface NodeRecord {
  belief: Belief;
  running: boolean;
  /** The event with which it began to lead; null when it does not. */
  ledSince: TraceEvent | null;
  /** The event that last changed its belief. */
  believedSince: TraceEvent | null;
}

/**
 * The events that show a violation, the earlier one first; as a rule two. Two leaders: how each began to lead.
 * No agreement: how two nodes came by what they believe. A rule of one node: the step that broke it and the
 * one before.
 */
export function findWitnesses(violation: Violation, trace: readonly TraceEvent[]): TraceEvent[] {
  const { property, detail, node } = violation;
  const records = readRecords(trace);
  if (node === null) return inOrder(findDissenters(records));
  if (property === tokensGrow) return trace.filter((event) => tokenOf(event) !== null).slice(-2);
  if (property === tokensDiffer) return findSameToken(trace);
  if (property === atMostOneLeader) {
    const named = new Set(detail.split(' '));
    return inOrder(
      [...records].flatMap(([id, { ledSince }]) => (named.has(id) && ledSince ? [ledSince] : [])),
    );
  }
  return trace.filter((event) => 'node' in event && event.node === node).slice(-2);
}

/** The token with which a node begins to lead; null for any other event. */
function tokenOf(event: TraceEvent): bigint | null {
  if (event.type !== 'step' || !event.changed) return null;
  return event.effects.find((effect) => effect.type === 'lead')?.token ?? null;
}

/** The first and the last that began to lead with the token of the last. */
function findSameToken(trace: readonly TraceEvent[]): TraceEvent[] {
  const begun = trace.filter((event) => tokenOf(event) !== null);
  const last = begun.at(-1);
  if (last === undefined) return [];
  return [begun.find((event) => tokenOf(event) === tokenOf(last)) ?? last, last];
}

function readRecords(trace: readonly TraceEvent[]): Map<NodeId, NodeRecord> {
  const records = new Map<NodeId, NodeRecord>();
  for (const event of trace) {
    if (!('node' in event)) continue;
    const record = records.get(event.node) ?? {
      belief: undecided,
      running: true,
      ledSince: null,
      believedSince: null,
    };
    records.set(event.node, record);
    record.running = event.type !== 'crashed' && event.type !== 'paused';
    if (event.type === 'crashed')
      Object.assign(record, { belief: undecided, ledSince: null, believedSince: event });
    if (event.type !== 'step') continue;
    const leads = leadsAfter(event, record.ledSince !== null);
    record.ledSince = leads ? (record.ledSince ?? event) : null;
    for (const effect of event.effects) {
      if (!isRoleEffect(effect)) continue;
      const belief = believe(event.node, record.belief, effect);
      if (belief !== record.belief) record.believedSince = event;
      record.belief = belief;
    }
  }
  return records;
}

type RoleEffect = Parameters<typeof believe>[2];
const roleEffects: ReadonlySet<string> = new Set<RoleEffect['type']>([
  'campaign',
  'lead',
  'follow',
  'step-down',
]);
const isRoleEffect = (effect: { readonly type: string }): effect is RoleEffect =>
  roleEffects.has(effect.type);

/** A leader, or else anybody, and one that believes otherwise. */
function findDissenters(records: ReadonlyMap<NodeId, NodeRecord>): TraceEvent[] {
  const running = [...records.values()].filter((record) => record.running);
  const first = running.find(({ ledSince }) => ledSince !== null) ?? running[0];
  const second = running.find(
    (record) => record !== first && record.belief.leaderId !== first?.belief.leaderId,
  );
  const pair = [first, second ?? running.find((record) => record !== first)];
  return pair.flatMap((record) => (record?.believedSince ? [record.believedSince] : []));
}

const inOrder = (events: readonly TraceEvent[]): TraceEvent[] =>
  [...events].sort((a, b) => a.sequence - b.sequence);

/** The events from which the witnesses follow, themselves included: what came to them by messages, or before on the same node. */
export function causalPast(witnesses: readonly TraceEvent[], trace: readonly TraceEvent[]): Set<TraceEvent> {
  const past = trace.filter(({ clock }) =>
    witnesses.some((witness) => clock && witness.clock && happenedBefore(clock, witness.clock)),
  );
  return new Set([...past, ...witnesses]);
}
