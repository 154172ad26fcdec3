/**
 * A run as a student reads it: what reached whom, what it did about it, 'ignored' where it did nothing, the fields that
 * changed at the events that matter, and repetition folded.
 */

import type { NodeId } from '@hustings/elector';
import {
  findWitnesses,
  formatFault,
  isWorthTelling,
  type Recording,
  type TraceEvent,
  tellEvent,
  type Violation,
} from '@hustings/simulator';

type FieldsOf<State> = (state: State) => Readonly<Record<string, unknown>>;

interface Line {
  readonly time: string;
  readonly text: string;
  readonly notes: readonly string[];
}

/** Short enough to be told as it happened. */
const fewLines = 20;
/** More lines than this are not read. */
const mostLines = 44;

export function tellRun<State>(
  recording: Recording<State>,
  violation: Violation | null,
  fieldsOf: FieldsOf<State>,
  eventCount = recording.facts.events.length,
): string {
  const { periodicMessages, schedule, endMs, nodes } = recording.facts;
  const events = recording.facts.events.slice(0, eventCount).map((event) => withoutDiskOfStore(event, nodes));
  const witnesses = violation === null ? [] : findWitnesses(violation, events);
  const told = events.filter((event) => isTold(event, periodicMessages, witnesses));
  const lines = told.map((event) => toLine(recording, event, witnesses.includes(event), fieldsOf));
  return [
    `${schedule.nodes.join(' ')}, messages take ${schedule.network.latencyMs.join(' to ')} ms${faultsOf(recording)}:`,
    ...toStory(lines),
    ...(violation === null ? [] : [`${time(Math.min(violation.atMs, endMs))}  ${violation.detail}`]),
    ...finalBeliefs(recording, violation, eventCount - 1),
  ]
    .map((line) => `  ${line}\n`)
    .join('');
}

/** Steps that nobody recorded the states of. */
export function tellEvents(events: readonly TraceEvent[], periodicMessages: ReadonlySet<string>): string {
  const told = events.filter((event) => isTold(event, periodicMessages, []));
  return toStory(told.map((event) => ({ time: time(event.atMs), text: textOf(event), notes: [] })))
    .map((line) => `  ${line}\n`)
    .join('');
}

function toStory(lines: readonly Line[]): string[] {
  const folded = foldRepetition(lines);
  return shortened(folded.length <= fewLines ? folded : shorter(folded, foldKinds(lines)));
}

/** What a store keeps is in its answers, which are shorter. */
function withoutDiskOfStore(event: TraceEvent, nodes: readonly NodeId[]): TraceEvent {
  if (event.type !== 'step' || nodes.includes(event.node)) return event;
  return { ...event, effects: event.effects.filter(({ type }) => type !== 'save') };
}

function isTold(
  event: TraceEvent,
  periodicMessages: ReadonlySet<string>,
  witnesses: readonly TraceEvent[],
): boolean {
  if (witnesses.includes(event)) return true;
  if (event.type === 'step' && event.input.type === 'campaign-requested' && event.effects.length === 0) {
    return false;
  }
  // What becomes of a message that changed nothing is told: 'ignored' is often the answer.
  return isWorthTelling(event, periodicMessages);
}

function toLine<State>(
  recording: Recording<State>,
  event: TraceEvent,
  isWitness: boolean,
  fieldsOf: FieldsOf<State>,
): Line {
  const notes = isWitness && event.type === 'step' ? changesOf(recording, event, fieldsOf) : [];
  return { time: time(event.atMs), text: textOf(event), notes };
}

function textOf(event: TraceEvent): string {
  const isIgnored = event.type === 'step' && !event.changed && event.effects.length === 0;
  return `${rounded(tellEvent(event))}${isIgnored ? ' => ignored' : ''}`;
}

/** `askedMs 125.73335605254397` is `askedMs 125.7`. */
const rounded = (text: string): string =>
  text.replace(/\d+\.\d{2,}/g, (digits) => `${Math.round(10 * Number(digits)) / 10}`);

/** `role: follower → leader`: the fields that this step changed. */
function changesOf<State>(
  recording: Recording<State>,
  event: Extract<TraceEvent, { type: 'step' }>,
  fieldsOf: FieldsOf<State>,
): string[] {
  const before = fieldsOf(recording.at(event.node, event.sequence - 1).state);
  const after = fieldsOf(recording.at(event.node, event.sequence).state);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => shown(before[name]) !== shown(after[name]));
  const same = names.filter((name) => !changed.includes(name) && isShort(after[name])).slice(0, 4);
  return [
    ...changed.map((name) => `${name}: ${shown(before[name])} → ${shown(after[name])}`),
    ...(same.length === 0
      ? []
      : [`unchanged: ${same.map((name) => `${name} ${shown(after[name])}`).join(', ')}`]),
  ];
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
const isShort = (value: unknown): boolean => shown(value).length <= 20;

const time = (atMs: number): string => atMs.toFixed(1).padStart(8);

const written = ({ time: at, text, notes }: Line): string[] => [
  `${at}  ${text}`,
  ...notes.map((note) => `${' '.repeat(14)}${note}`),
];

/** A block of lines that comes again and again is told once, with how often. */
function foldRepetition(lines: readonly Line[]): string[] {
  const told: string[] = [];
  let index = 0;
  while (index < lines.length) {
    const { length, count } = repetitionAt(lines, index);
    const block = lines.slice(index, index + length);
    told.push(...block.flatMap(written));
    if (count > 1) {
      const last = lines[index + length * count - 1]!;
      const what = length === 1 ? 'repeats' : `these ${length} lines repeat`;
      told.push(
        `${' '.repeat(8)}  … ${what} ${count - 1} ${count === 2 ? 'time' : 'times'}, until ${last.time.trim()} ms`,
      );
    }
    index += length * count;
  }
  return told;
}

const longestBlock = 12;

/** The repetition that saves most lines, from here on. */
function repetitionAt(lines: readonly Line[], from: number): { length: number; count: number } {
  let best = { length: 1, count: 1 };
  for (let length = 1; length <= longestBlock; length += 1) {
    let count = 1;
    while (isSameBlock(lines, from, from + count * length, length)) count += 1;
    if ((count - 1) * length > (best.count - 1) * best.length) best = { length, count };
  }
  return (best.count - 1) * best.length >= 2 ? best : { length: 1, count: 1 };
}

function isSameBlock(lines: readonly Line[], a: number, b: number, length: number): boolean {
  for (let index = 0; index < length; index += 1) {
    const first = lines[a + index];
    const second = lines[b + index];
    if (first === undefined || second === undefined || second.notes.length > 0) return false;
    if (shapeOf(first) !== shapeOf(second)) return false;
  }
  return true;
}

/** Epochs and terms count up in what is otherwise the same. */
const shapeOf = ({ text }: Line): string => text.replace(/(?<![\w])\d+(\.\d+)?/g, '#');

const shorter = (a: string[], b: string[]): string[] => (b.length < a.length ? b : a);

/** The end of a story is told line by line: there it goes wrong. */
const linesAtTheEnd = 12;

/** Where things take turns without an order, each kind of line is told once between two faults, and then counted. */
function foldKinds(lines: readonly Line[]): string[] {
  const told: string[] = [];
  let kinds = new Map<string, number>();
  let until = '';
  const endPhase = (): void => {
    const repeated = [...kinds.values()].filter((count) => count > 0);
    const count = repeated.reduce((sum, times) => sum + times, 0);
    const what = repeated.length === 1 ? 'repeats' : `${repeated.length} of these lines repeat, in turns,`;
    const times = count === 1 ? 'once more' : `${count} times`;
    if (count > 0) told.push(`${' '.repeat(8)}  … ${what} ${times}, until ${until.trim()} ms`);
    kinds = new Map();
  };
  for (const line of lines.slice(0, -linesAtTheEnd)) {
    if (isOfTheWorld(line)) endPhase();
    const seen = kinds.get(shapeOf(line));
    kinds.set(shapeOf(line), seen === undefined ? 0 : seen + 1);
    if (seen === undefined || line.notes.length > 0) told.push(...written(line));
    else until = line.time;
  }
  endPhase();
  return [...told, ...lines.slice(-linesAtTheEnd).flatMap(written)];
}

const isOfTheWorld = ({ text }: Line): boolean => /^\* {2}(FAULT|HEALED)/.test(text);

function shortened(lines: readonly string[]): string[] {
  // A line that says that one line is left out saves nothing.
  if (lines.length <= mostLines + 1) return [...lines];
  const head = Math.ceil(mostLines / 3);
  const tail = mostLines - head;
  return [
    ...lines.slice(0, head),
    `${' '.repeat(8)}  … ${lines.length - mostLines} lines are left out`,
    ...lines.slice(-tail),
  ];
}

function faultsOf<State>({ facts }: Recording<State>): string {
  const { faults } = facts.schedule;
  return faults.length === 0 ? '' : `, ${faults.map(formatFault).join(', ')}`;
}

/** What should have come true and did not: who believes what at the end of the story. */
function finalBeliefs<State>(
  recording: Recording<State>,
  violation: Violation | null,
  last: number,
): string[] {
  if (violation !== null && violation.node !== null) return [];
  return recording.facts.nodes.map((id) => {
    const { status, belief, leadership } = recording.at(id, last);
    if (status !== 'running') return `${' '.repeat(8)}  ${id} is ${status}`;
    if (leadership !== null) return `${' '.repeat(8)}  ${id} leads`;
    return `${' '.repeat(8)}  ${id} follows ${belief.leaderId ?? 'nobody'}`;
  });
}
