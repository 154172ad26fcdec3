/**
 * What is done to a cluster, as readable text: one line an action, `+120 kill A`, which is done 120 ms after the line
 * before it. Roles are given anew in each episode: A is the node that leads when it begins, B, C … are the others;
 * M1 is the member that leads the coordinator, M2, M3 … the others.
 */

import { type Algorithm, algorithms } from './layouts.js';
import { molestations } from './strangers.js';

/** `A`, `B` … of the nodes; `M1`, `M2` … of the coordinator's members. */
export type Role = string;

/** One end of a link: a node, all of its coordinator, or everybody else. */
export type End = Role | 'servers' | '*';

const plainVerbs = [
  /** SIGKILL. */
  'kill',
  /** A new process with the old files. One that still runs is killed first. */
  'restart',
  /** The same, with Raft's `checkQuorum` off: then the lease alone bounds a Leadership. */
  'restart-unchecked',
  /** SIGSTOP and SIGCONT. */
  'stop',
  'continue',
  /** The application no longer wants to lead, and wants to again. */
  'withdraw',
  'stand',
  /** Saves do not end before the disk is mended. */
  'hold-disk',
  /** Nothing more can be written. */
  'fill-disk',
  /** The disk is neither held, nor slow, nor full any more. */
  'mend-disk',
  /** What the node writes to the store stays on its way, and arrives. */
  'hold-writes',
  'release-writes',
] as const;

const linkVerbs = [
  /** Nothing passes this way. When it heals, what waited is lost with the connections that it waited in. */
  'cut',
  'heal',
  /** Nothing passes this way. When it is released, what waited is delivered, late, even of a sender that is dead. */
  'stall',
  'release',
] as const;

const timedVerbs = [
  /** Each save takes this much longer. */
  'slow-disk',
  /** Strangers at the port, for this long. */
  ...molestations,
] as const;

const conditions = [
  'leads',
  /** A save has begun, or has ended, since the disk was held or became slow. */
  'saves',
  'saved',
] as const;

export type PlainVerb = (typeof plainVerbs)[number];
export type LinkVerb = (typeof linkVerbs)[number];
export type TimedVerb = (typeof timedVerbs)[number];
export type Condition = (typeof conditions)[number];

export type Action =
  | { readonly verb: PlainVerb; readonly subject: Role }
  | { readonly verb: LinkVerb; readonly from: End; readonly to: End }
  | { readonly verb: TimedVerb; readonly subject: Role; readonly ms: number }
  /** Goes on when it is so, or when this much time has passed. */
  | { readonly verb: 'await'; readonly subject: Role; readonly condition: Condition; readonly ms: number }
  /** Mends everything that is left, and goes on after this much time and once there is a leader. */
  | { readonly verb: 'settle'; readonly ms: number };

export interface Line {
  /** Since the line before it was begun, or an `await` or `settle` was over. */
  readonly afterMs: number;
  readonly action: Action;
}

export interface Episode {
  readonly number: number;
  /** What it is made of. */
  readonly attacks: readonly string[];
  readonly lines: readonly Line[];
}

export interface Schedule {
  readonly algorithm: Algorithm;
  readonly nodes: number;
  readonly episodes: readonly Episode[];
}

export function printSchedule({ algorithm, nodes, episodes }: Schedule): string {
  return [`chaos ${algorithm} nodes ${nodes}`, ...episodes.map(printEpisode), ''].join('\n');
}

export function printEpisode({ number, attacks, lines }: Episode): string {
  return [`episode ${number} ${attacks.join(' ')}`, ...lines.map(printLine)].join('\n');
}

export function printLine({ afterMs, action }: Line): string {
  return `+${afterMs} ${printAction(action)}`;
}

export function printAction(action: Action): string {
  switch (action.verb) {
    case 'cut':
    case 'heal':
    case 'stall':
    case 'release':
      return `${action.verb} ${action.from}->${action.to}`;
    case 'await':
      return `await ${action.subject} ${action.condition} ${action.ms}`;
    case 'settle':
      return `settle ${action.ms}`;
    default:
      return [action.verb, action.subject, ...('ms' in action ? [action.ms] : [])].join(' ');
  }
}

/** A schedule cannot be read. The message names the line and what is wrong with it. */
export class ScheduleError extends Error {}

/** Reads what `printSchedule` prints. What follows a `#` is for people. */
export function parseSchedule(text: string): Schedule {
  const [head, ...rest] = text
    .split('\n')
    .map((line, index) => ({ line: line.replace(/#.*/, '').trim(), number: index + 1 }))
    .filter(({ line }) => line !== '');
  const match = /^chaos (\S+) nodes (\d+)$/.exec(head?.line ?? '');
  const algorithm = algorithms.find((known) => known === match?.[1]);
  if (algorithm === undefined) {
    throw new ScheduleError(`A schedule begins with 'chaos raft nodes 3', not with '${head?.line ?? ''}'.`);
  }
  const episodes: { number: number; attacks: string[]; lines: Line[] }[] = [];
  for (const { line, number } of rest) {
    const [word = '', episode = '', ...attacks] = line.split(/\s+/);
    if (word === 'episode') episodes.push({ number: Number(episode), attacks, lines: [] });
    else if (episodes.length === 0) throw new ScheduleError(`Line ${number} comes before any 'episode 1 …'.`);
    else episodes.at(-1)?.lines.push(parseLine(line, number));
  }
  return { algorithm, nodes: Number(match?.[2]), episodes };
}

function parseLine(line: string, number: number): Line {
  const [delay = '', ...words] = line.split(/\s+/);
  const action = /^\+\d+$/.test(delay) ? parseAction(words) : null;
  if (action === null) {
    throw new ScheduleError(`Line ${number} is not of the form '+120 kill A': '${line}'.`);
  }
  return { afterMs: Number(delay), action };
}

function parseAction([verb = '', first = '', second = '', third = '']: readonly string[]): Action | null {
  const plain = plainVerbs.find((known) => known === verb);
  if (plain !== undefined) return isRole(first) ? { verb: plain, subject: first } : null;
  const link = linkVerbs.find((known) => known === verb);
  if (link !== undefined) return parseLink(link, first);
  const timed = timedVerbs.find((known) => known === verb);
  if (timed !== undefined) {
    return isRole(first) && isCount(second) ? { verb: timed, subject: first, ms: Number(second) } : null;
  }
  if (verb === 'settle') return isCount(first) ? { verb, ms: Number(first) } : null;
  const condition = conditions.find((known) => known === second);
  if (verb !== 'await' || condition === undefined || !isRole(first) || !isCount(third)) return null;
  return { verb, subject: first, condition, ms: Number(third) };
}

function parseLink(verb: LinkVerb, ends: string): Action | null {
  const [, from = '', to = ''] = /^(\S+)->(\S+)$/.exec(ends) ?? [];
  return isEnd(from) && isEnd(to) ? { verb, from, to } : null;
}

const isRole = (text: string): boolean => /^([A-Z]|M\d)$/.test(text);
const isEnd = (text: string): boolean => text === 'servers' || text === '*' || /^[A-Z]$/.test(text);
const isCount = (text: string): boolean => /^\d+$/.test(text);
