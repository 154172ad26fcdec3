import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findExercise } from '../src/course.js';
import type { Outcome } from '../src/grading/report.js';
import { TurningClock } from '../src/grading/turning-clock.js';
import { classroomFolder } from '../src/places.js';
import { readAnswers } from '../src/proof.js';
import { gradeFile } from '../src/runner/run.js';

const capstone = findExercise('15');
const answers = new Map(readAnswers(capstone).map(({ name, text }) => [name, text]));

async function gradeAnswer(name: string): Promise<Map<string, Outcome>> {
  const { outcomes } = await gradeFile(capstone, answers.get(name)!, { student: 'x', tells: true });
  return new Map(outcomes.map((outcome) => [outcome.name, outcome]));
}

describe('an elector of one’s own', () => {
  it('that breaks its promise is shown the smallest run that breaks it', async () => {
    const broken = (await gradeAnswer('leads-without-a-lease')).get('one-leader-kept');
    expect(broken?.detail).toMatch(/^n\d and n\d both lead, at \d+\.\d ms\.$/);
    expect(broken?.story).toMatch(/LEADS with token \d/);
    expect(broken?.run).toMatch(/^2\.my-15-your-own\.default\./);
  });

  it('that does not conform is told the sentence of the suite, and what happened', async () => {
    const refused = (await gradeAnswer('does-not-resign')).get('hands-over');
    expect(refused?.detail).toMatch(/^The suite asks that another node leads when the leader \w+/);
    expect(refused?.detail).toContain("is 'resign-requested' answered?");
    expect(refused?.story).toMatch(/node-\d {2}hears GRANTED\(token 1.*LEADS with token 1/);
  });

  it('keeps plain data, or is told which field is not', async () => {
    const elects = (await gradeAnswer('keeps-a-set')).get('elects');
    expect(elects).toMatchObject({ slip: 'not-plain-data' });
    expect(elects?.detail).toContain('state.seen is a Set.');
  });

  it('that promises nothing keeps what it did not promise, and earns less than half', async () => {
    const outcomes = [...(await gradeAnswer('promises-nothing')).values()];
    const sum = (field: 'earned' | 'points') =>
      outcomes.reduce((total, outcome) => total + outcome[field], 0);
    expect(outcomes.find(({ name }) => name === 'one-leader-kept')?.earned).toBe(2);
    expect(sum('earned')).toBeLessThan(sum('points') / 2);
  });
});

describe('a turning clock', () => {
  const late = (): Error => new Error('late');

  it('fires timers in the order of their times, whatever the order of setting', async () => {
    const clock = new TurningClock();
    const fired: string[] = [];
    const work = (): Promise<void> =>
      new Promise((resolve) => {
        clock.setTimer(20, resolve);
        clock.setTimer(10, () => fired.push(`second at ${clock.nowMs()}`));
        clock.setTimer(3, () => fired.push(`first at ${clock.nowMs()}`));
      });
    await clock.during(work, 100, late);
    expect(fired).toEqual(['first at 3', 'second at 10']);
  });

  it('does not fire what was called off, and stands still when nobody works', async () => {
    const clock = new TurningClock();
    let hasFired = false;
    const cancel = clock.setTimer(2, () => {
      hasFired = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.nowMs()).toBe(0);
    cancel();
    await clock.during(() => new Promise<void>((resolve) => clock.setTimer(5, resolve)), 100, late);
    expect(hasFired).toBe(false);
  });

  it('gives up on work that does not end', async () => {
    const clock = new TurningClock();
    await expect(clock.during(() => new Promise<void>(() => {}), 100, late)).rejects.toThrow('late');
    expect(clock.nowMs()).toBe(100);
  });
});

/** What a module loads at once, with all that those load: packages and builtins by name. */
function loadedBy(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const text = readFileSync(path, 'utf8');
  for (const [, isType, name] of text.matchAll(/^(?:import|export) (type )?[^;]*?from '([^']+)';/gm)) {
    if (isType !== undefined) continue;
    if (name!.startsWith('.')) loadedBy(join(dirname(path), name!.replace(/\.js$/, '.ts')), seen);
    else seen.add(name!);
  }
  return seen;
}

describe('what the playground loads to show a student’s elector', () => {
  it('needs nothing of Node, and no driver', () => {
    const packages = [...loadedBy(`${classroomFolder}src/guest.ts`)].filter((name) => !name.startsWith('/'));
    expect(packages).toContain('@hustings/simulator');
    expect(packages.filter((name) => /^node:|runtime|testkit|transport|command/.test(name))).toEqual([]);
  });
});
