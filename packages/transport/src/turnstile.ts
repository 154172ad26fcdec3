/** Few enough for a turn of some milliseconds, many enough for a peer not to wait long behind strangers. */
const eachTurn = 4;

/**
 * Lets through a few at a time, in one turn of the event loop after the other. However many strangers come at
 * once, links and timers have their turns in between.
 */
export class Turnstile {
  readonly #queue: (() => void)[] = [];
  #isTurning = false;

  enter(task: () => void): void {
    this.#queue.push(task);
    this.#turnLater();
  }

  #turnLater(): void {
    if (this.#isTurning || this.#queue.length === 0) return;
    this.#isTurning = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isTurning = false;
    const tasks = this.#queue.splice(0, eachTurn);
    this.#turnLater();
    for (const task of tasks) task();
  }
}
