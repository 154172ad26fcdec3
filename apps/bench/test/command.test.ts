import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { bench, start, temporaryDirectory } from './command.js';

const quick = ['--algorithms', 'bully', '--trials', '45', '--faults', 'crash,split'];
/** What may differ between two runs with one seed. */
const timeless = (text: string) => text.replace(/"(wallMs)": .*/g, '"$1": …');

describe('a command line that cannot be carried out', () => {
  it.each([
    [['--bogus'], /--bogus.*--help/],
    [['--algorithms', 'paxos'], /no algorithm 'paxos'; choose from/],
    [['--faults', 'crash,boom'], /no fault 'boom'; choose from/],
    [['--trials', '0'], /--trials takes a whole number from 1 to 1000000000, not '0'/],
    [['--nodes', '5,x'], /--nodes takes a whole number from 3 to 1000000000, not 'x'/],
    [['--mode', 'dream'], /--mode.*dream.*simulated, live/],
    [['--profile', 'defaults', '--budget-ms', '500'], /--budget-ms belongs to the matched profile/],
    [['--mode', 'live', '--faults', 'clock-drift'], /clock-drift exists in simulated mode only/],
    [
      ['--algorithms', 'bully', '--faults', 'coordinator-crash'],
      /strike a coordinator.*add zookeeper or etcd/,
    ],
    [['--etcd', '127.0.0.1:2379'], /Servers are for live mode; add --mode live/],
    [['--mode', 'live', '--etcd', 'nowhere'], /--etcd takes addresses such as/],
    [['--mode', 'live', '--coordinator-members', '2'], /take 1 or 3/],
    [
      ['--mode', 'live', '--algorithms', 'etcd', '--etcd', '127.0.0.1:1'],
      /No server answers at 127.0.0.1:1; /,
    ],
    [['--algorithms', 'etcd', '--faults', 'transfer'], /cannot choose its successor; add raft/],
    [['--peers'], /--peers are real programs; add --mode live/],
    [['--mode', 'live', '--peers', '--algorithms', 'bully,raft'], /--peers stand beside zookeeper and etcd/],
    [['compare', 'one.json'], /compare takes two files/],
    [['scale', '--ways', 'together'], /no way 'together'; choose from alone, session, aggregator/],
    [['scale', '--elections', '2'], /--elections takes a whole number from 3/],
    [['scale', '--mode', 'live', '--elections', '100000'], /too many for live mode; take at most 10000/],
    [['scale', '--balance'], /--balance is for real processes; add --mode live/],
    [['scale', '--bogus'], /--bogus.*npm run bench -- scale --help/],
  ])('%j is answered with one sentence and exit code 2', async (parameters, sentence) => {
    const { exitCode, stdout, stderr } = await bench(...parameters);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each([
    ['etcd', /^etcdctl is not installed, which --peers needs: run 'apt-get install etcd-client'/],
    ['zookeeper', /^Apache Curator or a Java compiler is not installed: run 'apt-get install .*libcurator/],
  ])('is one that asks for peers of %s which are not installed', async (algorithm, sentence) => {
    const parameters = ['--mode', 'live', '--peers', '--algorithms', algorithm, '--faults', 'graceful'];
    const bare = { PATH: temporaryDirectory() };
    const { exitCode, stdout, stderr } = await start(parameters, temporaryDirectory(), bare).finished;
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('is also one whose output could not be written', async () => {
    const { exitCode, stderr } = await bench(
      '--trials',
      '1',
      '--out',
      join(import.meta.filename, 'below-a-file'),
    );
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^Could not write to .*; choose another directory with --out\.\n$/);
  });
});

describe('a command line that can', () => {
  it('prints a table, and writes both files', async () => {
    const out = temporaryDirectory();
    const { exitCode, stdout } = await bench(...quick, '--out', out);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^bully +5 crash /m);
    expect(JSON.parse(readFileSync(join(out, 'results.json'), 'utf8'))).toMatchObject({
      schema: 'hustings-bench/1',
    });
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('</html>');
  });

  it('prints its table in eighty columns where nobody says how wide it may be', async () => {
    const { stdout } = await bench('--trials', '5');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toMatch(/^etcd +5 graceful /m);
  });

  it('prints its table even if its files cannot be written in the end', { timeout: 120_000 }, async () => {
    const out = join(temporaryDirectory(), 'out');
    const running = start([...quick, '--trials', '600', '--out', out]);
    await vi.waitUntil(() => running.stderr().includes('trials'), { timeout: 100_000 });
    rmSync(out, { recursive: true });
    writeFileSync(out, 'in the way');
    const { exitCode, stdout, stderr } = await running.finished;
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/^bully +5 split .* 600 /m);
    expect(stderr).toMatch(/choose another directory with --out/);
  });

  it('with --json prints results.json and nothing else', async () => {
    const out = temporaryDirectory();
    const { stdout } = await bench(...quick, '--json', '--out', out);
    expect(stdout).toBe(readFileSync(join(out, 'results.json'), 'utf8'));
    expect(JSON.parse(stdout)).toMatchObject({
      mode: 'simulated',
      complete: true,
      rows: [{ trials: 45 }, {}],
    });
  });

  it('ends in peace when whoever reads its output has read enough', async () => {
    const { finished, hangUp } = start([...quick, '--json']);
    hangUp();
    const { exitCode, stderr } = await finished;
    expect(exitCode).toBe(0);
    expect(stderr).not.toMatch(/EPIPE|Error/);
  });

  it('leaves out the rows that do not apply, and says so', async () => {
    const { stdout, stderr } = await bench(
      ...['--algorithms', 'bully,etcd', '--faults', 'coordinator-crash', '--trials', '1', '--json'],
    );
    expect(JSON.parse(stdout).rows).toMatchObject([{ algorithm: 'etcd', fault: 'coordinator-crash' }]);
    expect(stderr).toContain('coordinator-crash does not apply to bully: no coordinator, so no such row.');
  });

  it('gives the same bytes for the same seed, on one thread or on three', async () => {
    const [one, three] = await Promise.all(
      ['1', '3'].map((workers) => bench(...quick, '--json', '--workers', workers)),
    );
    expect(timeless(one!.stdout)).toBe(timeless(three!.stdout));
  });

  it('gives other bytes for another seed', async () => {
    const [one, other] = await Promise.all(
      ['a', 'b'].map((seed) => bench(...quick, '--json', '--seed', seed)),
    );
    expect(timeless(one!.stdout)).not.toBe(timeless(other!.stdout).replace('"seed": "b"', '"seed": "a"'));
  });

  it('when interrupted keeps what was finished and exits with 130', { timeout: 120_000 }, async () => {
    const out = temporaryDirectory();
    const running = start(['--algorithms', 'bully', '--trials', '400', '--nodes', '3,9,15,25', '--out', out]);
    while (!running.stderr().includes('trials')) await new Promise((resolve) => setTimeout(resolve, 20));
    running.signal('SIGINT');
    expect((await running.finished).exitCode).toBe(130);
    const { complete, rows } = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8'));
    expect(complete).toBe(false);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ trials }: { trials: number }) => trials === 400)).toBe(true);
  });
});
