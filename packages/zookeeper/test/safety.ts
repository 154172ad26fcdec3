/** One random run of the ZooKeeper elector on a simulated ensemble, and all that can be asked of it. */

import {
  type AnyProtocol,
  defaultSwarm,
  drawSchedule,
  Oracle,
  Random,
  type Schedule,
  Simulation,
} from '@hustings/simulator';
import {
  invariants,
  type ZooKeeperProtocol,
  type ZooKeeperSettings,
  type ZooKeeperState,
  zookeeper,
} from '../src/index.js';
import { type SimulatedZooKeeperSettings, simulatedZooKeeper } from '../src/simulated.js';

export interface SafetyResult {
  readonly schedule: Schedule;
  readonly steps: number;
  /** A broken invariant, two leaders, a token that did not grow, or nodes that did not settle. */
  readonly violation: string | null;
}

/** Small, so that a run of a few virtual seconds sees many sessions come and go. No margin: events are exact. */
export const quick: Partial<ZooKeeperSettings> = {
  sessionTimeoutMs: 1000,
  requestTimeoutMs: 300,
  retryMs: [20, 60],
  marginMs: 0,
};

const timing = { detectionMs: 1200, maxDelayMs: 50, settleMs: 12_000 };
const driftBound = 0.01;

/** Members that fail and are cut off by themselves, beside what the schedule does. */
const restless: Partial<SimulatedZooKeeperSettings> = {
  leaderFailsEveryMs: [1500, 6000],
  memberCutEveryMs: [200, 1500],
  electionMs: [100, 600],
};

const ensembles: readonly Partial<SimulatedZooKeeperSettings>[] = [
  {},
  // A short tick leaves no slack between the end of a session and its being noticed.
  { tickMs: 50, lagMs: [0, 100] },
  { tickMs: 50, syncLimit: 20, lagMs: [0, 50], ...restless },
  // The longest tick that a session of a second allows: members report as seldom as they may.
  { tickMs: 500, syncLimit: 2, ...restless },
  { members: 5, lagMs: [0, 150], ...restless },
  { members: 1, tickMs: 50 },
];

export function runSeed(seed: number, mutate: ScheduleOptions['mutate'] = (same) => same): SafetyResult {
  const drawn = drawSchedule(seed, defaultSwarm, {
    timing,
    targetedTransfer: false,
    leased: true,
    hasCoordinator: true,
  });
  // Beyond the bound no lease is safe, and none is promised.
  const faults = drawn.faults.map((fault) =>
    fault.type === 'clock-drift'
      ? { ...fault, rate: Math.min(1 + driftBound, Math.max(1 - driftBound, fault.rate)) }
      : fault,
  );
  const random = new Random(seed);
  const ensemble = random.pick(ensembles);
  const succession = random.chance(0.2) ? 'herd' : 'queue';
  // An ensemble that keeps failing leaves no time to settle in.
  const settles = ensemble.leaderFailsEveryMs === undefined;
  return runSchedule(
    { ...drawn, faults },
    {
      ensemble,
      ensembleClockRate: random.between(1 - driftBound, 1 + driftBound),
      settles,
      settings: { succession },
      mutate,
    },
  );
}

export interface ScheduleOptions {
  readonly ensemble?: Partial<SimulatedZooKeeperSettings>;
  readonly ensembleClockRate?: number;
  readonly settings?: Partial<ZooKeeperSettings>;
  /** Whether all must be well in the end. Default true. */
  readonly settles?: boolean;
  /** Breaks the protocol on purpose, to show that it would be noticed. */
  readonly mutate?: (protocol: ZooKeeperProtocol) => ZooKeeperProtocol;
}

export function runSchedule(
  schedule: Schedule,
  {
    ensemble = {},
    ensembleClockRate = 1,
    settings = {},
    settles = true,
    mutate = (same) => same,
  }: ScheduleOptions = {},
): SafetyResult {
  const protocol = mutate(zookeeper({ ...quick, driftBound, ...settings }));
  const oracle = new Oracle<ZooKeeperState>(invariants, protocol.guarantees);
  const simulation = new Simulation<ZooKeeperState>({
    ...schedule,
    protocol: protocol as AnyProtocol<ZooKeeperState>,
    services: [{ id: 'zookeeper', machine: simulatedZooKeeper(ensemble) }],
    observers: [oracle],
  });
  oracle.attach(simulation);
  simulation.services[0]?.setClockRate(ensembleClockRate, 0);
  for (const fault of schedule.faults) simulation.plan(fault);
  const broken = simulation.runUntilTrue(() => oracle.violation !== null, schedule.durationMs);
  if (!broken && settles) oracle.checkEventually();
  const { violation } = oracle;
  const told =
    violation === null ? null : `${violation.property}: ${violation.detail} at ${violation.atMs.toFixed(1)}`;
  return { schedule, steps: simulation.steps, violation: told };
}
