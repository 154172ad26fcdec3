import { bullyMessages } from './bully.js';
import { raftSplitVotes, raftWanDifferentLogs, raftWanElections } from './raft.js';
import { raftLanFailover } from './raft-lan.js';
import { raftLimits } from './raft-limits.js';
import { changRobertsMessages, listCollectingMessages } from './ring.js';
import type { Table } from './table.js';

/** Every published result that our simulator must reproduce. */
export const tables: readonly Table[] = [
  bullyMessages,
  listCollectingMessages,
  changRobertsMessages,
  raftWanElections,
  raftWanDifferentLogs,
  raftSplitVotes,
  raftLanFailover,
  raftLimits,
];
