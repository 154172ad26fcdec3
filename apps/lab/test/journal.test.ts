import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory, tool } from './tool-command.js';

/** Bully breaks, so there is something to add up. */
const search = (...more: string[]) =>
  tool(
    'search',
    '--algorithm',
    'bully',
    '--seeds',
    '1000',
    '--limit',
    '1',
    '--workers',
    '1',
    '--json',
    ...more,
  );
const broken = (stdout: string): number => JSON.parse(stdout).brokenSeeds;
const linesOf = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');

describe('a search that is shared out', () => {
  it('comes to the same result as one alone, and runs nothing twice', async () => {
    const directory = temporaryDirectory();
    const [one, two, all] = ['one', 'two', 'all'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ];
    const alone = await search();
    const first = await search('--shard', '1/2', '--journal', one);
    const second = await search('--shard', '2/2', '--journal', two);
    expect(JSON.parse(first.stdout).seeds).toBe(600);
    expect(JSON.parse(second.stdout).seeds).toBe(400);
    const merged = await search('--journal', all, one, two);
    expect(JSON.parse(merged.stdout)).toMatchObject({ seeds: 1000, runsPerSecond: 0 });
    expect(broken(merged.stdout)).toBe(broken(alone.stdout));
    expect(broken(merged.stdout)).toBe(broken(first.stdout) + broken(second.stdout));
    expect(JSON.parse(merged.stdout).violations).toEqual(JSON.parse(alone.stdout).violations);
    expect(linesOf(all)).toHaveLength(1);
  });

  it.each(['0/2', '3/2', '2', 'a/b', '1/2/3'])('is not shared out as %s', async (shard) => {
    const { exitCode, stderr } = await search('--shard', shard);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('such as 3/10');
  });
});

describe('a search with a journal', () => {
  it('goes on where it was killed, and does the batch again that it was noting', async () => {
    const journal = join(temporaryDirectory(), 'journal');
    const whole = await search('--journal', journal);
    const lines = linesOf(journal);
    expect(lines).toHaveLength(6);
    writeFileSync(journal, `${lines.slice(0, 4).join('\n')}\n`);
    appendFileSync(journal, lines[4]!.slice(0, 20));
    const resumed = await search('--journal', journal);
    expect(broken(resumed.stdout)).toBe(broken(whole.stdout));
    expect(linesOf(journal)).toEqual(lines);
  });

  it('refuses the journal of another search', async () => {
    const journal = join(temporaryDirectory(), 'journal');
    const few = ['--seeds', '100', '--journal', journal];
    await search(...few);
    const before = readFileSync(journal, 'utf8');
    const other = await search(...few, '--nodes', '3');
    expect(other.exitCode).toBe(2);
    expect(other.stderr).toContain('is not a journal of this search');
    expect(readFileSync(journal, 'utf8')).toBe(before);
  });

  it('refuses a file that is none', async () => {
    const journal = join(temporaryDirectory(), 'journal');
    writeFileSync(journal, 'Dear diary,\n');
    const { exitCode, stderr } = await search('--journal', journal);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('name another file with --journal');
  });
});

describe('the search of all safe electors', () => {
  it('adds up the shards of several machines', async () => {
    const out = temporaryDirectory();
    const million = (...more: string[]) =>
      tool('million', '--seeds', '300', '--workers', '1', '--out', out, '--json', ...more);
    await million('--shard', '1/2');
    await million('--shard', '2/2');
    const { exitCode, stdout } = await million();
    expect(exitCode).toBe(0);
    const tallies = JSON.parse(stdout);
    expect(tallies.map(({ algorithm }: { algorithm: string }) => algorithm)).toEqual(
      expect.arrayContaining(['raft', 'etcd', 'zookeeper']),
    );
    for (const tally of tallies) expect(tally).toMatchObject({ seeds: 300, brokenSeeds: [] });
    expect(JSON.parse(readFileSync(join(out, 'result.json'), 'utf8'))).toEqual(tallies);
    const lease = await million('--algorithms', 'lease');
    expect(JSON.parse(lease.stdout)).toMatchObject([{ algorithm: 'lease', variant: 'default', seeds: 300 }]);
    const heirs = await million('--algorithms', 'etcd', '--variant', 'heirs');
    expect(JSON.parse(heirs.stdout)).toMatchObject([{ algorithm: 'etcd', variant: 'heirs', seeds: 300 }]);
    const nobody = await million('--variant', 'heirs');
    expect(nobody.exitCode).toBe(2);
    expect(nobody.stderr).toContain("has no variant 'heirs'; choose from default");
  });
});
