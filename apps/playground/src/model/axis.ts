/**
 * Time as it is drawn: quiet gaps are folded, or an election would be a vertical line. Playing at an even pace along
 * this axis slows down by itself where something happens.
 */

import type { Recording, TraceEvent } from '@hustings/simulator';

export interface Fold {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A gap that is longer is folded to about this long. In units, which are milliseconds where nothing is folded. */
const quietMs = 8;
const foldedUnits = 14;

export class Axis {
  /** Knots of a line that rises with time: at `#times[i]` it is `#units[i]`. */
  readonly #times: number[] = [0];
  readonly #units: number[] = [0];
  readonly folds: readonly Fold[];
  readonly endMs: number;

  constructor(moments: readonly number[], endMs: number) {
    this.endMs = Math.max(endMs, 1);
    const folds: Fold[] = [];
    for (const atMs of [...moments, this.endMs]) {
      const lastMs = this.#times.at(-1)!;
      if (atMs <= lastMs) continue;
      const gapMs = atMs - lastMs;
      const isQuiet = gapMs > 2 * quietMs + foldedUnits;
      if (isQuiet) {
        this.#knot(lastMs + quietMs, quietMs);
        this.#knot(atMs - quietMs, foldedUnits);
        folds.push({ fromMs: lastMs + quietMs, untilMs: atMs - quietMs });
      }
      this.#knot(atMs, isQuiet ? quietMs : gapMs);
    }
    this.folds = folds;
  }

  #knot(atMs: number, units: number): void {
    this.#times.push(atMs);
    this.#units.push(this.#units.at(-1)! + units);
  }

  get length(): number {
    return this.#units.at(-1)!;
  }

  /** The fold that hides this moment, if one does. */
  foldAt(atMs: number): Fold | null {
    let low = 0;
    let high = this.folds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.folds[middle]!.untilMs <= atMs) low = middle + 1;
      else high = middle;
    }
    const fold = this.folds[low];
    return fold !== undefined && fold.fromMs < atMs ? fold : null;
  }

  unitsAt(atMs: number): number {
    return interpolate(this.#times, this.#units, atMs);
  }

  msAt(units: number): number {
    return interpolate(this.#units, this.#times, units);
  }
}

function interpolate(from: readonly number[], to: readonly number[], value: number): number {
  let low = 0;
  let high = from.length - 1;
  if (value <= from[0]!) return to[0]!;
  if (value >= from[high]!) return to[high]!;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (from[middle]! <= value) low = middle;
    else high = middle;
  }
  const share = (value - from[low]!) / (from[high]! - from[low]!);
  return to[low]! + share * (to[high]! - to[low]!);
}

/** Whether an event is part of an election, of a fault or of a change of office; heartbeats are not. */
export function isStirring(event: TraceEvent, periodic: ReadonlySet<string>): boolean {
  switch (event.type) {
    case 'lost':
      return !periodic.has(event.message.type);
    case 'step':
      return event.effects.some(
        (effect) =>
          effect.type === 'campaign' ||
          effect.type === 'step-down' ||
          (effect.type === 'lead' && event.changed && event.input.type !== 'received') ||
          (effect.type === 'send' && !periodic.has(effect.message.type)),
      );
    default:
      return true;
  }
}

export function axisOf(recordings: readonly Recording[]): Axis {
  const moments = recordings.flatMap(({ facts }) => [
    ...facts.events.filter((event) => isStirring(event, facts.periodicMessages)).map(({ atMs }) => atMs),
    ...facts.tenures.flatMap(({ beganMs, endedMs }) => [beganMs, endedMs ?? beganMs]),
  ]);
  const endMs = Math.max(1, ...recordings.map(({ facts }) => facts.endMs));
  return new Axis(
    moments.sort((a, b) => a - b),
    endMs,
  );
}
