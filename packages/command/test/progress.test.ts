import { describe, expect, it } from 'vitest';
import { reportProgress } from '../src/index.js';

const escapeCharacter = '\u001b';

describe('progress', () => {
  const record = (terminal: { isTTY?: boolean; columns?: number }) => {
    const written: string[] = [];
    let nowMs = 0;
    const progress = reportProgress({ ...terminal, write: (text) => written.push(text) }, () => nowMs);
    progress.begin(100);
    for (let count = 0; count < 100; count += 1) {
      nowMs += 100;
      progress.advance(1, 'bully');
    }
    progress.end();
    return written;
  };

  it('is a bar with the time left on a terminal', () => {
    const written = record({ isTTY: true, columns: 80 });
    expect(written[49]).toContain('50%  5 s left  bully');
    expect(written.at(-1)).toBe(`\r${escapeCharacter}[K`);
  });

  it('reckons the time left from the work that is left, not from the trials', () => {
    const written: string[] = [];
    let nowMs = 0;
    const progress = reportProgress({ isTTY: true, write: (text) => written.push(text) }, () => nowMs);
    progress.begin(10, 100);
    nowMs = 1000;
    progress.advance(5, 'small', 10);
    expect(written.at(-1)).toContain('10%  9 s left');
  });

  it('is plain lines elsewhere', () => {
    const written = record({});
    expect(written).toHaveLength(10);
    expect(written[4]).toBe('50 of 100 trials, 5 s left (bully)\n');
  });
});
