import type { AnyProtocol, Subject } from '@hustings/simulator';
import { describeSessionSearch } from '@hustings/testkit/sessions';
import { type ProcessState, type SharedEtcdSettings, sharedEtcd, sharedInvariants } from '../../src/index.js';
import { type SimulatedEtcdSettings, simulatedEtcd } from '../../src/simulated.js';

/** As the catalogue's search for single elections: short leases, no margin, and servers that check at once. */
function subject(
  settings: Partial<SharedEtcdSettings>,
  server: Partial<SimulatedEtcdSettings>,
): Subject<ProcessState> {
  const [ttlSeconds, requestTimeoutMs] = [settings.ttlSeconds ?? 5, settings.requestTimeoutMs ?? 1000];
  const detectionMs = 1000 * ttlSeconds + 500;
  return {
    protocol: sharedEtcd({ auditMs: 600 * ttlSeconds, ...settings }) as AnyProtocol<ProcessState>,
    invariants: sharedInvariants,
    services: [{ id: 'etcd', machine: simulatedEtcd(server) }],
    timing: {
      detectionMs,
      maxDelayMs: requestTimeoutMs / 10,
      settleMs: 10 * detectionMs,
      maxDriftRate: 0.01,
    },
    restless: server.leaderFailsEveryMs !== undefined,
  };
}

const hard = { ttlSeconds: 1, requestTimeoutMs: 500, marginMs: 0 };
describeSessionSearch({
  'that share leases': subject({}, {}),
  'with short leases, on a server that ends them at once': subject(hard, { expiryCheckMs: 5 }),
  'with short leases, of which each has its own': subject({ ...hard, keysPerLease: 1 }, { expiryCheckMs: 5 }),
  'on a server that soon forgets the past': subject({ ...hard, spokenFor: 'b' }, { historyLength: 5 }),
  'on a server whose leader keeps failing': subject(
    { ...hard, spokenFor: 'c' },
    { expiryCheckMs: 5, leaderFailsEveryMs: [3000, 9000], electionMs: [200, 1200] },
  ),
});
