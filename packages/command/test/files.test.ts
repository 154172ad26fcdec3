import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkOut, UsageError, writeOut } from '../src/index.js';

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'hustings-command-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describe('a place for results', () => {
  it('is made if it is not there, and left empty until there are any', () => {
    const out = join(temporaryDirectory(), 'new', 'place');
    checkOut(out);
    expect(readdirSync(out)).toEqual([]);
    writeOut(out, { 'results.json': '{}' });
    expect(readFileSync(join(out, 'results.json'), 'utf8')).toBe('{}');
  });

  it('is refused, before and after, where nothing can be written', () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    const sentence = /^Could not write to .* choose another directory with --out\.$/;
    for (const attempt of [
      () => checkOut(join(file, 'below')),
      () => checkOut('/proc/hustings'),
      () => writeOut(file, { a: '' }),
    ]) {
      expect(attempt).toThrow(UsageError);
      expect(attempt).toThrow(sentence);
    }
  });
});
