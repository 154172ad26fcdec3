/** The election as a look and the events after it show it. */

import { sign } from '@hustings/elector/protocol';
import { isCandidate, prefixOf } from './keys.js';
import type { Change, KeyValue, TransactionResult } from './messages.js';
import { isAfter } from './revisions.js';
import type { EtcdState, Member, Session, Watched } from './state.js';

/** The election as it was at one moment. */
interface View {
  readonly members: readonly Member[];
  /** Whether this node's key is there, under its own lease. */
  readonly ownIsThere: boolean;
  /** Whether other keys than candidates' were found, which may have taken their place in the answer. */
  readonly hasStrangers: boolean;
}

/** What `looking`, or in a race `joining`, has found. */
export function readView(state: EtcdState, result: TransactionResult): View {
  const { settings } = state;
  const keys = keysIn(result);
  const candidates = keys.filter(({ key }) => isCandidate(settings, key));
  const found = candidates.reduce<readonly Member[]>(withMember, []);
  const own = ownIn(state, found, result.succeeded);
  const isShown = own === null || found.some(({ key }) => key === own.key);
  return {
    members: isShown ? found : withMember(found, own),
    ownIsThere: own !== null,
    hasStrangers: candidates.length < keys.length,
  };
}

/** The own key, if it is there. */
function ownIn(state: EtcdState, [first]: readonly Member[], succeeded: boolean): Member | null {
  const { settings, session, ownRevision } = state;
  if (session === null) return null;
  if (settings.succession === 'race') return first?.lease === session.lease ? first : null;
  if (ownRevision === null || !succeeded) return null;
  return { key: session.key, value: sign(state), lease: session.lease, createRevision: ownRevision };
}

/** The own key in what a transaction has found. */
export function findOwn(result: TransactionResult, { key, lease }: Session): KeyValue | null {
  return keysIn(result).find((each) => each.key === key && each.lease === lease) ?? null;
}

/** What `flat` would return, which takes five times as long in Node 20. */
function keysIn({ found }: TransactionResult): readonly KeyValue[] {
  const [first = [], second = []] = found;
  return found.length > 2 ? found.flat() : second.length === 0 ? first : [...first, ...second];
}

/**
 * The members after these changes. A look in a queue shows nobody behind the own key, so who comes there is not
 * the next of those: only whoever is observed knows all.
 */
export function applyChanges(state: EtcdState, changes: readonly Change[]): readonly Member[] {
  const knowsAll = state.observed || state.settings.succession === 'race';
  return changes.reduce((present, change) => {
    if (change.type === 'delete') return present.filter(({ key }) => key !== change.key);
    return knowsAll || present.some(({ key }) => key === change.key) ? withMember(present, change) : present;
  }, state.members);
}

function withMember(
  members: readonly Member[],
  { key, value, lease, createRevision }: Member,
): readonly Member[] {
  const others = members.filter((member) => member.key !== key);
  const place = others.findIndex((member) => isAfter(member.createRevision, createRevision));
  return others.toSpliced(place === -1 ? others.length : place, 0, { key, value, lease, createRevision });
}

/** Who must go before it is this node's turn. In a race that is whoever has the key. */
export function predecessorOf({ settings, members, ownRevision }: EtcdState): Member | null {
  if (settings.succession === 'race' && ownRevision === null) return members[0] ?? null;
  if (ownRevision === null) return null;
  return members.findLast(({ createRevision }) => isAfter(ownRevision, createRevision)) ?? null;
}

/**
 * What matters to this node until it looks again: to a leader its own key, to a candidate the key just before its
 * own, and to whoever is observed the whole election, which in a race is one key.
 */
export function watchable(state: EtcdState): Watched | null {
  const { settings, phase, observed, session } = state;
  if (observed) {
    return settings.succession === 'race' ? one(settings.name) : { key: prefixOf(settings), prefix: true };
  }
  if (phase === 'leading' && session !== null) return one(session.key);
  const predecessor = phase === 'waiting' ? predecessorOf(state) : null;
  return predecessor === null ? null : one(predecessor.key);
}

export const one = (key: string): Watched => ({ key, prefix: false });
