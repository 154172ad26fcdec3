// Raises the fence again before it reads, and asks twice whether it leads: no worse.
import type { Leadership, Store } from '../../exercises/06-gc-pause/types.js';

export const begin = ({ token }: Leadership, store: Store): boolean => store.raiseFence(token);

export function payInterest({ token, assertValid }: Leadership, store: Store): boolean {
  assertValid();
  if (!store.raiseFence(token)) return false;
  const balance = store.read();
  assertValid();
  if (!store.writeFenced(token, balance + 10)) return false;
  return true;
}
