import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** The built programs, as a user runs them. */
function call(name: string, ...parameters: string[]) {
  const program = fileURLToPath(new URL(`../dist/tools/${name}.js`, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...parameters], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('explore', () => {
  it('prints one JSON document, and succeeds when no promise is broken', () => {
    const { status, stdout } = call(
      'explore',
      '--algorithm',
      'bully',
      '--nodes',
      '3',
      '--depth',
      '4',
      '--json',
    );
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      algorithm: 'bully',
      nodes: 3,
      depth: 4,
      states: expect.any(Number),
      statesPerSecond: expect.any(Number),
      violations: [],
    });
  });

  it('says how many states it has seen, how deep and how fast', () => {
    const { stdout } = call('explore', '--algorithm', 'bully', '--depth', '3');
    expect(stdout).toMatch(/[\d,]+ distinct states .* depth 3, [\d,]+ states per second/);
  });
});

describe('reproduce', () => {
  it('prints one JSON document of comparisons', () => {
    const { status, stdout } = call('reproduce', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)[0]).toEqual({
      table: 'bully-messages',
      cell: 'n=3 k=1 ELECTION',
      published: 3,
      ours: 3,
      tolerance: 0,
      ok: true,
    });
  });
});

describe('a command line that cannot be carried out', () => {
  const cases: Readonly<Record<string, readonly [string, ...string[]]>> = {
    'an unknown algorithm': ['explore', '--algorithm', 'bull'],
    'no algorithm': ['explore'],
    'a number that is none': ['explore', '--algorithm', 'bully', '--depth', 'x'],
    'an unknown variant': ['explore', '--algorithm', 'bully', '--variant', 'x'],
    'an unknown flag': ['reproduce', '--frobnicate'],
    'an argument too many': ['mutants', 'bully'],
    'an algorithm without mutants': ['mutants', '--algorithm', 'etcd'],
  };
  for (const [what, [name, ...parameters]] of Object.entries(cases)) {
    it(`ends with one sentence and exit code 2: ${what}`, () => {
      const { status, stdout, stderr } = call(name, ...parameters);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(/^[^\n]+\.\n$/);
    });
  }
});
