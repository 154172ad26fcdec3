import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounded, summarise } from '../src/statistics.js';

describe('a summary', () => {
  it('takes its quantiles by nearest rank', () => {
    const samples = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect(summarise(samples)).toEqual({
      min: 1,
      p25: 50,
      p50: 100,
      p75: 150,
      mean: 100.5,
      p95: 190,
      p99: 198,
      max: 200,
    });
  });

  it('of twenty samples calls the nineteenth p95, whatever floating point makes of 0.95 × 20', () => {
    expect(summarise(Array.from({ length: 20 }, (_, index) => index + 1))).toMatchObject({
      p95: 19,
      p99: 20,
    });
  });

  it('of one sample is that sample throughout', () => {
    expect(summarise([7.25])).toEqual({
      min: 7.25,
      p25: 7.25,
      p50: 7.25,
      p75: 7.25,
      mean: 7.25,
      p95: 7.25,
      p99: 7.25,
      max: 7.25,
    });
  });

  it('of nothing is null, never a zero that looks like a good result', () => {
    expect(summarise([])).toBeNull();
  });

  it('keeps microseconds and drops what is finer', () => {
    expect(rounded(1.2345678)).toBe(1.235);
  });

  it('has ordered quantiles, each of which was measured', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 }), (samples) => {
        const { min, p50, p95, p99, max } = summarise(samples)!;
        const quantiles = [min, p50, p95, p99, max];
        expect(quantiles).toEqual([...quantiles].sort((a, b) => a - b));
        const measured = new Set(samples.map(rounded));
        expect(quantiles.every((quantile) => measured.has(quantile))).toBe(true);
      }),
    );
  });
});
