import { drawSchedule, type Schedule, type Swarm } from '@hustings/simulator';
import { zookeeper } from '../src/index.js';
import { type SimulatedZooKeeperSettings, simulatedZooKeeper } from '../src/simulated-zookeeper.js';

/** Small, so that a run of a few virtual seconds sees many sessions come and go. */
export const settings = {
  sessionTimeoutMs: 1000,
  requestTimeoutMs: 300,
  retryMs: [20, 60],
} as const;

export const timing = { detectionMs: 1200, maxDelayMs: 50, settleMs: 12_000 };

export const services = (ensemble: Partial<SimulatedZooKeeperSettings> = {}) => [
  { id: 'zookeeper', protocol: simulatedZooKeeper(ensemble) },
];

export const protocol = (succession: 'queue' | 'herd' = 'queue') => zookeeper({ ...settings, succession });

export const swarm: Swarm = {
  nodes: [2, 6],
  faults: [
    'crash',
    'restart',
    'pause',
    'isolate',
    'isolate-from-coordinator',
    'split',
    'one-way',
    'loss',
    'duplicate',
    'reorder',
    'slow-link',
    'clock-drift',
    'graceful',
    'coordinator-crash',
  ],
};

/** The schedule of a seed, with every clock within the declared bound: beyond it, no lease is safe. */
export function scheduleWithinBound(seed: number): Schedule {
  const schedule = drawSchedule(seed, swarm, { timing, targetedTransfer: false, hasCoordinator: true });
  const { driftBound } = protocol().initialState('n1', []).settings;
  const bound = (rate: number): number => Math.min(1 + driftBound, Math.max(1 - driftBound, rate));
  const faults = schedule.faults.map((fault) =>
    fault.type === 'clock-drift' ? { ...fault, rate: bound(fault.rate) } : fault,
  );
  return { ...schedule, faults };
}
