import {
  defaultSettings,
  type EtcdSettings,
  type EtcdState,
  etcd,
  guardMs,
  invariants,
} from '@hustings/etcd';
import {
  defaultSimulatedEtcd,
  type SimulatedEtcdRequest,
  type SimulatedEtcdState,
  simulatedEtcd,
} from '@hustings/etcd/simulated';
import type { Algorithm, Coordinator, Variant } from '../algorithm.js';
import { delayShare, requestShare } from '../matched.js';
import { absenceOf, portrait, roleOf, timeLeft } from '../portrait.js';

export const etcdElector: Algorithm<EtcdState> = {
  name: 'etcd',
  coordinator: 'etcd',
  variants: [etcdVariant('default', 'queue'), etcdVariant('race', 'race')],
  invariants,
  portray(state, nowMs) {
    const { session, settings } = state;
    return portrait({
      role: roleIn(state),
      token: state.ownRevision,
      lease:
        session === null
          ? null
          : timeLeft(session.renewedMs + session.ttlMs - guardMs(settings, session.ttlMs), nowMs),
      watches: state.watch === null ? null : state.watch.prefix ? 'all keys' : 'the key before its own',
      absence: absenceOf(state),
    });
  },
};

function roleIn({ phase, members }: EtcdState): string {
  // A proclaimed value follows the node's name on the next line.
  const leader = members[0]?.value.split('\n')[0] ?? null;
  switch (phase) {
    case 'following':
      return roleOf('follower', leader);
    case 'granting':
      return 'asks for a lease';
    case 'joining':
      return 'puts its key';
    case 'waiting':
      return leader === null ? 'waits' : `waits, ${leader} leads`;
    case 'leading':
      return 'leader';
    case 'leaving':
      return 'deletes its key';
  }
}

function etcdVariant(variant: string, succession: EtcdSettings['succession']): Variant<EtcdState> {
  return {
    variant,
    configure(profile, budgetMs, election) {
      const name = election ?? defaultSettings.name;
      const isMatched = profile === 'matched';
      const { expiryCheckMs } = defaultSimulatedEtcd;
      // The longest whole seconds that, with the server's lateness, stay within the budget.
      const ttlSeconds = isMatched
        ? Math.max(1, Math.floor((budgetMs - expiryCheckMs) / 1000))
        : defaultSettings.ttlSeconds;
      const requestTimeoutMs = isMatched
        ? requestShare * ttlSeconds * 1000
        : defaultSettings.requestTimeoutMs;
      return {
        protocol: etcd({ name, succession, ttlSeconds, requestTimeoutMs }),
        parameters: { ttlSeconds, requestTimeoutMs, expiryCheckMs },
        services: [coordinator],
        detectionMs: 1000 * ttlSeconds + expiryCheckMs,
        maxDelayMs: delayShare * requestTimeoutMs,
      };
    },
  };
}

const coordinator: Coordinator = {
  id: defaultSettings.coordinator,
  machine: simulatedEtcd(),
  canCommit: (state: SimulatedEtcdState) => state.available,
  failLeader: { type: 'fail-leader' } satisfies SimulatedEtcdRequest,
};
