/**
 * A run in one word, made of letters that no shell and no address bar changes.
 *
 * ```
 * 2.bully.default.s.7.3-7.5m9r.sqptw                              what seed 7 draws from this swarm
 * 2.bully.default.x.n_2~s_0~d_0~l_1_1~r_350~a_0_isolate_n1.qwert  this very schedule
 * ```
 *
 * The first number is the version. It changes whenever an old name would stand for another run: with the drawing of
 * schedules, the order of the draws in a run, or this format. The last letters are a checksum: a name that lost a
 * letter on its way would be another run's. Version 1 had none.
 */

import { InvalidOptionError } from '@hustings/elector';
import { MalformedError } from '@hustings/elector/protocol';
import { faultTypes } from './faults.js';
import { type Subject, scheduleOfSeed } from './judge.js';
import { deriveSeed } from './random.js';
import { formatSchedule, parseSchedule, type Schedule } from './schedule.js';
import { type FaultType, nodeNames, type Swarm } from './swarm.js';

export const runNameVersion = '2';
const versionWithoutChecksum = '1';

/**
 * Whoever is handed a name should not be kept busy for hours by it, nor run out of memory: the trace of a hundred Raft
 * nodes grows by a gigabyte a minute.
 */
export const runBounds = { nodes: 101, durationMs: 600_000, nodeMs: 15_000_000 } as const;

/** All that a run depends on, but for the algorithm's own code. */
export type RunName = {
  readonly algorithm: string;
  readonly variant: string;
} & (
  | { readonly type: 'seed'; readonly seed: number; readonly swarm: Swarm }
  | { readonly type: 'schedule'; readonly schedule: Schedule }
);

/** Throws `InvalidOptionError` for what does not fit into a word. */
export function formatRunName(name: RunName): string {
  const { algorithm, variant } = name;
  const run = name.type === 'seed' ? ['s', ...packSeed(name)] : ['x', packSchedule(name.schedule)];
  return sealName(algorithm, variant, ...run);
}

/** Throws `MalformedError` that says what is wrong with it. */
export function parseRunName(text: string): RunName {
  const [algorithm = '', variant = '', type, ...rest] = unsealName(text);
  if (algorithm !== '' && variant !== '') {
    if (type === 's') {
      refuseFormerSeed(text);
      return { algorithm, variant, type: 'seed', ...unpackSeed(rest, text) };
    }
    // A schedule has numbers in it, and those have points.
    if (type === 'x') {
      return { algorithm, variant, type: 'schedule', schedule: unpackSchedule(rest.join('.'), text) };
    }
  }
  throw malformed(text, "it should begin like '2.bully.default.s.'");
}

/** Schedules of version 1 are still what they were, but its seeds drew others than they do now. */
function refuseFormerSeed(text: string): void {
  if (!text.startsWith(`${versionWithoutChecksum}.`)) return;
  throw new MalformedError(
    `'${text}' is a seed of version 1, which draws another run by now: replay it with the Hustings that printed it.`,
  );
}

/** These words as one, with version and checksum. Throws `InvalidOptionError` for words of other letters. */
export function sealName(algorithm: string, variant: string, ...words: readonly string[]): string {
  const name = [runNameVersion, algorithm, variant, ...words].join('.');
  if (!/^[\w.~-]+$/.test(name) || /[^a-z0-9-]/.test(algorithm + variant)) {
    throw new InvalidOptionError(
      `This run has no name: a word in it has other letters than 'a' to 'z', 0 to 9 and '-'.`,
    );
  }
  return `${name}.${checksumOf(name)}`;
}

/** The words that were sealed. Throws `MalformedError` when a letter of the name is missing or was changed. */
export function unsealName(text: string): readonly string[] {
  const [version = '', ...words] = text.split('.');
  if (version === versionWithoutChecksum) return words;
  if (!/^\d+$/.test(version)) throw malformed(text, "it should begin like '2.bully.default.s.'");
  if (version !== runNameVersion) {
    throw new MalformedError(
      `'${text}' is of version ${version}, and this is version ${runNameVersion}: replay it with the Hustings that printed it.`,
    );
  }
  const checksum = words.pop();
  if (checksum === checksumOf([version, ...words].join('.'))) return words;
  throw new MalformedError(
    `This token is damaged: a letter of '${text}' is missing or was changed; copy the whole name of the run again.`,
  );
}

const checksumLetters = 5;
const alphabet = 'abcdefghijklmnopqrstuvwxyz';

/** Letters alone, so that it cannot be read as the fraction of a number before it. */
function checksumOf(text: string): string {
  let rest = deriveSeed(text) >>> 0;
  let letters = '';
  while (letters.length < checksumLetters) {
    letters += alphabet[rest % alphabet.length];
    rest = Math.floor(rest / alphabet.length);
  }
  return letters;
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

function unpackSeed(parts: readonly string[], text: string): { seed: number; swarm: Swarm } {
  const match = /^([0-9a-z]{1,7})\.(\d{1,3})-(\d{1,3})\.([0-9a-z]{1,4})$/.exec(parts.join('.'));
  if (match === null) throw malformed(text, "after 's.' come a seed, the sizes of clusters and the faults");
  const [, seedText = '', min, max, faultsText = ''] = match;
  const seed = Number.parseInt(seedText, 36);
  const nodes = [Number(min), Number(max)] as const;
  const bits = Number.parseInt(faultsText, 36);
  if (seed > 0xffffffff) throw malformed(text, 'its seed has more than 32 bits');
  if (nodes[0] < 1 || nodes[0] > nodes[1]) throw malformed(text, 'it names no cluster size');
  checkBounds(text, { nodes: nodes[1] });
  if (bits >= 2 ** faultTypes.length) throw malformed(text, 'it names faults that do not exist');
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
      "A run has a name only if those of its nodes are made of letters, digits and '-'.",
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

function unpackSchedule(packed: string, name: string): Schedule {
  // But for that of a setting: `set raft.heartbeatMs 50`.
  if (/\.(?!\d)/.test(packed.replace(/(^|~)set_[a-z]+\./g, '$1set_'))) {
    throw malformed(name, 'there is a point outside of a number');
  }
  const words = new Map(abbreviations.map(([word, letter]) => [letter, word]));
  const text = packed
    .split('~')
    .map((line) => replaceFirstWord(line.replaceAll('_', ' '), words))
    .join('\n')
    .replace(/^nodes (\d+)$/m, (_, count) => {
      checkBounds(name, { nodes: Number(count) });
      return `nodes ${nodeNames(Number(count)).join(' ')}`;
    });
  const schedule = readSchedule(text, name);
  checkBounds(name, { nodes: schedule.nodes.length, durationMs: schedule.durationMs });
  return schedule;
}

function readSchedule(text: string, name: string): Schedule {
  try {
    return parseSchedule(text);
  } catch (error) {
    throw malformed(name, error instanceof Error ? error.message.replace(/\.$/, '') : String(error));
  }
}

/** Throws `MalformedError` for a run that is larger or longer than `runBounds`. */
export function checkBounds(
  name: string,
  { nodes, durationMs = 0 }: { readonly nodes: number; readonly durationMs?: number },
): void {
  if (nodes > runBounds.nodes) {
    throw new MalformedError(`'${name}' has ${nodes} nodes; runs of up to ${runBounds.nodes} are replayed.`);
  }
  if (durationMs > runBounds.durationMs) {
    throw new MalformedError(
      `'${name}' runs for ${durationMs} ms; runs of up to ${runBounds.durationMs} ms are replayed.`,
    );
  }
  const longestMs = Math.floor(runBounds.nodeMs / nodes);
  if (durationMs > longestMs) {
    throw new MalformedError(
      `'${name}' runs for ${durationMs} ms; with ${nodes} nodes, up to ${longestMs} ms are replayed.`,
    );
  }
}

function replaceFirstWord(line: string, words: ReadonlyMap<string, string>): string {
  return line.replace(/^\S+/, (word) => words.get(word) ?? word);
}

const malformed = (text: string, why: string): MalformedError =>
  new MalformedError(`'${text}' is not the name of a run: ${why}.`);
