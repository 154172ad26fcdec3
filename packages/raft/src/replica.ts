import { type Elector, HustingsError, type NodeId, StoppedError } from '@hustings/elector';
import type { Json } from './log.js';
import type { Membership } from './membership.js';
import type { RaftAnnouncement, RaftRequest, RefusalReason } from './messages.js';

/** An elector that takes Raft's requests: the runtime's `createElector` makes one. */
export type RaftElector = Elector & { request(request: RaftRequest): void };

/** Thrown when a proposal was refused, or lost to another leader's. It has not happened and never will. */
export class ProposalRefusedError extends HustingsError {
  readonly code = 'HUSTINGS_PROPOSAL_REFUSED';
  readonly reason: RefusalReason | 'superseded';
  /** Whom to ask instead, where that is known. */
  readonly leaderId: NodeId | null;

  constructor(reason: RefusalReason | 'superseded', leaderId: NodeId | null) {
    super(`The proposal was refused (${reason})${leaderId === null ? '' : `; ${leaderId} leads`}.`);
    this.reason = reason;
    this.leaderId = leaderId;
  }
}

/** Thrown when nobody can tell any more, here, whether a proposal will be committed. It may be. */
export class ProposalUncertainError extends HustingsError {
  readonly code = 'HUSTINGS_PROPOSAL_UNCERTAIN';

  constructor(options?: ErrorOptions) {
    super(
      'Whether the proposal is committed is not known here; look for it among the committed entries.',
      options,
    );
  }
}

export interface ProposalOptions {
  /** Aborting it ends the wait. What was proposed may be committed all the same. */
  readonly signal?: AbortSignal | undefined;
}

export interface Place {
  readonly index: number;
  readonly term: number;
}

/** What the log says, in order. `restored` replaces everything before it. */
export type LogEvent = Extract<RaftAnnouncement, { type: 'committed' | 'membership' | 'restored' }>;

/** Asks for a place in the log, under an id. */
type PlacedRequest = Exclude<RaftRequest, { type: 'snapshot' }>;

interface Pending {
  readonly request: PlacedRequest;
  /** The leader could not take it yet; it is asked again when its term has begun. */
  tooEarly: boolean;
  /** Known once the proposal has a place in the log. */
  place: Place | null;
  resolve(place: Place): void;
  reject(error: Error): void;
}

/**
 * The replicated log beside the elector: proposals as promises, and what is committed as a stream.
 *
 * ```ts
 * const replica = new Replica((onAnnouncement) =>
 *   createElector({ protocol: raft(), transport, peers, storage, onAnnouncement }),
 * );
 * await replica.elector.start();
 * await replica.propose({ colour: 'green' });
 * ```
 */
export class Replica implements AsyncDisposable {
  readonly elector: RaftElector;
  readonly #pending = new Map<string, Pending>();
  readonly #listeners = new Set<(event: LogEvent) => void>();
  readonly #stopped = new AbortController();
  #count = 0;
  #membership: Membership | null = null;
  #wantsSnapshotAt: number | null = null;

  constructor(createElector: (onAnnouncement: (announcement: RaftAnnouncement) => void) => RaftElector) {
    this.elector = createElector((announcement) => this.#hear(announcement));
    void this.#endWithElector();
  }

  /** The last membership that is known here to be committed since the start. */
  get membership(): Membership | null {
    return this.#membership;
  }

  /** Up to which entry the log would like to be compacted; null while it is short. */
  get wantsSnapshotAt(): number | null {
    return this.#wantsSnapshotAt;
  }

  /**
   * Appends an entry, on the leader. Resolves once it is committed; rejects with `ProposalRefusedError` when it
   * never will be, and with `ProposalUncertainError` when `signal` aborts or the replica stops before that is known.
   */
  propose(data: Json, { signal }: ProposalOptions = {}): Promise<Place> {
    return this.#ask((id) => ({ type: 'propose', id, data }), signal);
  }

  /** Adds a node that receives the log and does not vote. It ends as `propose` does. */
  addLearner(node: NodeId, { signal }: ProposalOptions = {}): Promise<Place> {
    return this.#ask((id) => ({ type: 'add-learner', id, node }), signal);
  }

  /** Gives a learner that has caught up its vote. */
  promote(node: NodeId, { signal }: ProposalOptions = {}): Promise<Place> {
    return this.#ask((id) => ({ type: 'promote', id, node }), signal);
  }

  remove(node: NodeId, { signal }: ProposalOptions = {}): Promise<Place> {
    return this.#ask((id) => ({ type: 'remove', id, node }), signal);
  }

  /**
   * The application's state after the entry at `index`: the log up to there goes. Does nothing on a node that has
   * stopped, which may still commit entries while it is stopping.
   */
  snapshot(index: number, data: Json): void {
    try {
      this.elector.request({ type: 'snapshot', index, data });
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error;
    }
    if (this.#wantsSnapshotAt !== null && index >= this.#wantsSnapshotAt) this.#wantsSnapshotAt = null;
  }

  /** Hears what is committed, in order and each once. Listen before `start()` to miss nothing. Returns how to stop. */
  onEvent(listener: (event: LogEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What is committed from the first `next()` on, in order, until `options.signal` aborts or the replica stops. */
  async *committed(options: { readonly signal?: AbortSignal } = {}): AsyncGenerator<LogEvent, void> {
    const signal = AbortSignal.any([this.#stopped.signal, ...(options.signal ? [options.signal] : [])]);
    const unread: LogEvent[] = [];
    let wake = (): void => {};
    const onWake = (): void => wake();
    const unsubscribe = this.onEvent((event) => {
      unread.push(event);
      wake();
    });
    signal.addEventListener('abort', onWake);
    try {
      while (!signal.aborted) {
        const next = unread.shift();
        if (next !== undefined) yield next;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      unsubscribe();
      signal.removeEventListener('abort', onWake);
    }
  }

  /** Stops the elector. What still waits is uncertain. */
  async stop(): Promise<void> {
    await this.elector.stop();
    this.#end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** A node also leaves by itself, when its disk fails. */
  async #endWithElector(): Promise<void> {
    const beliefs = this.elector.observe()[Symbol.asyncIterator]();
    while (!(await beliefs.next()).done);
    this.#end();
  }

  #end(): void {
    this.#stopped.abort();
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(new ProposalUncertainError());
  }

  #ask(requestOf: (id: string) => PlacedRequest, signal: AbortSignal | undefined): Promise<Place> {
    this.#count += 1;
    const id = `${this.#count}`;
    const request = requestOf(id);
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const giveUp = (): void => {
        this.#settle(id)?.reject(new ProposalUncertainError({ cause: signal?.reason }));
      };
      const stopListening = (): void => signal?.removeEventListener('abort', giveUp);
      this.#pending.set(id, {
        request,
        tooEarly: false,
        place: null,
        resolve: (place) => {
          stopListening();
          resolve(place);
        },
        reject: (error) => {
          stopListening();
          reject(error);
        },
      });
      signal?.addEventListener('abort', giveUp);
      this.#request(request);
    });
  }

  #request(request: PlacedRequest): void {
    try {
      this.elector.request(request);
    } catch (error) {
      this.#settle(request.id)?.reject(error as Error);
    }
  }

  /** Whoever leads now decides: this node, whose term has begun, or another, and then it is refused. */
  #askAgain(): void {
    for (const pending of this.#pending.values()) {
      if (!pending.tooEarly) continue;
      pending.tooEarly = false;
      this.#request(pending.request);
    }
  }

  #settle(id: string): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #hear(announcement: RaftAnnouncement): void {
    switch (announcement.type) {
      case 'accepted': {
        const pending = this.#pending.get(announcement.id);
        if (pending !== undefined) pending.place = { index: announcement.index, term: announcement.term };
        return;
      }
      case 'refused':
        this.#refuse(announcement);
        return;
      case 'term-begun':
        this.#askAgain();
        break;
      case 'snapshot-wanted':
        this.#wantsSnapshotAt = announcement.index;
        return;
      case 'restored':
        this.#forgetThrough(announcement.index);
        this.#tell(announcement);
        return;
      case 'membership':
        this.#membership = announcement.membership;
        this.#tell(announcement);
        break;
      case 'committed':
        this.#tell(announcement);
    }
    this.#decideThrough(announcement);
  }

  #refuse({ id, reason, leaderId }: Extract<RaftAnnouncement, { type: 'refused' }>): void {
    const pending = this.#pending.get(id);
    if (pending !== undefined && reason === 'term-not-begun') pending.tooEarly = true;
    else this.#settle(id)?.reject(new ProposalRefusedError(reason, leaderId));
  }

  /** An index and a term name one entry, so whoever waits for this index now knows. */
  #decideThrough({ index, term }: Place): void {
    for (const [id, { place }] of this.#pending) {
      if (place === null || place.index > index) continue;
      if (place.index === index && place.term === term) this.#settle(id)?.resolve(place);
      else this.#settle(id)?.reject(new ProposalRefusedError('superseded', null));
    }
  }

  /** A snapshot does not say which entries it stands for. */
  #forgetThrough(index: number): void {
    for (const [id, { place }] of this.#pending) {
      if (place !== null && place.index <= index) this.#settle(id)?.reject(new ProposalUncertainError());
    }
  }

  #tell(event: LogEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
