import { beforeAll, describe, expect, it } from 'vitest';
import { faultNames } from '../src/faults.js';
import { reportProgress, silentProgress } from '../src/progress.js';
import { renderReport } from '../src/report.js';
import type { Results } from '../src/results.js';
import { isApplicable } from '../src/rows.js';
import { runSimulated } from '../src/simulated/run.js';
import { renderTable, wantsColour } from '../src/table.js';

const escapeCharacter = '\u001b';

let results: Results;
beforeAll(async () => {
  const run = await runSimulated(
    {
      ...{ algorithms: ['bully'], variants: false, nodes: [5], faults: faultNames, trials: 3 },
      ...{ profile: 'matched', budgetMs: 2000, seed: '<b>&"' },
    },
    { workers: 0, progress: silentProgress, signal: new AbortController().signal },
  );
  results = {
    ...{ schema: 'hustings-bench/1', mode: 'simulated', seed: '<b>&"', profile: 'matched', budgetMs: 2000 },
    ...{ commit: null, machine: { node: '20.19.0', cpus: 2 }, wallMs: 1, ...run },
  };
});

describe('the table', () => {
  it('has a line for each row and fits 120 columns', () => {
    const lines = renderTable(results, { colour: false, columns: 200 }).split('\n');
    expect(lines.filter((line) => line.startsWith('bully  '))).toHaveLength(
      faultNames.filter((fault) => isApplicable(fault, 'bully')).length,
    );
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  it('names the unit of every time', () => {
    expect(renderTable(results, { colour: false, columns: 120 })).toMatch(
      /detect +failover ms +write ms +agreed/,
    );
  });

  it('is coloured on a terminal', () => {
    expect(wantsColour({ isTTY: true }, {})).toBe(true);
    expect(renderTable(results, { colour: true, columns: 120 })).toContain(escapeCharacter);
  });

  it('is plain elsewhere, and where colour was declined', () => {
    expect(wantsColour({}, {})).toBe(false);
    expect(wantsColour({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
    expect(renderTable(results, { colour: false, columns: 120 })).not.toContain(escapeCharacter);
  });
});

describe('the report', () => {
  it('says what was found', () => {
    expect(renderReport(results)).toContain('Two nodes led at once in');
  });

  it('draws the failovers and the worst split brain, and says both in words', () => {
    const report = renderReport(results);
    expect(report).toMatch(/Failover with 5 nodes[\s\S]*<svg[\s\S]*half within/);
    expect(report).toMatch(/The worst split brain: bully[\s\S]*<svg[\s\S]*after the fault\./);
  });

  it('names the command that replays each row, and draws no sizes where there is only one', () => {
    const report = renderReport(results);
    for (const { replay } of results.rows) expect(report).toContain(`npm run replay -- ${replay}`);
    expect(report).not.toContain('against the number of nodes');
  });

  it('loads nothing, and treats what it was given as text', () => {
    const report = renderReport(results);
    expect(report).not.toMatch(/https?:|<script|<link|@import|url\(/);
    expect(report).not.toContain('<b>&"');
  });
});

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

  it('is plain lines elsewhere', () => {
    const written = record({});
    expect(written).toHaveLength(10);
    expect(written[4]).toBe('50 of 100 trials, 5 s left (bully)\n');
  });
});
