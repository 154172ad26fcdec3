/** The same scenarios simulated and for real, side by side: how far the simulator's figures can be believed. */

import type { NetworkModel } from '@hustings/simulator';
import { duration, nameOf } from './charts.js';
import type { Row } from './results.js';
import { rounded } from './statistics.js';

export interface Validation {
  readonly algorithm: string;
  readonly variant: string;
  readonly nodes: number;
  readonly fault: string;
  /** Medians of the failover. */
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

/** One machine's loopback: a WebSocket round trip takes 0.07 ms, and a busy machine makes it several times that. */
export const loopbackNetwork: Pick<NetworkModel, 'latencyMs'> = { latencyMs: [0.03, 0.3] };

export function validate(simulated: readonly Row[], live: readonly Row[]): Validation[] {
  return live.map((row) => {
    const { algorithm, variant, nodes, fault } = row;
    const twin = simulated.find(
      (each) => nameOf(each) === nameOf(row) && each.nodes === nodes && each.fault === fault,
    );
    const simulatedMs = twin?.failoverMs?.p50 ?? null;
    const liveMs = row.failoverMs?.p50 ?? null;
    const ratio = simulatedMs === null || liveMs === null ? null : rounded(liveMs / simulatedMs);
    const within = simulatedMs === liveMs || (ratio !== null && Math.abs(ratio - 1) <= tolerance);
    const reason = within ? null : reasonFor(row, twin);
    return { algorithm, variant, nodes, fault, simulatedMs, liveMs, ratio, within, reason };
  });
}

/** Below this, what is measured is the machine and not the algorithm. */
const momentMs = 100;

function reasonFor(live: Row, simulated: Row | undefined): string {
  const [there, here] = [live.failoverMs, simulated?.failoverMs ?? null];
  if (there === null || here === null) return 'only one of the two failed over at all';
  if (there.p50 >= here.min && there.p50 <= here.max) {
    return `within the simulated trials' own spread, ${duration(here.min)} to ${duration(here.max)}: ${live.trials} live trials are few`;
  }
  if (here.p50 < momentMs)
    return `${momentaryReasons[live.algorithm] ?? 'scheduling'}, which take no time in the simulator`;
  return 'a busy machine: processes wait for a processor, and timers fire late';
}

/** What a hand-over of a few milliseconds is made of. */
const momentaryReasons: Readonly<Record<string, string>> = {
  bully: 'sockets and the scheduling of processes',
  ring: 'sockets and the scheduling of processes, once a hop',
  raft: 'writes of term, vote and log to the disk, each waited for, and the scheduling of processes',
  zookeeper: "commits to the ensemble's disks, and the scheduling of processes",
  etcd: "commits to the cluster's disks, and the scheduling of processes",
};

export function renderValidation(validations: readonly Validation[]): string {
  const cell = (ms: number | null): string => (ms === null ? '–' : duration(ms));
  const lines = validations.map((each) => [
    nameOf(each),
    `${each.nodes}`,
    each.fault,
    cell(each.simulatedMs),
    cell(each.liveMs),
    each.ratio === null ? '–' : each.ratio.toFixed(2),
    each.reason === null ? 'within a quarter' : `differs: ${each.reason}`,
  ]);
  const headings = ['algorithm', 'n', 'fault', 'simulated', 'live', 'ratio', ''];
  const widths = headings.map((heading, index) =>
    Math.max(heading.length, ...lines.map((line) => line[index]!.length)),
  );
  const isNumber = (index: number) => index === 1 || (index >= 3 && index <= 5);
  const render = (line: readonly string[]) =>
    line
      .map((text, index) => (isNumber(index) ? text.padStart(widths[index]!) : text.padEnd(widths[index]!)))
      .join('  ')
      .trimEnd();
  return ['Failover, simulated and live (medians):', render(headings), ...lines.map(render), ''].join('\n');
}
