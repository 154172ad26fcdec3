import type { NodeId } from '@hustings/elector';

/** The latest round trip to each other node, and how long a renewal takes that needs several of them. */
export class RoundTrips {
  readonly #latestMs = new Map<NodeId, number>();
  readonly #needed: number;

  constructor(needed: number) {
    this.#needed = needed;
  }

  /** How long the renewal took: until the last of those arrived that were needed. 0 while that is not known. */
  add(peer: NodeId, ms: number): number {
    this.#latestMs.set(peer, ms);
    const sorted = [...this.#latestMs.values()].sort((left, right) => left - right);
    return sorted[this.#needed - 1] ?? 0;
  }

  forget(peer: NodeId): void {
    this.#latestMs.delete(peer);
  }
}
