import type { AnyProtocol, Subject } from '@hustings/simulator';
import { describeSessionSearch } from '@hustings/testkit/sessions';
import {
  type ProcessState,
  type SharedZooKeeperSettings,
  sharedInvariants,
  sharedZooKeeper,
} from '../../src/index.js';
import {
  defaultSimulatedZooKeeper,
  type SimulatedZooKeeperSettings,
  simulatedZooKeeper,
} from '../../src/simulated.js';

/** As the catalogue's search for single elections: short sessions, no margin, and ensembles that check at once. */
function subject(
  settings: Partial<SharedZooKeeperSettings>,
  ensemble: Partial<SimulatedZooKeeperSettings>,
): Subject<ProcessState> {
  const { sessionTimeoutMs = 6000, requestTimeoutMs = 1000 } = settings;
  const { tickMs = defaultSimulatedZooKeeper.tickMs } = ensemble;
  const detectionMs = sessionTimeoutMs + 1.5 * tickMs;
  return {
    protocol: sharedZooKeeper({
      auditMs: 0.6 * sessionTimeoutMs,
      ...settings,
    }) as AnyProtocol<ProcessState>,
    invariants: sharedInvariants,
    services: [{ id: 'zookeeper', machine: simulatedZooKeeper(ensemble) }],
    timing: {
      detectionMs,
      maxDelayMs: requestTimeoutMs / 10,
      settleMs: 10 * detectionMs,
      maxDriftRate: 0.01,
    },
    restless: ensemble.leaderFailsEveryMs != null,
  };
}

const hard: Partial<SharedZooKeeperSettings> = {
  sessionTimeoutMs: 1000,
  requestTimeoutMs: 300,
  retryMs: [20, 60],
  marginMs: 0,
};
const restless: Partial<SimulatedZooKeeperSettings> = {
  leaderFailsEveryMs: [1500, 6000],
  memberCutEveryMs: [200, 1500],
  electionMs: [100, 600],
};
describeSessionSearch({
  'with a session of six seconds': subject({}, { tickMs: 300 }),
  'with short sessions, on members that lag': subject(hard, { tickMs: 50, lagMs: [0, 100] }),
  'on members that are cut off from their leader': subject(
    { ...hard, spokenFor: 'b' },
    { tickMs: 50, syncLimit: 20, lagMs: [0, 50], ...restless },
  ),
  'on members that report as seldom as they may': subject(
    { ...hard, spokenFor: 'c', requestsAtOnce: 64 },
    { tickMs: 500, syncLimit: 2, ...restless },
  ),
});
