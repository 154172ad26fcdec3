import type { Connection } from './connection.js';
import type { ProvenIdentity } from './handshake.js';

/** What comes of a dial of this node's own. */
export interface DialEvents {
  /** The other end has proven who it is. `place` is where it was reached, as `placeOf` writes it. */
  onProof(process: ProvenIdentity, place: string | null): void;
  /** The other end closed in good order, as a kernel does for a process that has died. A reset is something else. */
  onFin(): void;
}

/** Dials `place`, or wherever the peer is said to listen; null when that is not known. */
export type DialForVigil = (place: string | null, events: DialEvents) => Connection | null;

export interface VigilEvents {
  /** That process has ended. */
  gone(incarnation: string): void;
  /** No certificate can be had of that process. */
  uncertifiable(detail: string): void;
}

export interface VigilSettings {
  readonly reconnectDelayMs: { readonly capMs: number };
}

/** A process, and where it was found to listen itself. */
interface Sighting {
  readonly incarnation: string;
  readonly place: string;
}

/**
 * Watches over one peer, to know for certain when its process has ended.
 *
 * It keeps a connection of its own to where the peer listens, over which nothing is said. When a process dies, its
 * kernel closes that connection with a FIN; and since nobody listens there any more, a dial to the same address and
 * port is refused, or finds another process. Both together are the certificate. Either alone proves nothing:
 *
 * - Firewalls, proxies of services and forged packets refuse dials and reset connections, but send no FIN.
 * - A listener that is merely closed refuses dials, but its connections stay open.
 * - A forwarder that dies does both. So the peer says in the handshake where it is itself, and unless it was dialled
 *   exactly there, there is no vigil.
 *
 * A process that is stopped, cut off or has no room for a newcomer causes neither.
 */
export class Vigil {
  readonly #dial: DialForVigil;
  readonly #settings: VigilSettings;
  readonly #events: VigilEvents;
  /** The process that the link leads to; null while there is no link. */
  #linked: string | null = null;
  /** Who is at the other end of the vigil. */
  #watched: Sighting | null = null;
  #watchedSinceMs = 0;
  /** Whose vigil has ended by a FIN, and who may have died. */
  #fallen: Sighting | null = null;
  /** A process of which no certificate can be had. */
  #hopeless: string | null = null;
  #current: Connection | null = null;
  #retry: NodeJS.Timeout | null = null;
  #failedAttempts = 0;
  #stopped = false;

  constructor(dial: DialForVigil, settings: VigilSettings, events: VigilEvents) {
    this.#dial = dial;
    this.#settings = settings;
    this.#events = events;
  }

  /** Whether somebody is watched at present. */
  get stands(): boolean {
    return this.#watched !== null;
  }

  /** The peer has been linked. */
  linked(incarnation: string): void {
    this.#linked = incarnation;
    if (this.#watched !== null || this.#hopeless === incarnation) return;
    this.#failedAttempts = 0;
    this.#attempt();
  }

  unlinked(): void {
    this.#linked = null;
  }

  stop(): void {
    this.#stopped = true;
    this.#wait(null);
    this.#current?.abandon();
  }

  #attempt(): void {
    if (this.#stopped || this.#current !== null) return;
    this.#wait(null);
    const place = this.#suspect()?.place ?? null;
    const connection = this.#dial(place, {
      onProof: (process, reached) => this.#onProof(process, reached),
      onFin: () => {
        if (this.#current === connection) this.#onFin();
      },
    });
    this.#current = connection;
    if (connection === null) this.#attemptLater();
    else connection.onEnd(() => this.#onEnd(connection, place));
  }

  /** Whoever may have died, unless another process of the peer is there by now: then that one is looked for. */
  #suspect(): Sighting | null {
    const { incarnation } = this.#fallen ?? {};
    return this.#linked === null || this.#linked === incarnation ? this.#fallen : null;
  }

  #onProof({ incarnation, at }: ProvenIdentity, place: string | null): void {
    if (at === undefined || at !== place) {
      this.#giveUp(incarnation, at, place);
      return;
    }
    const fallen = this.#fallen;
    this.#fallen = null;
    this.#watched = { incarnation, place };
    this.#watchedSinceMs = performance.now();
    this.#current?.keep();
    if (fallen?.place === place && fallen.incarnation !== incarnation) this.#events.gone(fallen.incarnation);
  }

  #giveUp(incarnation: string, at: string | undefined, place: string | null): void {
    this.#hopeless = incarnation;
    this.#events.uncertifiable(
      at === undefined
        ? "it grants none; give it the option 'deathCertificates', too."
        : `it listens at ${at}, but was dialled at ${place}; name its own address in 'peers'.`,
    );
    this.#current?.abandon();
  }

  #onFin(): void {
    this.#fallen = this.#watched ?? this.#fallen;
    this.#current?.abandon();
  }

  /** `place` is set where it was dialled in order to learn whether somebody is still there. */
  #onEnd({ failure }: Connection, place: string | null): void {
    this.#current = null;
    const hasLasted = this.#hasLasted();
    this.#watched = null;
    if (place !== null && isRefused(failure)) this.#certify();
    if (hasLasted) {
      this.#failedAttempts = 0;
      this.#attempt();
    } else {
      this.#attemptLater();
    }
  }

  /** One that ends at once, again and again, as when two processes of one name both watch, must not be dialled without pause. */
  #hasLasted(): boolean {
    if (this.#watched === null) return false;
    return performance.now() - this.#watchedSinceMs >= this.#settings.reconnectDelayMs.capMs;
  }

  #certify(): void {
    const fallen = this.#fallen;
    this.#fallen = null;
    if (fallen !== null) this.#events.gone(fallen.incarnation);
  }

  /** At once at first: a dial that finds a dying process is reset, and the next one refused. */
  #attemptLater(): void {
    const isNeeded = this.#fallen !== null || (this.#linked !== null && this.#linked !== this.#hopeless);
    if (this.#stopped || !isNeeded || this.#current !== null || this.#retry !== null) return;
    const delayMs = Math.min(this.#settings.reconnectDelayMs.capMs, 2 ** this.#failedAttempts);
    this.#failedAttempts += 1;
    this.#wait(setTimeout(() => this.#attempt(), delayMs));
  }

  #wait(retry: NodeJS.Timeout | null): void {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = retry;
  }
}

function isRefused(failure: Error | null): boolean {
  return failure !== null && 'code' in failure && failure.code === 'ECONNREFUSED';
}
