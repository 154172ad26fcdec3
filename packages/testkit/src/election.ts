import type { Belief, Elector, Guarantees, Leadership, NodeId } from '@hustings/elector';
import { byRank } from '@hustings/elector/protocol';
import { type Clock, monotonicClock } from '@hustings/runtime';
import { until } from './check.js';
import type { ElectorCluster, ElectorSubject } from './elector-subject.js';

/** An application that keeps asking to lead until it is told to retire. */
export class Candidate {
  readonly elector: Elector;
  readonly #retired = new AbortController();
  readonly #onTerm: (leadership: Leadership) => void;
  #term: Leadership | null = null;

  constructor(elector: Elector, onTerm: (leadership: Leadership) => void) {
    this.elector = elector;
    this.#onTerm = onTerm;
    // It ends by rejecting, with the retirement or with the stop of its elector; both are the test's doing.
    this.#keepStanding().catch(() => {});
  }

  /** The last Leadership that it won. */
  get term(): Leadership {
    if (this.#term === null) throw new Error(`${this.elector.id} has never led.`);
    return this.#term;
  }

  get isLeading(): boolean {
    return this.#term !== null && !this.#term.signal.aborted;
  }

  /** Stands no more, and gives up what it holds. */
  async retire(to?: NodeId): Promise<void> {
    this.#retired.abort();
    await this.elector.resign(to === undefined ? {} : { to });
  }

  async #keepStanding(): Promise<void> {
    const { signal } = this.#retired;
    while (!signal.aborted) {
      const term = await this.elector.campaign({ signal });
      this.#term = term;
      this.#onTerm(term);
      await aborted(term.signal);
    }
  }
}

/** Runs one check: creates electors, watches who leads, and clears up. */
export class Election {
  readonly guarantees: Guarantees;
  readonly clock: Clock;
  /** Every Leadership there has been, in the order in which they began. */
  readonly terms: Leadership[] = [];
  /** Each Leadership that began before another had ended. */
  readonly overlaps: string[] = [];
  readonly #cluster: ElectorCluster;
  readonly #patienceMs: number;
  readonly #created: Elector[] = [];

  private constructor(subject: ElectorSubject, cluster: ElectorCluster) {
    this.guarantees = subject.guarantees;
    this.clock = subject.clock ?? monotonicClock;
    this.#patienceMs = subject.patienceMs ?? 10_000;
    this.#cluster = cluster;
  }

  static async open(subject: ElectorSubject, ids: readonly NodeId[]): Promise<Election> {
    return new Election(subject, await subject.open(ids));
  }

  create(id: NodeId): Elector {
    const elector = this.#cluster.create(id);
    this.#created.push(elector);
    return elector;
  }

  async start(...ids: readonly NodeId[]): Promise<Elector[]> {
    const electors = ids.map((id) => this.create(id));
    await Promise.all(electors.map((elector) => elector.start()));
    return electors;
  }

  stand(elector: Elector): Candidate {
    return new Candidate(elector, (term) => {
      const rival = this.terms.find(
        (other) => other !== term && !other.signal.aborted && other.remainingMs > 0,
      );
      if (rival !== undefined) this.overlaps.push(`${term.holder} led beside ${rival.holder}`);
      this.terms.push(term);
    });
  }

  /** Starts the nodes, has all of them stand, and waits until they agree. The leader comes first. */
  async elect(...ids: readonly NodeId[]): Promise<[Candidate, ...Candidate[]]> {
    const electors = await this.start(...ids);
    return this.agreed(electors.map((elector) => this.stand(elector)));
  }

  /** Waits until one of the candidates leads and all of them believe in it. The leader comes first. */
  async agreed(candidates: readonly Candidate[]): Promise<[Candidate, ...Candidate[]]> {
    const electors = candidates.map(({ elector }) => elector);
    await this.until('all believe in one leader that leads', () => {
      const leader = candidates.find(({ isLeading }) => isLeading);
      return leader !== undefined && leader.term.remainingMs > 0 && believeIn(leader.elector, electors);
    });
    const [leader, ...rest] = candidates.toSorted((a, b) => Number(b.isLeading) - Number(a.isLeading));
    if (leader === undefined) throw new Error('An election needs a candidate.');
    return [leader, ...rest.toSorted((a, b) => byRank(a.elector.id, b.elector.id))];
  }

  until(what: string, condition: () => boolean): Promise<void> {
    return until(what, this.#patienceMs, condition, this.clock);
  }

  async close(): Promise<void> {
    await Promise.all(this.#created.map((elector) => elector.stop()));
    await this.#cluster.close?.();
  }
}

/** Whether the leader is the only one to say that it leads, and all name it and its token. */
export function believeIn(leader: Elector, electors: readonly Elector[]): boolean {
  const { token } = leader.belief();
  return electors.every((elector) => {
    const belief = elector.belief();
    const role = elector === leader ? 'leader' : 'follower';
    return belief.role === role && belief.leaderId === leader.id && belief.token === token;
  });
}

/** Everything that the elector believes from now on, growing until it stops. */
export function historyOf(elector: Elector): readonly Belief[] {
  const history: Belief[] = [];
  void (async () => {
    for await (const belief of elector.observe()) history.push(belief);
  })();
  return history;
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
