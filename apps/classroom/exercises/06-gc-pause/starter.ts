import type { Leadership, Store } from './types.js';

/** Called once when this node begins to lead, before any `payInterest`. Returns whether it may go on. */
export function begin(leadership: Leadership, store: Store): boolean {
  return false;
}

/** Adds 10 to the balance, and returns true; or adds nothing, and returns false, if it does not lead any more. */
export function payInterest(leadership: Leadership, store: Store): boolean {
  return false;
}
