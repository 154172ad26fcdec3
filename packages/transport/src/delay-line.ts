interface Held {
  readonly dueMs: number;
  readonly deliver: () => void;
}

/** Holds the messages of one direction of one link, and lets them go in order, save those that may be overtaken. */
export class DelayLine {
  readonly #queue: Held[] = [];
  readonly #stragglers = new Set<ReturnType<typeof setTimeout>>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  pass(delayMs: number, overtakable: boolean, deliver: () => void): void {
    if (overtakable) {
      this.#straggle(delayMs, deliver);
    } else if (delayMs === 0 && this.#queue.length === 0) {
      deliver();
    } else {
      this.#queue.push({ dueMs: performance.now() + delayMs, deliver });
      this.#arm();
    }
  }

  /** Loses whatever is held. */
  clear(): void {
    this.#queue.length = 0;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const straggler of this.#stragglers) clearTimeout(straggler);
    this.#stragglers.clear();
  }

  #straggle(delayMs: number, deliver: () => void): void {
    const straggler = setTimeout(() => {
      this.#stragglers.delete(straggler);
      deliver();
    }, delayMs);
    this.#stragglers.add(straggler);
  }

  // One timer for the head of the queue: two timers of the same millisecond may fire in either order.
  #arm(): void {
    const head = this.#queue[0];
    if (head === undefined || this.#timer !== null) return;
    this.#timer = setTimeout(() => this.#release(), Math.max(0, head.dueMs - performance.now()));
  }

  #release(): void {
    this.#timer = null;
    // A timer may fire up to a millisecond early by the finer clock; arming it again costs that millisecond.
    if (this.#queue[0] !== undefined && this.#queue[0].dueMs <= performance.now()) {
      this.#queue.shift()?.deliver();
    }
    this.#arm();
  }
}
