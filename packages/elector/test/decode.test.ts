import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MalformedError,
  readBoolean,
  readCount,
  readList,
  readNumber,
  readOneOf,
  readOrNull,
  readRecord,
  readString,
  readStrings,
} from '../src/protocol/index.js';

describe('given a value from outside', () => {
  it('reads an object', () => {
    expect(readRecord({ a: 1 }, 'A frame')).toEqual({ a: 1 });
  });

  it.each([null, undefined, 1, 'text', true, []])(
    'refuses %j as an object, naming what it should be',
    (value) => {
      expect(() => readRecord(value, 'A frame')).toThrow(new MalformedError('A frame must be an object.'));
    },
  );

  it('reads a string', () => {
    expect(readString({ name: '' }, 'name')).toBe('');
  });

  it.each([{}, { name: 1 }, { name: null }])('refuses %j for a string', (record) => {
    expect(() => readString(record, 'name')).toThrow(/'name' must be a string/);
  });

  it.each([0, 1, Number.MAX_SAFE_INTEGER])('reads the count %d', (count) => {
    expect(readCount({ count }, 'count')).toBe(count);
  });

  it.each([-1, 0.5, Number.MAX_SAFE_INTEGER + 1, Number.NaN, Infinity, '1', null, undefined, 1n])(
    'refuses %s for a count',
    (count) => {
      expect(() => readCount({ count }, 'count')).toThrow(MalformedError);
    },
  );

  it('reads a number, true or false, one of several words, and lists', () => {
    expect(readNumber({ sentMs: -0.5 }, 'sentMs')).toBe(-0.5);
    expect(readBoolean({ exists: false }, 'exists')).toBe(false);
    expect(readOneOf({ kind: 'b' }, 'kind', ['a', 'b'])).toBe('b');
    expect(readStrings({ names: ['n1', ''] }, 'names')).toEqual(['n1', '']);
    expect(readList({ items: [5, 6] }, 'items', (item, place) => [item, place])).toEqual([
      [5, 0],
      [6, 1],
    ]);
  });

  it('reads null where that is allowed, and what else is then', () => {
    expect(readOrNull({ holder: null }, 'holder', readString)).toBeNull();
    expect(readOrNull({ holder: 'n1' }, 'holder', readString)).toBe('n1');
    expect(() => readOrNull({}, 'holder', readString)).toThrow(/'holder' must be a string/);
  });

  it('says which field is wrong, and what it should be', () => {
    expect(() => readNumber({ sentMs: Infinity }, 'sentMs')).toThrow(
      "Field 'sentMs' must be a finite number.",
    );
    expect(() => readBoolean({ exists: 0 }, 'exists')).toThrow("Field 'exists' must be true or false.");
    expect(() => readOneOf({ kind: 'c' }, 'kind', ['a', 'b'])).toThrow("Field 'kind' cannot be 'c'.");
    expect(() => readList({ items: {} }, 'items', String)).toThrow("Field 'items' must be a list.");
    expect(() => readStrings({ names: [1] }, 'names')).toThrow("Field 'names' must be a list of strings.");
  });

  it('never throws anything but MalformedError', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const read of [
          () => readRecord(value, 'It'),
          () => readString({ field: value }, 'field'),
          () => readCount({ field: value }, 'field'),
          () => readNumber({ field: value }, 'field'),
          () => readBoolean({ field: value }, 'field'),
          () => readOneOf({ field: value }, 'field', ['a']),
          () => readStrings({ field: value }, 'field'),
        ]) {
          try {
            read();
          } catch (error) {
            expect(error).toBeInstanceOf(MalformedError);
          }
        }
      }),
    );
  });
});
