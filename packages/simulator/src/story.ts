import type { NodeId } from '@hustings/elector';
import type { ProtocolMessage } from '@hustings/elector/protocol';
import type { FaultKind } from './faults.js';
import type { AnyEffect, AnyInput } from './simulation.js';
import type { TraceEvent } from './trace.js';

/**
 * Tells a run as lines that a person can read: `time  node  what reached it  => what it did`. Timers that are
 * set and heartbeats that change nothing are left out; they are in the trace.
 */
export function tellStory(events: readonly TraceEvent[], periodicMessages: ReadonlySet<string>): string {
  const told = events.filter((event) => isWorthTelling(event, periodicMessages));
  const width = Math.max(0, ...told.map((event) => who(event).length));
  return told.map((event) => `${time(event.atMs)}  ${who(event).padEnd(width)}  ${tell(event)}\n`).join('');
}

/** One event as one line: who, and what happened. */
export function tellEvent(event: TraceEvent): string {
  return `${who(event)}  ${tell(event)}`;
}

/** False for timers that are set and heartbeats that change nothing. */
export function isWorthTelling(event: TraceEvent, periodicMessages: ReadonlySet<string>): boolean {
  if (event.type === 'lost') return !periodicMessages.has(event.message.type);
  if (event.type !== 'step') return true;
  if (visible(event.effects).some((effect) => !isPeriodicSend(effect, periodicMessages))) return true;
  switch (event.input.type) {
    case 'received':
      return !periodicMessages.has(event.input.message.type);
    case 'started':
    case 'timer-fired':
    case 'link-up':
    case 'link-down':
      return false;
    default:
      return true;
  }
}

function isPeriodicSend(effect: AnyEffect, periodicMessages: ReadonlySet<string>): boolean {
  return effect.type === 'send' && periodicMessages.has(effect.message.type);
}

const visible = (effects: readonly AnyEffect[]): AnyEffect[] =>
  effects.filter((effect) => effect.type !== 'set-timer' && effect.type !== 'cancel-timer');

const time = (atMs: number): string => atMs.toFixed(1).padStart(9);

function who(event: TraceEvent): NodeId {
  if (event.type === 'lost') return event.from;
  return 'node' in event ? event.node : '*';
}

export function tell(event: TraceEvent): string {
  switch (event.type) {
    case 'step': {
      const effects = tellEffects(event.effects);
      return effects === '' ? tellInput(event.input) : `${tellInput(event.input)} => ${effects}`;
    }
    case 'fault':
      return `FAULT ${tellFault(event.fault)}`;
    case 'healed':
      return `HEALED ${tellFault(event.fault)}`;
    case 'ticked':
      return 'the clock advances';
    case 'lost':
      return `${tellMessage(event.message)} to ${event.to} is lost`;
    default:
      return event.type;
  }
}

export function tellInput(input: AnyInput): string {
  switch (input.type) {
    case 'received':
      return `hears ${tellMessage(input.message)} from ${input.from}`;
    case 'timer-fired':
      return `timer ${input.timer} fires`;
    case 'campaign-requested':
      return 'is asked to campaign';
    case 'resign-requested':
      return input.to === undefined ? 'is asked to resign' : `is asked to resign to ${input.to}`;
    case 'health-changed':
      return input.healthy ? 'is healthy again' : 'is unhealthy';
    case 'observation-changed':
      return input.observed ? 'is observed' : 'is observed no longer';
    case 'link-up':
      return `link to ${input.peer} is up`;
    case 'link-down':
      return `link to ${input.peer} is down`;
    case 'peer-gone':
      return `has the death certificate of ${input.incarnation}`;
    case 'restarted':
      return `restarts with ${tellFields(input.durable)}`;
    case 'started':
      return 'starts';
    case 'lease-expired':
      return 'lease expires';
    case 'requested':
      return `is asked for ${JSON.stringify(input.request)}`;
  }
}

/** Equal messages to several peers are told once. */
function tellEffects(effects: readonly AnyEffect[]): string {
  const parts: { text: string; to: NodeId[] }[] = [];
  for (const effect of visible(effects)) {
    const text = tellEffect(effect);
    const last = parts.at(-1);
    if (effect.type === 'send' && last?.text === text) last.to.push(effect.to);
    else parts.push({ text, to: effect.type === 'send' ? [effect.to] : [] });
  }
  return parts.map(({ text, to }) => (to.length === 0 ? text : `${text} to ${to.join(' ')}`)).join(', ');
}

function tellEffect(effect: AnyEffect): string {
  switch (effect.type) {
    case 'send':
      return tellMessage(effect.message);
    case 'save':
      return `saves ${tellFields(effect.durable)}`;
    case 'announce':
      return `announces ${JSON.stringify(effect.announcement)}`;
    case 'campaign':
      return 'campaigns';
    case 'lead':
      return `LEADS with token ${effect.token}`;
    case 'follow':
      return `follows ${effect.leaderId ?? 'nobody'}${effect.token === null ? '' : ` with token ${effect.token}`}`;
    case 'step-down':
      return `steps down (${effect.reason})`;
    default:
      return '';
  }
}

function tellMessage({ type, ...fields }: ProtocolMessage): string {
  const told = tellFields(fields);
  return told === '' ? type.toUpperCase() : `${type.toUpperCase()}(${told})`;
}

function tellFields(fields: unknown): string {
  return Object.entries(fields as Record<string, unknown>)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
}

/** A fault in the words of the schedule format. */
export function tellFault(fault: FaultKind): string {
  switch (fault.type) {
    case 'split':
      return `split ${fault.side.join(' ')}`;
    case 'loss':
    case 'duplicate':
      return `${fault.type} ${fault.probability}`;
    case 'reorder':
    case 'coordinator-crash':
    case 'coordinator-member-crash':
      return fault.type;
    case 'stall':
    case 'cut':
      return `${fault.type} ${fault.node} ${fault.peer}`;
    case 'drop':
      return ['drop', fault.node, fault.peer, fault.message ?? ''].join(' ').trim();
    case 'fire':
      return `fire ${fault.node} ${fault.timer ?? ''}`.trim();
    case 'latency':
      return `latency ${fault.latencyMs.join(' ')}`;
    case 'slow-link':
      return `slow-link ${fault.node} ${fault.extraMs}`;
    case 'clock-drift':
      return `clock-drift ${fault.node} ${fault.rate}`;
    case 'graceful':
      return fault.to === undefined ? `graceful ${fault.node}` : `graceful ${fault.node} to ${fault.to}`;
    default:
      return `${fault.type} ${fault.node}`;
  }
}
