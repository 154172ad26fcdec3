import type { Belief, Elector, FencingToken, Leadership, NodeId } from './elector.js';
import { InvalidOptionError, LeadershipLostError, StaleTokenError } from './errors.js';

/** Who led before, as far as this process has heard. */
export interface Predecessor {
  readonly leaderId: NodeId;
  readonly token: FencingToken | null;
}

export interface LeadOptions {
  /** Aborting it ends the work, resigns and resolves. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called between election and work: to catch up, to raise a fence, or to make sure that the predecessor is dead.
   * What it throws resigns, and `lead` rejects with it. The lease runs meanwhile. `predecessor` is null where this
   * process has heard of none, which does not mean that there was none.
   */
  readonly beforeLead?:
    | ((leadership: Leadership, predecessor: Predecessor | null) => Promise<void> | void)
    | undefined;
}

type Work = (leadership: Leadership) => Promise<void>;

/**
 * Runs `work` each time this node leads. When leadership is lost the work's signal aborts, the work is
 * awaited, and only then does the node campaign again, so two runs of the work never overlap in one process.
 * An elector that has not been started is.
 *
 * One work at a time for each elector: it has one Leadership, and the end of one work would resign for both. A second
 * call meanwhile rejects with `InvalidOptionError`.
 *
 * Resolves when the work returns while still leading (the job is done), or when `options.signal` aborts.
 * Rejects with whatever the work throws, unless that is the loss of leadership itself: a fence that refuses the token
 * of a Leadership which is over says nothing else. In every case the work has ended before leadership is released.
 */
export async function lead(elector: Elector, work: Work, options: LeadOptions = {}): Promise<void> {
  if (typeof work !== 'function') throw new InvalidOptionError('lead: the work must be a function.');
  if (atWork.has(elector)) {
    throw new InvalidOptionError(
      `lead: elector ${elector.id} is in use by an earlier call; await that one first, or make another elector.`,
    );
  }
  atWork.add(elector);
  try {
    await startAndLead(elector, work, options);
  } finally {
    atWork.delete(elector);
  }
}

/** The electors that a call of `lead` is using. */
const atWork = new WeakSet<Elector>();

async function startAndLead(
  elector: Elector,
  work: Work,
  { signal, beforeLead }: LeadOptions,
): Promise<void> {
  if (signal?.aborted) return;
  await startUnlessAborted(elector, signal);
  if (beforeLead === undefined) return leadAgainAndAgain(elector, work, signal);
  const leaders = new LeadersSeen(elector);
  try {
    await leadAgainAndAgain(elector, prepared(work, beforeLead, leaders), signal);
  } finally {
    leaders.close();
  }
}

/** A server that does not answer may keep it from starting. Whoever aborts stops the elector next. */
async function startUnlessAborted(elector: Elector, signal: AbortSignal | undefined): Promise<void> {
  let onAbort = (): void => {};
  const aborted = new Promise<void>((resolve) => {
    onAbort = resolve;
  });
  signal?.addEventListener('abort', onAbort);
  await Promise.race([elector.start(), aborted]).finally(() => signal?.removeEventListener('abort', onAbort));
}

async function leadAgainAndAgain(
  elector: Elector,
  work: Work,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    const leadership = await campaignUnlessAborted(elector, signal);
    if (leadership === null) return;
    const isDone = await runToTheEnd(leadership, work, signal).finally(() => elector.resign());
    if (isDone || signal?.aborted) return;
  }
}

function prepared(
  work: Work,
  beforeLead: NonNullable<LeadOptions['beforeLead']>,
  leaders: LeadersSeen,
): Work {
  return async (leadership) => {
    await beforeLead(leadership, await leaders.before(leadership.token));
    leadership.signal.throwIfAborted();
    await work(leadership);
  };
}

/** Whether the work is done; it is not when leadership was lost meanwhile. */
async function runToTheEnd(
  leadership: Leadership,
  work: Work,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const stop = signal === undefined ? leadership.signal : AbortSignal.any([leadership.signal, signal]);
  // Work that waits for the abort would wait for ever.
  if (stop.aborted) return false;
  try {
    await work(withSignal(leadership, stop));
    // The work may have seen that no time is left before any timer did.
    return leadership.remainingMs > 0;
  } catch (error) {
    if (isLoss(error, stop) || isRefusedAfterwards(error, leadership)) return false;
    throw error;
  }
}

async function campaignUnlessAborted(
  elector: Elector,
  signal: AbortSignal | undefined,
): Promise<Leadership | null> {
  if (signal?.aborted) return null;
  try {
    return await elector.campaign({ signal });
  } catch (error) {
    if (signal?.aborted) return null;
    throw error;
  }
}

/** `assertValid` may notice the loss before the signal does; and work often ends by throwing the abort it was given. */
function isLoss(error: unknown, stop: AbortSignal): boolean {
  if (error instanceof LeadershipLostError) return true;
  return stop.aborted && (error === stop.reason || (error instanceof Error && error.name === 'AbortError'));
}

/**
 * A process that was paused may write before it notices that another one leads, and is refused by the fence. A refusal
 * while it still leads is another matter: its token is too low, and the next one would be as well.
 */
const isRefusedAfterwards = (error: unknown, leadership: Leadership): boolean =>
  error instanceof StaleTokenError && leadership.remainingMs <= 0;

function withSignal(leadership: Leadership, signal: AbortSignal): Leadership {
  return {
    token: leadership.token,
    holder: leadership.holder,
    signal,
    get remainingMs() {
      return leadership.remainingMs;
    },
    assertValid: () => leadership.assertValid(),
    toJSON: () => leadership.toJSON(),
  };
}

/** The latest leaders that this node has believed in, itself included. */
class LeadersSeen {
  readonly #controller = new AbortController();
  #latest: readonly Predecessor[] = [];
  #ended = false;
  #wake = (): void => {};

  constructor(elector: Elector) {
    void this.#watch(elector.observe({ signal: this.#controller.signal }));
  }

  /** Beliefs come in order, so whoever led before is known once this leader has been seen. */
  async before(token: FencingToken): Promise<Predecessor | null> {
    while (!this.#ended && !this.#latest.some((leader) => leader.token === token)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#latest.findLast((leader) => leader.token !== token) ?? null;
  }

  close(): void {
    this.#controller.abort();
  }

  async #watch(beliefs: AsyncIterable<Belief>): Promise<void> {
    for await (const { leaderId, token } of beliefs) {
      if (leaderId === null || this.#latest.at(-1)?.token === token) continue;
      this.#latest = [...this.#latest.slice(-2), { leaderId, token }];
      this.#wake();
    }
    this.#ended = true;
    this.#wake();
  }
}
