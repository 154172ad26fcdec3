/** The log and the quorum, each against a version of itself that is too simple to be wrong. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  append,
  compact,
  conflictIndex,
  type Entry,
  emptyLog,
  entriesFrom,
  install,
  isUpToDate,
  type Log,
  lastIndex,
  lastTerm,
  matches,
  membershipAt,
  merge,
  termAt,
} from '../src/log.js';
import {
  changeMembership,
  isMajority,
  type Membership,
  majority,
  reachedByMajority,
} from '../src/membership.js';

const members: Membership = { voters: ['n1', 'n2', 'n3'], learners: [] };

/** Terms that never fall, with a change of membership here and there. */
const entriesArbitrary = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.boolean()), { maxLength: 12 })
  .map((steps) => {
    let term = 1;
    return steps.map(([rise, changes], position): Entry => {
      term += rise;
      const place = { index: position + 1, term };
      return changes
        ? { ...place, type: 'membership', membership: { voters: [`v${position}`], learners: [] } }
        : { ...place, type: 'data', data: `${place.index}/${term}` };
    });
  });

const logOf = (entries: readonly Entry[]): Log => ({ ...emptyLog(members), entries });

/** The same log, some of it compacted. */
const compacted = (log: Log, share: number): Log => compact(log, Math.floor(share * lastIndex(log)), 'state');

const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('a log', () => {
  it('finds every entry where the list of entries has it', () => {
    fc.assert(
      fc.property(entriesArbitrary, share, (entries, part) => {
        const log = compacted(logOf(entries), part);
        expect(lastIndex(log)).toBe(entries.length);
        expect(lastTerm(log)).toBe(entries.at(-1)?.term ?? 0);
        for (let index = 0; index <= entries.length + 2; index += 1) {
          const expected =
            index < log.snapshot.index ? undefined : index === 0 ? 0 : entries[index - 1]?.term;
          expect(termAt(log, index)).toBe(expected);
        }
        const from = log.snapshot.index + 1;
        expect(entriesFrom(log, from, 3)).toEqual(entries.slice(from - 1, from + 2));
      }),
    );
  });

  it('knows the latest membership at every index', () => {
    fc.assert(
      fc.property(entriesArbitrary, share, (entries, part) => {
        const log = compacted(logOf(entries), part);
        for (let index = log.snapshot.index; index <= entries.length; index += 1) {
          const latest = entries.slice(0, index).findLast((entry) => entry.type === 'membership');
          const expected = latest?.type === 'membership' ? latest.membership : members;
          expect(membershipAt(log, index).membership).toEqual(expected);
        }
      }),
    );
  });

  it('is as up to date as another exactly when its last entry compares so', () => {
    fc.assert(
      fc.property(fc.nat(5), fc.nat(5), fc.nat(5), fc.nat(5), (indexA, termA, indexB, termB) => {
        const log: Log = {
          snapshot: { index: indexA, term: termA, membership: members, data: null },
          entries: [],
        };
        const expected = termB * 100 + indexB >= termA * 100 + indexA;
        expect(isUpToDate(log, indexB, termB)).toBe(expected);
      }),
    );
  });

  it('merges as if it went entry by entry', () => {
    fc.assert(
      fc.property(entriesArbitrary, entriesArbitrary, fc.nat(12), (own, theirs, start) => {
        // A common beginning, then each goes its own way; the other's terms are all later, as a later leader's are.
        const common = Math.min(start, own.length);
        const later = theirs.map((entry, position) => ({
          ...entry,
          index: common + position + 1,
          term: entry.term + 50,
        }));
        const leader = [...own.slice(0, common), ...later];
        for (let previous = 0; previous <= common; previous += 1) {
          const sent = leader.slice(previous);
          const merged = merge(logOf(own), sent);
          expect(merged.entries).toEqual(mergeSimply(own, sent));
          expect(merge(merged, sent)).toBe(merged);
        }
      }),
    );
  });

  function mergeSimply(own: readonly Entry[], sent: readonly Entry[]): readonly Entry[] {
    let result = [...own];
    for (const entry of sent) {
      if (result[entry.index - 1]?.term === entry.term) continue;
      result = [...result.slice(0, entry.index - 1), entry];
    }
    return result;
  }

  it('skips what a snapshot covers when it merges', () => {
    const entries: Entry[] = [1, 2, 3, 4].map((index) => ({ index, term: 1, type: 'no-op' }));
    const log = compact(logOf(entries.slice(0, 3)), 2, null);
    expect(merge(log, entries).entries.map(({ index }) => index)).toEqual([3, 4]);
    expect(matches(log, 1, 99)).toBe(true);
  });

  it('sends a leader back to an entry that matches, or further, but not behind what is committed', () => {
    fc.assert(
      fc.property(entriesArbitrary, entriesArbitrary, share, share, (own, theirs, part, agreed) => {
        // What is committed, the leader has as well; some of it may be compacted.
        const committed = Math.floor(agreed * own.length);
        const later = theirs.map((entry, position) => ({ ...entry, index: committed + position + 1 }));
        const leader = [...own.slice(0, committed), ...later];
        const log = compact(logOf(own), Math.floor(part * committed), 'state');
        let previous = leader.length;
        // The leader follows the hints. It must come to a match, and each hint must bring it nearer.
        while (!matches(log, previous, previous === 0 ? 0 : leader[previous - 1]!.term)) {
          const next = conflictIndex(log, previous, committed) - 1;
          expect(next).toBeLessThan(previous);
          expect(next).toBeGreaterThanOrEqual(committed);
          previous = next;
        }
      }),
    );
  });

  it('keeps what follows a snapshot that it agrees with, and nothing else', () => {
    fc.assert(
      fc.property(entriesArbitrary, fc.nat(14), fc.integer({ min: 1, max: 9 }), (entries, index, term) => {
        const snapshot = { index, term, membership: members, data: 'state' };
        const { entries: kept } = install(logOf(entries), snapshot);
        const agrees = index === 0 ? term === 0 : entries[index - 1]?.term === term;
        expect(kept).toEqual(agrees ? entries.slice(index) : []);
      }),
    );
  });

  it('leaves the log that it was made from as it was', () => {
    const log = logOf([{ index: 1, term: 1, type: 'no-op' }]);
    append(log, { index: 2, term: 1, type: 'no-op' });
    expect(log.entries).toHaveLength(1);
  });
});

describe('a quorum', () => {
  const voters = fc
    .integer({ min: 1, max: 9 })
    .map((size) => Array.from({ length: size }, (_, at) => `n${at}`));

  it('has reached the greatest value that more than half of the voters have', () => {
    fc.assert(
      fc.property(voters, fc.array(fc.nat(20), { minLength: 9, maxLength: 9 }), (ids, values) => {
        const reached = (id: string): number => values[Number(id.slice(1))]!;
        const candidates = ids.map(reached).filter((value) => {
          const count = ids.filter((id) => reached(id) >= value).length;
          return count * 2 > ids.length;
        });
        expect(reachedByMajority({ voters: ids, learners: [] }, reached)).toBe(Math.max(...candidates));
      }),
    );
  });

  it('is more than half, counts voters only, and each once', () => {
    fc.assert(
      fc.property(voters, fc.array(fc.nat(12)), (ids, picks) => {
        const nodes = picks.map((pick) => `n${pick}`);
        const count = ids.filter((id) => nodes.includes(id)).length;
        expect(isMajority({ voters: ids, learners: ['n12'] }, nodes)).toBe(count * 2 > ids.length);
      }),
    );
  });

  it('shares a voter with every quorum of a membership that is one change away', () => {
    fc.assert(
      fc.property(voters, fc.boolean(), (ids, adds) => {
        const before: Membership = { voters: ids, learners: ['x'] };
        const after = changeMembership(before, adds ? 'promote' : 'remove', adds ? 'x' : ids[0]!);
        const all = new Set([...before.voters, ...after.voters]).size;
        expect(majority(before) + majority(after)).toBeGreaterThan(all - (after.voters.length === 0 ? 1 : 0));
      }),
    );
  });
});
