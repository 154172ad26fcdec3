/**
 * What a store must do so that an election can be held on it: keep one lease for each name, and change it in single
 * atomic steps. Everything else, when to ask, when to lead and when to stop, is decided by the protocol.
 *
 * The testkit's `leaseStoreChecks` hold a store to every sentence in here.
 */

import { type FencingToken, type Guarantees, HustingsError } from '@hustings/elector';

/**
 * A place where leases are kept. Several elections may share one by their names.
 *
 * - **Atomic.** Each call looks and writes in one step of the store (a statement, a script, a compare-and-swap), or as
 *   if it did. Of two that acquire at once, one is answered `acquired` and the other `held` by the first.
 * - **Late.** A call may be carried out long after its caller has stopped waiting, and more than once where a client
 *   repeats it. Every call therefore says whom it is for, and must do nothing to anybody else's lease.
 * - **Lost.** A promise that rejects means: it may have been carried out, it may not, it may be yet. Only a
 *   `StoreRefusedError` means that it was not and will not be. Reject within a bounded time (a few seconds) where no
 *   answer comes; the protocol does not wait for it.
 * - **No caller's clock.** What a lease has left is measured by the store (`clock: 'store'`), or by nobody but the
 *   protocol of whoever waits (`clock: 'observer'`). No call may compare the wall clock of this process with anything.
 */
export interface LeaseStore {
  readonly traits: StoreTraits;

  /**
   * Takes the lease if nobody has it. In one atomic step:
   *
   * - Free (never taken, released, or with `clock: 'store'` expired): it is now `holder`'s for `ttlMs`, under a new
   *   token, greater than every one before it under this name. Answers `acquired`.
   * - Held by this same `holder`: an earlier answer was lost. The token stays, the lease is extended by the full
   *   `ttlMs` from now, and the answer is `acquired`. A store that cannot extend it answers with what is left in
   *   `validForMs`.
   * - Held by another: nothing changes. Answers `held`.
   * - `clock: 'observer'`: a lease never expires by itself. With `over`, and only if the lease's version still is that
   *   one, it is taken from whoever has it, as if it were free; with any other version the answer is `held`.
   */
  acquire(request: AcquireRequest): Promise<Acquired | Held>;

  /**
   * Extends the lease, if `holder` has it under this `token`, to the full `ttlMs` from now; the token stays. Answers
   * `lost` if somebody else has it, if nobody has it, or if this holder has it under another token. One that has
   * expired and that nobody has taken since may be either renewed or lost.
   */
  renew(request: RenewRequest): Promise<Renewed | Lost>;

  /**
   * As many calls of `renew`, in one. The answers are in the order of the requests. A process with many elections
   * asks for all of its leases at once.
   */
  renewAll?(requests: readonly RenewRequest[]): Promise<readonly (Renewed | Lost)[]>;

  /**
   * Frees the lease, if `holder` has it under this `token`; otherwise changes nothing. Resolves once the next
   * `acquire` of anybody would find it free, or another's. Afterwards tokens still grow, and versions do not return.
   * With `releasedBy: 'anybody'` that holds whichever process asks: so is the lease of one freed that has died.
   */
  release(request: ReleaseRequest): Promise<void>;

  /** Who has the lease. Changes nothing, and extends nothing. */
  read(name: string): Promise<Held | Free>;

  /** As many calls of `read`, in one. The answers are in the order of the names. */
  readAll?(names: readonly string[]): Promise<readonly (Held | Free)[]>;

  /**
   * Calls `changed` soon after the lease was released, or may have ended before its time: look again. Nothing but
   * speed rests on it: it may be called without reason, late, or never. After an interruption it goes on by itself, and
   * calls `changed` once. Where it can, it stays silent about renewals. Resolves, once it listens, with a function
   * that ends it.
   */
  watch?(name: string, changed: () => void): Promise<() => void>;

  /** Gives back what the store has opened for itself, such as a connection to listen on. The gateway calls it last. */
  close?(): Promise<void>;
}

export interface AcquireRequest {
  /** The election. Leases of different names have nothing to do with each other. */
  readonly name: string;
  /**
   * A node's id, `#`, and a nonce of its process. Compared whole: another process of the same node is another holder.
   */
  readonly holder: string;
  readonly ttlMs: number;
  /** Only with `clock: 'observer'`: the version that has stood still for long enough. */
  readonly over?: string;
}

export interface RenewRequest {
  readonly name: string;
  readonly holder: string;
  readonly token: FencingToken;
  readonly ttlMs: number;
}

export interface ReleaseRequest {
  readonly name: string;
  readonly holder: string;
  readonly token: FencingToken;
}

export interface Acquired {
  readonly type: 'acquired';
  readonly token: FencingToken;
  /**
   * How long the lease certainly lasts, counted from the moment when the store carried out this request: the `ttlMs`
   * that was asked for, or more where the store grants no less; less where it did not extend a lease that this holder
   * had, or can promise no more. The protocol counts it from when the request was *sent*, which is earlier, and
   * subtracts its guard.
   */
  readonly validForMs: number;
}

export interface Held {
  readonly type: 'held';
  /** As its `acquire` gave it. Null where the store cannot tell, or where nobody has it and nobody can get it now. */
  readonly holder: string | null;
  /** The holder's token; null where the store cannot tell. */
  readonly token: FencingToken | null;
  /**
   * When to ask again, if nothing happens before. With `clock: 'store'`: what the lease has left by the store's
   * clock, read in the same step; an estimate that is too short costs a question, one that is too long delays the
   * next leader. With `clock: 'observer'`: the `ttlMs` of its last `acquire` or `renew`, which the holder published.
   */
  readonly expiresInMs: number;
  /**
   * Only with `clock: 'observer'`, and there always: differs after every `acquire` and `renew`, from all that there
   * ever were under this name, releases and deletions notwithstanding.
   */
  readonly version?: string;
}

export interface Free {
  readonly type: 'free';
}

export interface Renewed {
  readonly type: 'renewed';
  /** As in `Acquired`. */
  readonly validForMs: number;
}

export interface Lost {
  readonly type: 'lost';
}

/** What is peculiar to a store. What is declared here is checked; what is not declared, nobody may assume. */
export interface StoreTraits {
  /** As results and diagnostics call it: `postgres`, `redis`. */
  readonly name: string;
  /**
   * Who decides that a lease is over. `store`: the store, by its own clock; a candidate asks again when the lease is
   * due. `observer`: whoever waits, by its own monotonic clock, after the version has stood still for the published
   * time and a guard.
   */
  readonly clock: 'store' | 'observer';
  /**
   * With `clock: 'store'`: a lease that is not renewed ends at its TTL at the earliest, and at this many times its TTL
   * at the latest. 1 where it ends on time; 2 for Consul; infinite where it ends with the process that has it.
   */
  readonly expiryFactor: number;
  /** The shortest TTL that the store keeps to. Shorter ones are refused before anything is asked. */
  readonly minTtlMs: number;
  /** What the store rounds times to. A lease may end, and `expiresInMs` may be off, by this much. */
  readonly granularityMs: number;
  /**
   * What outlives a crash. `majority`: an acknowledged write, on whatever member takes over. `disk`: an acknowledged
   * write, when the same server comes back. `nothing`: leases may be forgotten.
   */
  readonly survives: 'majority' | 'disk' | 'nothing';
  /**
   * Who can release a lease. `anybody`: whichever process names its holder and its token. `holder`, if left out: only
   * the process that has it, so that death certificates are of no use.
   */
  readonly releasedBy?: 'holder' | 'anybody';
  /**
   * What tokens are made of. `clock`: of the store's time in microseconds, or one more than the last where that is more,
   * so that one which is too low, after the store has forgotten, is followed by one that is not. `counter`, if left
   * out: nobody knows when the next one is high enough.
   */
  readonly tokens?: 'counter' | 'clock';
  /** What an election on this store promises under `assumptions`. */
  readonly guarantees: StoreGuarantees;
  /** What must be true of the store, its clock and its replicas, a sentence each; the protocol adds its own. */
  readonly assumptions: readonly string[];
}

/** The guarantees that depend on the store. With `monotonicTokens`, tokens grow also after the store has forgotten. */
export type StoreGuarantees = Pick<Guarantees, 'atMostOneLeader' | 'monotonicTokens' | 'toleratesPartition'>;

/**
 * Thrown by a store when it was reached and has said no: a password, a missing table, a right. The request was not
 * carried out. It is asked again, but somebody should look at the configuration: the elector announces `refused`.
 */
export class StoreRefusedError extends HustingsError {
  readonly code = 'HUSTINGS_STORE_REFUSED';
}
