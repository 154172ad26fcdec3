/** What happens to entries once they are committed, on every node alike. */

import { announce } from '@hustings/elector/protocol';
import { compact, type Entry, entriesFrom } from '../log.js';
import type { RaftAnnouncement } from '../messages.js';
import { change, type RaftState } from '../state.js';
import { type RaftEffect, type RaftTransition, withLog } from '../transition.js';

/** Entries up to `index` are committed: they are announced in order, each once (§5.3). */
export function commitThrough(state: RaftState, index: number): RaftTransition {
  if (index <= state.commitIndex) return [state, []];
  const fresh = entriesFrom(state.log, state.commitIndex + 1, index - state.commitIndex);
  const announcements = fresh.map((entry) => announce(announcementOf(entry)));
  return considerCompaction(change(state, { commitIndex: index }), announcements, state.commitIndex);
}

function announcementOf(entry: Entry): RaftAnnouncement {
  const { index, term } = entry;
  switch (entry.type) {
    case 'no-op':
      return { type: 'term-begun', index, term };
    case 'data':
      return { type: 'committed', index, term, data: entry.data };
    case 'membership':
      return { type: 'membership', index, term, membership: entry.membership };
  }
}

/**
 * Once in every `snapshotThreshold` entries. Where the application has written nothing, its state is still
 * that of the last snapshot, and nobody needs to be asked: a cluster that only elects keeps its log short.
 */
function considerCompaction(
  state: RaftState,
  effects: RaftEffect[],
  previousCommitIndex: number,
): RaftTransition {
  const { log, commitIndex, settings } = state;
  const periods = (index: number): number =>
    Math.floor((index - log.snapshot.index) / settings.snapshotThreshold);
  if (periods(commitIndex) <= periods(previousCommitIndex)) return [state, effects];
  const committed = entriesFrom(log, log.snapshot.index + 1, commitIndex - log.snapshot.index);
  if (committed.some(({ type }) => type === 'data')) {
    return [state, [...effects, announce({ type: 'snapshot-wanted', index: commitIndex })]];
  }
  return [withLog(state, compact(log, commitIndex, log.snapshot.data)), effects];
}
