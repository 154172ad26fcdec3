/** A student's own file in the page, as the grader's link opens it. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { formatRunName, parseSchedule } from '@hustings/simulator';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from './chromium.js';

const root = new URL('../../../', import.meta.url).pathname;
const serve = 'apps/playground/tools/serve.mjs';
const file = 'apps/classroom/answers/05-bully/textbook.ts';
const cutOff = parseSchedule(
  'nodes n1 n2 n3\nseed 1\nlatency 1 5\nrun 3000\nat 1000 isolate n3 until 2500\n',
);

let server: ChildProcess;
let url: string;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  server = spawn(process.execPath, [serve, '--with', file], { cwd: root });
  url = await addressOf(server);
  browser = await launchChromium();
  page = await browser.newPage();
});

afterAll(async () => {
  await browser?.close();
  server?.kill();
});

function addressOf({ stdout, stderr }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let told = '';
    stdout?.on('data', (part) => {
      told += stripVTControlCharacters(String(part));
      const address = /http:\/\/localhost:\d+\//.exec(told)?.[0];
      if (address !== undefined) resolve(address);
    });
    stderr?.on('data', (part) => reject(new Error(String(part))));
  });
}

describe('a student’s elector', () => {
  it('is shown under its own name, at the moment of the link', async () => {
    const run = formatRunName({
      algorithm: 'my-05-bully',
      variant: 'default',
      type: 'schedule',
      schedule: cutOff,
    });
    await page.goto(`${url}#run=${run}&at=1800`);
    await page.getByTestId('verdict').first().waitFor();
    expect(await page.getByRole('article').first().innerText()).toContain('Yours');
    expect(await page.getByTestId('verdict').first().innerText()).toContain('Split brain');
    expect(Number.parseFloat(await page.getByTestId('clock').innerText())).toBeCloseTo(1800);
  });

  it('is not looked for where no file is', async () => {
    const refused = spawn(process.execPath, [serve, '--with', 'my/nothing.ts'], { cwd: root });
    const told = new Promise((resolve) => refused.stderr.once('data', (part) => resolve(String(part))));
    expect(await told).toMatch(/^There is no file my\/nothing\.ts; begin an exercise with /);
  });
});

describe('a port that cannot be', () => {
  it.each(['abc', '99999'])('%s is refused with one sentence', (port) => {
    const options = { cwd: root, encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync(process.execPath, [serve, '--port', port], options);
    expect(stderr).toBe(`--port takes a whole number from 0 to 65535, not '${port}'.\n`);
    expect(status).toBe(2);
  });
});
