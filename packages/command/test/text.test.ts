import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf, wrapped } from '../src/index.js';

const words = fc.array(fc.stringMatching(/^[a-z.,]{1,12}$/), { minLength: 1, maxLength: 40 });

describe('wrapped text', () => {
  it('fits, and loses no word', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 100 }), (all, columns) => {
        const text = wrapped(all.join(' '), columns);
        expect(text.split('\n').every((line) => line.length <= columns)).toBe(true);
        expect(text.split(/\s+/)).toEqual(all);
      }),
    );
  });

  it('leaves alone what fits', () => {
    expect(wrapped('n1  │ ▲\n\n  two\n', 20)).toBe('n1  │ ▲\n\n  two\n');
  });

  it('indents what goes on after an indented line, and not what goes on after a paragraph', () => {
    expect(wrapped('one two three four', 10)).toBe('one two\nthree four');
    expect(wrapped('  one two three four', 12)).toBe('  one two\n    three\n    four');
  });

  it('keeps a command whole, on a line of its own', () => {
    const command = 'npm run replay -- 2.bully.default.s.7.3-7.cn3.vfsne';
    expect(wrapped(`Replay it:   ${command}`, 40)).toBe(`Replay it:\n${command}`);
  });
});

describe('the columns of a stream', () => {
  it('are eighty where it does not say', () => expect(columnsOf({})).toBe(80));
  it('are its own otherwise, if there is any sense in them', () => {
    expect(columnsOf({ columns: 132 })).toBe(132);
    expect(columnsOf({ columns: 3 })).toBe(40);
  });
});
