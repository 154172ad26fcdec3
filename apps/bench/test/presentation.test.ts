import { silentProgress } from '@hustings/command';
import { beforeAll, describe, expect, it } from 'vitest';
import { defaultFaults, faultNames } from '../src/plan/faults.js';
import { isApplicable } from '../src/plan/rows.js';
import { headlines, verdictsByAlgorithm } from '../src/report/presentation.js';
import { renderReport } from '../src/report/report.js';
import type { Results, Row } from '../src/report/results.js';
import { renderTable, wantsColour } from '../src/report/table.js';
import { runSimulated } from '../src/run-simulated.js';

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

const escapeCharacter = '\u001b';

describe('the table', () => {
  it('has a line for each row and fits 120 columns', () => {
    const lines = renderTable(results, { colour: false, columns: 200 }).split('\n');
    expect(lines.filter((line) => line.startsWith('bully  '))).toHaveLength(
      faultNames.filter((fault) => isApplicable(fault, 'bully')).length,
    );
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  it('keeps to the width of a narrower terminal, without the lesser figures', () => {
    const rows = results.rows.filter(({ fault }) => defaultFaults.includes(fault));
    const lines = renderTable({ ...results, rows }, { colour: false, columns: 80 }).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines[0]).toMatch(/failover ms +messages +two leaders +stale writes/);
    expect(lines[0]).not.toContain('agreed');
  });

  it('parts one elector from the next', () => {
    const raft = results.rows.map((row) => ({ ...row, algorithm: 'raft' }));
    const table = renderTable(
      { ...results, rows: [...results.rows, ...raft] },
      { colour: false, columns: 120 },
    );
    expect(table).toMatch(/\nbully .*\n\nraft /);
    expect(renderTable(results, { colour: false, columns: 120 })).not.toMatch(/\nbully .*\n\nbully /);
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

  it('begins with what a reader in a hurry should know', () => {
    const safe = results.rows.map((row) => ({
      ...{ ...row, algorithm: 'raft' },
      splitBrain: { ...row.splitBrain, trialsAffected: 0 },
      writes: { staleAttempted: 0, staleAcceptedUnfenced: 0, staleAcceptedFenced: 0 },
    }));
    const [overlap, stale, crash] = headlines({ ...results, rows: [...results.rows, ...safe] });
    expect(overlap).toMatch(/^bully elected two leaders at once \(.*isolate, split.*\); raft never did\.$/);
    expect(stale).toMatch(/^Leaders that had been replaced wrote [\d,]+ times: .* a fenced store none\.$/);
    expect(crash).toMatch(
      /^When the leader of 5 nodes dies, the next one leads after: bully .*, raft .* \(medians\)\.$/,
    );
    expect(headlines({ ...results, rows: safe }).slice(0, 2)).toEqual([
      'raft never elected two leaders at once.',
      'No leader wrote anything after it had been replaced.',
    ]);
  });

  it('does not hold it against an elector that nobody led without its coordinator', () => {
    const [crash] = results.rows;
    const dark = { ...crash!, fault: 'coordinator-crash', unresolved: crash!.trials } as const;
    const verdict = (rows: Results['rows']) => verdictsByAlgorithm({ ...results, rows })[0]!.verdict;
    expect(verdict([crash!, dark])).toMatch(/^every one of 3 trials .* nobody led, as it should be\./);
    expect(verdict([crash!, { ...dark, unresolved: 1 }])).toMatch(/^1 of 6 trials had no agreed leader/);
  });

  it('links each row to the command that replays its worst trial', () => {
    const report = renderReport(results);
    results.rows.forEach((_, index) => {
      expect(report).toContain(`href="#replay-${index}"`);
      expect(report).toContain(`id="replay-${index}"`);
    });
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

describe("somebody else's elector", () => {
  const wire = { failover: null, steadyPerSecond: 30 };
  const withPeer = (): Results => {
    const [row] = results.rows;
    const messages = { ...row!.messages, failover: null, wire };
    const peer: Row = {
      ...row!,
      algorithm: 'etcd3',
      peer: true,
      detectionMs: null,
      convergenceMs: null,
      messages,
    };
    return { ...results, rows: [row!, peer] };
  };

  it('has a dash where it cannot be observed, and a sentence that says what the dash means', () => {
    const table = renderTable(withPeer(), { colour: false, columns: 200 });
    expect(table).toMatch(/^etcd3 +5 crash +3 +0 +0 +– /m);
    expect(table.replaceAll('\n', ' ')).toMatch(
      /etcd3: other people's electors.*cannot be observed from outside/,
    );
    expect(renderReport(withPeer())).toContain('cannot be observed from outside');
  });

  it('is not spoken of where there is none, nor is the wire', () => {
    const table = renderTable(results, { colour: false, columns: 200 });
    expect(table).not.toMatch(/other people|wire/);
  });

  it('brings a column for the wire, where messages were counted on it', () => {
    expect(renderTable(withPeer(), { colour: false, columns: 200 })).toMatch(/ wire /);
  });
});

describe('a validation in the report', () => {
  it('stands there as on the terminal, and only where there was one', () => {
    const row = { algorithm: 'raft', variant: 'default', nodes: 5, fault: 'graceful' };
    const validation = [{ ...row, simulatedMs: 2, liveMs: 2.2, ratio: 1.1, within: true, reason: null }];
    expect(renderReport({ ...results, validation, calibration: {} })).toMatch(
      /Simulated against live[\s\S]* 1\.10 +within/,
    );
    expect(renderReport(results)).not.toContain('Simulated against live');
  });
});
