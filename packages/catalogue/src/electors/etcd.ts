import {
  defaultSettings,
  type EtcdSettings,
  type EtcdState,
  etcd,
  guardMs,
  invariants,
  readValue,
} from '@hustings/etcd';
import {
  defaultSimulatedEtcd,
  type SimulatedEtcdRequest,
  type SimulatedEtcdSettings,
  type SimulatedEtcdState,
  simulatedEtcd,
} from '@hustings/etcd/simulated';
import type { Random, Settings } from '@hustings/simulator';
import type { Algorithm, Coordinator, Variant } from '../algorithm.js';
import { delayShare, heirDelayShare, requestShare } from '../matched.js';
import { absenceOf, portrait, roleOf, timeLeft } from '../portrait.js';
import { checkSettings, settingsOf } from '../settings.js';

export const etcdElector: Algorithm<EtcdState> = {
  name: 'etcd',
  coordinator: 'etcd',
  variants: [
    etcdVariant('default', {}),
    etcdVariant('race', { succession: 'race' }),
    etcdVariant('heirs', { heirWaitMs: 1000 }),
    etcdVariant('certificates', { deathCertificates: true }),
    etcdVariant('heirs-certificates', { heirWaitMs: 1000, deathCertificates: true }),
  ],
  invariants,
  drawSettings,
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
  const leader = members[0] === undefined ? null : readValue(members[0].value).leaderId;
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

function etcdVariant(variant: string, own: Partial<EtcdSettings>): Variant<EtcdState> {
  return {
    variant,
    configure(profile, budgetMs, election, settings = {}) {
      checkSettings(settings, defaultSettings, defaultSimulatedEtcd);
      const name = election ?? defaultSettings.name;
      const isMatched = profile === 'matched';
      const server = { ...defaultSimulatedEtcd, ...settingsOf(defaultSimulatedEtcd, settings) };
      const { expiryCheckMs } = server;
      // The longest whole seconds that, with the server's lateness, stay within the budget.
      const ttlSeconds = isMatched
        ? Math.max(1, Math.floor((budgetMs - expiryCheckMs) / 1000))
        : defaultSettings.ttlSeconds;
      const requestTimeoutMs = isMatched
        ? requestShare * ttlSeconds * 1000
        : defaultSettings.requestTimeoutMs;
      // Well before the lease runs out, or heirs are of no use.
      const waitMs = Math.min(own.heirWaitMs ?? 0, 400 * ttlSeconds);
      const usual = { ...defaultSettings, ...own, name, ttlSeconds, requestTimeoutMs, heirWaitMs: waitMs };
      const chosen = { ...usual, ...settingsOf(defaultSettings, settings) };
      const { heirWaitMs } = chosen;
      return {
        protocol: etcd(chosen),
        parameters: { ttlSeconds, requestTimeoutMs, expiryCheckMs, ...(heirWaitMs > 0 && { heirWaitMs }) },
        services: [coordinator(server)],
        detectionMs: 1000 * chosen.ttlSeconds + expiryCheckMs,
        // An heir's answer, or etcd's where none comes, must be there in time.
        maxDelayMs: heirWaitMs > 0 ? heirDelayShare * heirWaitMs : delayShare * chosen.requestTimeoutMs,
        maxDriftRate: chosen.driftBound,
        restless: server.leaderFailsEveryMs !== null,
      };
    },
  };
}

const coordinator = (server: SimulatedEtcdSettings): Coordinator => ({
  id: defaultSettings.coordinator,
  machine: simulatedEtcd(server),
  canCommit: (state: SimulatedEtcdState) => state.available,
  failLeader: { type: 'fail-leader' } satisfies SimulatedEtcdRequest,
});

/** Short leases, and no margin: what is too late by a moment is seen. Some servers check for expiry at once. */
function drawSettings(random: Random, variant: string): Settings {
  if (random.chance(0.25)) return {};
  const succession = random.pick(['queue', 'queue', 'race']);
  return {
    ttlSeconds: 1,
    requestTimeoutMs: 500,
    marginMs: 0,
    ...(variant.startsWith('heirs') ? drawHeirs(random) : { succession }),
    electionMs: [200, 1200],
    historyLength: random.chance(0.3) ? 5 : 1000,
    expiryCheckMs: random.pick([5, 500]),
    ...(random.chance(0.3) ? { leaderFailsEveryMs: [3000, 9000] } : {}),
  };
}

/** From a wait that is over long before the lease is, to one that hardly is; with clocks that differ by much or little. */
const drawHeirs = (random: Random): Settings => ({
  heirWaitMs: random.pick([200, 400, 600]),
  driftBound: random.pick([0.01, 0.01, 0.08]),
});
