/** `hustings ttl`: how long a lease must be. */

import { type LeaseDemands, type LeasePlan, leasedElectors, planLease, planLeases } from '../ttl.js';
import { type Flags, type FlagTable, fraction, text, UsageError, wholeNumber } from './usage.js';

export const ttlFlags: FlagTable = {
  'failover-ms': { takes: 'N', about: 'the longest that nobody may lead after a leader has died' },
  'pause-ms': {
    takes: 'N',
    about: 'the longest that a process, its disk or its server may stand still (default 1000)',
  },
  'round-trip-ms': { takes: 'N', about: 'to the server, or to a majority of the nodes (default 10)' },
  drift: { takes: 'D', about: 'how far off a clock may be: 0.01 is one per cent (default 0.01)' },
  elector: { takes: 'NAME', about: `only this one of ${leasedElectors.join(', ')}` },
  json: { about: 'print JSON' },
};

const day = 86_400_000;

export function plansOf(flags: Flags): readonly LeasePlan[] {
  const failoverMs = wholeNumber(flags, 'failover-ms', [1, day]);
  if (failoverMs === undefined) throw new UsageError('Say how long nobody may lead: --failover-ms 10000.');
  const demands: LeaseDemands = {
    failoverMs,
    pauseMs: wholeNumber(flags, 'pause-ms', [0, day]) ?? 1000,
    roundTripMs: wholeNumber(flags, 'round-trip-ms', [0, day]) ?? 10,
    driftBound: fraction(flags, 'drift', [0, 0.05]) ?? 0.01,
  };
  const given = text(flags, 'elector');
  if (given === undefined) return planLeases(demands);
  const elector = leasedElectors.find((name) => name === given);
  if (elector !== undefined) return [planLease(elector, demands)];
  throw new UsageError(`--elector takes one of ${leasedElectors.join(', ')}, not '${given}'.`);
}

const headings = ['elector', 'setting', 'renewed', 'guard', 'bears pause', 'worst gap'];

export function tellPlans(plans: readonly LeasePlan[]): string {
  const rows = [headings, ...plans.map(rowOf)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const table = rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
  return plans.every(({ isEnough }) => isEnough) ? table : `${table}${note}`;
}

const note = `
* Longer than asked for. The lease is the shortest that this elector allows and
  that bears the pause.
`;

function rowOf(plan: LeasePlan): string[] {
  const { elector, setting, value, renewEveryMs, guardMs, pauseMs, worstGapMs, isEnough } = plan;
  return [
    elector,
    `${setting} ${value}`,
    ...[renewEveryMs, guardMs, pauseMs].map(inMs),
    `${inMs(worstGapMs)}${isEnough ? '' : ' *'}`,
  ];
}

const inMs = (ms: number): string => `${Math.round(ms)} ms`;
