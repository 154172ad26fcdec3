import { type AnyProtocol, judge, parseSchedule } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { type RaftState, raftWith } from '../src/given/raft.js';
import { RaftHistory, raftProperties } from '../src/given/raft-history.js';
import { forgetfulVoter, intactRules, mutants } from '../src/given/raft-mutants.js';
import { subjectOf } from '../src/grading/runs.js';

const intact = raftWith(intactRules) as AnyProtocol<RaftState>;
const timing = { detectionMs: 300, maxDelayMs: 30, settleMs: 900 };

function brokenIn(protocol: AnyProtocol<RaftState>, schedule: string): string | null {
  const candidate = { protocol, timing, fieldsOf: () => ({}) };
  const rules = { historian: () => new RaftHistory(), settles: false };
  return judge(subjectOf(candidate, rules), parseSchedule(schedule)).violation?.property ?? null;
}

/** n1 dies while it saves its vote: for itself, or for n3, which is cut off then. */
const diesWhileItSaves = (first: string, atMs: number): string => `nodes n1 n2 n3
seed 1
latency 1 1
save 5 5
run 400
at 99 isolate n2 until 110
at ${atMs} fire ${first} election
at 108 restart n1
at 109 isolate n3
at 115 fire n2 election
`;

describe('a vote', () => {
  it.each([
    ['n1', 104],
    ['n3', 100],
  ])('that died with its save was never given: to %s', (first, atMs) => {
    expect(brokenIn(intact, diesWhileItSaves(first, atMs))).toBeNull();
  });

  it('that was given, and not saved, is given twice', () => {
    expect(brokenIn(mutants['forgets-its-vote']!, forgetfulVoter)).toBe(raftProperties.oneVote);
  });
});
