import type { Leadership, Store } from '../../exercises/06-gc-pause/types.js';

export function begin(leadership: Leadership, store: Store): boolean {
  return store.raiseFence(leadership.token);
}

export function payInterest(leadership: Leadership, store: Store): boolean {
  leadership.assertValid();
  const balance = store.read();
  return store.writeFenced(leadership.token, balance + 10);
}
