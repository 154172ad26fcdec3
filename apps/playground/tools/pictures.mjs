#!/usr/bin/env node
// Takes the pictures of the README and of the chapters: docs/pictures/playground-*.png. Each shows one moment of one scenario.

import { fileURLToPath } from 'node:url';
import { openPlayground } from './opened.mjs';

const sizes = {
  desktop: { width: 1440, height: 900 },
  projector: { width: 1280, height: 720 },
  phone: { width: 390, height: 844 },
};

const finish = async (page) => {
  await page.getByTestId('choice').nth(1).check();
  await page.getByTestId('skip').click();
  await page.getByTestId('lesson').waitFor();
};

const why = (page) => page.getByRole('button', { name: 'Why?' }).first().click();

const toStage = (page) => page.getByRole('article').first().scrollIntoViewIfNeeded();

const pictures = [
  { name: 'partition', size: 'projector', theme: 'light', hash: 'scenario=partition&at=1298.7' },
  { name: 'partition', size: 'projector', theme: 'dark', hash: 'scenario=partition&at=1298.7', act: why },
  { name: 'crash', size: 'desktop', theme: 'light', hash: 'scenario=crash&at=2099' },
  { name: 'crash', size: 'desktop', theme: 'dark', hash: 'scenario=crash&at=2099' },
  { name: 'pause', size: 'desktop', theme: 'light', hash: 'scenario=pause', act: finish },
  { name: 'partition', size: 'phone', theme: 'light', hash: 'scenario=partition&at=1298.7' },
  { name: 'partition', size: 'phone', theme: 'dark', hash: 'scenario=partition&at=1298.7', act: toStage },
  ...Object.entries({
    'one-way': 1600,
    'split-vote': 700,
    'pre-vote': 2400,
    lease: 3200,
    drift: 2800,
    herd: 2904,
    middle: 3000,
    forgetful: 2400,
    transfer: 1010,
    heir: 4200,
    certificate: 3300,
    stores: 7000,
    many: 3600,
  }).map(([name, atMs]) => ({
    ...{ name, size: 'projector', theme: 'light', hash: `scenario=${name}&at=${atMs}`, act: toStage },
  })),
];

const opened = await openPlayground();
try {
  for (const { name, size, theme, hash, act } of pictures) {
    const context = await opened.browser.newContext({
      viewport: sizes[size],
      colorScheme: theme,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    await page.goto(`${opened.url}#${hash}`);
    await page.getByTestId('verdict').first().waitFor();
    await act?.(page);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 400)));
    const file = `../../../docs/pictures/playground-${name}-${size}-${theme}.png`;
    await page.screenshot({ path: fileURLToPath(new URL(file, import.meta.url)) });
    await context.close();
  }
} finally {
  await opened.close();
}
