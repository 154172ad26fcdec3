/** Names one participant. Where an algorithm needs an order, `outranks` of `@hustings/elector/protocol` gives it. */
export type NodeId = string;

/**
 * A number that only grows from one leader to the next, where the algorithm can promise it. Carry it on
 * every write, so that the resource can turn away a leader whose time has passed.
 */
export type FencingToken = bigint;

export type Role = 'follower' | 'candidate' | 'leader';

/** What ONE node thinks. Two nodes may disagree; only the token settles who is stale. */
export interface Belief {
  readonly role: Role;
  readonly leaderId: NodeId | null;
  readonly token: FencingToken | null;
  /** What an elector gives has it; what a protocol or a recording holds is plain data and has not. */
  toJSON?(): BeliefJson;
}

/** Tokens are written as decimal digits: JSON has no bigint, and its numbers are exact only up to 2^53. */
export interface BeliefJson {
  readonly role: Role;
  readonly leaderId: NodeId | null;
  readonly token: string | null;
}

/** A time-bounded right to act. Hold it, check it, carry its token on every write. */
export interface Leadership {
  readonly token: FencingToken;
  /**
   * Who holds the token: the node's id and a nonce of this process. Two processes configured with the same
   * id are two holders, and a fenced resource can tell them apart.
   */
  readonly holder: string;
  /**
   * Aborts the moment this node stops leading: where a lease bounds the leadership, before anyone else may
   * start. Its reason is a `LeadershipLostError`.
   */
  readonly signal: AbortSignal;
  /** Time left on the monotonic clock; 0 once lost, `Infinity` where no lease bounds it. */
  readonly remainingMs: number;
  /** Throws `LeadershipLostError` once lost, even when a late timer has not aborted the signal yet. */
  assertValid(): void;
  /** Who leads, without the means to: for logs, and for whoever is told. */
  toJSON(): LeadershipJson;
}

export interface LeadershipJson {
  readonly token: string;
  readonly holder: string;
}

/** What an algorithm promises. What it does not promise, no caller may assume. */
export interface Guarantees {
  /** No two running nodes ever hold an unaborted Leadership at once. */
  readonly atMostOneLeader: boolean;
  /**
   * Every leader's token is greater than that of every leader before it. Where leadership is leased, this rests on the
   * clocks as `atMostOneLeader` does; but no two processes lead with the same token, whatever clocks do.
   */
  readonly monotonicTokens: boolean;
  /** When the network splits, at most one side has a leader. */
  readonly toleratesPartition: boolean;
  /** Who leads next is known beforehand. */
  readonly orderedSuccession: boolean;
  /** `resign({ to })` can name the successor. */
  readonly targetedTransfer: boolean;
  /** A Leadership ends by itself when it is not renewed. */
  readonly leased: boolean;
  /** What must hold of the network and the clocks for the algorithm to settle on one leader. */
  readonly assumptions: readonly string[];
}

export interface CampaignOptions {
  /** Aborting it withdraws from the election; the campaign rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface ObserveOptions {
  /** Aborting it ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

export interface ResignOptions {
  /** Hands leadership to this node, where `guarantees.targetedTransfer` says that it is possible. */
  readonly to?: NodeId;
}

/**
 * One node's part in an election.
 *
 * A node that has started follows, and votes where there are votes; it stands for election only between
 * `campaign()` and the end of the Leadership that the campaign won. One campaign, one Leadership: a node
 * whose application is not asking to lead never holds up one that is.
 */
export interface Elector extends AsyncDisposable {
  readonly id: NodeId;
  readonly guarantees: Guarantees;
  /** Joins the other nodes as a follower. Idempotent; `lead` calls it. */
  start(): Promise<void>;
  /** Stands for election and resolves once this node leads; at once if it leads already. */
  campaign(options?: CampaignOptions): Promise<Leadership>;
  belief(): Belief;
  /** The present belief, then every change of it, 'no leader' included, until stopped. */
  observe(options?: ObserveOptions): AsyncIterable<Belief>;
  /** Gives up leadership, or candidacy. Idempotent; resolves once the others can take over. */
  resign(options?: ResignOptions): Promise<void>;
  /** Resigns and leaves. Idempotent. */
  stop(): Promise<void>;
}
