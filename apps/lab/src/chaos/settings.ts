/** Every number that shapes a run. */

/** Long enough that a busy machine of two processors keeps a leader in office, short enough for many elections. */
export const timing = {
  raft: { electionTimeoutMs: [300, 600], heartbeatMs: 60 },
  etcd: { ttlSeconds: 2, requestTimeoutMs: 500 },
  heirs: { heirWaitMs: 400 },
  zookeeper: { sessionTimeoutMs: 2000, requestTimeoutMs: 500 },
} as const;

export const zookeeperTickMs = 200;

/** How often each leader writes to the store. */
export const writeIntervalMs = 20;

/** Three: the least that survives the loss of one. */
export const members = 3;

/** Room for what Raft keeps of elections alone, many times over. */
export const diskBytes = 4 * 2 ** 20;

/** Starting processes takes as long as a busy machine takes. */
export const startLimitMs = 30_000;

/** While all is well there must be a leader again within this, whatever went before. */
export const patienceMs = 20_000;
