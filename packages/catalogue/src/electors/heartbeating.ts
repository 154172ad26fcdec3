import type { AnyProtocol } from '@hustings/simulator';
import type { Variant } from '../algorithm.js';
import { matchedHeartbeatMs, matchedTimeoutMs } from '../matched.js';

/** What bully and ring have in common: the leader sends heartbeats, and followers wait for them. */
interface HeartbeatSettings {
  readonly heartbeatMs: number;
  readonly leaderTimeoutMs: readonly [minMs: number, maxMs: number];
  readonly maxDelayMs: number;
}

export function heartbeating<State>(
  variant: string,
  create: (settings: HeartbeatSettings) => AnyProtocol<State>,
  customary: HeartbeatSettings,
): Variant<State> {
  return {
    variant,
    configure(profile, budgetMs) {
      const { heartbeatMs, leaderTimeoutMs, maxDelayMs } =
        profile === 'defaults' ? customary : matched(budgetMs);
      const settings: HeartbeatSettings = { heartbeatMs, leaderTimeoutMs, maxDelayMs };
      return {
        protocol: create(settings),
        parameters: { ...settings },
        services: [],
        detectionMs: leaderTimeoutMs[1],
        maxDelayMs,
      };
    },
  };
}

const matched = (budgetMs: number): HeartbeatSettings => ({
  heartbeatMs: matchedHeartbeatMs(budgetMs),
  leaderTimeoutMs: matchedTimeoutMs(budgetMs),
  // Fifty times the simulated network's slowest message at the default budget: room for a busy machine.
  maxDelayMs: budgetMs / 20,
});
