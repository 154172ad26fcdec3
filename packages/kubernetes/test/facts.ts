import { randomUUID } from 'node:crypto';
import type { ApiServer } from '@hustings/kubernetes';
import { describe, expect, it } from 'vitest';
import { LeaseApi, type LeaseObject } from '../src/api.js';

/** What the store relies on, asked of the simulated API server and of a real one alike. */
export function describeFacts(name: string, server: () => ApiServer): void {
  describe(`the API server ${name}`, () => {
    const namespace = () => server().namespace ?? 'default';
    const api = () => new LeaseApi(server(), namespace());
    const fresh = (spec: LeaseObject['spec'] = {}): LeaseObject => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: `facts-${randomUUID()}` },
      spec,
    });
    const renewTime = '2026-01-02T03:04:05.000006Z';

    it('refuses a write that replaces an old version', async () => {
      const first = await api().create(fresh());
      const second = await api().replace({ ...first!, spec: { renewTime } });
      expect(second).not.toBeNull();
      expect(
        await api().replace({ ...first!, spec: { renewTime: '2026-01-02T03:04:05.000007Z' } }),
      ).toBeNull();
    });

    it('refuses a write that names no version', async () => {
      const { metadata } = (await api().create(fresh()))!;
      const { resourceVersion, ...unnamed } = metadata;
      await expect(api().replace({ ...fresh(), metadata: unnamed })).rejects.toThrow('answers 422');
    });

    it('keeps the version when a write changes nothing', async () => {
      const first = (await api().create(fresh({ renewTime })))!;
      const second = await api().replace(first);
      expect(second?.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });

    it('gives greater versions, also to an object that was deleted in between', async () => {
      const lease = fresh();
      const first = (await api().create(lease))!;
      const url = `${server().url}/apis/coordination.k8s.io/v1/namespaces/${namespace()}/leases/${lease.metadata.name}`;
      await remove(url, server());
      const second = (await api().create(lease))!;
      expect(BigInt(second.metadata.resourceVersion!)).toBeGreaterThan(
        BigInt(first.metadata.resourceVersion!),
      );
    });

    it('refuses a time without a fraction', async () => {
      await expect(api().create(fresh({ renewTime: '2026-01-02T03:04:05Z' }))).rejects.toThrow('answers 400');
    });

    it('refuses a duration of nothing', async () => {
      await expect(api().create(fresh({ leaseDurationSeconds: 0 }))).rejects.toThrow('answers 422');
    });

    it('tells who watches of every change since a version', async () => {
      const first = (await api().create(fresh()))!;
      const ending = new AbortController();
      const changes = api().changes(first.metadata.name, first.metadata.resourceVersion!, ending.signal);
      const told = changes.next();
      await api().replace({ ...first, spec: { renewTime, holderIdentity: 'a#1' } });
      expect((await told).value?.spec?.holderIdentity).toBe('a#1');
      ending.abort();
      await changes.next().catch(() => {});
    });

    it('ends a watch when the time is over that was asked for', async () => {
      const first = (await api().create(fresh()))!;
      const { name, resourceVersion } = first.metadata;
      const brief = new LeaseApi(server(), namespace(), 1000);
      const changes = brief.changes(name, resourceVersion!, new AbortController().signal);
      expect(await changes.next()).toEqual({ done: true, value: undefined });
    });
  });
}

/** With whatever proves who we are. */
async function remove(url: string, server: ApiServer): Promise<void> {
  const { request } = await import(url.startsWith('https') ? 'node:https' : 'node:http');
  const headers = server.token === undefined ? {} : { authorization: `Bearer ${server.token()}` };
  await new Promise((resolve, reject) => {
    const asked = request(
      url,
      { method: 'DELETE', headers, ca: server.ca },
      (answer: NodeJS.ReadableStream) => {
        answer.resume().on('end', resolve);
      },
    );
    asked.on('error', reject).end();
  });
}
