interface End {
  readonly index: number;
  readonly incarnation: number;
  readonly status: 'running' | 'paused' | 'crashed';
}

const none = -1;

/** Which life of each peer every node is connected to, and which it has been told of. */
export class Links {
  readonly #size: number;
  readonly #connectedTo: Int32Array;
  readonly #told: Int32Array;

  /** Everyone begins connected to everyone's first life. */
  constructor(size: number) {
    this.#size = size;
    this.#connectedTo = new Int32Array(size * size);
    this.#told = new Int32Array(size * size);
  }

  /** A process that has just started has no connections yet. */
  forget(node: number): void {
    this.#connectedTo.fill(none, node * this.#size, (node + 1) * this.#size);
    this.#told.fill(none, node * this.#size, (node + 1) * this.#size);
  }

  /** The node knows of this life of its peer. */
  tell(node: number, peer: number, incarnation: number): void {
    this.#told[node * this.#size + peer] = incarnation;
  }

  /** Whether what this life of the peer says still counts: nobody has told the node of a later one. */
  counts(node: number, peer: number, incarnation: number): boolean {
    return incarnation >= this.#told[node * this.#size + peer]!;
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
