import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Peer } from '../src/peer.js';

const silent = { received: () => {}, linkUp: () => {}, linkDown: () => {} };

describe('a peer that cannot be reached', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function attemptTimesMs(random: () => number, forMs: number): number[] {
    const timesMs: number[] = [];
    const startMs = performance.now();
    const settings = { handshakeTimeoutMs: 100, reconnectDelayMs: { baseMs: 50, capMs: 400 }, random };
    const peer = new Peer('a', 'b', settings, silent, () => {
      timesMs.push(performance.now() - startMs);
      return null;
    });
    void peer.dial();
    vi.advanceTimersByTime(forMs);
    peer.stop();
    vi.advanceTimersByTime(forMs);
    return timesMs;
  }

  it('is dialled after waits that double up to the cap, and not after the stop', () => {
    expect(attemptTimesMs(() => 1, 1600)).toEqual([0, 50, 150, 350, 750, 1150, 1550]);
  });

  it('is dialled after any part of that wait, so that nodes do not dial in step', () => {
    expect(attemptTimesMs(() => 0.5, 400)).toEqual([0, 25, 75, 175, 375]);
  });
});
