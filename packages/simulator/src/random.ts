import type { DelayRangeMs } from '@hustings/elector/protocol';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';

/** The only source of chance in a simulated run. */
export class Random {
  readonly #generator: RandomGenerator;
  #decisionsLeft: number;

  /**
   * Only the first `decisions` draws are left to chance; every later one falls in the middle. A run that fails
   * with few decisions shows which of them matter.
   */
  constructor(seed: number, decisions = Number.POSITIVE_INFINITY) {
    this.#decisionsLeft = decisions;
    this.#generator = xoroshiro128plus(seed);
    // The first numbers of neighbouring seeds resemble one another.
    for (let discarded = 0; discarded < 32; discarded += 1) this.#generator.next();
  }

  /** From 0 up to, but not including, 1. */
  fraction(): number {
    if (this.#decisionsLeft <= 0) return 0.5;
    this.#decisionsLeft -= 1;
    return (this.#generator.next() >>> 0) / 2 ** 32;
  }

  between(min: number, max: number): number {
    return min === max ? min : min + this.fraction() * (max - min);
  }

  delayMs(range: DelayRangeMs): number {
    return this.between(range[0], range[1]);
  }

  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return probability > 0 && this.fraction() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)]!;
  }
}

/** A seed for one part of a larger experiment (FNV-1a of the parts): the same parts, the same seed. */
export function deriveSeed(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const character of parts.join('\u0000')) {
    hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  }
  return hash | 0;
}
