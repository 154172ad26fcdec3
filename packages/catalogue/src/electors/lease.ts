import {
  defaultSettings,
  guardMs,
  invariants,
  type LeaseSettings,
  type LeaseState,
  lease,
  type StoreTraits,
} from '@hustings/lease';
import {
  defaultSimulatedStore,
  isAnswering,
  type SimulatedStoreRequest,
  type SimulatedStoreSettings,
  type SimulatedStoreState,
  simulatedStore,
} from '@hustings/lease/simulated';
import type { Random, Settings } from '@hustings/simulator';
import type { Algorithm, Coordinator, Variant } from '../algorithm.js';
import { delayShare, requestShare } from '../matched.js';
import { absenceOf, portrait, roleOf, timeLeft } from '../portrait.js';
import { checkSettings, settingsOf } from '../settings.js';

export const leaseElector: Algorithm<LeaseState> = {
  name: 'lease',
  coordinator: 'lease',
  variants: [
    leaseVariant('default', 'postgres', {}),
    leaseVariant('postgres-session', 'postgres-session', { endsWithConnection: true }),
    leaseVariant('redis', 'redis', { tokens: 'clock' }),
    leaseVariant('redis-replica', 'redis-replica', { tokens: 'clock', replicaLagMs: 60_000 }),
    leaseVariant('redlock', 'redlock', { servers: 5 }),
    leaseVariant('observer', 'observer', { clock: 'observer' }),
  ],
  invariants,
  drawSettings,
  portray(state, nowMs) {
    const { own, settings, holder } = state;
    return portrait({
      role: roleIn(state),
      token: own === null ? null : own.token,
      lease:
        own === null
          ? null
          : timeLeft(own.sentMs + own.validForMs - guardMs(settings, own.validForMs), nowMs),
      process: holder === null ? 'has no name yet' : null,
      absence: absenceOf(state),
    });
  },
};

function roleIn({ phase, other }: LeaseState): string {
  const leader = other === null || other.isOver || other.holder === null ? null : other.holder.split('#')[0]!;
  switch (phase) {
    case 'following':
      return roleOf('follower', leader);
    case 'acquiring':
      return 'asks for the lease';
    case 'waiting':
      return leader === null ? 'waits' : `waits, ${leader} leads`;
    case 'leading':
      return 'leader';
    case 'refusing':
      return 'refuses to lead: a higher token was seen';
    case 'leaving':
      return 'gives the lease back';
  }
}

/** What the simulated store with these settings may declare. */
function traitsOf(name: string, { clock, replicaLagMs, servers }: SimulatedStoreSettings): StoreTraits {
  const forgets = replicaLagMs > 0;
  return {
    ...{ name, clock, expiryFactor: 1, minTtlMs: 1, granularityMs: 1 },
    survives: forgets ? 'nothing' : servers > 1 ? 'majority' : 'disk',
    guarantees: { atMostOneLeader: !forgets, monotonicTokens: true, toleratesPartition: !forgets },
    assumptions: ['the store can be reached, and keeps what it has acknowledged'],
  };
}

function leaseVariant(
  variant: string,
  store: string,
  server: Partial<SimulatedStoreSettings>,
): Variant<LeaseState> {
  return {
    variant,
    configure(profile, budgetMs, election, settings = {}) {
      checkSettings(settings, defaultSettings, defaultSimulatedStore);
      const isMatched = profile === 'matched';
      const simulated = {
        ...defaultSimulatedStore,
        ...server,
        ...settingsOf(defaultSimulatedStore, settings),
      };
      const marginMs = isMatched
        ? Math.min(defaultSettings.marginMs, budgetMs / 10)
        : defaultSettings.marginMs;
      const ttlMs = isMatched ? longestWithin(budgetMs, simulated, marginMs) : defaultSettings.ttlMs;
      const requestTimeoutMs = isMatched ? requestShare * ttlMs : defaultSettings.requestTimeoutMs;
      const chosen: Omit<LeaseSettings, 'store'> = {
        ...{ ...defaultSettings, name: election ?? defaultSettings.name, ttlMs, requestTimeoutMs, marginMs },
        ...settingsOf(defaultSettings, settings),
      };
      const traits = traitsOf(store, simulated);
      return {
        protocol: { ...lease(traits, chosen), variant },
        parameters: { ttlMs, requestTimeoutMs },
        services: [coordinator(simulated)],
        detectionMs: noticedAfterMs({ ...chosen, store: traits }),
        maxDelayMs: delayShare * chosen.requestTimeoutMs,
        maxDriftRate: chosen.driftBound,
        restless: simulated.failsOverEveryMs !== null,
      };
    },
  };
}

/** Whoever goes by its own clock adds the guard, and counts from its last look: it did not see the renewal itself. */
const noticedAfterMs = (settings: LeaseSettings): number => {
  const { store, ttlMs, renewAfter } = settings;
  return store.clock === 'store' ? ttlMs : Math.ceil(ttlMs * (1 + renewAfter) + guardMs(settings, ttlMs));
};

/** The longest lease whose end is noticed within the budget. */
const longestWithin = (budgetMs: number, { clock }: SimulatedStoreSettings, marginMs: number): number => {
  const { driftBound, renewAfter } = defaultSettings;
  return clock === 'store' ? budgetMs : Math.floor((budgetMs - marginMs) / (1 + renewAfter + 2 * driftBound));
};

const coordinator = (server: SimulatedStoreSettings): Coordinator => ({
  id: defaultSettings.coordinator,
  machine: simulatedStore(server),
  canCommit: (state: SimulatedStoreState) => isAnswering(state),
  failLeader: { type: 'fail-over' } satisfies SimulatedStoreRequest,
});

/** Stores of every kind that keeps what it has acknowledged. */
const stores: readonly Settings[] = [
  {},
  { clock: 'observer' },
  { tokens: 'clock' },
  { endsWithConnection: true },
  { servers: 5 },
];

/** Short leases, and no margin: what is too late by a moment is seen. */
function drawSettings(random: Random): Settings {
  if (random.chance(0.25)) return {};
  return {
    ttlMs: 1000,
    requestTimeoutMs: 300,
    retryMs: [20, 60],
    marginMs: 0,
    renewAfter: random.pick([1 / 3, 0.6]),
    ...random.pick(stores),
    ...(random.chance(0.3) ? { failsOverEveryMs: [1500, 6000], failoverMs: [100, 900] } : {}),
  };
}
