import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scenarios } from '../src/model/scenarios.js';
import { launchChromium } from './chromium.js';
import { goldenPath } from './golden.js';
import { type Served, serve } from './served.js';

const folder = new URL('../dist', import.meta.url).pathname;

let browser: Browser;
let served: Served;
let context: BrowserContext;
let page: Page;
let requested: string[];
let complaints: string[];

beforeAll(async () => {
  served = await serve(folder);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await served?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' });
  page = await context.newPage();
  page.setDefaultTimeout(20_000);
  requested = [];
  complaints = [];
  page.on('request', (request) => requested.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
});

afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

const part = (name: string) => page.getByTestId(name);

async function open(hash: string): Promise<void> {
  await page.goto(`${served.url}${hash}`);
  await part('verdict').first().waitFor();
}

/** Moves the slider, as a hand would: input events and all. */
async function scrub(atMs: number): Promise<void> {
  await part('scrub').evaluate((slider, value) => {
    (slider as HTMLInputElement).value = String(value);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  }, atMs);
  await expect.poll(clock).toBe(atMs);
}

const verdicts = () => part('verdict').allInnerTexts();
const clock = async () => Number.parseFloat(await part('clock').innerText());
const tab = (name: string) => page.getByRole('tab', { name });
const node = (name: string, card = 0) =>
  page
    .getByRole('article')
    .nth(card)
    .getByRole('button', { name: new RegExp(`^${name}:`) });

async function scheduleText(): Promise<string> {
  await tab('This run').click();
  if (!(await part('schedule').isVisible())) await page.getByText('As text').click();
  return part('schedule').innerText();
}

describe('a guided scenario', () => {
  it.each(scenarios)(
    '$id runs to its stated end, and its explanation is the golden one',
    async (scenario) => {
      await open(`#scenario=${scenario.id}`);
      const right = scenario.choices.findIndex(({ isRight }) => isRight);
      await part('choice').nth(right).check();
      await part('skip').click();
      const lesson = part('lesson');
      await lesson.waitFor();
      expect(await lesson.innerText()).toContain(scenario.lesson);
      expect(await page.getByText('✓ This is what happens.').count()).toBe(1);
      const told = await lesson
        .locator('h3, [data-testid="outcome"], [data-testid="statements"] li')
        .allInnerTexts();
      const golden = readFileSync(goldenPath(scenario), 'utf8')
        .split('\n')
        .filter((line) => line !== '');
      expect(told.map((line) => line.trim())).toEqual(golden);
    },
  );

  it('says so when the prediction was wrong', async () => {
    await open('#scenario=partition');
    await part('choice').first().check();
    await part('skip').click();
    await page.getByText('✕ Not this.').waitFor();
  });

  it('keeps its lesson to itself until something was predicted', async () => {
    await open('#scenario=partition');
    await scrub(3000);
    expect(await part('lesson').count()).toBe(0);
    await page.getByText('Predict first.').waitFor();
  });

  it('plays by itself to the end', async () => {
    await open('#scenario=transfer&at=2300');
    await part('choice').first().check();
    await page.getByLabel('Speed').selectOption({ label: '4×' });
    await part('watch').click();
    await part('lesson').waitFor();
    expect(await clock()).toBe(2600);
  });

  it('shows five electors side by side', async () => {
    await open('#scenario=crash&at=2050');
    expect(await page.getByRole('article').count()).toBe(5);
    const [, ring, raft, , etcd] = await verdicts();
    expect(ring).toContain('leads');
    expect(raft).toContain('Nobody leads');
    expect(etcd).toContain('Nobody leads');
  });
});

describe('time', () => {
  it('is scrubbed: the page shows what was', async () => {
    await open('#scenario=partition');
    await scrub(1500);
    expect((await verdicts())[0]).toContain('Split brain: n5 and n4 lead');
    await scrub(900);
    expect((await verdicts())[0]).toContain('n5 leads with token 1');
    await expect.poll(() => page.url()).toContain('at=900');
  });

  it('is stepped, from event to event and back', async () => {
    await open('#scenario=partition&at=990');
    await part('next').click();
    expect(await clock()).toBe(1000);
    await part('next').click();
    const later = await clock();
    expect(later).toBeGreaterThan(1000);
    await part('back').click();
    expect(await clock()).toBe(1000);
  });

  it('is stepped by arrow keys, also when a button was clicked before', async () => {
    await open('#scenario=partition&at=990');
    await part('next').click();
    await page.keyboard.press('ArrowRight');
    const later = await clock();
    expect(later).toBeGreaterThan(1000);
    await page.keyboard.press('ArrowLeft');
    expect(await clock()).toBe(1000);
  });

  it('is forked: what was planned later does not happen; and undone', async () => {
    await open('#scenario=partition&at=1500');
    await part('fork').click();
    await expect.poll(scheduleText).not.toContain('until 2200');
    await scrub(2900);
    expect((await verdicts())[0]).toContain('Split brain');
    await part('undo').click();
    await expect.poll(async () => (await verdicts())[0]).toContain('n5 leads with token 3');
  });
});

describe('the diagram', () => {
  it('tells what a clicked event came of, and what the node was before and after', async () => {
    await open('#scenario=partition&at=1297.1');
    const diagram = page.getByRole('img', { name: /Space-time diagram/ }).first();
    const box = (await diagram.boundingBox())!;
    // The playhead stands on the event, at 62 % of what is right of the names; n4 is the fourth of five lines.
    const x = 80 + (box.width - 80) * 0.62;
    const y = 40 + ((box.height - 52) / 5) * 3.5;
    await diagram.click({ position: { x, y } });
    await page.getByText('How did this come about?').waitFor();
    expect(await part('why').innerText()).toContain(
      "At 1297.1 ms n4's timer 'answer' fired, and it began to lead.",
    );
    expect(await page.getByRole('row', { name: /role/ }).innerText()).toMatch(/candidate\s+leader/);
  });

  it('is scrubbed where there is no event', async () => {
    await open('#scenario=partition&at=1500');
    await page
      .getByRole('img', { name: /Space-time diagram/ })
      .first()
      .click({ position: { x: 100, y: 22 } });
    await expect.poll(clock).toBeLessThan(1500);
  });

  it('is redrawn for every place of the slider, and the text beside it no faster than anybody reads', async () => {
    await open('#scenario=herd');
    const { changes, elapsedMs } = await part('scrub').evaluate(async (slider) => {
      let count = 0;
      const node = document.querySelector('.stage button')!;
      const observer = new MutationObserver((records) => {
        count += records.length;
      });
      observer.observe(node, { attributes: true });
      const startedMs = performance.now();
      for (let place = 0; place < 60; place += 1) {
        (slider as HTMLInputElement).value = String(1000 + place * 30);
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      observer.disconnect();
      return { changes: count, elapsedMs: performance.now() - startedMs };
    });
    expect(changes).toBeLessThanOrEqual(elapsedMs / 120 + 2);
  });
});

describe('hands', () => {
  it('crash a node, and restart it', async () => {
    await open('#scenario=pause&at=600');
    await node('n1').click();
    await part('crash').click();
    await expect.poll(() => part('crash').innerText()).toBe('Restart');
    expect((await verdicts())[0]).toContain('Nobody leads');
    await scrub(900);
    await part('crash').click();
    await expect.poll(scheduleText).toContain('at 600 crash n1 until 900');
  });

  it('leave the past as it was', async () => {
    await open('#scenario=pause&at=600');
    await scrub(300);
    const before = await node('n1').getAttribute('aria-label');
    await scrub(600);
    await node('n1').click();
    await part('isolate').click();
    await expect.poll(() => part('isolate').innerText()).toBe('Reconnect');
    await scrub(300);
    expect(await node('n1').getAttribute('aria-label')).toBe(before);
  });

  it('name nodes by their office where electors are side by side', async () => {
    await open('#scenario=partition&at=600');
    await node('n5').click();
    await part('pause').click();
    await expect.poll(scheduleText).toContain('at 600 pause leader');
    expect((await verdicts()).every((text) => text.includes('Nobody leads'))).toBe(true);
  });

  it('cut a link by dragging from node to node', async () => {
    await open('#scenario=pause&at=600');
    await node('n1').hover();
    await page.mouse.down();
    await node('n2').hover();
    await page.mouse.up();
    await expect.poll(scheduleText).toContain('at 600 cut n1 n2');
  });

  it('split some nodes off by drawing around them', async () => {
    await open('#scenario=pause&at=600');
    const box = (await node('n1').boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x - 60, y + 60);
    await page.mouse.down();
    for (const [dx, dy] of [
      [-60, -35],
      [60, -35],
      [60, 60],
      [-55, 60],
    ] as const) {
      await page.mouse.move(x + dx, y + dy, { steps: 6 });
    }
    await page.mouse.up();
    await expect.poll(scheduleText).toContain('at 600 split n1');
  });

  it('may leave the stage while they draw', async () => {
    await open('#scenario=pause&at=600');
    const stage = (await page.getByRole('group', { name: 'Nodes' }).boundingBox())!;
    const box = (await node('n1').boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x - 60, y + 60);
    await page.mouse.down();
    await page.mouse.move(x - 60, stage.y - 20, { steps: 6 });
    await page.mouse.move(x + 60, stage.y - 20, { steps: 6 });
    await page.mouse.move(x + 60, y + 60, { steps: 6 });
    await page.mouse.up();
    await expect.poll(scheduleText).toContain('at 600 split n1');
  });

  it('undo with the keyboard', async () => {
    await open('#scenario=pause&at=600');
    await node('n1').click();
    await part('crash').click();
    await expect.poll(() => part('crash').innerText()).toBe('Restart');
    await page.keyboard.press('Control+z');
    await expect.poll(() => part('crash').innerText()).toBe('Crash');
  });

  it('restore a scenario that they have changed', async () => {
    await open('#scenario=pause&at=600');
    expect(await part('restore').count()).toBe(0);
    await node('n1').click();
    await part('crash').click();
    await tab('Guide').click();
    await part('restore').click();
    await expect.poll(scheduleText).not.toContain('crash');
  });

  it('drop a message and fire a timer', async () => {
    await open('#scenario=pause&at=155');
    await node('n1').click();
    await page.getByRole('button', { name: 'Drop' }).first().click();
    await expect.poll(scheduleText).toMatch(/at 155 drop n1 n[23] pre-vote-request/);
    await tab('Hands on').click();
    await node('n2').click();
    await page.getByRole('button', { name: 'Fire' }).first().click();
    await expect.poll(scheduleText).toMatch(/at 155 fire n2 \w+/);
  });

  it('turn a slider', async () => {
    await open('#scenario=pause&at=600');
    await tab('This run').click();
    await page.getByLabel(/Raft heartbeat/).fill('30');
    await expect.poll(scheduleText).toContain('set raft.heartbeatMs 30');
  });

  it('are told why a setting cannot work, and nothing changes', async () => {
    await open('#scenario=pause&at=600');
    const before = await scheduleText();
    await page.getByLabel(/Raft heartbeat/).fill('100');
    await page.getByLabel(/Raft election timeout/).fill('100');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('heartbeatMs');
    expect(await part('schedule').innerText()).toBe(
      before.replace('latency', 'set raft.heartbeatMs 100\nlatency'),
    );
  });
});

describe('a link', () => {
  it('from a search opens at the violation', async () => {
    const search = new URL('../../lab/dist/tools/search.js', import.meta.url).pathname;
    const found = runTool(search, '--algorithm', 'bully', '--seeds', '100', '--limit', '1', '--json');
    const { shrunk, detail } = (JSON.parse(found) as { violations: { shrunk: string; detail: string }[] })
      .violations[0]!;
    await open(`#run=${shrunk}`);
    await page.getByText('Broken:').waitFor();
    expect(await page.getByRole('article').innerText()).toContain(detail);
    expect((await verdicts())[0]).toContain('Split brain');
    expect(await part('why').innerText()).toContain('lead at the same time');
  });

  it('is printed with a failing run, and holds its name', () => {
    const search = new URL('../../lab/dist/tools/search.js', import.meta.url).pathname;
    const report = runTool(search, '--algorithm', 'bully', '--seeds', '100', '--limit', '1').replace(
      /\s+/g,
      ' ',
    );
    expect(report).toMatch(/http:\/\/localhost:4173\/#run=2\.bully\.default\./);
  });

  it('holds the run: another page shows the same', async () => {
    await open('#scenario=pause&at=600');
    await node('n1').click();
    await part('pause').click();
    await expect.poll(() => page.url()).toContain('#run=2.raft.default.x.');
    const address = page.url();
    const there = await verdicts();
    await page.goto('about:blank');
    await page.goto(address);
    await part('verdict').first().waitFor();
    expect(await verdicts()).toEqual(there);
    expect(await clock()).toBe(600);
  });

  it('is shown where the browser does not let a page copy', async () => {
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await open('#scenario=pause&at=600');
    await tab('This run').click();
    await page.getByRole('button', { name: 'Copy link' }).click();
    expect(await part('link').inputValue()).toMatch(/#scenario=pause&at=600$/);
  });

  it('that lost a letter is refused with a sentence', async () => {
    await open('#run=2.bully.default.s.7.3-7.5m9r.sqptx');
    expect(await page.getByRole('alert').innerText()).toContain('damaged');
  });
});

/** What a tool prints; a find is a failure of it, by its exit code. */
function runTool(path: string, ...flags: readonly string[]): string {
  try {
    return execFileSync(process.execPath, [path, ...flags], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe('without a mouse', () => {
  it('scenario 1 can be run by the keyboard alone', async () => {
    await open('#scenario=partition');
    await tabTo('choice');
    await page.keyboard.press('ArrowDown');
    await tabTo('skip');
    await page.keyboard.press('Enter');
    await part('lesson').waitFor();
    await page.getByText('✓ This is what happens.').waitFor();
    await tabTo('scrub');
    await page.keyboard.press('Home');
    expect(await clock()).toBe(0);
    await tabTo('next');
    await page.keyboard.press('Enter');
    expect(await clock()).toBeGreaterThan(0);
  });

  it('every node can be reached, says what it is, and opens what can be done to it', async () => {
    await open('#scenario=partition&at=600');
    await node('n5').focus();
    expect(await node('n5').getAttribute('aria-label')).toContain('role leader');
    await page.keyboard.press('Enter');
    await part('crash').waitFor();
  });

  /** Presses Tab until it is there. */
  async function tabTo(name: string): Promise<void> {
    for (let presses = 0; presses < 80; presses += 1) {
      await page.keyboard.press('Tab');
      const reached = await page.evaluate(
        () => (document.activeElement as HTMLElement | null)?.dataset['testid'],
      );
      if (reached === name) return;
    }
    throw new Error(`Tab never reaches ${name}.`);
  }
});

describe('an accessibility checker', () => {
  async function seriousFindings(): Promise<unknown[]> {
    await page.evaluate(axe.source);
    return page.evaluate(async () => {
      const { violations } = await (
        globalThis as unknown as {
          axe: {
            run(): Promise<{
              violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
            }>;
          };
        }
      ).axe.run();
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => ({
          id,
          nodes: nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`),
        }));
    });
  }

  it.each(['light', 'dark'] as const)('finds nothing serious on any panel, %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await open('#scenario=partition&at=1500');
    await node('n5').click();
    for (const name of ['Guide', 'Hands on', 'Why?', 'This run']) {
      await tab(name).click();
      expect(await seriousFindings(), name).toEqual([]);
    }
    await tab('Guide').click();
    await part('choice').first().check();
    await part('skip').click();
    await part('lesson').waitFor();
    expect(await seriousFindings(), 'the lesson').toEqual([]);
  });

  it('finds nothing serious in the quiz, nor on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open('#scenario=crash&at=2090');
    expect(await seriousFindings()).toEqual([]);
    await part('scenario').selectOption('quiz');
    await page.getByLabel('Bully', { exact: true }).check();
    await page.getByText('Bully asks only those it can see.').waitFor();
    expect(await seriousFindings()).toEqual([]);
  });
});

describe('the quiz', () => {
  it('remembers what was answered while one looks at a scenario', async () => {
    await open('#scenario=partition');
    await part('scenario').selectOption('quiz');
    await page.getByLabel('Raft', { exact: true }).check();
    await page.getByRole('button', { name: 'See it happen' }).click();
    await part('verdict').first().waitFor();
    await part('scenario').selectOption('quiz');
    await page.getByText('0 of 1 right.').waitFor();
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(1);
  });
});

describe('a projector', () => {
  const few = scenarios.filter(({ electors }) => electors.length <= 3);
  it.each(few)('shows $id whole, and no verdict is cut short', async ({ id, fromMs }) => {
    await open(`#scenario=${id}&at=${fromMs + 300}`);
    const barTop = (await page.getByRole('contentinfo').boundingBox())!.y;
    for (const card of await page.getByRole('article').all()) {
      const diagram = (await card.getByRole('img').boundingBox())!;
      expect(diagram.y + diagram.height).toBeLessThanOrEqual(barTop);
    }
    const isCut = (verdict: Element): boolean => verdict.scrollWidth > verdict.clientWidth;
    for (const verdict of await part('verdict').all()) expect(await verdict.evaluate(isCut)).toBe(false);
  });
});

describe('the page', () => {
  it('asks nobody but its own server', async () => {
    await open('#scenario=crash');
    await scrub(3000);
    const elsewhere = requested.filter((url) => !url.startsWith(served.url) && !url.startsWith('data:'));
    expect(requested.length).toBeGreaterThan(1);
    expect(elsewhere).toEqual([]);
  });

  it('works from a folder of a web server', async () => {
    await using elsewhere = await serve(folder, '/courses/elections/');
    await page.goto(`${elsewhere.url}#scenario=pause`);
    await part('verdict').first().waitFor();
    expect(requested.every((url) => url.startsWith(elsewhere.url))).toBe(true);
  });

  it('brings what can be done to a node into sight, on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open('#scenario=partition&at=600');
    await node('n5').click();
    await part('crash').waitFor();
    await expect
      .poll(async () => (await part('crash').boundingBox())!.y)
      .toSatisfy((y: number) => y > 0 && y < 700);
  });

  it('fits a phone: nothing is wider than the screen', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open('#scenario=partition&at=1500');
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
  });
});
