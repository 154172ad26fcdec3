/**
 * The set of states that an exploration has seen, each a short list of whole numbers. It compares whole
 * states, not hashes of them: two states that collide are still two states, so nothing is overlooked.
 */
export class StateSet {
  /** Every state after the other. */
  #words = new Int32Array(1 << 16);
  /** Where each state starts in `#words`; one more entry than there are states. */
  #starts = new Int32Array(1 << 12);
  /** Open addressing: a slot holds a state's number plus one, or 0. Never more than half full. */
  #slots = new Int32Array(1 << 13);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds the first `length` words as a state. False if it was there already. */
  add(state: Int32Array, length: number): boolean {
    let slot = this.#slotOf(state, 0, length);
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & (this.#slots.length - 1)) {
      if (this.#equals(this.#slots[slot]! - 1, state, length)) return false;
    }
    this.#append(state, length);
    this.#slots[slot] = this.#size;
    if (this.#size * 2 > this.#slots.length) this.#rehash();
    return true;
  }

  /** Copies the state with this number, counted from 0 in the order of adding, and returns its length. */
  read(number: number, into: Int32Array): number {
    const start = this.#starts[number]!;
    const length = this.#starts[number + 1]! - start;
    for (let word = 0; word < length; word += 1) into[word] = this.#words[start + word]!;
    return length;
  }

  #append(state: Int32Array, length: number): void {
    const start = this.#starts[this.#size]!;
    if (start + length > this.#words.length) this.#words = grown(this.#words);
    if (this.#size + 2 > this.#starts.length) this.#starts = grown(this.#starts);
    for (let word = 0; word < length; word += 1) this.#words[start + word] = state[word]!;
    this.#size += 1;
    this.#starts[this.#size] = start + length;
  }

  #equals(number: number, state: Int32Array, length: number): boolean {
    const start = this.#starts[number]!;
    if (this.#starts[number + 1]! - start !== length) return false;
    for (let word = 0; word < length; word += 1) {
      if (this.#words[start + word] !== state[word]) return false;
    }
    return true;
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let number = 0; number < this.#size; number += 1) {
      const start = this.#starts[number]!;
      let slot = this.#slotOf(this.#words, start, this.#starts[number + 1]!);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (this.#slots.length - 1);
      this.#slots[slot] = number + 1;
    }
  }

  #slotOf(words: Int32Array, start: number, end: number): number {
    let hash = end - start;
    for (let word = start; word < end; word += 1) {
      hash = Math.imul(hash ^ words[word]!, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash & (this.#slots.length - 1);
  }
}

function grown(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
