import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

interface Row {
  readonly attack: string;
  readonly cells: readonly string[];
  readonly proofs: readonly { readonly file: string; readonly test: string }[];
}

function attackTable(text: string): Row[] {
  const [, section = ''] = text.split('\n## Attacks\n');
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const shownBy = cells[4] ?? '';
    const proofs = [...shownBy.matchAll(/`([^`]+)`: '([^']+)'/g)];
    return {
      attack: cells[1] ?? '',
      cells,
      proofs: proofs.map(([, file = '', test = '']) => ({ file, test })),
    };
  });
}

/** The title of a test, or of a group of them, as it is written down. */
function holdsTest(file: string, test: string): boolean {
  return existsSync(new URL(file, root)) && read(file).includes(`'${test}'`);
}

const rows = attackTable(read('SECURITY.md'));

describe('the table of attacks in SECURITY.md', () => {
  it.each([
    'fragments',
    'idle sockets',
    'slowloris',
    'garbage',
    'oversized',
    'replay',
    'reflection',
    'wrong certificate',
    'plain-text downgrade',
    'term jump',
  ])('has a row for %s', (attack) => {
    expect(rows.map((row) => row.attack)).toContain(attack);
  });

  describe.each(rows.map((row) => [row.attack, row] as const))('for %s', (_, { cells, proofs }) => {
    it('says what it did, what happens now, and which test shows it', () => {
      expect(cells.slice(1, 5).every((cell) => cell !== '')).toBe(true);
      expect(proofs.length).toBeGreaterThan(0);
    });

    it('names tests that exist', () => {
      expect(proofs.filter(({ file, test }) => !holdsTest(file, test))).toEqual([]);
    });
  });

  it('would not be believed if it named a test or a file that does not exist', () => {
    const [row] = attackTable(
      "\n## Attacks\n| a | b | c | d |\n| x | y | z | `package.json`: 'no such test' |",
    );
    expect(row?.proofs).toEqual([{ file: 'package.json', test: 'no such test' }]);
    expect(holdsTest('package.json', 'no such test')).toBe(false);
    expect(holdsTest('packages/transport/test/none.test.ts', 'is refused')).toBe(false);
  });
});
