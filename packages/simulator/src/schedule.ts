/**
 * A schedule is all that a run depends on beside the protocol: plain data, with a text form that reads like a
 * story and can be committed as a test.
 *
 * ```
 * # The leader dies and comes back.
 * nodes n1 n2 n3
 * seed 7
 * latency 1 2
 * run 2000
 * at 500 crash leader until 900
 * ```
 */

import type { NodeId } from '@hustings/elector';
import { type DelayRangeMs, MalformedError } from '@hustings/elector/protocol';
import {
  type Fault,
  type FaultKind,
  faultsOfAnyProcess,
  followerIndex,
  handsOnCoordinator,
} from './faults.js';
import { defaultNetwork, type NetworkModel } from './network.js';
import { tellFault } from './story.js';

/** Settings of an algorithm, or of its coordinator, by name. Those that are not named are customary. */
export type Settings = Readonly<Record<string, Setting>>;
export type Setting = Word | readonly Word[];
type Word = number | boolean | string;

/** What applications ask of their nodes beside leading: see `Subject`. */
export interface DrawnWorkload {
  /** When they have asked for the last time, and it is left to the nodes to settle. */
  readonly untilMs: number;
  readonly kinds: readonly string[];
}

export interface Schedule {
  readonly nodes: readonly NodeId[];
  readonly seed: number;
  readonly durationMs: number;
  readonly network: NetworkModel;
  /** How long a former leader's work takes to end before it campaigns again. */
  readonly unwindMs: number;
  readonly faults: readonly Fault[];
  /** How long a node's save takes, during which it does nothing else. No time, and no draw, unless it is here. */
  readonly saveMs?: DelayRangeMs;
  /** How many draws are left to chance, where that is limited: see `Random`. */
  readonly decisions?: number;
  /** Settings other than the subject's own. */
  readonly settings?: Settings;
  readonly workload?: DrawnWorkload;
}

export function formatSchedule(schedule: Schedule): string {
  const { nodes, seed, durationMs, network, unwindMs, saveMs, faults, decisions, settings, workload } =
    schedule;
  const lines = [
    `nodes ${nodes.join(' ')}`,
    `seed ${seed}`,
    ...(decisions === undefined ? [] : [`decisions ${decisions}`]),
    ...Object.entries(settings ?? {}).map(([name, value]) => `set ${name} ${[value].flat().join(' ')}`),
    `latency ${network.latencyMs.join(' ')}`,
    ...(network.lossProbability > 0 ? [`loss ${network.lossProbability}`] : []),
    ...(network.duplicateProbability > 0 ? [`duplicate ${network.duplicateProbability}`] : []),
    ...(network.reorders ? ['reorder'] : []),
    ...(network.closesLinksOnCrash ? [] : ['silent-crashes']),
    ...(network.tellsLivesApart ? [] : ['mixed-lives']),
    ...(saveMs === undefined ? [] : [`save ${saveMs.join(' ')}`]),
    ...(unwindMs > 0 ? [`unwind ${unwindMs}`] : []),
    ...(workload === undefined ? [] : [`workload ${[workload.untilMs, ...workload.kinds].join(' ')}`]),
    `run ${durationMs}`,
    ...faults.map(formatFault),
  ];
  return `${lines.join('\n')}\n`;
}

export function formatFault(fault: Fault): string {
  const until = fault.healAtMs === undefined ? '' : ` until ${fault.healAtMs}`;
  return `at ${fault.atMs} ${tellFault(fault)}${until}`;
}

type Draft<Finished> = { -readonly [Field in keyof Finished]: Finished[Field] };

/** Reads the text form. Throws `MalformedError` that names the line. */
export function parseSchedule(text: string): Schedule {
  const network: Draft<NetworkModel> = { ...defaultNetwork };
  const faults: Fault[] = [];
  const draft: Draft<Schedule> = {
    nodes: [],
    seed: 0,
    durationMs: 0,
    network,
    unwindMs: 0,
    faults,
  };
  for (const [index, line] of text.split('\n').entries()) {
    const words = line.replace(/#.*/, '').trim().split(/\s+/);
    const [keyword, ...rest] = words as [string, ...string[]];
    const number = (position: number): number => readNumber(rest[position], index, line);
    switch (keyword) {
      case '':
        break;
      case 'nodes':
        draft.nodes = rest;
        break;
      case 'seed':
        draft.seed = number(0);
        break;
      case 'decisions':
        draft.decisions = number(0);
        break;
      case 'latency':
        network.latencyMs = readRange(number(0), rest.length > 1 ? number(1) : number(0), index, line);
        break;
      case 'loss':
        network.lossProbability = number(0);
        break;
      case 'duplicate':
        network.duplicateProbability = number(0);
        break;
      case 'reorder':
        network.reorders = true;
        break;
      case 'silent-crashes':
        network.closesLinksOnCrash = false;
        break;
      case 'mixed-lives':
        network.tellsLivesApart = false;
        break;
      case 'save':
        draft.saveMs = readRange(number(0), rest.length > 1 ? number(1) : number(0), index, line);
        break;
      case 'unwind':
        draft.unwindMs = number(0);
        break;
      case 'set':
        draft.settings = { ...draft.settings, [rest[0] ?? '']: readSetting(rest.slice(1), index, line) };
        break;
      case 'workload':
        draft.workload = { untilMs: number(0), kinds: rest.slice(1) };
        break;
      case 'run':
        draft.durationMs = number(0);
        break;
      case 'at':
        faults.push(parseFault(rest, index, line));
        break;
      default:
        throw malformed(index, line, `'${keyword}' is not a word of the schedule format`);
    }
  }
  checkNodes(draft);
  return draft;
}

function checkNodes({ nodes, faults }: Pick<Schedule, 'nodes' | 'faults'>): void {
  if (nodes.length === 0) throw new MalformedError("A schedule needs a line 'nodes n1 n2 …'.");
  const known = new Set<string>([...nodes, 'leader', 'coordinator']);
  for (const fault of faults) {
    const named =
      'side' in fault
        ? fault.side
        : 'peer' in fault
          ? [fault.node, fault.peer]
          : 'node' in fault
            ? [fault.node, ...('to' in fault && fault.to !== undefined ? [fault.to] : [])]
            : [];
    const mayStrike = faultsOfAnyProcess.has(fault.type) || handsOnCoordinator.has(fault.type);
    if (named.includes('coordinator') && !mayStrike) {
      throw new MalformedError(`'${formatFault(fault)}': no coordinator can suffer that as a whole.`);
    }
    const stranger = named.find(
      (node) => !known.has(node) && (followerIndex(node) ?? nodes.length) >= nodes.length,
    );
    if (stranger !== undefined) {
      throw new MalformedError(`'${formatFault(fault)}' names ${stranger}, which is not among the nodes.`);
    }
  }
}

function parseFault(words: readonly string[], index: number, line: string): Fault {
  const until = words.indexOf('until');
  const [atMs, type, ...rest] = until === -1 ? words : words.slice(0, until);
  const kind = parseKind(type ?? '', rest, index, line);
  const time = { atMs: readNumber(atMs, index, line) };
  return until === -1
    ? { ...kind, ...time }
    : { ...kind, ...time, healAtMs: readNumber(words[until + 1], index, line) };
}

function parseKind(type: string, rest: readonly string[], index: number, line: string): FaultKind {
  const node = rest[0] ?? '';
  switch (type) {
    case 'crash':
    case 'restart':
    case 'pause':
    case 'isolate':
    case 'isolate-from-coordinator':
    case 'one-way':
    case 'unhealthy':
    case 'observe':
      return { type, node };
    case 'split':
      return { type, side: rest };
    case 'loss':
    case 'duplicate':
      return { type, probability: readNumber(rest[0], index, line) };
    case 'reorder':
    case 'coordinator-crash':
    case 'coordinator-member-crash':
      return { type };
    case 'stall':
    case 'cut':
      return { type, node, peer: rest[1] ?? '' };
    case 'drop': {
      const [, peer = '', message] = rest;
      return message === undefined ? { type, node, peer } : { type, node, peer, message };
    }
    case 'fire':
      return rest[1] === undefined ? { type, node } : { type, node, timer: rest[1] };
    case 'latency': {
      const minMs = readNumber(rest[0], index, line);
      const maxMs = rest[1] === undefined ? minMs : readNumber(rest[1], index, line);
      return { type, latencyMs: readRange(minMs, maxMs, index, line) };
    }
    case 'slow-link':
      return { type, node, extraMs: readNumber(rest[1], index, line) };
    case 'clock-drift':
      return { type, node, rate: readNumber(rest[1], index, line) };
    case 'graceful':
      return rest[1] === 'to' && rest[2] !== undefined ? { type, node, to: rest[2] } : { type, node };
    default:
      throw malformed(index, line, `'${type}' is not a fault`);
  }
}

function readNumber(word: string | undefined, index: number, line: string): number {
  const value = Number(word);
  if (word === undefined || !Number.isFinite(value)) throw malformed(index, line, 'a number is missing');
  return value;
}

function readSetting(words: readonly string[], index: number, line: string): Setting {
  const [first, ...others] = words.map((word) => {
    if (word === 'true' || word === 'false') return word === 'true';
    return Number.isNaN(Number(word)) ? word : Number(word);
  });
  if (first === undefined) throw malformed(index, line, 'a value is missing');
  return others.length === 0 ? first : [first, ...others];
}

function readRange(minMs: number, maxMs: number, index: number, line: string): DelayRangeMs {
  if (minMs > maxMs) throw malformed(index, line, 'the first number must not exceed the second');
  return [minMs, maxMs];
}

const malformed = (index: number, line: string, why: string): MalformedError =>
  new MalformedError(`Line ${index + 1} ('${line.trim()}'): ${why}.`);
