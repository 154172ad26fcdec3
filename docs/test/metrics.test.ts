import { describe, expect, it } from 'vitest';
import { pages, read } from './pages.js';

const page = pages.find(({ path }) => path === 'operating/alerts.md')!.text;
const inLibrary = read('packages/hustings/src/telemetry.ts').match(/(?<=')hustings\.[a-z.]+(?=')/g) ?? [];
const inSidecar = read('packages/hustings/src/cli/metrics.ts').match(/(?<=')hustings_[a-z_]+(?=')/g) ?? [];
const names = [...new Set([...inLibrary, ...inSidecar])];

describe('the page about metrics', () => {
  it.each(names)('has %s, which the code has', (name) => {
    expect(page).toContain(name);
  });

  it('has none that the code has not', () => {
    const told = new Set(page.match(/\bhustings[._][a-z_.]*[a-z]/g));
    const spans = ['hustings.campaign', 'hustings.resign'];
    const labels = ['hustings_election'];
    expect([...told].filter((name) => ![...names, ...spans, ...labels].includes(name))).toEqual([]);
  });
});
