/** How revisions of the store are read, counted and compared. */

import { MalformedError, readString, type UnknownRecord } from '@hustings/elector/protocol';

export function readDigits(record: UnknownRecord, field: string): string {
  const value = readString(record, field);
  if (!/^\d{1,20}$/.test(value)) throw new MalformedError(`Field '${field}' must be decimal digits.`);
  return value;
}

/** Whether revision `a` came after `b`. */
export const isAfter = (a: string, b: string): boolean =>
  // Decimal and without leading zeros, so the longer is the greater. Big integers would cost half of a simulation.
  a.length === b.length ? a > b : a.length > b.length;

/** The revision after this one. */
export const next = (revision: string): string => (BigInt(revision) + 1n).toString();
