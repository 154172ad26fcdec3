export interface Timed {
  readonly atMs: number;
  /** Breaks ties: of two events at one moment, the one scheduled first comes first. */
  readonly sequence: number;
}

/** A binary heap: the earliest event is always at the top. */
export class EventQueue<Event extends Timed> {
  readonly #heap: Event[] = [];

  get size(): number {
    return this.#heap.length;
  }

  peek(): Event | undefined {
    return this.#heap[0];
  }

  push(event: Event): void {
    const heap = this.#heap;
    let hole = heap.length;
    heap.push(event);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = heap[parent]!;
      if (!comesBefore(event, above)) break;
      heap[hole] = above;
      hole = parent;
    }
    heap[hole] = event;
  }

  pop(): Event | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return top;
    const length = heap.length;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= length) break;
      if (child + 1 < length && comesBefore(heap[child + 1]!, heap[child]!)) child += 1;
      const below = heap[child]!;
      if (!comesBefore(below, last)) break;
      heap[hole] = below;
      hole = child;
    }
    heap[hole] = last;
    return top;
  }
}

function comesBefore(a: Timed, b: Timed): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence);
}
