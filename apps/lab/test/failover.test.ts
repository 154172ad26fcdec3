import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isRow, type Results, type RowName, rowOf, tableOf } from '../src/measurements/failover/results.js';
import { judge, newTerm, type Term } from '../src/measurements/failover/terms.js';
import { temporaryDirectory } from './tool-command.js';

const term = (id: string, beganMs: number, endedMs: number | null, more: Partial<Term> = {}): Term => ({
  ...newTerm(id, 1n, beganMs),
  endedMs,
  ...more,
});

describe('of the terms of an election', () => {
  it('one that ends when its node is struck, before the next begins, is as it should be', () => {
    const terms = [term('a', 0, 100, { wasStruck: true }), term('b', 120, null)];
    expect(judge([terms])).toEqual({ overlaps: 0, longestOverlapMs: null, lostWithoutCause: 0 });
  });

  it('one that ends after the next has begun overlaps with it', () => {
    const terms = [term('a', 0, 130, { wasStruck: true }), term('b', 120, null)];
    expect(judge([terms])).toEqual({ overlaps: 1, longestOverlapMs: 10, lostWithoutCause: 0 });
  });

  it('one that has not ended at all overlaps with all that follow, for as long as they last', () => {
    const terms = [term('a', 0, null), term('b', 100, 120, { wasStruck: true }), term('c', 150, 155)];
    expect(judge([terms])).toEqual({ overlaps: 2, longestOverlapMs: 20, lostWithoutCause: 1 });
  });

  it('one whose process was stopped overlaps only from when it went on', () => {
    const stopped = { wasStruck: true, resumedMs: 150 };
    expect(judge([[term('a', 0, 152, stopped), term('b', 120, null)]])).toMatchObject({
      overlaps: 1,
      longestOverlapMs: 2,
    });
    expect(judge([[term('a', 0, 90, stopped), term('b', 120, null)]])).toMatchObject({ overlaps: 0 });
  });

  it('those of one node after another, and of other elections, overlap with nothing', () => {
    const terms = [term('a', 0, null, { wasStruck: true }), term('a', 50, null)];
    expect(judge([terms, [term('b', 20, null)]])).toMatchObject({ overlaps: 0 });
  });

  it('one that ended although nothing was done to its node is counted', () => {
    expect(judge([[term('a', 0, 50), term('b', 60, null)]])).toMatchObject({ lostWithoutCause: 1 });
  });
});

const name: RowName = {
  ...{ elector: 'zookeeper', means: 'certificates', isOurs: true, fault: 'SIGKILL', trials: 3 },
  settings: { sessionTimeoutMs: 6000 },
};

describe('a row', () => {
  it('has medians that were measured', () => {
    const trials = [5, 20, 10].map((failoverMs, index) => ({
      failoverMs,
      messages: { election: index, total: 10 * index },
    }));
    const row = rowOf(name, trials, judge([]), 3.14, 0.5);
    expect(row.failoverMs).toMatchObject({ min: 5, p50: 10, p95: 20, max: 20 });
    expect(row).toMatchObject({ trials: 3, messages: { election: 1, total: 10 }, idlePerSecond: 3.1 });
  });

  it('leaves open what could not be seen', () => {
    const row = rowOf({ ...name, isOurs: false }, [{ failoverMs: 1, messages: null }], null, null, 0);
    expect(row).toMatchObject({
      overlaps: null,
      lostWithoutCause: null,
      messages: null,
      idlePerSecond: null,
    });
    expect(tableOf([row])).toContain('–');
  });

  it('is the same only with the same settings and as many trials', () => {
    expect(isRow(name, { ...name })).toBe(true);
    expect(isRow(name, { ...name, trials: 4 })).toBe(false);
    expect(isRow(name, { ...name, settings: { sessionTimeoutMs: 2000 } })).toBe(false);
    expect(isRow(name, { ...name, fault: 'SIGSTOP' })).toBe(false);
  });
});

describe('the command', () => {
  const program = fileURLToPath(new URL('../dist/measurements/failover/live.js', import.meta.url));
  const run = (...parameters: string[]) => promisify(execFile)(process.execPath, [program, ...parameters]);

  it('kills a leader, writes down what came of it, and does not do so again', async () => {
    const file = join(temporaryDirectory(), 'failover.json');
    const { stdout } = await run('1', '1', file, 'raft, certificates');
    const text = readFileSync(file, 'utf8');
    const { complete, rows } = JSON.parse(text) as Results;
    expect(complete).toBe(false);
    expect(rows).toMatchObject([{ elector: 'raft', means: 'certificates', trials: 1, overlaps: 0 }]);
    expect(rows[0]!.messages!.election).toBeGreaterThan(0);
    expect(rows[0]!.idlePerSecond).toBeGreaterThan(0);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);

    const again = await run('1', '1', file, 'raft, certificates');
    expect(again.stdout).toBe(stdout);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('says in one sentence what it cannot do', async () => {
    const failure = await run('none').catch((error: { code: number; stderr: string }) => error);
    expect(failure).toMatchObject({
      code: 2,
      stderr: "The number of trials takes a whole number from 1 to 1000000000, not 'none'.\n",
    });
  });
});
