import type { Random, Settings } from '@hustings/simulator';
import {
  defaultSettings,
  guardMs,
  invariants,
  type ZooKeeperSettings,
  type ZooKeeperState,
  zookeeper,
} from '@hustings/zookeeper';
import {
  defaultSimulatedZooKeeper,
  type SimulatedZooKeeperRequest,
  type SimulatedZooKeeperSettings,
  type SimulatedZooKeeperState,
  simulatedZooKeeper,
} from '@hustings/zookeeper/simulated';
import type { Algorithm, Coordinator, Variant } from '../algorithm.js';
import { delayShare, requestShare } from '../matched.js';
import { absenceOf, portrait, roleOf, timeLeft } from '../portrait.js';
import { checkSettings, settingsOf } from '../settings.js';

export const zookeeperElector: Algorithm<ZooKeeperState> = {
  name: 'zookeeper',
  coordinator: 'zookeeper',
  variants: [
    zookeeperVariant('default', {}),
    zookeeperVariant('herd', { succession: 'herd' }),
    zookeeperVariant('certificates', { deathCertificates: true }),
  ],
  invariants,
  drawSettings,
  portray(state, nowMs) {
    const { session, settings, own, queue } = state;
    return portrait({
      role: roleIn(state),
      place: own === null ? null : `${queue.indexOf(own.name) + 1} of ${queue.length}`,
      token: own === null ? null : own.czxid,
      session:
        session === null
          ? 'none'
          : timeLeft(session.provenMs + session.timeoutMs - guardMs(settings, session.timeoutMs), nowMs),
      connection: state.connected ? null : 'lost',
      absence: absenceOf(state),
    });
  },
};

function roleIn({ leading, own, leader }: ZooKeeperState): string {
  if (leading) return 'leader';
  if (own === null) return roleOf('follower', leader?.leaderId ?? null);
  return leader === null ? 'waits' : `waits, ${leader.leaderId} leads`;
}

/** ZooKeeper grants sessions of two to twenty of its ticks. */
const leastTicks = 2;
const mostTicks = 20;
/** Members tell their leader every half tick whom they have heard, and a session ends at the tick after its time. */
const lateTicks = 1.5;

function zookeeperVariant(variant: string, own: Partial<ZooKeeperSettings>): Variant<ZooKeeperState> {
  return {
    variant,
    configure(profile, budgetMs, election, settings = {}) {
      checkSettings(settings, defaultSettings, defaultSimulatedZooKeeper);
      const path = election === undefined ? defaultSettings.path : `/${election}`;
      const isMatched = profile === 'matched';
      const tickMs = Math.max(
        defaultSimulatedZooKeeper.tickMs,
        Math.ceil(
          isMatched ? budgetMs / (mostTicks + lateTicks) : defaultSettings.sessionTimeoutMs / mostTicks,
        ),
      );
      // The longest that, with the ensemble's lateness, stays within the budget.
      const sessionTimeoutMs = isMatched
        ? Math.max(leastTicks * tickMs, Math.floor(budgetMs - lateTicks * tickMs))
        : defaultSettings.sessionTimeoutMs;
      const requestTimeoutMs = isMatched ? requestShare * sessionTimeoutMs : defaultSettings.requestTimeoutMs;
      const usual = { ...defaultSettings, ...own, path, sessionTimeoutMs, requestTimeoutMs };
      const chosen = { ...usual, ...settingsOf(defaultSettings, settings) };
      const ensemble = {
        ...defaultSimulatedZooKeeper,
        tickMs,
        ...settingsOf(defaultSimulatedZooKeeper, settings),
      };
      return {
        protocol: zookeeper(chosen),
        parameters: { sessionTimeoutMs, requestTimeoutMs, tickMs },
        services: [coordinator(ensemble)],
        detectionMs: chosen.sessionTimeoutMs + lateTicks * ensemble.tickMs,
        maxDelayMs: delayShare * chosen.requestTimeoutMs,
        maxDriftRate: chosen.driftBound,
        restless: ensemble.leaderFailsEveryMs !== null || ensemble.memberCutEveryMs !== null,
      };
    },
  };
}

const coordinator = (ensemble: SimulatedZooKeeperSettings): Coordinator => ({
  id: defaultSettings.coordinator,
  machine: simulatedZooKeeper(ensemble),
  canCommit: (state: SimulatedZooKeeperState) => state.available,
  failLeader: { type: 'fail-leader' } satisfies SimulatedZooKeeperRequest,
});

/** Members that fail and are cut off by themselves, beside what the schedule does. */
const restless: Settings = {
  leaderFailsEveryMs: [1500, 6000],
  memberCutEveryMs: [200, 1500],
  electionMs: [100, 600],
};

const ensembles: readonly Settings[] = [
  {},
  // A short tick leaves no slack between the end of a session and its being noticed.
  { tickMs: 50, lagMs: [0, 100] },
  { tickMs: 50, syncLimit: 20, lagMs: [0, 50], ...restless },
  // The longest tick that a session of a second allows: members report as seldom as they may.
  { tickMs: 500, syncLimit: 2, ...restless },
  { members: 5, lagMs: [0, 150], ...restless },
  { members: 1, tickMs: 50 },
];

/** Short sessions, so that a run sees many of them come and go. No margin: events are exact. */
function drawSettings(random: Random): Settings {
  if (random.chance(0.25)) return {};
  return {
    sessionTimeoutMs: 1000,
    requestTimeoutMs: 300,
    retryMs: [20, 60],
    marginMs: 0,
    succession: random.chance(0.2) ? 'herd' : 'queue',
    ...random.pick(ensembles),
  };
}
