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

describe('explore, of an algorithm that does not promise one leader', () => {
  it('says how to see two, and then shows the shortest way to them', () => {
    expect(call('explore', '--algorithm', 'bully', '--depth', '3').stdout).toContain(
      '--undeclared looks for two',
    );
    const { status, stdout } = call('explore', '--algorithm', 'bully', '--undeclared');
    expect(status).toBe(0);
    expect(stdout).toContain('Not promised, and not kept: at most one leader at a time');
  });
});

describe('explore, of an algorithm with a coordinator', () => {
  it('prints states and depth, and no violation', { timeout: 120_000 }, () => {
    const { stdout } = call('explore', '--algorithm', 'etcd', '--max-states', '20000', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ algorithm: 'etcd', nodes: 3, violations: [] });
  });
});

describe('what the tools print', () => {
  it.each([
    ['explore', '--algorithm', 'bully', '--depth', '5'],
    ['explore', '--algorithm', 'bully', '--undeclared'],
    ['mutants', '--algorithm', 'bully'],
    ['search', '--algorithm', 'bully', '--seeds', '60'],
    ['replay', 'bully.default.5.split.matched.300.1x8k2p'],
  ])('%s %s %s fits eighty columns', { timeout: 120_000 }, (name, ...parameters) => {
    const { stdout } = call(name, ...parameters);
    // A command or an address is there to be copied, and stays whole, on a line of its own.
    const lines = stdout
      .split('\n')
      .filter((line) => !/^\s*(npm run|http:\/\/localhost:4173\/\S+$)/.test(line));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
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
    'something without mutants': ['mutants', '--algorithm', 'runtime'],
  };
  for (const [what, [name, ...parameters]] of Object.entries(cases)) {
    it(`ends with one sentence and exit code 2: ${what}`, () => {
      const { status, stdout, stderr } = call(name, ...parameters);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(/^[^\n]+\.\n$/);
    });
  }
});
