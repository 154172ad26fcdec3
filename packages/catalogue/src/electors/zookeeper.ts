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
  type SimulatedZooKeeperState,
  simulatedZooKeeper,
} from '@hustings/zookeeper/simulated';
import type { Algorithm, Coordinator, Variant } from '../algorithm.js';
import { delayShare, requestShare } from '../matched.js';
import { absenceOf, portrait, roleOf, timeLeft } from '../portrait.js';

export const zookeeperElector: Algorithm<ZooKeeperState> = {
  name: 'zookeeper',
  coordinator: 'zookeeper',
  variants: [zookeeperVariant('default', 'queue'), zookeeperVariant('herd', 'herd')],
  invariants,
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

function zookeeperVariant(
  variant: string,
  succession: ZooKeeperSettings['succession'],
): Variant<ZooKeeperState> {
  return {
    variant,
    configure(profile, budgetMs, election) {
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
      return {
        protocol: zookeeper({ path, succession, sessionTimeoutMs, requestTimeoutMs }),
        parameters: { sessionTimeoutMs, requestTimeoutMs, tickMs },
        services: [coordinator(tickMs)],
        detectionMs: sessionTimeoutMs + lateTicks * tickMs,
        maxDelayMs: delayShare * requestTimeoutMs,
      };
    },
  };
}

const coordinator = (tickMs: number): Coordinator => ({
  id: defaultSettings.coordinator,
  machine: simulatedZooKeeper({ tickMs }),
  canCommit: (state: SimulatedZooKeeperState) => state.available,
  failLeader: { type: 'fail-leader' } satisfies SimulatedZooKeeperRequest,
});
