import type { AnyProtocol } from '@hustings/simulator';
import type { Variant } from '../algorithm.js';
import { matchedHeartbeatMs, matchedTimeoutMs } from '../matched.js';
import { checkSettings, settingsOf } from '../settings.js';

/** What bully and ring have in common: the leader sends heartbeats, and followers wait for them. */
interface HeartbeatSettings {
  readonly heartbeatMs: number;
  readonly leaderTimeoutMs: readonly [minMs: number, maxMs: number];
  readonly maxDelayMs: number;
}

export function heartbeating<State, Complete extends HeartbeatSettings>(
  variant: string,
  create: (settings: Partial<Complete>) => AnyProtocol<State>,
  customary: Complete,
): Variant<State> {
  return {
    variant,
    configure(profile, budgetMs, _election, settings = {}) {
      checkSettings(settings, customary);
      const usual = profile === 'defaults' ? customary : { ...customary, ...matched(budgetMs) };
      const chosen: Complete = { ...usual, ...settingsOf(customary, settings) };
      const { heartbeatMs, leaderTimeoutMs, maxDelayMs } = chosen;
      return {
        protocol: create(chosen),
        parameters: { heartbeatMs, leaderTimeoutMs, maxDelayMs },
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
