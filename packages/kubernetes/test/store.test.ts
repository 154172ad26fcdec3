import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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

  it('is taken anew by its holder when somebody has cleared its token', async () => {
    const request = fresh();
    const store = open();
    const { token } = await store.acquire(request);
    const { metadata, ...rest } = (await api().get(request.name))!;
    await api().replace({ ...rest, metadata: { ...metadata, annotations: {} } });
    expect(await store.renew({ ...request, token: token! })).toEqual({ type: 'lost' });
    const next = await store.acquire(request);
    expect(next).toMatchObject({ type: 'acquired' });
    expect(next.token).toBeGreaterThan(token!);
  });

  it('keeps what others have written beside it', async () => {
    const request = fresh();
    const lease = leaseOf(request.name, {});
    await api().create({ ...lease, metadata: { ...lease.metadata, annotations: { team: 'billing' } } });
    await open().acquire(request);
    expect((await api().get(request.name))!.metadata.annotations).toMatchObject({ team: 'billing' });
  });
});

describe('an API server', () => {
  it('may have an address with a path, as behind a gateway for several clusters', async () => {
    const { url, asked } = await recorder(() => ({ status: 404, body: {} }));
    const store = kubernetesStore({ server: { url: `${url}/k8s/clusters/one/` }, namespace: 'billing' });
    expect(await store.read('lease')).toEqual({ type: 'free' });
    expect(asked).toEqual(['/k8s/clusters/one/apis/coordination.k8s.io/v1/namespaces/billing/leases/lease']);
  });

  it('that falls silent during a watch is not waited for without end', async () => {
    const resume = simulated.pause();
    onTestFinished(resume);
    const changes = new LeaseApi(server(), 'default', 100).changes('any', '1', new AbortController().signal);
    await expect(changes.next()).rejects.toThrow('fallen silent');
  });

  it('is not asked any more once the store is closed, whatever its watch was doing', async () => {
    const lease = { ...leaseOf('lease', {}), metadata: { name: 'lease', resourceVersion: '1' } };
    const { url, asked } = await recorder((path) =>
      path.includes('watch=') ? { status: 500, body: {} } : { status: 200, body: lease },
    );
    const store = kubernetesStore({ server: { url } });
    await store.watch!('lease', () => {});
    await vi.waitUntil(() => asked.some((path) => path.includes('watch=')), { timeout: 30_000 });
    await store.close?.();
    const before = asked.length;
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(asked).toHaveLength(before);
  });
});

/** A server that answers everything alike, and remembers what it was asked for. */
async function recorder(answer: (path: string) => { status: number; body: object }) {
  const asked: string[] = [];
  const recording = createServer(({ url = '' }, response) => {
    asked.push(url);
    const { status, body } = answer(url);
    response.writeHead(status).end(JSON.stringify(body));
  });
  recording.listen(0, '127.0.0.1');
  await once(recording, 'listening');
  onTestFinished(() => {
    recording.close();
    recording.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(recording.address() as AddressInfo).port}`, asked };
}

const leaseOf = (name: string, spec: LeaseObject['spec']): LeaseObject => ({
  ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
  metadata: { name },
  spec: spec ?? {},
});
