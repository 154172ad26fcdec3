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
