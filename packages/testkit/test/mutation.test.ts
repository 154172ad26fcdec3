/** What `npm run mutate` has found out last, and how it reports it. It runs weekly and not here. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const { summarize, describe: tell } = await import(`${root}.config/mutate/report.mjs`);

interface Mutant {
  readonly file: string;
  readonly source: string;
  readonly mutator: string;
  readonly replacement: string;
  readonly reason: string | null;
}

interface Summary {
  readonly score: number;
  readonly killed: number;
  readonly survived: number;
  readonly survivors: readonly Mutant[];
}

const committed: Record<string, Summary> = JSON.parse(read('docs/data/mutation.json')).packages;

describe.each(Object.entries(committed))(
  'the committed mutants of %s',
  (_name, { score, killed, survivors }) => {
    it('die, at least 95 in 100 of them', () => {
      expect(killed).toBeGreaterThan(0);
      expect(score).toBeGreaterThanOrEqual(95);
    });

    it('survive only for a reason', () => {
      expect(survivors.filter(({ reason }) => reason === null)).toEqual([]);
    });
  },
);

const lists = readdirSync(`${root}packages`)
  .map((name) => `packages/${name}/test/equivalent-mutants.json`)
  .filter((path) => existsSync(`${root}${path}`));

describe.each(lists)('%s', (list) => {
  it('names lines that are there, and gives a reason for each', () => {
    for (const { file, source, reason } of JSON.parse(read(list)) as Mutant[]) {
      const lines = read(file).split('\n');
      expect(lines.map((line) => line.replace(/\s+/g, ' ').trim())).toContain(source);
      expect(reason).toMatch(/\.$/);
    }
  });
});

describe('the report of a mutation run', () => {
  const mutant = (status: string, line: number, replacement = 'true') => ({
    ...{ status, fileName: 'src/step.ts', mutatorName: 'ConditionalExpression', replacement },
    location: { start: { line, column: 1 }, end: { line, column: 9 } },
  });
  const lineOf = (_file: string, line: number) => `  if (rule${line})   return;`;
  const run = [
    ...[mutant('Killed', 1), mutant('Timeout', 2), mutant('Survived', 3), mutant('NoCoverage', 4)],
    ...[mutant('Ignored', 5), mutant('CompileError', 6)],
  ];
  const known = {
    ...{ file: 'src/step.ts', source: 'if (rule3) return;', mutator: 'ConditionalExpression' },
    ...{ replacement: 'true', reason: 'Behaves alike.' },
  };

  it('counts as alive what no test reached, and not at all what could not be tried', () => {
    expect(summarize(run, [], lineOf)).toMatchObject({ killed: 2, survived: 2, score: 50 });
  });

  it('knows an equivalent mutant by what it does to which line, wherever that stands', () => {
    const { survivors } = summarize(run, [known], lineOf);
    expect(survivors.map(({ reason }: Mutant) => reason)).toEqual(['Behaves alike.', null]);
    const another = { ...known, replacement: 'false' };
    expect(summarize(run, [another], lineOf).survivors[0].reason).toBeNull();
  });

  it('shows the survivors that have no reason, and only those', () => {
    expect(tell('ring', summarize(run, [known], lineOf))).toBe(
      'ring: 50 % (2 killed; of 2 that survive 1 are known to be equivalent)\n' +
        '  src/step.ts:4 ConditionalExpression\n    if (rule4) return;\n    -> true',
    );
  });

  it('never rounds up', () => {
    const nearly = [...Array(949).fill(mutant('Killed', 1)), ...Array(51).fill(mutant('Survived', 3))];
    expect(summarize(nearly, [], lineOf).score).toBe(94.9);
  });
});
