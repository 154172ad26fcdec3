import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatRunName, parseSchedule } from '@hustings/simulator';
import { afterAll, describe, expect, it } from 'vitest';
import { collect, toCsv, toHtml, toJson } from '../src/class.js';
import { answerFile, begin, findExercise, readProgress, remember } from '../src/course.js';
import { toResults } from '../src/exercism.js';
import type { Report } from '../src/grading/report.js';
import { classroomFolder } from '../src/places.js';
import { gradeFile, tellRunOf } from '../src/runner/run.js';
import { tellReport } from '../src/tell.js';

const folder = mkdtempSync(join(tmpdir(), 'classroom-'));
afterAll(() => rmSync(folder, { recursive: true }));

const bully = findExercise('05');
const answer = (file: string): string => readFileSync(`${classroomFolder}answers/${file}`, 'utf8');
const options = { student: 'x', tells: true };

describe('an exercise', () => {
  it.each(['5', '05', 'bully', '05-bully'])('is found by %s', (name) => {
    expect(findExercise(name).id).toBe('05-bully');
  });

  it('is not found by another name, and that says what there is', () => {
    expect(() => findExercise('99')).toThrow(/There is no exercise '99'; choose from 01, /);
  });

  it('begins with the starter and the types beside it', () => {
    expect(begin(bully, folder)).toBe(true);
    expect(existsSync(join(folder, '05-bully/types.ts'))).toBe(true);
  });

  it('leaves an answer as it is that is there already', () => {
    writeFileSync(answerFile(bully, folder), 'mine');
    expect(begin(bully, folder)).toBe(false);
    expect(readFileSync(answerFile(bully, folder), 'utf8')).toBe('mine');
  });
});

const report = (earned: number, student = 'ada'): Report => ({
  exercise: '05-bully',
  title: 'Bully',
  student,
  earned,
  points: 2,
  outcomes: [
    {
      name: 'elects',
      points: 2,
      earned,
      expects: 'It elects.',
      detail: earned === 2 ? null : 'n1 <b>leads</b>.',
      story: null,
      run: null,
      slip: null,
      line: null,
    },
  ],
  output: [],
});

describe('progress', () => {
  it('is the best result, not the last', () => {
    remember(report(2), folder);
    remember(report(0), folder);
    expect(readProgress(folder)).toEqual({ '05-bully': { earned: 2, points: 2 } });
  });
});

describe('what a student sees', () => {
  const text = answer('05-bully/textbook.ts').replace("me.wait('coordinator', 3 * maxDelayMs);", '');

  it('is the expectation, what happened instead, the run and a link', async () => {
    const graded = await gradeFile(bully, text, options);
    const told = tellReport(graded, { file: 'my/05-bully/bully.ts', command: 'npm run grade -- 05' });
    expect(told).toContain('Bully: 18 of 20 points');
    expect(told).toContain('✗ helper-dies\n  Expected: A node that was told to stand back asks again');
    expect(told).toContain('Instead:  In the end n1 is the strongest, but nobody leads.');
    expect(told).toMatch(
      /1001\.0 {2}n1 {2}timer leader fires => follows nobody, ELECTION\(epoch 1\) to n2 n3/,
    );
    expect(told).toContain('http://localhost:4173/#run=2.my-05-bully.default.x.');
  });

  it('is the same each time', async () => {
    expect(await gradeFile(bully, text, options)).toEqual(await gradeFile(bully, text, options));
  });

  it('is one long run, and how to see the others', async () => {
    const silent = answer('05-bully/textbook.ts').replace(/me\.send\(from, \{ type: 'answer'.*\);/, '');
    const graded = await gradeFile(bully, silent, options);
    const where = { file: 'my/05-bully/bully.ts', command: 'npm run grade -- 05' };
    const linksIn = (text: string): number => text.split('http://localhost').length - 1;
    expect(linksIn(tellReport(graded, where))).toBe(1);
    expect(tellReport(graded, where)).toContain('The run:  npm run grade -- 05 --all');
    expect(linksIn(tellReport(graded, { ...where, all: true }))).toBeGreaterThan(1);
  });

  it('is the first check, where all lose for the same reason, and which wait for another', async () => {
    const where = { file: 'my/05-bully/bully.ts', command: 'npm run grade -- 05' };
    expect(tellReport(await gradeFile(bully, '', options), where)).toContain('✗ any-faults: as in elects.');
    const starter = readFileSync(`${classroomFolder}exercises/05-bully/starter.ts`, 'utf8');
    expect(tellReport(await gradeFile(bully, starter, options), where)).toContain(
      "quiet, any-faults: not asked before 'elects' holds.",
    );
  });

  it('names the line of the file, and the faults that there are', async () => {
    const text = '== any-fault\nnodes n1 n2\n\n== only-one-way\nnodes n1 n2\nat 1000 one way n2\n';
    const { outcomes } = await gradeFile(findExercise('01'), text, options);
    expect(outcomes.find(({ name }) => name === 'only-one-way')?.detail).toMatch(
      /^Line 6 \('at 1000 one way n2'\): 'one' is not a fault\. Faults are crash, pause/,
    );
  });

  it('is a link to a run of bully, where bully is what was run', async () => {
    const text = '== any-fault\nnodes n1 n2 n3\nrun 3000\nat 1000 crash n3\n';
    const graded = await gradeFile(findExercise('01'), text, options);
    const told = tellReport(graded, { file: 'my/01-break-bully/answer.txt', command: 'npm run grade -- 01' });
    expect(told).toContain('(npm run playground):\n  http://localhost:4173/#run=2.bully.default.x.');
  });

  it('is what write() returned, where it is neither true nor false', async () => {
    const text = 'export class Store { write() {} read() {} }';
    const [first] = (await gradeFile(findExercise('04'), text, options)).outcomes;
    expect(first?.detail).toMatch(
      /^write\(\) returned undefined\. It returns true for a write that was taken/,
    );
  });

  it('says what was ignored', async () => {
    const starter = readFileSync(`${classroomFolder}exercises/05-bully/starter.ts`, 'utf8');
    const { outcomes } = await gradeFile(bully, starter, options);
    expect(outcomes[0]?.story).toContain('n2  hears ELECTION(epoch 0) from n1 => ignored');
  });

  it('folds what repeats', async () => {
    const shy = answer('05-bully/textbook.ts').replace(
      'return becomeLeader(me);',
      'return callElection(me);',
    );
    const { outcomes } = await gradeFile(bully, shy, options);
    const stories = outcomes.map(({ story }) => story ?? '').join('');
    expect(stories).toMatch(/… \d of these lines repeat, in turns, \d+ times, until \d+\.\d ms/);
  });

  it('shows the fields that changed at the events that matter', async () => {
    const vote = findExercise('09');
    const forgetful = answer('09-raft-vote/figure-2.ts').replace(/ *\{ type: 'save'.*\n/, '');
    const { outcomes } = await gradeFile(vote, forgetful, options);
    const safe = outcomes.find(({ name }) => name === 'safe');
    expect(safe?.detail).toContain('n3 votes for n2 in term 1, and had voted for n1');
    expect(safe?.story).toContain('votedFor: null → n2');
  });
});

describe('a run that is replayed', () => {
  const tool = `${classroomFolder}dist/src/tools/grade.js`;
  const replayed = (number: string, run: string) =>
    spawnSync(
      process.execPath,
      [tool, number, '--file', `${classroomFolder}answers/05-bully/paper.ts`, '--replay', run],
      {
        encoding: 'utf8',
      },
    );
  const schedule = parseSchedule('nodes n1 n2 n3\nseed 1\nlatency 1 20\nrun 1000\n');
  const run = formatRunName({ algorithm: 'my-05-bully', variant: 'default', type: 'schedule', schedule });

  it('is told as the file runs it now, whatever it shows', async () => {
    const story = await tellRunOf(bully, answer('05-bully/paper.ts'), schedule);
    expect(story).toContain('LEADS with token');
    expect(story).toContain('Here the run ends.');
  });

  it('is told where the code fails in it', async () => {
    const broken = answer('05-bully/paper.ts').replaceAll('me.peers', 'me.peer');
    expect(await tellRunOf(bully, broken, schedule)).toMatch(/^When n\d.* Your code threw/);
    expect(await tellRunOf(bully, 'export', schedule)).toContain('this is not TypeScript');
  });

  it('is named by the link to the playground', () => {
    const { stdout } = replayed('05', `http://localhost:4173/#run=${run}&at=3.0`);
    expect(stdout).toContain('Here the run ends.');
  });

  it.each([
    ['09', run, 'takes a run of my-09-raft-vote; this is one of my-05-bully.'],
    ['05', 'abc', "'abc' is not the name of a run"],
  ])('of another elector, or a damaged one, is refused: %s', (number, name, message) => {
    const { status, stderr } = replayed(number, name);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('npm run grade', () => {
  const tool = `${classroomFolder}dist/src/tools/grade.js`;

  it.each([
    [['99'], "There is no exercise '99'"],
    [['05', '--file', 'nowhere.ts'], "There is no file 'nowhere.ts'"],
    [['05', '--file', classroomFolder], 'There is no file'],
    [['05', '--student', '--json'], "--student takes a name, not '--json'."],
    [['05', '--student'], "Option '--student <name>' argument missing"],
    [['05', '--hint', 'more'], "--hint takes a whole number from 1 to 9, not 'more'."],
  ])('refuses %j with one sentence', (flags, sentence) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [tool, ...flags], { encoding: 'utf8' });
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(sentence)]);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('npm run grade -- 05 --watch', () => {
  it('grades again when the file changes', async () => {
    const file = join(folder, 'bully.ts');
    writeFileSync(file, '');
    const tool = `${classroomFolder}dist/src/tools/grade.js`;
    const child = spawn(process.execPath, [tool, '05', '--watch', '--file', file]);
    let told = '';
    child.stdout.on('data', (part) => {
      told += String(part);
    });
    try {
      await expect.poll(() => told, { timeout: 100_000 }).toContain('Bully: 0 of 20 points');
      const save = (): string => {
        writeFileSync(file, answer('05-bully/textbook.ts'));
        return told;
      };
      // Saved again and again: nobody may have been watching yet.
      await expect.poll(save, { timeout: 100_000, interval: 5000 }).toContain('Bully: 20 of 20 points');
    } finally {
      child.kill();
    }
  }, 240_000);
});

describe('results.json', () => {
  it('is of version 3, and has our points beside it', async () => {
    const report = await gradeFile(bully, answer('05-bully/paper.ts'), options);
    const results = toResults(report, { hint: null, ms: 7 });
    expect(results).toMatchObject({ version: 3, status: 'pass', message: null });
    expect(results.tests[0]).toMatchObject({ name: 'elects', status: 'pass', message: null });
    expect(results.hustings).toEqual({
      ...{ exercise: '05-bully', points: 20, of: 20, seed: 'x', token: null, link: null, hint: null, ms: 7 },
    });
  });

  it('names the first run that fails, and where to look at it', async () => {
    const stuck = answer('05-bully/textbook.ts').replace("me.wait('coordinator', 3 * maxDelayMs);", '');
    const graded = await gradeFile(bully, stuck, options);
    const { token, link } = toResults(graded, { hint: null, ms: 7 }).hustings;
    expect(token).toMatch(/^2\.my-05-bully\.default\.x\.[^&]*$/);
    expect(link).toContain(`http://localhost:4173/#run=${token}`);
  });

  it('says error for a file that cannot be run', async () => {
    const graded = await gradeFile(bully, 'export default 1;', options);
    const results = toResults(graded, { hint: null, ms: 7 });
    expect(results).toMatchObject({
      status: 'error',
      message: "The file does not have 'export default sketch({ … })'.",
    });
  });
});

describe('a class', () => {
  const submissions = join(folder, 'submissions');
  mkdirSync(join(submissions, 'ada/05-bully'), { recursive: true });
  mkdirSync(join(submissions, 'grace'));
  writeFileSync(join(submissions, 'ada/05-bully/bully.ts'), answer('05-bully/textbook.ts'));
  writeFileSync(join(submissions, 'grace/bully.ts'), '');

  it('is collected student by student', () => {
    expect(collect(submissions, [bully]).map(({ student, facts }) => [student, facts.id])).toEqual([
      ['ada', '05-bully'],
      ['grace', '05-bully'],
    ]);
  });

  it('says what a folder should hold in which there is nothing', () => {
    mkdirSync(join(folder, 'nothing'));
    expect(() => collect(join(folder, 'nothing'), [bully])).toThrow(/files like ada\/05-bully\/bully\.ts/);
    expect(() => collect(join(folder, 'nowhere'), [bully])).toThrow(/There is no folder/);
  });

  it('is graded in one command, into a page and a table', () => {
    const out = join(folder, 'out');
    const tool = `${classroomFolder}dist/src/tools/class.js`;
    execFileSync(process.execPath, [tool, submissions, '--out', out], { stdio: 'ignore' });
    expect(readFileSync(join(out, 'report.csv'), 'utf8')).toMatch(
      /^ada,05-bully,20,20,.*\ngrace,05-bully,0,20,/m,
    );
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain(
      '2 submissions, 10.0 of 20 points on average.',
    );
  });

  it.each(['json', 'csv', 'html'])('is written into one file, where that ends with .%s', (form) => {
    const out = join(folder, `one.${form}`);
    const tool = `${classroomFolder}dist/src/tools/class.js`;
    execFileSync(process.execPath, [tool, submissions, '--out', out], { stdio: 'ignore' });
    expect(readFileSync(out, 'utf8')).toContain('grace');
  });

  it('is JSON for programs', () => {
    expect(JSON.parse(toJson([report(2)]))).toMatchObject([
      { student: 'ada', exercise: '05-bully', points: 2, of: 2 },
    ]);
  });

  it('keeps what was graded before somebody pressed Ctrl-C', async () => {
    const many = join(folder, 'many');
    for (const student of ['a', 'b']) mkdirSync(join(many, student), { recursive: true });
    writeFileSync(join(many, 'a/bully.ts'), '');
    writeFileSync(join(many, 'b/bully.ts'), 'for (;;);');
    const out = join(folder, 'interrupted.csv');
    const tool = `${classroomFolder}dist/src/tools/class.js`;
    const child = spawn(process.execPath, [tool, many, '--out', out, '--jobs', '1'], { detached: true });
    const ended = new Promise((resolve) => child.once('close', resolve));
    let told = '';
    child.stderr.on('data', (part) => {
      told += String(part);
    });
    await expect.poll(() => told, { timeout: 60_000 }).toContain('1 of 2');
    // As a terminal does: to the whole group.
    process.kill(-child.pid!, 'SIGINT');
    expect(await ended).toBe(130);
    expect(readFileSync(out, 'utf8')).toMatch(/^a,05-bully,0,20,.*\n$/m);
  }, 90_000);

  it('escapes what students write', () => {
    expect(toHtml([report(0)])).toContain('n1 &lt;b&gt;leads&lt;/b&gt;.');
    expect(toCsv([report(0, '=SUM(A1)'), report(2, 'a,b')])).toBe(
      'student,exercise,earned,points,elects\n\'=SUM(A1),05-bully,0,2,0\n"a,b",05-bully,2,2,2\n',
    );
  });
});
