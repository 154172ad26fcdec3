import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runPromotion } from '../src/measurements/stores/promotion.js';
import { countStale } from '../src/measurements/stores/resource.js';
import { type Servers, startServers } from '../src/measurements/stores/servers.js';
import { runTrial } from '../src/measurements/stores/trial.js';

describe('stale writes', () => {
  it('are those that come after a greater token', () => {
    expect(countStale([1n, 1n, 3n, 1n, 2n, 3n, 4n])).toBe(2);
    expect(countStale([1n, 2n, 2n])).toBe(0);
  });
});

// A small share of `live.js safety`: the candidates are processes that run on what `npm run build` has made.
describe('given a leader that writes on after its time, to a fenced resource and an unfenced one', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers();
  });
  afterAll(() => servers.stop());

  it.each([
    ['hustings row', 'killed'],
    ['hustings session', 'paused'],
    ['hustings redis', 'cut-off'],
  ] as const)('%s, %s: one leader at a time, and the fence takes nothing stale', async (make, fault) => {
    const result = await runTrial(servers, make, fault, 1000);
    expect(result).toMatchObject({ overlapMs: 0, tokensGrow: true, staleFenced: 0 });
    expect(result.staleUnfenced).toBeGreaterThan(0);
  });
});

describe('given a replica of Redis that is promoted and has missed the lease', () => {
  it('two lead at once, the second with a greater token, and the fence takes nothing stale', async () => {
    const result = await runPromotion(5000);
    expect(result).toMatchObject({ tokensGrow: true, staleFenced: 0 });
    expect(result.overlapMs).toBeGreaterThan(0);
    expect(result.staleUnfenced).toBeGreaterThan(0);
  });
});
