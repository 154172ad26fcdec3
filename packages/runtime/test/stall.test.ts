import { lead } from '@hustings/elector';
import { MemoryNetwork } from '@hustings/transport/memory';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createElector, type Diagnostic, memoryStorage, monotonicClock } from '../src/index.js';
import { leasedProtocol } from './leased-protocol.js';
import { obliging, startedScene } from './scripted.js';

const patience = { timeout: 30_000 };

function blockEventLoop(forMs: number): void {
  const untilMs = performance.now() + forMs;
  while (performance.now() < untilMs);
}

describe('given a real leader with a lease of 400 ms', () => {
  async function leader(onDiagnostic: (diagnostic: Diagnostic) => void = () => {}) {
    const elector = createElector({
      protocol: leasedProtocol({ leaseMs: 400, renewEveryMs: 20 }),
      transport: new MemoryNetwork<{ type: string }>().transport('a', []),
      peers: [],
      storage: memoryStorage<null>(),
      stallThresholdMs: 50,
      onDiagnostic,
    });
    await elector.start();
    return { elector, leadership: await elector.campaign() };
  }

  it('renews for as long as the event loop turns', async () => {
    const { elector, leadership } = await leader();
    const firstDeadlineMs = performance.now() + leadership.remainingMs;
    await vi.waitUntil(() => performance.now() > firstDeadlineMs || leadership.signal.aborted, patience);
    expect(leadership.signal.aborted).toBe(false);
    await elector.stop();
  });

  it('finds assertValid throwing first when the event loop stalls past the deadline', async () => {
    const diagnostics: Diagnostic[] = [];
    const { elector, leadership } = await leader((diagnostic) => diagnostics.push(diagnostic));
    blockEventLoop(450);
    expect(leadership.signal.aborted).toBe(false);
    expect(() => leadership.assertValid()).toThrow(expect.objectContaining({ reason: 'lease-expired' }));
    await vi.waitUntil(() => leadership.signal.aborted, patience);
    await vi.waitUntil(() => diagnostics.some(({ type }) => type === 'stalled'), patience);
    expect(diagnostics.some(({ type }) => type === 'lease-lapsed')).toBe(true);
    await elector.stop();
  });

  it('leads again after work that returned because no time was left, though no timer had noticed', async () => {
    const { elector } = await leader();
    let runs = 0;
    await lead(elector, async (leadership) => {
      runs += 1;
      if (runs === 1) blockEventLoop(450);
      expect(leadership.remainingMs > 0).toBe(runs === 2);
    });
    expect(runs).toBe(2);
    await elector.stop();
  });
});

describe('given a watch on the event loop', () => {
  it('reports a pause longer than the threshold', async () => {
    const { clock, diagnostics } = await startedScene(obliging, { stallThresholdMs: 200 });
    clock.pause(1000);
    await clock.advance(0);
    expect(diagnostics).toEqual([{ type: 'stalled', forMs: 950 }]);
  });

  it('does not report a small delay', async () => {
    const { clock, diagnostics } = await startedScene(obliging, { stallThresholdMs: 200 });
    clock.pause(250);
    await clock.advance(500);
    expect(diagnostics).toEqual([]);
  });

  it('survives a listener that throws', async () => {
    const { clock, transport, heard } = await startedScene(obliging, {
      onDiagnostic: () => {
        throw new Error('listener');
      },
    });
    clock.pause(1000);
    await clock.advance(0);
    await transport.receive('still here');
    expect(heard().at(-1)).toBe('received');
  });

  it('survives a listener whose promise is rejected', async () => {
    const rejected = vi.fn();
    process.on('unhandledRejection', rejected);
    onTestFinished(() => void process.off('unhandledRejection', rejected));
    const { clock } = await startedScene(obliging, {
      onDiagnostic: async () => {
        throw new Error('listener');
      },
    });
    clock.pause(1000);
    await clock.advance(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejected).not.toHaveBeenCalled();
  });
});

describe('given the monotonic clock', () => {
  it('never calls back early', async () => {
    for (const delayMs of [0.4, 1.5, 3.9]) {
      const startedMs = monotonicClock.nowMs();
      await new Promise<void>((resolve) => monotonicClock.setTimer(delayMs, resolve));
      expect(monotonicClock.nowMs() - startedMs).toBeGreaterThanOrEqual(delayMs);
    }
  });

  it('does not call back at once when the delay is longer than a timer can be', async () => {
    const callback = vi.fn();
    const cancel = monotonicClock.setTimer(2 ** 40, callback);
    await new Promise<void>((resolve) => monotonicClock.setTimer(20, resolve));
    expect(callback).not.toHaveBeenCalled();
    cancel();
  });
});
