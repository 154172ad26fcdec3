import type { NodeId } from '@hustings/elector';
import { outranks } from '@hustings/elector/protocol';
import type { Connection } from './connection.js';
import type { ProvenIdentity } from './handshake.js';
import { Lineage } from './lineage.js';
import { goingAwayCode, Refusal, redundantCode } from './refusals.js';

/** The two frames that follow the handshake. */
type SettlingFrame = 'ready' | 'open';

export interface PeerEvents {
  received(from: NodeId, value: unknown, incarnation: string): void;
  linkUp(peer: NodeId, incarnation: string): void;
  linkDown(peer: NodeId): void;
}

export interface PeerSettings {
  readonly handshakeTimeoutMs: number;
  readonly reconnectDelayMs: { readonly baseMs: number; readonly capMs: number };
  readonly random: () => number;
}

interface Link {
  readonly connection: Connection;
  readonly incarnation: string;
  readonly openedAtMs: number;
}

/**
 * One other node, and the one link to it.
 *
 * Both ends may dial, even at once, yet both must keep the same connection. So one end decides, the one with
 * the stronger id: the weaker end says `ready` on every connection that has been authenticated, and the
 * stronger end says `open` on one. Whatever is not opened is never a link, and nobody hears of it.
 */
export class Peer {
  readonly id: NodeId;
  readonly #decides: boolean;
  readonly #settings: PeerSettings;
  readonly #events: PeerEvents;
  /** Starts an attempt to connect; null when the address is not known. */
  readonly #connect: () => Connection | null;
  readonly #lineage = new Lineage();
  #link: Link | null = null;
  #attempt: Connection | null = null;
  #whenAttemptSettles: () => void = () => {};
  #failedAttempts = 0;
  #redial: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(
    self: NodeId,
    id: NodeId,
    settings: PeerSettings,
    events: PeerEvents,
    connect: () => Connection | null,
  ) {
    this.id = id;
    this.#decides = outranks(self, id);
    this.#settings = settings;
    this.#events = events;
    this.#connect = connect;
  }

  /** Resolves once the attempt has led to a link or has failed. */
  dial(): Promise<void> {
    if (this.#stopped || this.#link !== null || this.#attempt !== null) return Promise.resolve();
    const connection = this.#connect();
    if (connection === null) {
      this.#dialLater();
      return Promise.resolve();
    }
    this.#attempt = connection;
    return new Promise((resolve) => {
      this.#whenAttemptSettles = resolve;
      connection.onEnd(() => this.#attemptSettled(connection));
    });
  }

  /** Takes over a connection whose other end has proven to be this peer. */
  adopt(connection: Connection, process: ProvenIdentity): void {
    this.#requireNotSuperseded(process);
    connection.expectSilence();
    if (this.#decides) {
      connection.listen((value) => {
        expectFrame(value, 'ready');
        connection.expectSilence();
        void this.#decide(connection, process);
      });
    } else {
      void this.#consent(connection, process);
    }
  }

  send(text: string, incarnation?: string): void {
    if (incarnation !== undefined && this.#link?.incarnation !== incarnation) return;
    this.#link?.connection.send(text);
  }

  /** That process has ended: its link goes down, and it is never linked again. */
  bury(incarnation: string): void {
    this.#lineage.bury(incarnation);
    if (this.#link?.incarnation === incarnation) this.#link.connection.abandon();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#redial !== null) clearTimeout(this.#redial);
    this.#attempt?.close(goingAwayCode);
    this.#link?.connection.close(goingAwayCode);
  }

  /** The stronger end opens a connection unless it has one that still works. */
  async #decide(connection: Connection, process: ProvenIdentity): Promise<void> {
    while (this.#link !== null) {
      const { connection: present, incarnation } = this.#link;
      if ((await this.#works(present)) && !present.ended) {
        if (incarnation === process.incarnation) connection.close(redundantCode);
        else connection.refuse(duplicateIdentity());
        return;
      }
      present.abandon();
    }
    if (connection.ended || this.#stopped) return;
    if (this.#lineage.supersedes(process)) return connection.refuse(superseded());
    // Before `linkUp`, whose handler may send: the peer takes nothing else for the first frame.
    connection.send(frame('open'));
    this.#open(connection, process);
  }

  /** The weaker end leaves the choice to the stronger, unless a living process has that name already. */
  async #consent(connection: Connection, process: ProvenIdentity): Promise<void> {
    while (this.#link !== null && this.#link.incarnation !== process.incarnation) {
      const { connection: present } = this.#link;
      if ((await this.#works(present)) && !present.ended) return connection.refuse(duplicateIdentity());
      present.abandon();
    }
    connection.listen((value) => {
      expectFrame(value, 'open');
      this.#requireNotSuperseded(process);
      if (this.#link !== null && this.#link.incarnation !== process.incarnation) throw duplicateIdentity();
      // The stronger end opens a second connection only when it has lost the first.
      this.#link?.connection.abandon();
      this.#open(connection, process);
    });
    connection.send(frame('ready'));
  }

  /** Half of the time-out, so that the newcomer is still waiting when the answer is no. */
  #works(connection: Connection): Promise<boolean> {
    return connection.isAlive(this.#settings.handshakeTimeoutMs / 2);
  }

  #requireNotSuperseded(process: ProvenIdentity): void {
    if (this.#lineage.supersedes(process)) throw superseded();
  }

  #open(connection: Connection, process: ProvenIdentity): void {
    if (this.#stopped) return;
    const { incarnation } = process;
    this.#lineage.linked(process);
    connection.keep();
    this.#link = { connection, incarnation, openedAtMs: performance.now() };
    if (this.#redial !== null) clearTimeout(this.#redial);
    this.#redial = null;
    connection.listen((value) => this.#events.received(this.id, value, incarnation));
    connection.onEnd(() => this.#closed(connection));
    this.#events.linkUp(this.id, incarnation);
    // Whoever said `open` is ahead of the other end. Once that answers, both have a link, and `start` may say so.
    if (this.#decides) void this.#works(connection).then(() => this.#attemptSettled(connection));
    else this.#attemptSettled(connection);
  }

  #closed(connection: Connection): void {
    if (this.#link?.connection !== connection) return;
    // A link that breaks at once, again and again, must not be dialled without pause.
    const lastedMs = performance.now() - this.#link.openedAtMs;
    if (lastedMs >= this.#settings.reconnectDelayMs.capMs) this.#failedAttempts = 0;
    this.#link = null;
    this.#events.linkDown(this.id);
    this.#dialLater();
  }

  #attemptSettled(connection: Connection): void {
    if (this.#attempt !== connection) return;
    this.#attempt = null;
    this.#whenAttemptSettles();
    this.#dialLater();
  }

  #dialLater(): void {
    if (this.#stopped || this.#link !== null || this.#attempt !== null || this.#redial !== null) return;
    const { baseMs, capMs } = this.#settings.reconnectDelayMs;
    const boundMs = Math.min(capMs, baseMs * 2 ** this.#failedAttempts);
    this.#failedAttempts += 1;
    this.#redial = setTimeout(() => {
      this.#redial = null;
      void this.dial();
    }, this.#settings.random() * boundMs);
  }
}

function frame(type: SettlingFrame): string {
  return JSON.stringify({ type });
}

function expectFrame(value: unknown, type: SettlingFrame): void {
  const actual = typeof value === 'object' && value !== null && 'type' in value ? value.type : null;
  if (actual !== type) throw new Refusal('malformed', `A frame other than '${type}' ended the handshake.`);
}

function duplicateIdentity(): Refusal {
  return new Refusal(
    'duplicate-identity',
    'A living process is connected under that id; give each node an id of its own.',
  );
}

function superseded(): Refusal {
  return new Refusal('superseded', 'A later process of that node has been linked; start this one anew.');
}
