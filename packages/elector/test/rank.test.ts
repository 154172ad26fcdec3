import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byRank, outranks } from '../src/protocol/index.js';

// Few letters and short words, so that equal ids and equal lengths are common.
const id = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-'), maxLength: 4 });

describe('given two ids', () => {
  it('counts node-10 as stronger than node-9', () => {
    expect(outranks('node-10', 'node-9')).toBe(true);
    expect(outranks('node-9', 'node-10')).toBe(false);
  });

  it('sorts from weakest to strongest', () => {
    expect(['node-10', 'node-2', 'node-9'].toSorted(byRank)).toEqual(['node-2', 'node-9', 'node-10']);
  });
});

describe('given any ids, the order is strict and total', () => {
  it('no id outranks itself', () => {
    fc.assert(
      fc.property(id, (a) => {
        expect(outranks(a, a)).toBe(false);
        expect(byRank(a, a)).toBe(0);
      }),
    );
  });

  it('of two different ids, exactly one outranks the other', () => {
    fc.assert(
      fc.property(id, id, (a, b) => {
        fc.pre(a !== b);
        expect(outranks(a, b)).toBe(!outranks(b, a));
        expect(byRank(a, b)).toBe(-byRank(b, a));
      }),
    );
  });

  it('whoever outranks the stronger outranks the weaker', () => {
    fc.assert(
      fc.property(id, id, id, (a, b, c) => {
        fc.pre(outranks(a, b) && outranks(b, c));
        expect(outranks(a, c)).toBe(true);
      }),
    );
  });
});
