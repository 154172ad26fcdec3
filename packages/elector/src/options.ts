/**
 * Checks of options at run time, for callers in plain JavaScript and for values that come from a file or the
 * environment. An option is a line in a table; what is wrong is one sentence that names the option.
 *
 * ```ts
 * const { name, ttlMs = 5000 } = readOptions<Options>('createLock', given, {
 *   name: required(text, 'what the lock is called'),
 *   ttlMs: numberAbove(0),
 * });
 * ```
 *
 * @packageDocumentation
 */

import { InvalidOptionError } from './errors.js';

/** The end of a sentence that says what is wrong with a value, 'must be …'; null when nothing is. */
export type Rule = (value: unknown) => string | null;

/** A rule whose option must be given, and what to give. */
export interface RequiredRule {
  readonly rule: Rule;
  readonly hint: string;
}

export type OptionTable = Readonly<Record<string, Rule | RequiredRule>>;

/**
 * The options that were given, without those that are undefined: these have their default. Throws
 * `InvalidOptionError`. `owner` is what the caller called.
 */
export function readOptions<Options>(owner: string, given: unknown, table: OptionTable): Options {
  const problem = problemWith(given, table);
  if (problem !== null) throw new InvalidOptionError(`${owner}: ${problem}`);
  return withoutUndefined(given as object) as Options;
}

function problemWith(given: unknown, table: OptionTable): string | null {
  if (!isRecord(given)) return `the options must be an object, not ${show(given)}.`;
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(table, name)) return unknownOption(name, table);
  }
  for (const [name, entry] of Object.entries(table)) {
    const problem = problemWithOne(name, given[name], entry);
    if (problem !== null) return problem;
  }
  return null;
}

function problemWithOne(name: string, value: unknown, entry: Rule | RequiredRule): string | null {
  const { rule, hint } = typeof entry === 'function' ? { rule: entry, hint: null } : entry;
  if (value === undefined) return hint === null ? null : `option '${name}' is missing: ${hint}.`;
  const complaint = rule(value);
  return complaint === null ? null : `option '${name}' ${complaint}${complaint.endsWith('?') ? '' : '.'}`;
}

function unknownOption(name: string, table: OptionTable): string {
  const near = nearest(name, Object.keys(table));
  const taken = Object.entries(table).filter(([, entry]) => !refusals.has(entry));
  const advice =
    near === null ? `it knows ${taken.map(([known]) => known).join(', ')}.` : `did you mean '${near}'?`;
  return `there is no option '${name}'; ${advice}`;
}

function withoutUndefined(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

// ---- Rules ---------------------------------------------------------------------------------------------

export function required(rule: Rule, hint: string): RequiredRule {
  return { rule, hint };
}

/** A rule that is a test, and what a value that fails it must be instead. */
export function must(be: string, holds: (value: unknown) => boolean): Rule {
  return (value) => (holds(value) ? null : `must be ${be}, not ${show(value)}`);
}

export const text = must('a text that is not empty', (value) => typeof value === 'string' && value !== '');

export const flag = must('true or false', (value) => typeof value === 'boolean');

export const callback = must('a function', (value) => typeof value === 'function');

export const record = must('an object', isRecord);

export const numberAbove = (least: number): Rule =>
  must(`a number above ${least}`, (value) => isFiniteNumber(value) && value > least);

/** Both ends included. */
export const numberFrom = (least: number, most: number): Rule =>
  must(
    `a number from ${least} to ${most}`,
    (value) => isFiniteNumber(value) && value >= least && value <= most,
  );

export const wholeNumberFrom = (least: number, most = Number.MAX_SAFE_INTEGER): Rule =>
  must(
    most === Number.MAX_SAFE_INTEGER
      ? `a whole number of at least ${least}`
      : `a whole number from ${least} to ${most}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
  );

/** A time that is drawn: `[150, 300]`. */
export const rangeMs = must('a range [min, max] of milliseconds with 0 < min <= max', (value) => {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [min, max]: readonly unknown[] = value;
  return isFiniteNumber(min) && isFiniteNumber(max) && min > 0 && min <= max;
});

export const oneOf =
  (...choices: readonly string[]): Rule =>
  (value) => {
    if (typeof value === 'string' && choices.includes(value)) return null;
    const near = typeof value === 'string' ? nearest(value, choices) : null;
    const advice = near === null ? '' : `; did you mean '${near}'?`;
    return `must be ${choices.map((choice) => `'${choice}'`).join(' or ')}, not ${show(value)}${advice}`;
  };

/** An array of at least one, each once. */
export const listOf =
  (rule: Rule): Rule =>
  (value) => {
    if (!Array.isArray(value)) return `must be an array, not ${show(value)}`;
    if (value.length === 0) return 'must not be empty';
    for (const item of value) {
      const complaint = rule(item);
      if (complaint !== null) return `has an element that ${complaint}`;
    }
    const twice = value.find((item, index) => value.indexOf(item) !== index);
    return twice === undefined ? null : `names ${show(twice)} twice; leave one out`;
  };

/** An object that holds one value of a kind under each name. */
export const entriesOf =
  (rule: Rule): Rule =>
  (value) => {
    if (!isRecord(value)) return `must be an object, not ${show(value)}`;
    for (const [name, item] of Object.entries(value)) {
      const complaint = rule(item);
      if (complaint !== null) return `has an entry '${name}' that ${complaint}`;
    }
    return null;
  };

/** An object with the options of this table. */
export const group =
  (table: OptionTable): Rule =>
  (value) => {
    const problem = problemWith(value, table);
    return problem === null ? null : `is not right: ${problem.replace(/\.$/, '')}`;
  };

/** For an option that others call by this name. */
export const renamed = (name: string): Rule => refused(`is called '${name}' here`);

/** What no value of the option helps against: it is in the table for the sake of its sentence. */
export function refused(why: string): Rule {
  const rule = (): string => why;
  refusals.add(rule);
  return rule;
}

const refusals = new WeakSet<Rule | RequiredRule>();

/** What holds of either. The complaint is that of the last. */
export const either =
  (...rules: readonly Rule[]): Rule =>
  (value) => {
    let complaint: string | null = null;
    for (const rule of rules) {
      complaint = rule(value);
      if (complaint === null) return null;
    }
    return complaint;
  };

// ---- Words ---------------------------------------------------------------------------------------------

/** A value as a person would point at it, on one line and not too long. */
export function show(value: unknown): string {
  if (typeof value === 'string') return shortened(JSON.stringify(value).slice(1, -1), "'");
  if (Array.isArray(value)) return shortened(`[${value.map(show).join(', ')}]`);
  if (typeof value === 'function') return 'a function';
  if (isRecord(value)) return 'an object';
  return shortened(String(value));
}

function shortened(words: string, quote = ''): string {
  return `${quote}${words.length > 60 ? `${words.slice(0, 60)}…` : words}${quote}`;
}

/** The known word that was probably meant; null when none is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  const ranked = known
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((left, right) => left.distance - right.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= Math.max(2, word.length / 3) ? best.candidate : null;
}

/** Levenshtein's: how many letters must be changed, added or left out. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[right.length]!;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
