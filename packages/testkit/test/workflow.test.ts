import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

it("the workflow runs the README's test command, to the letter, and no test of its own", () => {
  const [, command] = /runs them all:\n\n```sh\n(.+)\n```/.exec(read('README.md')) ?? [];
  const steps = [...read('.github/workflows/test.yml').matchAll(/- run: (.+)/g)].map((match) => match[1]);
  expect(steps).toEqual([command, 'npm run -s lint', 'npm run -s types']);
});

it('the tests that begin first are all there', () => {
  const slowest: readonly string[] = JSON.parse(read('.config/slowest-tests.json'));
  expect(slowest.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
  expect(new Set(slowest).size).toBe(slowest.length);
});
