/**
 * What each leader writes to a store outside of the cluster, computed from a recording: every so often it looks whether
 * it leads, works for a moment, and writes. Between the look and the write a pause may come, and then another leads
 * already: what a fence is for. The writer draws no lot and sends nothing through the network, so that no run differs
 * for being watched.
 */

import { FencedStore, type FencingToken, type NodeId, StaleTokenError } from '@hustings/elector';
import type { RecordedTenure, RecordingFacts } from './recording.js';
import type { TraceEvent } from './trace.js';

export interface Write {
  readonly node: NodeId;
  readonly token: FencingToken;
  /** The tenure under which it was begun. */
  readonly tenure: number;
  readonly begunMs: number;
  readonly arrivedMs: number;
  /** Null when the fenced store took it; otherwise why not. A store without a fence takes everything. */
  readonly refusal: string | null;
  /** Somebody else began to lead between. */
  readonly stale: boolean;
}

export interface WriterOptions {
  readonly everyMs: number;
  /** How long a leader works between the look and the write, while it runs. */
  readonly workMs: number;
}

type Lives = Pick<RecordingFacts<unknown>, 'tenures' | 'pauses' | 'events' | 'endMs'>;
type Crashes = readonly { readonly node: NodeId; readonly atMs: number }[];

export function writesOf(lives: Lives, options: WriterOptions): Write[] {
  const store = new FencedStore<number>();
  const crashes = lives.events.filter(isCrash);
  const attempts = lives.tenures
    .flatMap((tenure, index) => attemptsOf(lives, crashes, tenure, index, options))
    .sort((a, b) => a.arrivedMs - b.arrivedMs || a.tenure - b.tenure);
  for (const attempt of attempts) {
    attempt.refusal = offer(store, lives.tenures[attempt.tenure]!);
    attempt.stale = isStale(lives.tenures, attempt);
  }
  return attempts;
}

const isCrash = (event: TraceEvent): event is TraceEvent & { readonly node: NodeId } =>
  event.type === 'crashed';

/** A write whose outcome is still to be known. */
type Attempt = { -readonly [Field in keyof Write]: Write[Field] };

function attemptsOf(
  lives: Lives,
  crashes: Crashes,
  tenure: RecordedTenure,
  index: number,
  options: WriterOptions,
): Attempt[] {
  const { node, token, beganMs } = tenure;
  const endedMs = tenure.endedMs ?? lives.endMs;
  const attempts: Attempt[] = [];
  for (let begunMs = beganMs; begunMs < endedMs; begunMs += options.everyMs) {
    const pause = pauseOf(lives, node, begunMs);
    if (pause !== undefined) {
      // Nobody looks at anything in a pause.
      begunMs = pause.untilMs - options.everyMs;
      continue;
    }
    const arrivedMs = afterWork(lives, node, begunMs, options.workMs);
    if (arrivedMs <= lives.endMs && !crashesBetween(crashes, node, begunMs, arrivedMs)) {
      attempts.push({ node, token, tenure: index, begunMs, arrivedMs, refusal: null, stale: false });
    }
    if (arrivedMs > begunMs + options.everyMs) begunMs = arrivedMs - options.everyMs;
  }
  return attempts;
}

const pauseOf = ({ pauses }: Lives, node: NodeId, atMs: number) =>
  pauses.find((pause) => pause.node === node && pause.fromMs <= atMs && atMs < pause.untilMs);

/** A pause in between makes it longer. */
function afterWork({ pauses }: Lives, node: NodeId, begunMs: number, workMs: number): number {
  let endMs = begunMs + workMs;
  for (const pause of pauses) {
    if (pause.node === node && pause.fromMs >= begunMs && pause.fromMs < endMs) {
      endMs += pause.untilMs - pause.fromMs;
    }
  }
  return endMs;
}

const crashesBetween = (crashes: Crashes, id: NodeId, fromMs: number, untilMs: number): boolean =>
  crashes.some(({ node, atMs }) => node === id && atMs >= fromMs && atMs <= untilMs);

function offer(store: FencedStore<number>, { node, incarnation, token }: RecordedTenure): string | null {
  try {
    store.write({ token, holder: `${node}#${incarnation}` }, 'value', 0);
    return null;
  } catch (error) {
    if (error instanceof StaleTokenError) return error.message;
    throw error;
  }
}

function isStale(tenures: readonly RecordedTenure[], { tenure, arrivedMs }: Attempt): boolean {
  const { beganMs, node, incarnation } = tenures[tenure]!;
  return tenures.some(
    (other) =>
      other.beganMs > beganMs &&
      other.beganMs <= arrivedMs &&
      (other.node !== node || other.incarnation !== incarnation),
  );
}
