/** Where the settings of an elector come from: the same detection budget for all, or each one's customary ones. */
export type ProfileName = 'matched' | 'defaults';

export const profiles = ['matched', 'defaults'] as const satisfies readonly ProfileName[];

/**
 * Two seconds and a half: etcd's leases come in whole seconds and end up to half a second late, and etcd raises one
 * of a second to two unless it is tuned. The smallest budget that all can meet to the millisecond.
 */
export const defaultBudgetMs = 2500;

/** Below this, a heartbeat would be due more often than a timer of the operating system is exact. */
export const minBudgetMs = 100;

/** An hour. Nobody waits longer for a silent leader. */
export const maxBudgetMs = 3_600_000;
