import { isIPv4 } from 'node:net';

/**
 * The places for those who have connected and not yet proven who they are. Whoever comes gets one, for it may be
 * a peer; when none is left, somebody who has waited longest has to go. It goes from the network that holds
 * most places, so that a stranger drives out himself and not a peer at another address.
 */
export class WaitingRoom {
  readonly #places: number;
  readonly #placesEach: number;
  /** By network, and there in the order of arrival: what shows a guest out. */
  readonly #networks = new Map<string, Set<() => void>>();
  #size = 0;

  /** So many places, and so many of them for each network. */
  constructor(places: number, placesEach: number) {
    this.#places = places;
    this.#placesEach = placesEach;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns what is to be called once the guest has proven who it is, or is gone. */
  enter(host: string, showOut: () => void): () => void {
    const network = networkOf(host);
    const present = this.#networks.get(network)?.size ?? 0;
    if (present >= this.#placesEach) this.#dropOldestOf(network);
    else if (this.#size >= this.#places) this.#dropOldestOf(this.#mostCrowded(network));
    const guests = this.#networks.get(network) ?? new Set();
    this.#networks.set(network, guests.add(showOut));
    this.#size += 1;
    return () => this.#remove(network, showOut);
  }

  #dropOldestOf(network: string): void {
    const [oldest] = this.#networks.get(network) ?? [];
    if (oldest === undefined) return;
    this.#remove(network, oldest);
    oldest();
  }

  #remove(network: string, guest: () => void): void {
    const guests = this.#networks.get(network);
    if (guests === undefined || !guests.delete(guest)) return;
    this.#size -= 1;
    if (guests.size === 0) this.#networks.delete(network);
  }

  /** Once the newcomer is counted. */
  #mostCrowded(newcomer: string): string {
    let [most, mostPlaces] = ['', 0];
    for (const [network, { size }] of this.#networks) {
      const places = network === newcomer ? size + 1 : size;
      if (places > mostPlaces) [most, mostPlaces] = [network, places];
    }
    return most;
  }
}

/** Of IPv6 the first 64 bits: whoever has one address of such a network has all (RFC 4291, section 2.5.4). */
export function networkOf(host: string): string {
  const mapped = host.replace(/^::ffff:/i, '');
  if (isIPv4(mapped)) return mapped;
  const [before = [], after = []] = host.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
