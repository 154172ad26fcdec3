/**
 * A run in one word, made of letters that no shell and no address bar changes.
 *
 * ```
 * 1.bully.default.s.7.3-7.35r                          what seed 7 draws from this swarm
 * 1.bully.default.x.n_2~s_0~d_0~l_1_1~r_350~a_0_isolate_n1   this very schedule
 * ```
 *
 * The first number is the version. It changes whenever an old token would name another run: with the drawing of
 * schedules, the order of the draws in a run, or this format.
 */

import { InvalidOptionError } from '@hustings/elector';
import { MalformedError } from '@hustings/elector/protocol';
import { faultTypes } from './faults.js';
import { type Subject, scheduleOfSeed } from './judge.js';
import { formatSchedule, parseSchedule, type Schedule } from './schedule.js';
import { type FaultType, nodeNames, type Swarm } from './swarm.js';

export const tokenVersion = '1';

/** All that a run depends on, but for the algorithm's own code. */
export type RunName = {
  readonly algorithm: string;
  readonly variant: string;
} & (
  | { readonly type: 'seed'; readonly seed: number; readonly swarm: Swarm }
  | { readonly type: 'schedule'; readonly schedule: Schedule }
);

/** Throws `InvalidOptionError` for names that do not fit into a word. */
export function formatToken(name: RunName): string {
  const { algorithm, variant } = name;
  const run = name.type === 'seed' ? ['s', ...packSeed(name)] : ['x', packSchedule(name.schedule)];
  const token = [tokenVersion, algorithm, variant, ...run].join('.');
  if (!/^[\w.~-]+$/.test(token) || /[^a-z0-9-]/.test(algorithm + variant)) {
    throw new InvalidOptionError(
      `This run has no token: a name in it has other letters than 'a' to 'z', 0 to 9 and '-'.`,
    );
  }
  return token;
}

/** Throws `MalformedError` that says what is wrong with it. */
export function parseToken(token: string): RunName {
  const [version, algorithm = '', variant = '', type, ...rest] = token.split('.');
  if (version !== tokenVersion && /^\d+$/.test(version ?? '')) {
    throw new MalformedError(
      `Token '${token}' is of version ${version}, and this is version ${tokenVersion}: replay it with the Hustings that printed it.`,
    );
  }
  if (version === tokenVersion && algorithm !== '' && variant !== '') {
    if (type === 's') return { algorithm, variant, type: 'seed', ...unpackSeed(rest, token) };
    // A schedule has numbers in it, and those have points.
    if (type === 'x') {
      return { algorithm, variant, type: 'schedule', schedule: unpackSchedule(rest.join('.'), token) };
    }
  }
  throw malformed(token, "it should begin like '1.bully.default.s.'");
}

/** The schedule that a name stands for. */
export function scheduleOf<State>(name: RunName, subject: Subject<State>): Schedule {
  return name.type === 'schedule' ? name.schedule : scheduleOfSeed(subject, name.swarm, name.seed);
}

function packSeed({ seed, swarm }: { readonly seed: number; readonly swarm: Swarm }): string[] {
  const faults = faultTypes.reduce(
    (bits, type, index) => bits | (Number(swarm.faults.includes(type)) << index),
    0,
  );
  return [(seed >>> 0).toString(36), swarm.nodes.join('-'), faults.toString(36)];
}

function unpackSeed(parts: readonly string[], token: string): { seed: number; swarm: Swarm } {
  const match = /^([0-9a-z]{1,7})\.(\d{1,3})-(\d{1,3})\.([0-9a-z]{1,4})$/.exec(parts.join('.'));
  if (match === null) throw malformed(token, "after 's.' come a seed, the sizes of clusters and the faults");
  const [, seedText = '', min, max, faultsText = ''] = match;
  const seed = Number.parseInt(seedText, 36);
  const nodes = [Number(min), Number(max)] as const;
  const bits = Number.parseInt(faultsText, 36);
  if (seed > 0xffffffff) throw malformed(token, 'its seed has more than 32 bits');
  if (nodes[0] < 1 || nodes[0] > nodes[1]) throw malformed(token, 'it names no cluster size');
  if (bits >= 2 ** faultTypes.length) throw malformed(token, 'it names faults that do not exist');
  const faults: FaultType[] = faultTypes.filter((_, index) => (bits >> index) & 1);
  return { seed: seed | 0, swarm: { nodes, faults } };
}

/** The words that begin most lines; the others stand as they are. */
const abbreviations: readonly (readonly [word: string, letter: string])[] = [
  ['nodes', 'n'],
  ['seed', 's'],
  ['decisions', 'd'],
  ['latency', 'l'],
  ['run', 'r'],
  ['at', 'a'],
];

/** The text form with `_` for spaces and `~` for line ends. */
function packSchedule(schedule: Schedule): string {
  if (schedule.nodes.some((node) => !/^[A-Za-z][A-Za-z0-9-]*$/.test(node))) {
    throw new InvalidOptionError(
      "A run has a token only if its nodes' names are made of letters, digits and '-'.",
    );
  }
  return formatSchedule(schedule)
    .trim()
    .split('\n')
    .map((line) => replaceFirstWord(shortNodes(line, schedule), new Map(abbreviations)).replaceAll(' ', '_'))
    .join('~');
}

/** Nodes that have the usual names are only counted. */
function shortNodes(line: string, { nodes }: Schedule): string {
  return line === `nodes ${nodeNames(nodes.length).join(' ')}` ? `nodes ${nodes.length}` : line;
}

function unpackSchedule(packed: string, token: string): Schedule {
  const words = new Map(abbreviations.map(([word, letter]) => [letter, word]));
  const text = packed
    .split('~')
    .map((line) => replaceFirstWord(line.replaceAll('_', ' '), words))
    .join('\n')
    .replace(/^nodes (\d{1,3})$/m, (_, count) => `nodes ${nodeNames(Number(count)).join(' ')}`);
  try {
    return parseSchedule(text);
  } catch (error) {
    throw malformed(token, error instanceof Error ? error.message.replace(/\.$/, '') : String(error));
  }
}

function replaceFirstWord(line: string, words: ReadonlyMap<string, string>): string {
  return line.replace(/^\S+/, (word) => words.get(word) ?? word);
}

const malformed = (token: string, why: string): MalformedError =>
  new MalformedError(`'${token}' is not a token: ${why}.`);
