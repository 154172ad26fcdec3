import type { NodeId } from '@hustings/elector';
import type { RecordedTenure, Reign } from './recording.js';

interface Span {
  readonly node: NodeId;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * The run cut into stretches in each of which the same nodes lead. A paused node is not running, and does not count:
 * what it holds cannot do harm before it wakes up.
 */
export function reignsOf(
  tenures: readonly RecordedTenure[],
  pauses: readonly Span[],
  endMs: number,
): Reign[] {
  const spans = tenures.flatMap((tenure, index) =>
    withoutPauses(
      { node: tenure.node, fromMs: tenure.beganMs, untilMs: tenure.endedMs ?? endMs },
      pauses,
    ).map((span) => ({ ...span, index })),
  );
  const bounds = new Set([0, endMs, ...spans.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs])]);
  const moments = [...bounds].sort((a, b) => a - b);
  const reigns: Reign[] = [];
  for (const [position, fromMs] of moments.slice(0, -1).entries()) {
    const untilMs = moments[position + 1]!;
    const active = spans.filter((span) => span.fromMs <= fromMs && span.untilMs >= untilMs);
    const leading = [...new Set(active.map(({ index }) => index))].sort((a, b) => a - b);
    const last = reigns.at(-1);
    if (last !== undefined && String(last.tenures) === String(leading)) {
      reigns[reigns.length - 1] = { ...last, untilMs };
    } else reigns.push({ fromMs, untilMs, tenures: leading });
  }
  const last = atTheEnd(tenures, pauses, endMs);
  if (String(last) !== String(reigns.at(-1)?.tenures))
    reigns.push({ fromMs: endMs, untilMs: endMs, tenures: last });
  return reigns;
}

/** A run that was shrunk ends with its violation: a reign of no length, and the one that matters. */
function atTheEnd(tenures: readonly RecordedTenure[], pauses: readonly Span[], endMs: number): number[] {
  const isPaused = (id: NodeId): boolean =>
    pauses.some(({ node, fromMs, untilMs }) => node === id && fromMs <= endMs && untilMs >= endMs);
  return tenures.flatMap(({ endedMs, node }, index) => (endedMs === null && !isPaused(node) ? [index] : []));
}

function withoutPauses(span: Span, pauses: readonly Span[]): Span[] {
  let rest = [span];
  for (const pause of pauses.filter(({ node }) => node === span.node)) {
    rest = rest.flatMap((part) =>
      [
        { ...part, untilMs: Math.min(part.untilMs, pause.fromMs) },
        { ...part, fromMs: Math.max(part.fromMs, pause.untilMs) },
      ].filter(({ fromMs, untilMs }) => untilMs > fromMs),
    );
  }
  return rest;
}
