import type { NodeId } from '@hustings/elector';
import { isWorthTelling } from './story.js';
import type { TraceEvent } from './trace.js';

/** How a node's line is drawn. */
export type Life = 'follows' | 'leads' | 'paused' | 'crashed';

/** One line of a space-time drawing. */
export interface Row {
  readonly event: TraceEvent;
  /** How each node stands after the event, in the order of the nodes. */
  readonly lives: readonly Life[];
}

interface Condition {
  leading: boolean;
  status: 'running' | 'paused' | 'crashed';
}

/** The events worth telling, each with the state of every node. */
export function toRows(
  events: readonly TraceEvent[],
  nodes: readonly NodeId[],
  periodicMessages: ReadonlySet<string>,
): Row[] {
  const conditions = new Map<NodeId, Condition>(
    nodes.map((id) => [id, { leading: false, status: 'running' }]),
  );
  const rows: Row[] = [];
  for (const event of events) {
    const condition = 'node' in event ? conditions.get(event.node) : undefined;
    if (condition !== undefined) update(condition, event);
    if (isWorthTelling(event, periodicMessages))
      rows.push({ event, lives: [...conditions.values()].map(toLife) });
  }
  return rows;
}

function update(condition: Condition, event: TraceEvent): void {
  switch (event.type) {
    case 'crashed':
      condition.status = 'crashed';
      condition.leading = false;
      break;
    case 'paused':
      condition.status = 'paused';
      break;
    case 'resumed':
      condition.status = 'running';
      break;
    case 'step':
      condition.status = 'running';
      condition.leading = leadsAfter(event, condition.leading);
      break;
  }
}

/** Whether the node leads after a step of its own. */
export function leadsAfter(
  { input, effects }: Extract<TraceEvent, { type: 'step' }>,
  before: boolean,
): boolean {
  let leading = before && input.type !== 'lease-expired';
  for (const effect of effects) {
    if (effect.type === 'lead') leading = true;
    else if (effect.type === 'step-down') leading = false;
  }
  return leading;
}

function toLife({ leading, status }: Condition): Life {
  if (status !== 'running') return status;
  return leading ? 'leads' : 'follows';
}

/** Finds for every message that arrived or was lost the event that sent it: sequence to sequence. */
export function matchMessages(events: readonly TraceEvent[]): Map<number, number> {
  const links = new Map<string, { readonly sent: number[]; arrived: number }>();
  const senders = new Map<number, number>();
  for (const event of events) {
    const key = arrivalKey(event);
    const link = key === null ? undefined : links.get(key);
    if (link !== undefined) {
      // Equal messages on one link arrive in order, or cannot be told apart. A duplicate arrives once more.
      senders.set(event.sequence, link.sent[Math.min(link.arrived, link.sent.length - 1)]!);
      link.arrived = Math.min(link.arrived + 1, link.sent.length);
    }
    if (event.type !== 'step') continue;
    for (const effect of event.effects) {
      if (effect.type !== 'send') continue;
      const sentOn = linkKey(event.node, effect.to, effect.message);
      const known = links.get(sentOn);
      if (known === undefined) links.set(sentOn, { sent: [event.sequence], arrived: 0 });
      else known.sent.push(event.sequence);
    }
  }
  return senders;
}

function arrivalKey(event: TraceEvent): string | null {
  if (event.type === 'lost') return linkKey(event.from, event.to, event.message);
  if (event.type !== 'step' || event.input.type !== 'received') return null;
  return linkKey(event.input.from, event.node, event.input.message);
}

const linkKey = (from: NodeId, to: NodeId, message: unknown): string =>
  `${from} ${to} ${JSON.stringify(message)}`;
