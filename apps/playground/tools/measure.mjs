#!/usr/bin/env node
// How much script a frame takes, and how many frames there are, while a large run plays and is scrubbed; and how long
// it takes to open. Writes docs/data/playground.json. Script is counted in time of its own thread, so that a busy
// machine does not flatter or spoil it; frames are what this machine managed.

import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { gzipSync } from 'node:zlib';
import { withSubject } from '@hustings/catalogue';
import { formatRunName, nodeNames, parseSchedule, record } from '@hustings/simulator';
import { openPlayground } from './opened.mjs';

const measuredMs = 5000;

/** Raft with a crash now and then, as long as it takes to have so many events. */
function runOf(nodes, durationMs) {
  const faults = Array.from({ length: Math.floor(durationMs / 1000) }, (_, index) => {
    const atMs = 500 + index * 1000;
    return `at ${atMs} crash leader until ${atMs + 400}`;
  });
  const text = [
    `nodes ${nodeNames(nodes).join(' ')}`,
    'seed 1',
    'latency 1 5',
    `run ${durationMs}`,
    ...faults,
  ];
  const schedule = parseSchedule(text.join('\n'));
  const events = withSubject('raft', 'default', (subject) => record(subject, schedule).facts.events.length);
  return {
    name: formatRunName({ algorithm: 'raft', variant: 'default', type: 'schedule', schedule }),
    events,
  };
}

async function main() {
  const opened = await openPlayground();
  try {
    const runs = [
      { title: '25 nodes, 10,000 events', nodes: 25, durationMs: 9200 },
      { title: '25 nodes, 100,000 events', nodes: 25, durationMs: 94_000 },
    ];
    const results = [];
    for (const { title, nodes, durationMs } of runs) {
      results.push({ title, ...(await measure(opened, runOf(nodes, durationMs))) });
      console.error(JSON.stringify(results.at(-1)));
    }
    const document = {
      date: new Date().toISOString().slice(0, 10),
      command: 'npm run measure -w apps/playground',
      machine: `${cpus().length} cores, Chromium ${opened.browser.version()}, software rendering`,
      viewport: '1280x720',
      results,
      compressedBytes: await compressedBytes(opened),
    };
    const path = new URL('../../../docs/data/playground.json', import.meta.url);
    writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`);
  } finally {
    await opened.close();
  }
}

async function measure({ browser, url }, { name, events }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  page.setDefaultTimeout(180_000);
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const startedMs = performance.now();
  await page.goto(`${url}#run=${name}&at=300`);
  await page.getByTestId('verdict').first().waitFor();
  const openedMs = Math.round(performance.now() - startedMs);
  await page.getByTestId('play').click();
  const playing = await watch(page, session);
  await page.getByTestId('play').click();
  await scrubForever(page);
  const scrubbing = await watch(page, session);
  await context.close();
  return { events, openedMs, playing, scrubbing };
}

/** A new place of the slider every frame, across the whole run and back. */
function scrubForever(page) {
  return page.getByTestId('scrub').evaluate((slider) => {
    let frame = 0;
    const move = () => {
      frame += 1;
      const phase = (frame % 240) / 120;
      slider.value = String(Number(slider.max) * (phase < 1 ? phase : 2 - phase));
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      requestAnimationFrame(move);
    };
    move();
  });
}

async function watch(page, session) {
  const before = await scriptSeconds(session);
  const frames = await page.evaluate(
    (durationMs) =>
      new Promise((resolve) => {
        let count = 0;
        const startedMs = performance.now();
        const tick = () => {
          count += 1;
          if (performance.now() - startedMs < durationMs) requestAnimationFrame(tick);
          else resolve({ count, ms: performance.now() - startedMs });
        };
        requestAnimationFrame(tick);
      }),
    measuredMs,
  );
  const script = (await scriptSeconds(session)) - before;
  return {
    scriptMsPerFrame: round((script * 1000) / frames.count),
    framesPerSecond: round((frames.count / frames.ms) * 1000),
  };
}

async function scriptSeconds(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'ScriptDuration').value;
}

async function compressedBytes({ browser, url }) {
  const page = await browser.newPage();
  const sizes = [];
  page.on('response', (response) => sizes.push(response.body()));
  await page.goto(url);
  await page.getByTestId('verdict').first().waitFor();
  const bodies = await Promise.all(sizes);
  await page.close();
  return bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
}

const round = (value) => Math.round(value * 100) / 100;

await main();
