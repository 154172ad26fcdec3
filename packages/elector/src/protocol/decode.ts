import { MalformedError } from '../errors.js';

/**
 * Small readers for values that came from outside: a frame, a file. Each returns the value with its type, or
 * throws `MalformedError` that names what was expected. They keep decoders to one line a field.
 */

export type UnknownRecord = Readonly<Record<string, unknown>>;

export function readRecord(value: unknown, what: string): UnknownRecord {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedError(`${what} must be an object.`);
  }
  return value as UnknownRecord;
}

export function readString(record: UnknownRecord, field: string): string {
  const value = record[field];
  if (typeof value !== 'string') throw new MalformedError(`Field '${field}' must be a string.`);
  return value;
}

/** A whole number from 0 to 2^53 − 1: an epoch, a term, an index. */
export function readCount(record: UnknownRecord, field: string): number {
  const value = record[field];
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw new MalformedError(`Field '${field}' must be a whole number from 0 to 2^53 - 1.`);
  }
  return value as number;
}

/** Any number but NaN and the infinities: a reading of a clock, a duration. */
export function readNumber(record: UnknownRecord, field: string): number {
  const value = record[field];
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new MalformedError(`Field '${field}' must be a finite number.`);
  }
  return value;
}

export function readBoolean(record: UnknownRecord, field: string): boolean {
  const value = record[field];
  if (typeof value !== 'boolean') throw new MalformedError(`Field '${field}' must be true or false.`);
  return value;
}

export function readOneOf<Choice extends string>(
  record: UnknownRecord,
  field: string,
  choices: readonly Choice[],
): Choice {
  const value = readString(record, field);
  const choice = choices.find((each) => each === value);
  if (choice === undefined) throw new MalformedError(`Field '${field}' cannot be '${value}'.`);
  return choice;
}

export function readOrNull<Value>(
  record: UnknownRecord,
  field: string,
  read: (record: UnknownRecord, field: string) => Value,
): Value | null {
  return record[field] === null ? null : read(record, field);
}

/** `read` is given each item and its place. */
export function readList<Item>(
  record: UnknownRecord,
  field: string,
  read: (item: unknown, place: number) => Item,
): Item[] {
  const value = record[field];
  if (!Array.isArray(value)) throw new MalformedError(`Field '${field}' must be a list.`);
  return value.map((item, place) => read(item, place));
}

/** Ids of nodes, names. */
export function readStrings(record: UnknownRecord, field: string): string[] {
  return readList(record, field, (item) => {
    if (typeof item === 'string') return item;
    throw new MalformedError(`Field '${field}' must be a list of strings.`);
  });
}
