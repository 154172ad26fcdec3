import { bullyMessages } from './bully.js';
import { raftSplitVotes, raftWanElections } from './raft.js';
import { changRobertsMessages, listCollectingMessages } from './ring.js';
import type { Table } from './table.js';

/** Every published result that our simulator must reproduce. */
export const tables: readonly Table[] = [
  bullyMessages,
  listCollectingMessages,
  changRobertsMessages,
  raftWanElections,
  raftSplitVotes,
];
