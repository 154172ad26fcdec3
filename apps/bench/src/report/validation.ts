/** The same scenarios simulated and for real, side by side: how far the simulator's figures can be believed. */

import type { Circumstances } from '../plan/settings.js';
import { rounded } from '../statistics.js';
import {
  type Calibration,
  type CalibrationKey,
  calibrationKey,
  type Measured,
} from '../trial/live/calibration.js';
import { duration, nameOf } from './charts.js';
import type { Row } from './results.js';

export interface Validation {
  readonly algorithm: string;
  readonly variant: string;
  readonly nodes: number;
  readonly fault: string;
  /** Medians of the failover. The simulated one includes what the driver was measured to take. */
  readonly simulatedMs: number | null;
  readonly liveMs: number | null;
  /** Live by simulated. */
  readonly ratio: number | null;
  readonly within: boolean;
  /** Why they differ by more than the tolerance; null where they do not. */
  readonly reason: string | null;
}

/** Medians may differ by a quarter. */
export const tolerance = 0.25;

/** What was measured beside the live trials. */
export type Calibrations = Readonly<Partial<Record<CalibrationKey, Calibration>>>;

export interface ValidationReport {
  readonly calibration: Calibrations;
  readonly validation: readonly Validation[];
}

/** A simulated world in which everything takes as long as it did on this machine. */
export function circumstancesOf({ message, save, coordinator }: Calibration): Circumstances {
  if (coordinator === null) return { latencyMs: message.rangeMs, saveMs: save.rangeMs };
  return { latencyMs: coordinator.read.rangeMs, commitMs: coordinator.commit.rangeMs, saveMs: save.rangeMs };
}

export function validate(
  simulated: readonly Row[],
  live: readonly Row[],
  calibrations: Calibrations,
): Validation[] {
  return live.map((row) => {
    const { algorithm, variant, nodes, fault } = row;
    const twin = simulated.find(
      (each) => nameOf(each) === nameOf(row) && each.nodes === nodes && each.fault === fault,
    );
    const calibration = calibrations[calibrationKey(algorithm)];
    const driverMs = calibration?.driver.p50Ms ?? 0;
    const simulatedMs = twin?.failoverMs == null ? null : rounded(twin.failoverMs.p50 + driverMs);
    const liveMs = row.failoverMs?.p50 ?? null;
    const ratio = simulatedMs === null || liveMs === null ? null : rounded(liveMs / simulatedMs);
    const within = simulatedMs === liveMs || (ratio !== null && Math.abs(ratio - 1) <= tolerance);
    const reason = within ? null : reasonFor(row, twin, simulatedMs, calibration);
    return { algorithm, variant, nodes, fault, simulatedMs, liveMs, ratio, within, reason };
  });
}

/** From what was measured, the nearest first: chance, and then what the simulator does not charge. */
function reasonFor(
  live: Row,
  simulated: Row | undefined,
  simulatedMs: number | null,
  calibration: Calibration | undefined,
): string {
  const [there, here] = [live.failoverMs, simulated?.failoverMs ?? null];
  if (there === null || here === null || simulatedMs === null)
    return 'only one of the two failed over at all';
  if (there.p50 >= here.min && there.p50 <= here.max) {
    return `within the simulated trials' own spread, ${duration(here.min)} to ${duration(here.max)}: ${live.trials} live trials are few`;
  }
  if (simulatedMs >= there.min && simulatedMs <= there.max) {
    return `within the live trials' own spread, ${duration(there.min)} to ${duration(there.max)}`;
  }
  const missingMs = there.p50 - simulatedMs;
  if (missingMs < 0) return `${duration(-missingMs)} less than the parts that were measured add up to`;
  const more = `${duration(missingMs)} more than the parts that were measured add up to`;
  const slowest = calibration?.coordinator?.commit ?? calibration?.save;
  if (slowest !== undefined && slowest.maxMs >= missingMs) {
    return `${more}: the slowest ${calibration?.coordinator == null ? 'save' : 'commit'} that was measured took ${duration(slowest.maxMs)}, and the draws leave such out`;
  }
  const messages = live.messages.failover?.p50 ?? 0;
  if (messages === 0) return more;
  return `${more}: that would be ${duration(missingMs / messages)} of processor time for each of ${messages} messages, which the simulator handles all at once`;
}

export function renderValidation({
  calibration = {},
  validation = [],
}: {
  readonly calibration?: Calibrations;
  readonly validation?: readonly Validation[];
}): string {
  const cell = (ms: number | null): string => (ms === null ? '–' : duration(ms));
  const lines = validation.map((each) => [
    nameOf(each),
    `${each.nodes}`,
    each.fault,
    cell(each.simulatedMs),
    cell(each.liveMs),
    each.ratio === null ? '–' : each.ratio.toFixed(2),
    each.reason === null ? 'within a quarter' : `differs: ${each.reason}`,
  ]);
  const headings = ['algorithm', 'n', 'fault', 'simulated', 'live', 'ratio', ''];
  return [
    'What a hand-over is made of on this machine, measured beside the trials (the most is of all; the rest leave out the slowest tenth):',
    ...renderLines(
      ['with', 'what', 'samples', 'least', 'p50', 'mean', 'most', ''],
      calibrationLines(calibration),
      [2, 3, 4, 5, 6],
    ),
    '',
    'Failover, simulated with these delays, and live (medians):',
    ...renderLines(headings, lines, [1, 3, 4, 5]),
    '',
  ].join('\n');
}

function calibrationLines(calibrations: Calibrations): string[][] {
  const line = (
    name: string,
    what: string,
    { samples, minMs, p50Ms, meanMs, maxMs }: Measured,
    use: string,
  ) => [...[name, what, `${samples}`, fine(minMs), fine(p50Ms), fine(meanMs), fine(maxMs), use]];
  return Object.entries(calibrations).flatMap(([kind, { message, save, driver, coordinator }]) => {
    const name = kind === 'none' ? 'peers only' : kind;
    const driverLine = line(name, 'processes and driver', driver, 'median added to the simulated one');
    const saveLine = line(name, 'a save, flushed', save, "a node's save");
    if (coordinator === null) {
      return [line(name, 'a message, one way', message, 'latency'), saveLine, driverLine];
    }
    return [
      line(name, 'a question, one way', coordinator.read, 'latency'),
      line(name, 'a commit', coordinator.commit, "the coordinator's save"),
      driverLine,
    ];
  });
}

const fine = (ms: number): string => `${ms.toFixed(2)} ms`;

function renderLines(
  headings: readonly string[],
  lines: readonly (readonly string[])[],
  numbers: readonly number[],
): string[] {
  const widths = headings.map((heading, index) =>
    Math.max(heading.length, ...lines.map((line) => line[index]!.length)),
  );
  const render = (line: readonly string[]) =>
    line
      .map((text, index) =>
        numbers.includes(index) ? text.padStart(widths[index]!) : text.padEnd(widths[index]!),
      )
      .join('  ')
      .trimEnd();
  return [render(headings), ...lines.map(render)];
}
