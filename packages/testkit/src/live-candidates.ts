import { randomUUID } from 'node:crypto';
import type { Leadership, NodeId } from '@hustings/elector';
import type { RuntimeElector } from '@hustings/runtime';
import { until } from './check.js';

/** Something that only one algorithm has to tell, such as that its server has lost data. */
export interface LiveAnnouncement {
  readonly type: string;
}

/** Starts an elector of one election on a real server. What it announces is pushed to `announcements`. */
export type CreateCandidate<Connection, Request, Announcement extends LiveAnnouncement> = (options: {
  readonly id: NodeId;
  readonly election: string;
  readonly leaseMs: number;
  readonly connection: Connection;
  readonly onAnnouncement: (announcement: Announcement) => void;
}) => RuntimeElector<Request>;

/** Candidates of one election, which are stopped together. */
export class LiveCandidates<Connection, Request, Announcement extends LiveAnnouncement> {
  readonly election: string;
  readonly leaseMs: number;
  readonly #create: CreateCandidate<Connection, Request, Announcement>;
  readonly #electors: RuntimeElector<Request>[] = [];

  constructor(
    create: CreateCandidate<Connection, Request, Announcement>,
    { election = `/live/${randomUUID()}`, leaseMs = 2000 }: { election?: string; leaseMs?: number } = {},
  ) {
    this.#create = create;
    this.election = election;
    this.leaseMs = leaseMs;
  }

  async start(id: NodeId, connection: Connection): Promise<LiveCandidate<Request, Announcement>> {
    const announcements: Announcement[] = [];
    const elector = this.#create({
      id,
      election: this.election,
      leaseMs: this.leaseMs,
      connection,
      onAnnouncement: (announcement) => announcements.push(announcement),
    });
    this.#electors.push(elector);
    await elector.start();
    return new LiveCandidate(elector, announcements);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#electors.map((elector) => elector.stop()));
  }
}

/** An elector, and the Leadership that its last campaign has won. */
export class LiveCandidate<Request, Announcement extends LiveAnnouncement> {
  readonly elector: RuntimeElector<Request>;
  readonly announcements: readonly Announcement[];
  #term: Leadership | null = null;

  constructor(elector: RuntimeElector<Request>, announcements: readonly Announcement[]) {
    this.elector = elector;
    this.announcements = announcements;
  }

  get leads(): boolean {
    return this.#term !== null && !this.#term.signal.aborted;
  }

  term(): Leadership {
    if (this.#term === null) throw new Error(`${this.elector.id} has never led.`);
    return this.#term;
  }

  /** Stands, and says when it leads; the test's end may interrupt it. */
  stand(onLead: (leadership: Leadership) => void = () => {}): void {
    this.elector.campaign().then(
      (leadership) => {
        this.#term = leadership;
        onLead(leadership);
      },
      () => {},
    );
  }

  believesIn(leaderId: NodeId | null): boolean {
    return this.elector.belief().leaderId === leaderId;
  }
}

/** Waits for something that must happen on a busy machine. */
export const eventually = (what: string, condition: () => boolean): Promise<void> =>
  until(what, 30_000, condition);
