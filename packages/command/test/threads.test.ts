import { describe, expect, it } from 'vitest';
import { workInThreads } from '../src/index.js';

const file = new URL('./doubling-worker.mjs', import.meta.url);
const never = new AbortController().signal;

async function double(numbers: readonly number[], threads: number, signal = never): Promise<number[][]> {
  const results: number[][] = [];
  await workInThreads<number, number>(numbers, {
    file,
    workerData: 2,
    threads,
    signal,
    onResult: (task, result) => results.push([task, result]),
  });
  return results.sort(([a = 0], [b = 0]) => a - b);
}

describe('threads', () => {
  it.each([1, 3])('share the work, %i of them, and each result comes with its task', async (threads) => {
    expect(await double([1, 2, 3, 4], threads)).toEqual([
      [1, 2],
      [2, 4],
      [3, 6],
      [4, 8],
    ]);
  });

  it('take nothing more when they are called off', async () => {
    const controller = new AbortController();
    const results = double([1, 2, 3], 1, controller.signal);
    controller.abort();
    expect(await results).toEqual([]);
  });

  it('fail together when one does', async () => {
    await expect(double([1, Number.NaN], 1)).rejects.toThrow('not a number');
  });
});
