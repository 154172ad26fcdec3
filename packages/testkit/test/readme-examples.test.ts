import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs the first example of a README as a user would who pastes it into a file. */
async function runExample(readme: string): Promise<string> {
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(`${root}${readme}`, 'utf8')) ?? [];
  const flags = ['--input-type=module', '--eval', example];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: root });
  return stdout;
}

describe('the example in the README of', () => {
  it('the simulator finds two leaders and tells how it came to that', async () => {
    const printed = await runExample('packages/simulator/README.md');
    expect(printed).toContain("property: 'at most one leader at a time'");
    expect(printed).toContain("detail: 'n1 and n3 both lead'");
    expect(printed).toContain('FAULT split n1');
  });
});
