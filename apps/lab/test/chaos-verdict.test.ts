import { describe, expect, it } from 'vitest';
import type { Happening } from '../src/chaos/history.js';
import { judge } from '../src/chaos/verdict.js';

const endMs = 1000;
const twoProcesses: Happening[] = [
  { type: 'started', atMs: 0, process: 1, node: 'n1' },
  { type: 'started', atMs: 0, process: 2, node: 'n2' },
];
const began = (process: number, atMs: number, token = BigInt(process)): Happening => ({
  type: 'began',
  ...{ atMs, process, token },
});
const ended = (process: number, atMs: number, token = BigInt(process)): Happening => ({
  type: 'ended',
  ...{ atMs, process, token },
});
const wrote = (process: number, atMs: number, accepted: boolean): Happening => ({
  type: 'wrote',
  ...{ atMs, process, token: BigInt(process), accepted },
});
const judged = (...happenings: Happening[]) => judge([...twoProcesses, ...happenings], endMs);

describe('two Leaderships', () => {
  it('overlap when both are valid at once', () => {
    const { overlaps, leaderships } = judged(began(1, 100), began(2, 300), ended(1, 350), ended(2, 900));
    expect(overlaps).toEqual([
      {
        fromMs: 300,
        toMs: 350,
        holders: [
          { node: 'n1', process: 1, token: 1n },
          { node: 'n2', process: 2, token: 2n },
        ],
      },
    ]);
    expect(leaderships).toBe(2);
  });

  it('do not when the one ends as the other begins, in whatever order that is reported', () => {
    expect(judged(began(1, 100), ended(1, 300), began(2, 300)).overlaps).toEqual([]);
    expect(judged(began(2, 300), began(1, 100), ended(1, 300)).overlaps).toEqual([]);
  });

  it('do not when the lease of the first had run out before its work began', () => {
    expect(judged(began(1, 100), ended(1, 90), began(2, 300)).overlaps).toEqual([]);
  });

  it('overlap to the end when nobody reports that the first is over', () => {
    expect(judged(began(1, 100), began(2, 300)).overlaps).toMatchObject([{ fromMs: 300, toMs: endMs }]);
  });

  it('do not when the first one died with its process', () => {
    expect(judged(began(1, 100), { type: 'died', atMs: 250, process: 1 }, began(2, 300)).overlaps).toEqual(
      [],
    );
  });

  it('do not while one of them is stopped, and do as soon as it runs and is valid', () => {
    const stopped: Happening = { type: 'stopped', atMs: 200, process: 1 };
    const continued: Happening = { type: 'continued', atMs: 500, process: 1 };
    expect(judged(began(1, 100), stopped, began(2, 300)).overlaps).toEqual([]);
    // Its lease ran out while it was stopped: it finds that out before it does anything.
    expect(judged(began(1, 100), stopped, began(2, 300), continued, ended(1, 280)).overlaps).toEqual([]);
    expect(judged(began(1, 100), stopped, began(2, 300), continued, ended(1, 520)).overlaps).toMatchObject([
      { fromMs: 500, toMs: 520 },
    ]);
  });
});

describe('tokens', () => {
  it('grow', () => {
    expect(judged(began(1, 100), ended(1, 200), began(2, 300)).tokenFaults).toEqual([]);
  });

  it.each([1n, 2n])('must be greater than 2: %d is not', (token) => {
    expect(judged(began(2, 100), ended(2, 200), began(1, 300, token)).tokenFaults).toEqual([
      { atMs: 300, token, earlier: 2n },
    ]);
  });
});

describe('a write', () => {
  const terms = [began(1, 100), ended(1, 200), began(2, 300)];

  it('is stale when it arrives after one of a newer leader, and must be refused', () => {
    expect(judged(...terms, wrote(2, 310, true), wrote(1, 320, false))).toMatchObject({
      writes: 2,
      staleWrites: 1,
      staleAcceptedAtMs: [],
    });
    expect(judged(...terms, wrote(2, 310, true), wrote(1, 320, true))).toMatchObject({
      staleWrites: 1,
      staleAcceptedAtMs: [320],
    });
  });

  it('is not before the newer leader has written, however late it is', () => {
    expect(judged(...terms, wrote(1, 305, true), wrote(2, 310, true))).toMatchObject({ staleWrites: 0 });
  });
});

describe('time without a leader', () => {
  const well = (atMs: number, isWell: boolean): Happening => ({ type: 'well', atMs, well: isWell });

  it('counts while there should be one', () => {
    const { wellMs, leaderless } = judged(well(100, true), began(1, 150), ended(1, 400), well(600, false));
    expect(wellMs).toBe(500);
    expect(leaderless).toEqual([
      { fromMs: 100, toMs: 150 },
      { fromMs: 400, toMs: 600 },
    ]);
  });

  it('does not while there need not be one', () => {
    const { wellMs, leaderless } = judged(well(100, true), began(1, 100), well(400, false), ended(1, 400));
    expect([wellMs, leaderless]).toEqual([300, []]);
  });

  it('counts while the only leader is stopped', () => {
    const stopped: Happening = { type: 'stopped', atMs: 300, process: 1 };
    expect(judged(well(100, true), began(1, 100), stopped).leaderless).toEqual([
      { fromMs: 300, toMs: endMs },
    ]);
  });
});

describe('a process that gives up', () => {
  it('is told of', () => {
    expect(judged({ type: 'failed', atMs: 10, process: 1, reason: 'why' }).failures).toEqual([
      { atMs: 10, reason: 'why' },
    ]);
  });
});
