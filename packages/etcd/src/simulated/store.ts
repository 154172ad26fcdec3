/** Keys with their history, and what a write makes of them. */

import type { Change, Comparison, KeyValue, Operation, Revision } from '../messages.js';
import { isAfter } from '../revisions.js';
import { change, type SimulatedEtcdState } from './state.js';

/** What can be read from: also a copy of a part of a real store. */
export type Readable = Pick<SimulatedEtcdState, 'keys'>;

const find = ({ keys }: Readable, key: string): KeyValue | undefined => keys.find((each) => each.key === key);

export function holds(state: Readable, { key, target, revision }: Comparison): boolean {
  const present = find(state, key);
  const actual = target === 'create' ? present?.createRevision : present?.modRevision;
  return (actual ?? '0') === revision;
}

export function read(state: Readable, operation: Operation): readonly KeyValue[] {
  if (operation.type === 'get') {
    const found = find(state, operation.key);
    return found === undefined ? [] : [found];
  }
  return operation.type === 'range' ? readRange(state.keys, operation) : [];
}

/** From one end, and no further than asked. */
function readRange(
  keys: readonly KeyValue[],
  { prefix, order, limit, createdBefore }: Extract<Operation, { type: 'range' }>,
): readonly KeyValue[] {
  const end = createdBefore === undefined ? keys.length : placeOf(createdBefore, keys, createdAt);
  const found: KeyValue[] = [];
  for (let passed = 0; passed < end && (limit === 0 || found.length < limit); passed += 1) {
    const each = keys[order === 'oldest' ? passed : end - 1 - passed]!;
    if (each.key.startsWith(prefix)) found.push(each);
  }
  return found;
}

const createdAt = ({ createRevision }: KeyValue): Revision => createRevision;

export function write(state: SimulatedEtcdState, operation: Operation, at: number): SimulatedEtcdState {
  if (operation.type === 'get' || operation.type === 'range') return state;
  const { key } = operation;
  const place = state.keys.findIndex((each) => each.key === key);
  const revision = at.toString();
  if (operation.type !== 'delete') {
    const { value, lease } = operation.type === 'put' ? operation : state.keys[place]!;
    const createRevision = state.keys[place]?.createRevision ?? revision;
    const put: KeyValue = { key, value, lease, createRevision, modRevision: revision };
    const keys = place === -1 ? [...state.keys, put] : state.keys.with(place, put);
    return remember(
      change(state, { keys }),
      { type: 'put', key, revision, value, createRevision, lease },
      at,
    );
  }
  if (place === -1) return state;
  return remember(
    change(state, { keys: state.keys.toSpliced(place, 1) }),
    { type: 'delete', key, revision },
    at,
  );
}

function remember(state: SimulatedEtcdState, event: Change, revision: number): SimulatedEtcdState {
  const remembering = change(state, { revision, history: [...state.history, event] });
  const excess = remembering.history.length - state.settings.historyLength;
  return excess <= 0 ? remembering : compact(remembering, Number(remembering.history[excess - 1]?.revision));
}

export function compact(state: SimulatedEtcdState, revision: number): SimulatedEtcdState {
  const compacted = Math.max(state.compacted, revision);
  return change(state, {
    compacted,
    history: state.history.filter((change) => Number(change.revision) > compacted),
  });
}

/** Where the first item stands whose number is not below this one, of items in the order of their numbers. */
export function placeOf<Item>(
  number: string,
  items: readonly Item[],
  numberOf: (item: Item) => string,
): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAfter(number, numberOf(items[middle]!))) low = middle + 1;
    else high = middle;
  }
  return low;
}
