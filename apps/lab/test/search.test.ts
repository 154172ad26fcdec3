import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { algorithmNames, coordinatorOf, withSubject } from '@hustings/catalogue';
import {
  atMostOneLeader,
  defaultSwarm,
  faultTypes,
  findDivergence,
  judge,
  parseSchedule,
  playScenario,
  type Swarm,
  scheduleOfSeed,
  sealName,
  shrink,
} from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { runUnwatched } from '../src/search/measure.js';
import { replay } from '../src/search/replay.js';
import { startTool, temporaryDirectory, tool } from './tool-command.js';

const partitions: readonly string[] = ['isolate', 'split', 'one-way'];
const withoutPartitions: Swarm = {
  ...defaultSwarm,
  faults: faultTypes.filter((type) => !partitions.includes(type)),
};
const seeds = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const splitting = algorithmNames.filter((name) =>
  withSubject(name, 'default', ({ protocol }) => !protocol.guarantees.toleratesPartition),
);

describe.each(algorithmNames)('%s', (algorithm) => {
  it('runs each seed the same way twice', () => {
    withSubject(algorithm, 'default', (subject) => {
      for (const seed of seeds(50)) {
        const schedule = scheduleOfSeed(subject, defaultSwarm, seed);
        const [first, second] = [1, 2].map(() => judge(subject, schedule, { trace: true }).trace);
        expect(findDivergence(first!, second!), `seed ${seed}`).toBeNull();
      }
    });
  });

  it('takes the same steps when nobody watches', () => {
    withSubject(algorithm, 'default', (subject) => {
      for (const seed of seeds(20)) {
        const schedule = scheduleOfSeed(subject, withoutPartitions, seed);
        expect(runUnwatched(subject, schedule), `seed ${seed}`).toBe(judge(subject, schedule).steps);
      }
    });
  });

  it('settles on one leader when nothing parts the nodes', () => {
    withSubject(algorithm, 'default', (subject) => {
      // A run with a coordinator is a minute of virtual time, not seconds.
      for (const seed of seeds(coordinatorOf(algorithm) === null ? 1000 : 200)) {
        const { violation } = judge(subject, scheduleOfSeed(subject, withoutPartitions, seed));
        expect(violation, `seed ${seed}`).toBeNull();
      }
    });
  });
});

describe.each(splitting)('%s, which does not tolerate partitions,', (algorithm) => {
  it('shows its split brain within 100 seeds, and it shrinks to a short story', () => {
    withSubject(algorithm, 'default', (subject) => {
      const broken = seeds(100)
        .map((seed) => scheduleOfSeed(subject, defaultSwarm, seed))
        .filter((schedule) => judge(subject, schedule).violation?.property === atMostOneLeader);
      expect(broken.length).toBeGreaterThan(0);
      for (const schedule of broken.slice(0, 10)) {
        const small = shrink(subject, schedule)!.schedule;
        expect(small.nodes.length).toBeLessThanOrEqual(3);
        expect(small.faults.length).toBeLessThanOrEqual(2);
      }
    });
  });
});

describe('search', () => {
  it('exits 1 on a violation, and prints one JSON document whose names replay it', async () => {
    const { exitCode, stdout } = await tool('search', '--algorithm', 'bully', '--seeds', '100', '--json');
    expect(exitCode).toBe(1);
    const found = JSON.parse(stdout);
    expect(found).toMatchObject({ algorithm: 'bully', seeds: 100 });
    expect(found.runsPerSecond).toBeGreaterThan(0);
    const [{ property, replay: original, shrunk }] = found.violations;
    expect(replay(original).verdict).toMatchObject({ holds: false, property });
    expect(replay(shrunk).verdict).toMatchObject({ holds: false, property });
  });

  it('finds the same with one thread as with several', async () => {
    const flags = ['--algorithm', 'bully', '--seeds', '1000', '--json'];
    const [one, three] = await Promise.all(
      ['1', '3'].map(async (workers) => {
        const { stdout } = await tool('search', ...flags, '--workers', workers);
        return { ...JSON.parse(stdout), runsPerSecond: null };
      }),
    );
    expect(one).toEqual(three);
  });

  it('exits 0 when nothing is broken, with its progress on standard error', async () => {
    const { exitCode, stdout, stderr } = await tool(
      'search',
      ...['--algorithm', 'bully', '--seeds', '400', '--faults', 'crash,loss', '--nodes', '3'],
    );
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^bully: 400 runs, \d+ a second, 0 broken\.\n$/);
    expect(stderr).toContain('400 of 400');
  });

  it('writes the report, the diagram, the traces and a scenario that replays', async () => {
    const out = join(temporaryDirectory(), 'found');
    await tool('search', '--algorithm', 'bully', '--seeds', '100', '--out', out);
    const read = (name: string): string => readFileSync(join(out, name), 'utf8');
    expect(read('report.txt')).toContain('npm run replay -- 2.bully.default.x.');
    expect(read('diagram.svg')).toMatch(/^<svg .*<\/svg>\n$/s);
    expect(read('trace.jsonl')).toMatch(/^\{"sequence":0,/);
    expect(read('shiviz.log')).toContain('{"n1":1}');
    const scenario = read('scenario.txt');
    withSubject('bully', 'default', ({ protocol }) =>
      expect(playScenario(protocol, scenario)).toBe(scenario),
    );
  });

  it('takes a mutant in place of the algorithm, and says how to replay what that broke', async () => {
    const mutant = ['--mutant', 'leads-with-another-token'];
    const { exitCode, stdout } = await tool('search', '--algorithm', 'ring', '--seeds', '20', ...mutant);
    expect(exitCode).toBe(1);
    expect(stdout).not.toContain('playground');
    const [, name] = /^npm run replay -- (\S+) --mutant leads-with-another-token$/m.exec(stdout)!;
    expect((await tool('replay', name!, ...mutant)).exitCode).toBe(1);
    expect((await tool('replay', name!)).exitCode).toBe(0);
    const trial = await tool('replay', 'raft.default.5.pause.matched.300.1x8k2p', ...mutant);
    expect(trial).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--mutant is for runs') });
  });

  it('ends its threads on Ctrl-C and says what it has found so far', async () => {
    const run = startTool('search', '--algorithm', 'bully', '--seeds', '100000', '--json');
    while (!run.stderr().includes(' of 100000')) await run.somethingHappens();
    run.signal('SIGINT');
    const { exitCode, stdout } = await run.finished;
    expect(exitCode).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ algorithm: 'bully' });
  });

  it.each([
    [['--algorithm', 'nobody'], "There is no algorithm 'nobody'; choose from"],
    [['--algorithm', 'bully', '--variant', 'kind'], "bully has no variant 'kind'; choose from default."],
    [['--algorithm', 'lease', '--variant', 'local'], 'are on one machine, with no network between them'],
    [['--algorithm', 'bully', '--nodes', '7-3'], '--nodes takes a number or a range'],
    [['--algorithm', 'bully', '--faults', 'fire'], "There is no fault 'fire'; choose from"],
    [['--algorithm', 'bully', '--mutant', 'kind'], "bully has no mutant 'kind'; choose from"],
    [['--algorithm', 'bully', '--seeds', '0'], '--seeds takes a whole number'],
    [['--algorithm', 'bully', '--fast'], "Unknown option '--fast'"],
  ])('answers %j with one sentence and exit code 2', async (flags, sentence) => {
    const { exitCode, stdout, stderr } = await tool('search', ...flags);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('replay', () => {
  const splitBrain = '1.bully.default.x.n_2~s_0~d_0~l_1_1~r_350~a_0_isolate_n2';

  it('exits 1 when the run breaks a promise, and tells the story', async () => {
    const { exitCode, stdout } = await tool('replay', splitBrain);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('VIOLATED by bully (default): at most one leader at a time');
    expect(stdout).toContain(`npm run replay -- ${splitBrain}`);
  });

  it('prints one JSON document, the same each time', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => tool('replay', splitBrain, '--json')));
    const { token, verdict, events } = JSON.parse(first!.stdout);
    expect(second!.stdout).toBe(first!.stdout);
    expect(token).toBe(splitBrain);
    expect(verdict).toMatchObject({ holds: false, property: atMostOneLeader, detail: 'n1 and n2 both lead' });
    expect(verdict.witnesses.map((sequence: number) => events[sequence].atMs)).toEqual([250, 350]);
  });

  it('exits 0 when the run breaks nothing', async () => {
    const { exitCode, stdout } = await tool('replay', '1.bully.default.x.n_3~s_1~l_1_1~r_600');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('kept every promise');
  });

  it.each([
    ['3.bully.default.s.7.3-7.cn3', 'is of version 3'],
    ['nonsense', "'nonsense' is not the name of a run"],
    ['2.bully.default.s.7.3-7.cn3.vfsn', 'This token is damaged'],
    ['1.bully.default.x.n_999999~r_1000', 'has 999999 nodes; runs of up to 101 are replayed'],
    ['1.bully.default.x.n_3~r_31536000000', 'runs of up to 600000 ms are replayed'],
    ['bully.default.999999.crash.matched.300.z', 'has 999999 nodes'],
    [sealName('nobody', 'default', 's', '7', '3-7', 'cn3'), "There is no algorithm 'nobody'"],
    ['1.bully.default.s.7.3-7.cn3', 'is a seed of version 1'],
  ])('answers %s with one sentence and exit code 2', async (name, sentence) => {
    const { exitCode, stdout, stderr } = await tool('replay', name);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });

  it('reproduces the golden trace that a search once found', () => {
    const file = new URL(
      '../../../packages/bully/test/scenarios/found-by-search-split-brain.txt',
      import.meta.url,
    );
    const [schedule = ''] = readFileSync(fileURLToPath(file), 'utf8').split('---\n');
    withSubject('bully', 'default', (subject) => {
      expect(judge(subject, parseSchedule(schedule)).violation?.property).toBe(atMostOneLeader);
    });
  });
});

it('a run that the search found breaks the Raft that answered a former life, and not the present one', () => {
  const name =
    '2.raft.default.x.n_3~s_35349~d_150~l_0.3_8.1~silent-crashes~mixed-lives~r_1290~a_671_stall_n2_n1_until_1006~a_827_restart_n2~a_1150_isolate_n2.wtmca';
  expect(replay(name, { mutant: 'answers-a-former-life' }).verdict).toMatchObject({
    property: atMostOneLeader,
  });
  expect(replay(name).verdict).toEqual({ holds: true });
});

describe('the name of a trial', () => {
  const name = 'raft.default.5.pause.matched.300.1x8k2p';

  it('replays the trial that it names', () => {
    const { verdict, events, report } = replay(name);
    expect(verdict).toEqual({ holds: true });
    expect(events.some((event) => event.type === 'paused')).toBe(true);
    expect(report).toContain(`npm run replay -- ${name}`);
    expect(replay(name).report).toBe(report);
  });

  it('says in its first line that two led at once, where that is not promised against', () => {
    const { verdict, report } = replay('bully.default.5.split.matched.300.1x8k2p');
    expect(report).toMatch(/^SPLIT BRAIN for [\d.]+ ms, against which bully promises nothing\.\n/);
    expect(verdict).toEqual({ holds: true, twoLeadersForMs: expect.any(Number) });
  });

  it('says that what was promised was kept, where nobody led beside another', () => {
    expect(replay('raft.default.5.split.matched.300.1x8k2p').report).toMatch(/^raft kept what it promises/);
  });

  it('is refused when the algorithm is not there', () => {
    expect(() => replay(name.replace('raft', 'paxos'))).toThrow("no algorithm 'paxos'");
  });
});

describe('the name of a trial with a coordinator', () => {
  it('replays it, with the coordinator', () => {
    const { verdict, events } = replay('etcd.default.5.crash.matched.2500.1x8k2p');
    expect(verdict).toEqual({ holds: true });
    expect(events.some((event) => 'node' in event && event.node === 'etcd')).toBe(true);
  });
});
