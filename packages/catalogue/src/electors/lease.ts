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
    leaseVariant('default', { name: 'postgres' }, {}),
    leaseVariant(
      'postgres-session',
      { name: 'postgres-session', survives: 'nothing', releasedBy: 'holder' },
      { endsWithConnection: true },
    ),
    leaseVariant('redis', { name: 'redis' }, { tokens: 'clock' }),
    leaseVariant(
      'redis-replica',
      { name: 'redis-replica', survives: 'nothing' },
      { tokens: 'clock', replicaLagMs: 60_000 },
    ),
    leaseVariant('redlock', { name: 'redlock' }, { servers: 5 }),
    leaseVariant('kubernetes', { name: 'kubernetes', survives: 'majority' }, { clock: 'observer' }),
    leaseVariant('dynamodb', { name: 'dynamodb', survives: 'majority' }, { clock: 'observer', hints: false }),
    leaseVariant(
      'consul',
      { name: 'consul', survives: 'majority', releasedBy: 'holder' },
      { expiryFactor: 2 },
    ),
    // Its processes and the kernel that stands between them are one machine, and fail as one.
    leaseVariant(
      'local',
      { name: 'local', releasedBy: 'holder' },
      { expiryFactor: null, endsWithConnection: true },
      { faults: ['crash', 'restart', 'pause', 'graceful'] },
    ),
    leaseVariant('certificates', { name: 'postgres' }, {}, { settings: { deathCertificates: true } }),
  ],
  invariants,
  drawSettings,
  portray(state, nowMs) {
    const { own, settings } = state;
    return portrait({
      role: roleIn(state),
      token: own === null ? null : own.token,
      lease:
        own === null
          ? null
          : timeLeft(own.sentMs + own.validForMs - guardMs(settings, own.validForMs), nowMs),
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

/** How results call it, and what its real one says of a crash. */
type Declared = Pick<StoreTraits, 'name'> & Partial<Pick<StoreTraits, 'survives' | 'releasedBy'>>;

/** What the simulated store with these settings may declare. A test holds it to what the real one does. */
function traitsOf(
  { name, survives = 'disk', releasedBy = 'anybody' }: Declared,
  { clock, tokens, expiryFactor, replicaLagMs }: SimulatedStoreSettings,
): StoreTraits {
  const forgets = replicaLagMs > 0;
  return {
    ...{ name, clock, minTtlMs: 1, granularityMs: 1, survives, releasedBy, tokens },
    expiryFactor: expiryFactor ?? Number.POSITIVE_INFINITY,
    guarantees: { atMostOneLeader: !forgets, monotonicTokens: true, toleratesPartition: !forgets },
    assumptions: ['the store can be reached, and keeps what it has acknowledged'],
  };
}

function leaseVariant(
  variant: string,
  store: Declared,
  server: Partial<SimulatedStoreSettings>,
  {
    faults,
    settings: own = {},
  }: { readonly faults?: readonly string[]; readonly settings?: Partial<LeaseSettings> } = {},
): Variant<LeaseState> {
  return {
    variant,
    ...(faults === undefined ? {} : { faults }),
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
        ...{ ...defaultSettings, ...own, name: election ?? defaultSettings.name },
        ...{ ttlMs, requestTimeoutMs, marginMs },
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

/** Where a lease ends with its process and not before, its TTL is as good as any: nobody waits for it. */
const expiryOf = ({ expiryFactor }: Pick<StoreTraits, 'expiryFactor'>): number =>
  Number.isFinite(expiryFactor) ? expiryFactor : 1;

/** Whoever goes by its own clock adds the guard, and counts from its last look: it did not see the renewal itself. */
const noticedAfterMs = (settings: LeaseSettings): number => {
  const { store, ttlMs, renewAfter } = settings;
  if (store.clock === 'store') return expiryOf(store) * ttlMs;
  return Math.ceil(ttlMs * (1 + renewAfter) + guardMs(settings, ttlMs));
};

/** The longest lease whose end is noticed within the budget. */
const longestWithin = (
  budgetMs: number,
  { clock, expiryFactor }: SimulatedStoreSettings,
  marginMs: number,
): number => {
  const { driftBound, renewAfter } = defaultSettings;
  if (clock === 'store') return budgetMs / (expiryFactor ?? 1);
  return Math.floor((budgetMs - marginMs) / (1 + renewAfter + 2 * driftBound));
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
  { clock: 'observer', hints: false },
  { expiryFactor: 2 },
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
