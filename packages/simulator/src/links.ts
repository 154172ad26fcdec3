interface End {
  readonly index: number;
  readonly incarnation: number;
  readonly status: 'running' | 'paused' | 'crashed';
}

const none = -1;

/** Which life of each peer every node is connected to, as far as that node has noticed. */
export class Links {
  readonly #size: number;
  readonly #connectedTo: Int32Array;

  /** Everyone begins connected to everyone's first life. */
  constructor(size: number) {
    this.#size = size;
    this.#connectedTo = new Int32Array(size * size);
  }

  /** A process that has just started has no connections yet. */
  forget(node: number): void {
    this.#connectedTo.fill(none, node * this.#size, (node + 1) * this.#size);
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
