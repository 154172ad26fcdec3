import { randomUUID } from 'node:crypto';
import { type ApiServer, kubernetesStore } from '@hustings/kubernetes';
import type { LeaseStore } from '@hustings/lease';
import { describeLeaseStore } from '@hustings/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LeaseApi, type LeaseObject } from '../src/api.js';
import { describeFacts } from './facts.js';
import { SimulatedApiServer } from './simulated-api-server.js';

const simulated = new SimulatedApiServer();
const server = (): ApiServer => ({ url: simulated.url, token: () => 'secret' });
const open = (): LeaseStore => kubernetesStore({ server: server() });

beforeAll(() => simulated.start());
afterAll(() => simulated.stop());

describeFacts('(simulated)', server);

describeLeaseStore({
  name: 'kubernetes, on a simulated API server',
  connect: open,
  server: {
    restart: () => simulated.restart(),
    pause: async () => {
      const resume = simulated.pause();
      return async () => resume();
    },
  },
});

describe('a Lease of Kubernetes', () => {
  const api = () => new LeaseApi(server(), 'default');
  const fresh = () => ({ name: `lease-${randomUUID()}`, holder: 'a#1', ttlMs: 15_000 });

  it('has the fields that client-go reads', async () => {
    const request = fresh();
    await open().acquire(request);
    const { spec } = (await api().get(request.name))!;
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(spec).toEqual({
      ...{ holderIdentity: 'a#1', leaseDurationSeconds: 15, leaseTransitions: 1 },
      ...{ acquireTime: time, renewTime: time },
    });
  });

  it('is released as client-go does it: no holder, and a second', async () => {
    const request = fresh();
    const store = open();
    const { token } = await store.acquire(request);
    await store.release({ ...request, token: token! });
    const { spec } = (await api().get(request.name))!;
    expect(spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 1 });
  });

  it('has another version after every renewal, also by a clock that stands still', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const request = fresh();
    const store = open();
    const { token } = await store.acquire(request);
    const versions = new Set<string | undefined>();
    for (let round = 0; round < 4; round += 1) {
      await store.renew({ ...request, token: token! });
      versions.add((await api().get(request.name))!.metadata.resourceVersion);
    }
    expect(versions.size).toBe(4);
  });

  it('has the version that the acquiring write replaced as its token', async () => {
    const request = fresh();
    const first = (await api().create(leaseOf(request.name, {})))!;
    const answer = await open().acquire(request);
    expect(answer.token).toBe(BigInt(first.metadata.resourceVersion!));
  });

  it('of client-go is respected, and its holder told without a token', async () => {
    const request = fresh();
    await api().create(leaseOf(request.name, { holderIdentity: 'go_123', leaseDurationSeconds: 60 }));
    const held = { type: 'held', holder: 'go_123', token: null, expiresInMs: 60_000 };
    expect(await open().acquire(request)).toMatchObject(held);
  });

  it('that client-go took from us does not go by our last token', async () => {
    const request = fresh();
    const store = open();
    const ours = await store.acquire(request);
    const before = (await api().get(request.name))!;
    await api().replace({
      ...before,
      spec: { ...before.spec, holderIdentity: 'go_123', leaseTransitions: 2 },
    });
    expect(await store.read(request.name)).toMatchObject({ holder: 'go_123', token: null });
    expect(await store.renew({ ...request, token: ours.token! })).toEqual({ type: 'lost' });
    const { version } = (await store.read(request.name)) as { version: string };
    const next = await store.acquire({ ...request, over: version });
    expect(next.token).toBeGreaterThan(ours.token!);
  });

  it('keeps what others have written beside it', async () => {
    const request = fresh();
    const lease = leaseOf(request.name, {});
    await api().create({ ...lease, metadata: { ...lease.metadata, annotations: { team: 'billing' } } });
    await open().acquire(request);
    expect((await api().get(request.name))!.metadata.annotations).toMatchObject({ team: 'billing' });
  });
});

const leaseOf = (name: string, spec: LeaseObject['spec']): LeaseObject => ({
  ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
  metadata: { name },
  spec: spec ?? {},
});
