import type { Elector, Leadership } from './elector.js';
import { LeadershipLostError } from './errors.js';

export interface LeadOptions {
  /** Aborting it ends the work, resigns and resolves. */
  readonly signal?: AbortSignal;
}

/**
 * Runs `work` each time this node leads. When leadership is lost the work's signal aborts, the work is
 * awaited, and only then does the node campaign again, so two runs of the work never overlap in one process.
 * An elector that has not been started is.
 *
 * Resolves when the work returns while still leading (the job is done), or when `options.signal` aborts.
 * Rejects with whatever the work throws, unless that is the loss of leadership itself. In every case the
 * work has ended before leadership is released.
 */
export async function lead(
  elector: Elector,
  work: (leadership: Leadership) => Promise<void>,
  options: LeadOptions = {},
): Promise<void> {
  const { signal } = options;
  if (signal?.aborted) return;
  await elector.start();
  for (;;) {
    const leadership = await campaignUnlessAborted(elector, options);
    if (leadership === null) return;
    const isDone = await runToTheEnd(leadership, work, signal).finally(() => elector.resign());
    if (isDone || signal?.aborted) return;
  }
}

/** Whether the work is done; it is not when leadership was lost meanwhile. */
async function runToTheEnd(
  leadership: Leadership,
  work: (leadership: Leadership) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const stop = signal === undefined ? leadership.signal : AbortSignal.any([leadership.signal, signal]);
  try {
    await work(withSignal(leadership, stop));
    return !leadership.signal.aborted;
  } catch (error) {
    if (isLoss(error, stop)) return false;
    throw error;
  }
}

async function campaignUnlessAborted(elector: Elector, options: LeadOptions): Promise<Leadership | null> {
  if (options.signal?.aborted) return null;
  try {
    return await elector.campaign(options);
  } catch (error) {
    if (options.signal?.aborted) return null;
    throw error;
  }
}

/** `assertValid` may notice the loss before the signal does; and work often ends by throwing the abort it was given. */
function isLoss(error: unknown, stop: AbortSignal): boolean {
  if (error instanceof LeadershipLostError) return true;
  return stop.aborted && (error === stop.reason || (error instanceof Error && error.name === 'AbortError'));
}

function withSignal(leadership: Leadership, signal: AbortSignal): Leadership {
  return {
    token: leadership.token,
    holder: leadership.holder,
    signal,
    get remainingMs() {
      return leadership.remainingMs;
    },
    assertValid: () => leadership.assertValid(),
  };
}
