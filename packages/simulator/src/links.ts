import type { NodeId } from '@hustings/elector';

interface End {
  readonly index: number;
  readonly incarnation: number;
  readonly status: 'running' | 'paused' | 'crashed';
}

const none = -1;

/** How the nth life of a node is called, where lives have names. */
export const nameOfLife = (id: NodeId, life: number): string => `${id}.${life}`;

/** Which life of each peer every node is connected to, which it has been told of, and whose end it would be told. */
export class Links {
  readonly #size: number;
  readonly #connectedTo: Int32Array;
  readonly #told: Int32Array;
  readonly #watched: Int32Array;
  /** How many lives are known to have ended. Zero is what memory is made of: of ten thousand nodes, few links are used. */
  readonly #gone: Int32Array;

  /** Everyone begins connected to everyone's first life. */
  constructor(size: number) {
    this.#size = size;
    this.#connectedTo = new Int32Array(size * size);
    this.#told = new Int32Array(size * size);
    this.#watched = new Int32Array(size * size);
    this.#gone = new Int32Array(size * size);
  }

  /** A process that has just started has no connections yet. */
  forget(node: number): void {
    this.#connectedTo.fill(none, node * this.#size, (node + 1) * this.#size);
    this.#told.fill(none, node * this.#size, (node + 1) * this.#size);
    this.#watched.fill(none, node * this.#size, (node + 1) * this.#size);
    this.#gone.fill(0, node * this.#size, (node + 1) * this.#size);
  }

  /** The node knows of this life of its peer. */
  tell(node: number, peer: number, incarnation: number): void {
    this.#told[node * this.#size + peer] = incarnation;
  }

  /** Whether what this life of the peer says still counts: nobody has told the node of a later one. */
  counts(node: number, peer: number, incarnation: number): boolean {
    return incarnation >= this.#told[node * this.#size + peer]!;
  }

  /** The same for nodes that act on lives: nothing counts but what comes from the one that they were told of. */
  isPresent(node: number, peer: number, incarnation: number): boolean {
    const link = node * this.#size + peer;
    const told = this.#told[link]!;
    return incarnation >= this.#gone[link]! && (told === none || told === incarnation);
  }

  /** The node has the death certificate of this life of its peer, and hears nothing more from it. */
  bury(node: number, peer: number, incarnation: number): void {
    const link = node * this.#size + peer;
    this.#gone[link] = Math.max(this.#gone[link]!, incarnation + 1);
  }

  /** The life of the peer that was watched and has ended; null if none has. From now on its present one is watched. */
  takeEnded(node: End, peer: End): number | null {
    const link = node.index * this.#size + peer.index;
    const watched = this.#watched[link]!;
    const actual = peer.status === 'crashed' ? none : peer.incarnation;
    this.#watched[link] = actual;
    return watched === none || watched === actual ? null : watched;
  }

  /** A connection has closed though both ends live. */
  disconnect(node: number, peer: number): void {
    this.#connectedTo[node * this.#size + peer] = none;
  }

  isConnected(node: number, peer: number): boolean {
    return this.#connectedTo[node * this.#size + peer] !== none;
  }

  /** Whether what the node says is meant for this life of its peer: it has been told of no other. */
  means(node: number, peer: number, incarnation: number): boolean {
    const told = this.#told[node * this.#size + peer]!;
    return told === none || told === incarnation;
  }

  /** What `node` notices of its connection to `peer` now: that it has closed, opened, or first one and then the other. */
  refresh(node: End, peer: End): ('link-down' | 'link-up')[] {
    const link = node.index * this.#size + peer.index;
    const noticed = this.#connectedTo[link]!;
    const actual = peer.status === 'crashed' ? none : peer.incarnation;
    if (noticed === actual) return [];
    this.#connectedTo[link] = actual;
    return [
      ...(noticed === none ? [] : (['link-down'] as const)),
      ...(actual === none ? [] : (['link-up'] as const)),
    ];
  }
}
