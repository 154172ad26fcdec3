import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { descendantsOf, isAlive } from '../../bench/test/command.js';
import type { Results } from '../src/chaos/report.js';
import { startToolIn, temporaryDirectory, tool } from './tool-command.js';

const patience = { timeout: 60_000, interval: 50 };

function scheduleFile(...lines: readonly string[]): string {
  const path = join(temporaryDirectory(), 'schedule.txt');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

describe('chaos', { timeout: 180_000 }, () => {
  it.each([
    ['raft', 40],
    ['etcd', 40],
    ['zookeeper', 40],
    ['etcd-heirs', 20],
    ['raft-certificates', 20],
    ['etcd-certificates', 20],
    ['zookeeper-certificates', 20],
  ])('%s keeps what it promises for %d seconds, and nothing is left', async (algorithm, seconds) => {
    const temporary = temporaryDirectory();
    const minutes = `${seconds / 60}`;
    const parameters = ['--algorithms', algorithm, '--minutes', minutes, '--seed', 'share', '--json'];
    const { exitCode, stdout } = await startToolIn(temporary, 'chaos', ...parameters).finished;
    const { rows, violations, complete }: Results = JSON.parse(stdout);
    expect(violations.map(({ detail, schedule }) => `${detail}\n${schedule}`)).toEqual([]);
    expect(rows).toMatchObject([
      { algorithm, overlaps: 0, tokenFaults: 0, staleAcceptedFenced: 0, gaveUp: 0, nodes: 3 },
    ]);
    const [row] = rows;
    expect(row!.episodes).toBeGreaterThan(seconds / 20);
    expect(row!.leaderships).toBeGreaterThan(seconds / 40);
    expect(row!.writes).toBeGreaterThan(50);
    expect([exitCode, complete]).toEqual([0, true]);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe('the oracle', { timeout: 180_000 }, () => {
  it('finds two leaders at once where voters are not bound, and keeps what was done', async () => {
    const file = scheduleFile(
      'chaos raft nodes 3',
      'episode 1 broken-link',
      '+300 cut A->C',
      '+0 cut C->A',
      '+2000 heal A->C',
      '+0 heal C->A',
      '+0 settle 500',
    );
    const out = temporaryDirectory();
    const parameters = ['--replay', file, '--times', '4', '--mutant', 'is-never-bound', '--out', out];
    const { exitCode, stdout } = await tool('chaos', ...parameters);
    expect(exitCode).toBe(1);
    // Wrapped at eighty columns.
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /n\d \(process \d, token \d\) and n\d \(process \d, token \d\) led at once for/,
    );
    const { violations }: Results = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8'));
    expect(violations[0]).toMatchObject({ property: 'overlap', algorithm: 'raft' });
    const kept = readFileSync(join(out, 'raft-overlap-1.txt'), 'utf8');
    expect(kept).toBe(violations[0]!.schedule);
    expect(kept).toContain('\n+300 cut A->C\n');
  });
});

describe('chaos that is called off', { timeout: 120_000 }, () => {
  const endless = (algorithm: string, subject: string) =>
    scheduleFile(`chaos ${algorithm} nodes 3`, 'episode 1 stop', `+0 stop ${subject}`, '+600000 settle 0');

  /** Once a process is stopped, which cannot end itself. */
  const started = async (algorithm: string, subject: string) => {
    const temporary = temporaryDirectory();
    const running = startToolIn(temporary, 'chaos', '--replay', endless(algorithm, subject));
    const family = await vi.waitUntil(() => {
      const everyone = descendantsOf(running.pid);
      return everyone.some(({ stopped }) => stopped) && everyone;
    }, patience);
    return { temporary, running, family };
  };

  it('by Ctrl-C leaves no process, no file and no disk, and says what was seen', async () => {
    const { temporary, running, family } = await started('raft', 'A');
    running.signal('SIGINT');
    const { exitCode, stdout } = await running.finished;
    expect(exitCode).toBe(130);
    expect(stdout).toContain('raft: stop 1.');
    expect(family.filter(({ pid }) => isAlive(pid))).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it.each([
    ['raft', 'A'],
    ['etcd', 'M2'],
  ])('by SIGKILL leaves nothing of %s either', async (algorithm, subject) => {
    const { temporary, running, family } = await started(algorithm, subject);
    running.signal('SIGKILL');
    await running.finished;
    await vi.waitUntil(() => !family.some(({ pid }) => isAlive(pid)), patience);
    await vi.waitUntil(() => readdirSync(temporary).length === 0, patience);
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(temporary);
  });
});

describe('the command line of chaos', () => {
  it.each([
    [['--algorithms', 'bully'], "There is no algorithm 'bully'; choose from raft, etcd, zookeeper,"],
    [['--minutes', '0'], "--minutes takes a number up to a day, such as 0.5 or 30, not '0'."],
    [['--mutant', 'none'], "There is no mutant 'none'; choose from votes-twice,"],
    [['--replay', 'no-such-file'], '--replay no-such-file cannot be replayed: ENOENT'],
  ])('refuses %j in a sentence', async (parameters, message) => {
    const { exitCode, stderr } = await tool('chaos', ...parameters);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
