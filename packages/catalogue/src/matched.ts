/**
 * How long a follower waits for a silent leader in the matched profile: the same draw for bully, ring and raft. The
 * ratio of one to two is Raft's, wide enough that votes seldom split.
 */
export const matchedTimeoutMs = (budgetMs: number): readonly [minMs: number, maxMs: number] => [
  budgetMs / 2,
  budgetMs,
];

/** A heartbeat of bully, ring and raft. */
export const matchedHeartbeatMs = (budgetMs: number): number => budgetMs / 10;

/** A quarter of the budget: far longer than a server takes to answer, and short enough to ask twice in time. */
export const requestShare = 0.25;
/** There and back, an answer comes well before its request is given up. */
export const delayShare = 0.15;
/** Of an heir's wait: there and back twice, with time to spare for heartbeats that come in fifths. */
export const heirDelayShare = 0.08;
