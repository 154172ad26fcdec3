/** Flags: a table of what a command takes, read with Node's own `parseArgs`, refused with one sentence. */

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { nearest, show } from '@hustings/elector/options';

/** What the user asked for cannot be done. The message is one sentence that says what to do; the exit code is 2. */
export class UsageError extends Error {}

export interface Flag {
  /** What it takes, as the help shows it: `FILE`. Left out, it takes nothing. */
  readonly takes?: string;
  /** One line. */
  readonly about: string;
}

export type FlagTable = Readonly<Record<string, Flag>>;
export type Flags = Readonly<Record<string, string | true | undefined>>;

export function readFlags(words: readonly string[], table: FlagTable): Flags {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { takes }]) => [
      name,
      { type: takes === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...words], options, strict: false, tokens: true });
  const flags: Record<string, string | true> = {};
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional')
      throw new UsageError(`What is ${show(token.value)}? Put -- before a command.`);
    const { rawName, value } = token;
    const [name, flag] = find(rawName, token.name, table);
    if (name in flags) throw new UsageError(`${rawName} is given twice; leave one out.`);
    flags[name] = held(rawName, value, flag);
  }
  return flags;
}

function find(rawName: string, name: string, table: FlagTable): readonly [string, Flag] {
  const flag = Object.hasOwn(table, name) ? table[name] : undefined;
  if (flag !== undefined && rawName.startsWith('--')) return [name, flag];
  const near = nearest(name, Object.keys(table));
  const advice = near === null ? "'--help' shows what there is." : `did you mean --${near}?`;
  throw new UsageError(`There is no flag ${rawName}; ${advice}`);
}

function held(rawName: string, value: string | undefined, { takes }: Flag): string | true {
  if (takes === undefined) {
    if (value === undefined) return true;
    throw new UsageError(`${rawName} takes nothing, and was given ${show(value)}.`);
  }
  // `--election --json` has forgotten a value: no value begins with two dashes.
  if (value === undefined || value === '' || value.startsWith('--')) {
    throw new UsageError(`${rawName} needs a value: ${rawName} ${takes}.`);
  }
  return value;
}

// ---- What flags hold -----------------------------------------------------------------------------------

export const isSet = (flags: Flags, name: string): boolean => flags[name] !== undefined;

export function text(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

export function list(flags: Flags, name: string): readonly string[] | undefined {
  return text(flags, name)
    ?.split(',')
    .map((item) => item.trim());
}

export function wholeNumber(flags: Flags, name: string, [min, max]: readonly [number, number]) {
  const given = text(flags, name);
  if (given === undefined) return undefined;
  const value = Number(given);
  if (/^\d+$/.test(given) && value >= min && value <= max) return value;
  throw new UsageError(`--${name} takes a whole number from ${min} to ${max}, not ${show(given)}.`);
}

export function fraction(flags: Flags, name: string, [min, max]: readonly [number, number]) {
  const given = text(flags, name);
  if (given === undefined) return undefined;
  const value = Number(given);
  if (/^\d*\.?\d+$/.test(given) && value >= min && value <= max) return value;
  throw new UsageError(`--${name} takes a number from ${min} to ${max}, not ${show(given)}.`);
}

/** What the file holds that the flag names. */
export function contents(flags: Flags, name: string): string | undefined {
  const path = text(flags, name);
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--${name} cannot be read: ${path} (${code}).`);
  }
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

export function address(flags: Flags, name: string): Address | undefined {
  const given = text(flags, name);
  if (given === undefined) return undefined;
  const [, host = '', port = ''] = /^(\[[^\]]+\]|[^:]*):(\d{1,5})$/.exec(given) ?? [];
  if (host !== '' && Number(port) <= 65_535)
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
  throw new UsageError(`--${name} takes host:port, such as 127.0.0.1:4040, not ${show(given)}.`);
}

// ---- Help ----------------------------------------------------------------------------------------------

export function describeFlags(table: FlagTable): string {
  const rows = Object.entries(table).map(
    ([name, { takes, about }]) => [`  --${name}${takes === undefined ? '' : ` ${takes}`}`, about] as const,
  );
  return inColumns(rows);
}

/** What something is called, and beside it what it is, in lines that fit a terminal. */
export function inColumns(rows: readonly (readonly [left: string, about: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows
    .map(([left, about]) => left.padEnd(width) + wrapped(about, 80 - width).join(`\n${' '.repeat(width)}`))
    .join('\n');
}

function wrapped(sentence: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
