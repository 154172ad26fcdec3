/** How revisions of the store are counted and compared. */

/** Whether revision `a` came after `b`. */
export const isAfter = (a: string, b: string): boolean =>
  // Decimal and without leading zeros, so the longer is the greater. Big integers would cost half of a simulation.
  a.length === b.length ? a > b : a.length > b.length;

/** The revision after this one. */
export const next = (revision: string): string => (BigInt(revision) + 1n).toString();
