/** The site as a reader has it: built, served as static files, and opened in Chromium. */

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../../apps/playground/test/chromium.js';
import { type Served, serve } from '../../apps/playground/test/served.js';
import { docs, root } from './pages.js';

const dist = join(docs, '.vitepress/dist');

let browser: Browser;
let served: Served;

beforeAll(async () => {
  const vitepress = join(root, 'node_modules/vitepress/bin/vitepress.js');
  const run = (...parameters: string[]) =>
    promisify(execFile)(process.execPath, parameters, { cwd: docs, timeout: 600_000 });
  await run(
    join(root, 'node_modules/typedoc/bin/typedoc'),
    ...['--options', join(root, '.config/typedoc.config.mjs')],
  );
  await run('prepare.mjs');
  await run(vitepress, 'build');
  served = await serve(dist);
  browser = await launchChromium();
}, 900_000);

afterAll(async () => {
  await browser?.close();
  await served?.[Symbol.asyncDispose]();
});

type Look = Parameters<Browser['newContext']>[0];

/** Opens a page, looks, and closes it. What it asked for elsewhere, and what it complained of, is an error. */
async function at<Value>(path: string, look: (page: Page) => Promise<Value>, how: Look = {}): Promise<Value> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...how });
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(served.url))
      wrong.push(request.url());
  });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text());
  });
  try {
    await page.goto(`${served.url}${path}`);
    const value = await look(page);
    expect(wrong).toEqual([]);
    return value;
  } finally {
    await context.close();
  }
}

const files = (): string[] =>
  readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.html') && !/^playground\//.test(path),
  );

describe('every link of the built site', () => {
  const idsOf = (html: string): ReadonlySet<string> =>
    new Set([...html.matchAll(/ id="([^"]+)"/g)].map((match) => decodeURIComponent(match[1]!)));

  it('leads to a file of the site, and to a heading of it', () => {
    const ids = new Map(files().map((path) => [path, idsOf(readFileSync(join(dist, path), 'utf8'))]));
    const dead = files().flatMap((path) => {
      const html = readFileSync(join(dist, path), 'utf8');
      const hrefs = [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map((match) => match[1]!);
      return hrefs.filter((href) => !leads(href, path, ids)).map((href) => `${path}: ${href}`);
    });
    expect(ids.size).toBeGreaterThan(80);
    expect([...new Set(dead)]).toEqual([]);
  });

  function leads(href: string, from: string, ids: ReadonlyMap<string, ReadonlySet<string>>): boolean {
    if (/^https:\/\//.test(href)) return true;
    const { pathname, hash } = new URL(href, `http://site/${from}`);
    const file = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    if (!existsSync(join(dist, file))) return false;
    const known = ids.get(file.slice(1));
    return hash === '' || known === undefined || known.has(decodeURIComponent(hash.slice(1)));
  }
});

describe('axe', () => {
  const looked = [
    'index.html',
    'start/postgres.html',
    'chapters/06-leases.html',
    'electors/postgres.html',
    'choosing.html',
    'ttl.html',
    'operating/alerts.html',
    'errors/quorum-lost.html',
    'comparison.html',
    'api/hustings/ttl.html',
  ];
  const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
  const variants = (['light', 'dark'] as const).flatMap((colorScheme) =>
    (['desktop', 'phone'] as const).map((size) => ({ colorScheme, size })),
  );

  it.each(variants)(
    'finds nothing serious on a $size, $colorScheme, and nothing is wider than the screen',
    async ({ colorScheme, size }) => {
      const viewport = sizes[size];
      const look = async (page: Page): Promise<void> => {
        for (const path of looked) {
          await page.goto(`${served.url}${path}`);
          expect(await findings(page), path).toEqual([]);
          const width = await page.evaluate(() => document.documentElement.scrollWidth);
          expect(width, path).toBeLessThanOrEqual(viewport.width);
        }
      };
      await at('index.html', look, { viewport, colorScheme });
    },
    300_000,
  );

  async function findings(page: Page): Promise<unknown[]> {
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() =>
      (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ['violations'] }),
    );
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html).slice(0, 5) }));
  }
});

describe('the search', () => {
  it.each([
    ['quorum-lost', 'errors/quorum-lost'],
    ['HUSTINGS_STALE_TOKEN', 'errors/stale-token'],
    ['StatefulSet', 'operating/kubernetes'],
    ['planLease', 'api/hustings/ttl'],
    ['raftElector', 'api/hustings/raft'],
  ])('for %s finds the page at once', async (words, path) => {
    await at('index.html', async (page) => {
      await page.locator('#local-search button').first().click();
      await page.locator('#localsearch-input').fill(words);
      const first = page.locator('.VPLocalSearchBox .result').first();
      await first.waitFor();
      await expect.poll(() => first.getAttribute('href')).toContain(path);
    });
  });
});

describe('the API reference', () => {
  interface Manifest {
    readonly private?: boolean;
    readonly exports: Readonly<Record<string, unknown>>;
  }

  /** Of a package with one import its own name, of others a folder. */
  function pagesOf(name: string): string[] {
    const manifest: Manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
    if (manifest.private) return [];
    const imports = Object.keys(manifest.exports).filter((path) => !path.endsWith('.json'));
    if (imports.length === 1) return [`${name}.html`];
    return imports.map((path) => `${name}/${path === '.' ? name : path.slice(2)}.html`);
  }

  it('has a page for everything that can be imported', () => {
    const wanted = readdirSync(join(root, 'packages')).flatMap(pagesOf);
    expect(wanted.length).toBeGreaterThan(50);
    expect(wanted.filter((path) => !existsSync(join(dist, 'api', path)))).toEqual([]);
  });
});

describe('the calculator', () => {
  it('answers when a number is changed, and says what is wrong with one that is none', async () => {
    await at('ttl.html', async (page) => {
      const etcd = page.getByRole('row', { name: /^etcd ttlSeconds/ }).first();
      expect(await etcd.innerText()).toContain('ttlSeconds: 9');
      await page.getByLabel(/Failover, ms/).fill('20000');
      await expect.poll(() => etcd.innerText()).toContain('ttlSeconds: 19');
      await page.getByLabel(/Drift, per cent/).fill('50');
      await page.getByRole('alert').waitFor();
    });
  });
});

describe('the questions', () => {
  it('end in a recommendation, with what was measured of it', async () => {
    await at('choosing.html', async (page) => {
      const answer = page.getByRole('status');
      expect(await answer.innerText()).toContain('Take raft');
      await page.getByLabel('What do you run already?').selectOption({ label: 'PostgreSQL' });
      await expect.poll(() => answer.innerText()).toContain('Take postgres');
      expect(await answer.innerText()).toContain('docs/data/stores/kill.json');
      await page.getByLabel(/refuse an old token/).selectOption('no');
      await expect.poll(() => answer.innerText()).toContain('power it off');
    });
  });
});

describe('a figure', () => {
  it('is a picture until it is asked to run', async () => {
    await at('chapters/01-the-problem.html', async (page) => {
      await page.getByRole('img', { name: /bully has a leader on each side/ }).waitFor();
      await page.getByRole('button', { name: 'Run it here' }).click();
      const frame = page.frameLocator('.hustings-figure iframe');
      await frame.getByTestId('verdict').first().waitFor();
      expect(await frame.getByTestId('verdict').first().innerText()).toContain('Split brain');
    });
  });
});

describe('without scripts', () => {
  it('there are the text, the picture, a default plan and a default answer', async () => {
    const options = { javaScriptEnabled: false };
    const text = (path: string) => at(path, (page) => page.locator('main').innerText(), options);
    expect(await text('chapters/01-the-problem.html')).toContain('Dead or merely silent?');
    expect(await text('ttl.html')).toContain('ttlSeconds: 9');
    expect(await text('choosing.html')).toContain('Take raft');
  });
});
