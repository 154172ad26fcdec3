/**
 * The replicated log: a snapshot of what was compacted away, and the entries after it. Logs are immutable and
 * share their entries. Every function is pure.
 */

import type { Membership } from './membership.js';

/** What an entry may carry: whatever JSON can say. Entries are meant to be small. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

export type Entry =
  /** Opens a term: its commitment commits everything before it (§5.4.2, §8). */
  | { readonly index: number; readonly term: number; readonly type: 'no-op' }
  | { readonly index: number; readonly term: number; readonly type: 'data'; readonly data: Json }
  | {
      readonly index: number;
      readonly term: number;
      readonly type: 'membership';
      readonly membership: Membership;
    };

/** Stands for all entries up to `index` (§7). At index 0 it holds the membership that the cluster began with. */
export interface Snapshot {
  readonly index: number;
  readonly term: number;
  readonly membership: Membership;
  /** The application's state after the entry at `index`. */
  readonly data: Json;
}

export interface Log {
  readonly snapshot: Snapshot;
  /** `entries[0].index === snapshot.index + 1`, and so on without gaps. */
  readonly entries: readonly Entry[];
}

export function emptyLog(membership: Membership): Log {
  return { snapshot: { index: 0, term: 0, membership, data: null }, entries: [] };
}

export function lastIndex({ snapshot, entries }: Log): number {
  return snapshot.index + entries.length;
}

export function lastTerm({ snapshot, entries }: Log): number {
  return entries.at(-1)?.term ?? snapshot.term;
}

export function entryAt({ snapshot, entries }: Log, index: number): Entry | undefined {
  return entries[index - snapshot.index - 1];
}

/** Undefined beyond the end, and within what was compacted away. */
export function termAt(log: Log, index: number): number | undefined {
  return index === log.snapshot.index ? log.snapshot.term : entryAt(log, index)?.term;
}

export function entriesFrom({ snapshot, entries }: Log, index: number, count: number): readonly Entry[] {
  const start = index - snapshot.index - 1;
  return entries.slice(start, start + count);
}

export function append(log: Log, entry: Entry): Log {
  return { snapshot: log.snapshot, entries: [...log.entries, entry] };
}

/** Whether a log that ends so is at least as up to date as `log` (§5.4.1): the later term, then the greater length. */
export function isUpToDate(log: Log, otherLastIndex: number, otherLastTerm: number): boolean {
  const ownLastTerm = lastTerm(log);
  return otherLastTerm === ownLastTerm ? otherLastIndex >= lastIndex(log) : otherLastTerm > ownLastTerm;
}

/** The consistency check of AppendEntries (§5.3). What a snapshot covers is committed, so it matches. */
export function matches(log: Log, previousIndex: number, previousTerm: number): boolean {
  return previousIndex < log.snapshot.index || termAt(log, previousIndex) === previousTerm;
}

/**
 * Where a leader whose entries do not match should try next: the start of the conflicting term, so that it
 * skips a term, not an entry, at a time (§5.3); but no further back than what is committed, where all logs agree.
 */
export function conflictIndex(log: Log, previousIndex: number, commitIndex: number): number {
  const conflicting = termAt(log, previousIndex);
  if (conflicting === undefined) return lastIndex(log) + 1;
  let index = previousIndex;
  while (index > commitIndex + 1 && termAt(log, index - 1) === conflicting) index -= 1;
  return index;
}

/**
 * Takes over entries that follow a matching one. Only an entry that conflicts, same index and another term,
 * deletes it and what follows (§5.3): a delayed, shorter AppendEntries must not shorten the log.
 */
export function merge(log: Log, entries: readonly Entry[]): Log {
  const fresh = entries.findIndex(
    ({ index, term }) => index > log.snapshot.index && termAt(log, index) !== term,
  );
  if (fresh === -1) return log;
  const kept = entries[fresh]!.index - log.snapshot.index - 1;
  return { snapshot: log.snapshot, entries: [...log.entries.slice(0, kept), ...entries.slice(fresh)] };
}

/** Replaces the entries up to `index` by the application's state after them (§7). */
export function compact(log: Log, index: number, data: Json): Log {
  const term = termAt(log, index);
  if (term === undefined) return log;
  const { membership } = membershipAt(log, index);
  return {
    snapshot: { index, term, membership, data },
    entries: log.entries.slice(index - log.snapshot.index),
  };
}

/** Takes over a leader's snapshot: what follows the same last entry is kept, anything else goes (§7). */
export function install(log: Log, snapshot: Snapshot): Log {
  const entries =
    termAt(log, snapshot.index) === snapshot.term
      ? log.entries.slice(snapshot.index - log.snapshot.index)
      : [];
  return { snapshot, entries };
}

export interface PlacedMembership {
  readonly membership: Membership;
  /** Of the entry that it comes from, or of the snapshot. */
  readonly index: number;
}

/** The latest membership at or before `index`. */
export function membershipAt(log: Log, index: number = lastIndex(log)): PlacedMembership {
  for (let at = index; at > log.snapshot.index; at -= 1) {
    const entry = entryAt(log, at);
    if (entry?.type === 'membership') return { membership: entry.membership, index: at };
  }
  return { membership: log.snapshot.membership, index: log.snapshot.index };
}

/** Who takes part by what a node has saved. */
export function membershipOf({ snapshot, entries }: Log): Membership {
  return membershipAt({ snapshot, entries }).membership;
}
