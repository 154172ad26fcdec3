import { beforeAll, describe, expect, it } from 'vitest';
import { silentProgress } from '../src/progress.js';
import type { Row } from '../src/results.js';
import { runSimulated } from '../src/simulated/run.js';
import { renderValidation, validate } from '../src/validation.js';

let simulated: readonly Row[];
beforeAll(async () => {
  const { rows } = await runSimulated(
    {
      ...{ algorithms: ['raft'], variants: false, nodes: [3], faults: ['crash', 'graceful'], trials: 20 },
      ...{ profile: 'matched', budgetMs: 2000, seed: 'test' },
    },
    { workers: 0, progress: silentProgress, signal: new AbortController().signal },
  );
  simulated = rows;
});

const slower = (factor: number): Row[] =>
  simulated.map((row) => ({ ...row, failoverMs: { ...row.failoverMs!, p50: factor * row.failoverMs!.p50 } }));

describe('a live row beside its simulated twin', () => {
  it('is within the tolerance when it takes a fifth longer, and needs no reason', () => {
    expect(validate(simulated, slower(1.2))).toMatchObject([
      { fault: 'crash', ratio: 1.2, within: true, reason: null },
      { fault: 'graceful', ratio: 1.2, within: true, reason: null },
    ]);
  });

  it('is not when it takes ten times as long, and the reason stands beside it', () => {
    const validations = validate(simulated, slower(10));
    expect(validations).toMatchObject([
      { within: false, reason: expect.stringContaining('busy machine') },
      { within: false, reason: expect.stringContaining('disk') },
    ]);
    expect(renderValidation(validations)).toMatch(/raft +3 +graceful .* 10\.00 +differs: .*disk/);
  });

  it('is explained by chance when the simulated trials vary as much', () => {
    const [crash] = simulated;
    const live = { ...crash!, failoverMs: { ...crash!.failoverMs!, p50: crash!.failoverMs!.max } };
    const twin = { ...crash!, failoverMs: { ...crash!.failoverMs!, p50: crash!.failoverMs!.max / 2 } };
    expect(validate([twin], [live])[0]!.reason).toMatch(/own spread/);
  });

  it('that nobody took over is no match for one that somebody did', () => {
    const none = simulated.map((row) => ({ ...row, failoverMs: null }));
    expect(validate(simulated, none).every(({ within }) => within)).toBe(false);
  });
});
