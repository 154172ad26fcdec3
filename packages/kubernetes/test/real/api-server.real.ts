import { randomUUID } from 'node:crypto';
import { lead } from '@hustings/elector';
import { type ApiServer, kubernetesStore } from '@hustings/kubernetes';
import { lease } from '@hustings/lease';
import { leaseGateway } from '@hustings/lease/gateway';
import { createElector, memoryStorage, type RuntimeElector } from '@hustings/runtime';
import { type KubernetesServer, type SupervisedProcess, startKubernetes } from '@hustings/servers';
import { describeLeaseStore } from '@hustings/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeFacts } from '../facts.js';

let kubernetes: KubernetesServer;

beforeAll(async () => {
  kubernetes = await startKubernetes();
});

afterAll(() => kubernetes?.stop());

function server(): ApiServer {
  const { url, ca, token } = kubernetes;
  return { url, ca, token: () => token };
}

describeFacts('(real)', server);

describeLeaseStore({
  name: 'kubernetes, on a real API server',
  connect: () => kubernetesStore({ server: server() }),
  patienceMs: 60_000,
  server: {
    restart: () => kubernetes.restart(),
    pause: async () => {
      kubernetes.pause();
      return async () => kubernetes.resume();
    },
  },
});

describe('an election that a candidate of client-go and one of ours share', () => {
  const patience = { timeout: 120_000, interval: 20 };
  const leads = (candidate: SupervisedProcess, id: string): boolean =>
    candidate.lines.some(
      (line) => line.includes(`new leader elected: ${id}`) || line.includes('successfully acquired'),
    );

  function ours(id: string, name: string): RuntimeElector<never> {
    const store = kubernetesStore({ server: server() });
    return createElector({
      protocol: lease(store.traits, { name, ttlMs: 15_000 }),
      transport: leaseGateway({ id, store }),
      peers: [],
      storage: memoryStorage(),
    }) as RuntimeElector<never>;
  }

  it('goes back and forth as each resigns, and the token grows', async () => {
    const name = `mixed-${randomUUID()}`;
    const tokens: bigint[] = [];
    for (let round = 0; round < 3; round += 1) {
      const elector = ours(`ts-${round}`, name);
      await elector.start();
      const leadership = await elector.campaign();
      tokens.push(leadership.token);
      const go = await kubernetes.startCandidate(name, `go-${round}`);
      await vi.waitFor(() => expect(go.lines.join('\n')).toContain('attempting to acquire'), patience);
      expect(leads(go, `go-${round}`)).toBe(false);
      await elector.stop();
      await vi.waitFor(() => expect(leads(go, `go-${round}`)).toBe(true), patience);
      expect(leadership.signal.aborted).toBe(true);
      go.signal('SIGTERM'); // It releases its lease, and exits.
      await vi.waitFor(() => expect(go.running).toBe(false), patience);
    }
    expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(tokens).size).toBe(tokens.length);
  });

  it('is ours a lease after client-go was killed, and not sooner', async () => {
    const name = `killed-${randomUUID()}`;
    const go = await kubernetes.startCandidate(name, 'go');
    await vi.waitFor(() => expect(leads(go, 'go')).toBe(true), patience);
    const elector = ours('ts', name);
    const work = new AbortController();
    await elector.start();
    go.signal('SIGKILL');
    const killedMs = performance.now();
    let leadsMs = 0;
    await lead(
      elector,
      async () => {
        leadsMs = performance.now();
        work.abort();
      },
      { signal: work.signal },
    ).catch(() => {});
    // Its last renewal was at most 5 s before it died.
    expect(leadsMs - killedMs).toBeGreaterThan(55_000);
    await elector.stop();
  });
});
