import { describe, expect, it } from 'vitest';
import { StateSet } from '../src/explore-states.js';

describe('a set of states', () => {
  it('knows what it has seen, over many growths, and gives it back in order', () => {
    const set = new StateSet();
    const count = 20_000;
    const state = new Int32Array(8);
    const write = (number: number): number => {
      const length = 1 + (number % 7);
      for (let word = 0; word < length; word += 1) state[word] = (number >> word) + word;
      state[length - 1] = number;
      return length;
    };
    for (let number = 0; number < count; number += 1) expect(set.add(state, write(number))).toBe(true);
    for (let number = 0; number < count; number += 1) expect(set.add(state, write(number))).toBe(false);
    expect(set.size).toBe(count);
    const read = new Int32Array(8);
    for (const number of [0, 1, 777, count - 1]) {
      const length = write(number);
      expect(set.read(number, read)).toBe(length);
      expect(read.slice(0, length)).toEqual(state.slice(0, length));
    }
  });

  it('tells a state from a longer one that begins alike', () => {
    const set = new StateSet();
    const state = Int32Array.of(1, 2, 0);
    expect(set.add(state, 2)).toBe(true);
    expect(set.add(state, 3)).toBe(true);
    expect(set.add(state, 1)).toBe(true);
    expect(set.add(state, 2)).toBe(false);
  });
});
