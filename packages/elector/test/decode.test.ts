import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { MalformedError, readCount, readRecord, readString } from '../src/protocol/index.js';

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

  test.prop([fc.anything()])('never throws anything but MalformedError', (value) => {
    for (const read of [
      () => readRecord(value, 'It'),
      () => readString({ field: value }, 'field'),
      () => readCount({ field: value }, 'field'),
    ]) {
      try {
        read();
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedError);
      }
    }
  });
});
