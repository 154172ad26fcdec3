/**
 * What is promised, and checked of a history afterwards:
 *
 * - At no time do two running processes hold a valid Leadership. Valid means begun, not aborted, its deadline not
 *   passed. A process that is stopped does not run, and holds nothing while it is (design, section 6).
 * - Each Leadership has a greater token than all that began before it.
 * - No stale write is accepted by the fenced store: none that arrives after it has accepted one of a Leadership that
 *   began later. How many an unfenced store accepts is told, and not promised.
 * - No process gives up unless something was done to it that should make it.
 * - While a majority is well and joined and the coordinator is up, there is a leader again in time.
 *
 * The declared assumptions hold here: all processes share one clock, so no drift bound is exceeded.
 */

import type { FencingToken, NodeId } from '@hustings/elector';
import type { Happening } from './history.js';

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Holder {
  readonly node: NodeId;
  readonly process: number;
  readonly token: FencingToken;
}

/** Several processes led at once. */
export interface Overlap extends Span {
  readonly holders: readonly Holder[];
}

export interface TokenFault {
  readonly atMs: number;
  readonly token: FencingToken;
  /** The greatest that had been given before. */
  readonly earlier: FencingToken;
}

export interface Verdict {
  readonly leaderships: number;
  readonly overlaps: readonly Overlap[];
  readonly tokenFaults: readonly TokenFault[];
  readonly writes: number;
  readonly staleWrites: number;
  /** When the fenced store accepted one. */
  readonly staleAcceptedAtMs: readonly number[];
  readonly failures: readonly { readonly atMs: number; readonly reason: string }[];
  /** How long there should have been a leader. */
  readonly wellMs: number;
  /** When there was none meanwhile. */
  readonly leaderless: readonly Span[];
}

interface Tenure extends Holder {
  readonly beganMs: number;
  endedMs: number;
}

interface Life {
  readonly node: NodeId;
  readonly stops: { fromMs: number; toMs: number }[];
  diedMs: number;
}

export function judge(happenings: readonly Happening[], endMs: number): Verdict {
  // Reports of different processes arrive in almost the right order.
  const ordered = happenings.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
  const lives = livesIn(ordered, endMs);
  const tenures = tenuresIn(ordered, lives, endMs);
  const spans = tenures.flatMap((tenure) => validSpans(tenure, lives.get(tenure.process)!));
  const well = wellSpans(ordered, endMs);
  return {
    leaderships: tenures.length,
    overlaps: overlapsOf(spans),
    tokenFaults: tokenFaultsOf(tenures),
    ...judgeWrites(ordered, tenures),
    failures: ordered.flatMap((happening) =>
      happening.type === 'failed' ? [{ atMs: happening.atMs, reason: happening.reason }] : [],
    ),
    wellMs: well.reduce((total, { fromMs, toMs }) => total + toMs - fromMs, 0),
    leaderless: subtract(well, spans),
  };
}

function livesIn(happenings: readonly Happening[], endMs: number): Map<number, Life> {
  const lives = new Map<number, Life>();
  for (const happening of happenings) {
    if (happening.type === 'started') {
      lives.set(happening.process, { node: happening.node, stops: [], diedMs: endMs });
    }
    if (happening.type === 'died') lives.get(happening.process)!.diedMs = happening.atMs;
    if (happening.type === 'stopped') {
      lives.get(happening.process)!.stops.push({ fromMs: happening.atMs, toMs: endMs });
    }
    if (happening.type === 'continued') {
      const stop = lives.get(happening.process)!.stops.at(-1);
      if (stop !== undefined) stop.toMs = happening.atMs;
    }
  }
  return lives;
}

function tenuresIn(
  happenings: readonly Happening[],
  lives: ReadonlyMap<number, Life>,
  endMs: number,
): Tenure[] {
  const tenures: Tenure[] = happenings.flatMap((happening) => {
    if (happening.type !== 'began') return [];
    const { process, token, atMs } = happening;
    const { node, diedMs } = lives.get(process)!;
    return [{ node, process, token, beganMs: atMs, endedMs: Math.min(diedMs, endMs) }];
  });
  // Afterwards: a lease may have run out before the work that it was for began.
  for (const happening of happenings) {
    if (happening.type !== 'ended') continue;
    const { process, token, atMs } = happening;
    const tenure = tenures.find((each) => each.process === process && each.token === token);
    if (tenure !== undefined) tenure.endedMs = Math.min(tenure.endedMs, atMs);
  }
  return tenures;
}

interface ValidSpan extends Span {
  readonly holder: Holder;
}

/** When a Leadership was held by a process that ran. */
function validSpans({ node, process, token, beganMs, endedMs }: Tenure, { stops }: Life): ValidSpan[] {
  const holder: Holder = { node, process, token };
  return subtract([{ fromMs: beganMs, toMs: endedMs }], stops).map((span) => ({ ...span, holder }));
}

/** What is left of the spans; none is empty. */
function subtract(spans: readonly Span[], others: readonly Span[]): Span[] {
  let left = spans.filter(({ fromMs, toMs }) => toMs > fromMs);
  for (const other of others) {
    left = left.flatMap(({ fromMs, toMs }) =>
      [
        { fromMs, toMs: Math.min(toMs, other.fromMs) },
        { fromMs: Math.max(fromMs, other.toMs), toMs },
      ].filter((part) => part.toMs > part.fromMs),
    );
  }
  return left;
}

/** The longest stretches in which two or more are valid. One of no duration is none: nothing can be done in it. */
function overlapsOf(spans: readonly ValidSpan[]): Overlap[] {
  const edges = spans
    .flatMap((span) => [
      { atMs: span.fromMs, span, begins: true },
      { atMs: span.toMs, span, begins: false },
    ])
    // At equal times the one ends before the other begins.
    .sort((a, b) => a.atMs - b.atMs || Number(a.begins) - Number(b.begins));
  const overlaps: Overlap[] = [];
  const valid = new Set<ValidSpan>();
  let sinceMs: number | null = null;
  let holders = new Set<Holder>();
  for (const { atMs, span, begins } of edges) {
    if (begins) valid.add(span);
    else valid.delete(span);
    if (valid.size >= 2) {
      sinceMs ??= atMs;
      for (const { holder } of valid) holders.add(holder);
    } else if (sinceMs !== null) {
      overlaps.push({ fromMs: sinceMs, toMs: atMs, holders: [...holders] });
      sinceMs = null;
      holders = new Set();
    }
  }
  return overlaps;
}

function tokenFaultsOf(tenures: readonly Tenure[]): TokenFault[] {
  const faults: TokenFault[] = [];
  let greatest: FencingToken | null = null;
  for (const { beganMs: atMs, token } of tenures) {
    if (greatest !== null && token <= greatest) faults.push({ atMs, token, earlier: greatest });
    else greatest = token;
  }
  return faults;
}

function judgeWrites(
  happenings: readonly Happening[],
  tenures: readonly Tenure[],
): Pick<Verdict, 'writes' | 'staleWrites' | 'staleAcceptedAtMs'> {
  const order = new Map(tenures.map(({ process, token }, index) => [`${process} ${token}`, index]));
  const writes = happenings
    .filter((happening) => happening.type === 'wrote')
    .map((write) => ({
      ...write,
      index: order.get(`${write.process} ${write.token}`) ?? -1,
    }));
  return {
    writes: writes.length,
    staleWrites: staleOf(writes).length,
    // What was refused is not in the store, so nothing is stale because of it.
    staleAcceptedAtMs: staleOf(writes.filter(({ accepted }) => accepted)).map(({ atMs }) => atMs),
  };
}

/** Those that come after one of a Leadership that began later. */
function staleOf<Write extends { readonly index: number }>(writes: readonly Write[]): Write[] {
  let newest = -1;
  return writes.filter(({ index }) => {
    newest = Math.max(newest, index);
    return index < newest;
  });
}

function wellSpans(happenings: readonly Happening[], endMs: number): Span[] {
  const spans: Span[] = [];
  let sinceMs: number | null = null;
  for (const happening of happenings) {
    if (happening.type !== 'well') continue;
    if (happening.well) sinceMs ??= happening.atMs;
    else if (sinceMs !== null) {
      spans.push({ fromMs: sinceMs, toMs: happening.atMs });
      sinceMs = null;
    }
  }
  if (sinceMs !== null) spans.push({ fromMs: sinceMs, toMs: endMs });
  return spans;
}
