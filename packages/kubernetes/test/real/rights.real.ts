import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { type ApiServer, kubernetesStore } from '@hustings/kubernetes';
import { StoreRefusedError } from '@hustings/lease';
import { type KubernetesServer, startKubernetes } from '@hustings/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { LeaseApi } from '../../src/api.js';

let kubernetes: KubernetesServer;
beforeAll(async () => {
  kubernetes = await startKubernetes();
});
afterAll(() => kubernetes?.stop());

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const manifests = parseAllDocuments(/```yaml\n([^`]*)```/.exec(readme)![1]!).map(
  (document) => document.toJS() as Manifest,
);

/** As the administrator; throws what the API server has against it. */
async function create(path: string, body: object): Promise<unknown> {
  const { url, ca, token } = kubernetes;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const said = await new Promise<string>((resolve, reject) => {
    const asked = request(new URL(path, url), { method: 'POST', headers, ca }, (answer) => {
      void text(answer).then((words) =>
        answer.statusCode! < 300 ? resolve(words) : reject(new Error(words)),
      );
    });
    asked.on('error', reject).end(JSON.stringify(body));
  });
  return JSON.parse(said);
}

const apply = ({ apiVersion, kind, ...rest }: Manifest) => {
  const group = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return create(`${group}/namespaces/default/${kind.toLowerCase()}s`, { apiVersion, kind, ...rest });
};

/** As a pod of that account has it. */
async function tokenOf(account: string): Promise<string> {
  const path = `/api/v1/namespaces/default/serviceaccounts/${account}/token`;
  const answer = await create(path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  });
  return (answer as { status: { token: string } }).status.token;
}

const ask = { name: 'billing', holder: 'a#1', ttlMs: 15_000 };

describe("the README's manifest", () => {
  let account: ApiServer;
  beforeAll(async () => {
    for (const manifest of manifests) await apply(manifest);
    const token = await tokenOf('billing');
    account = { url: kubernetes.url, ca: kubernetes.ca, token: () => token };
  });

  it('is what the API server takes, all of it', () => {
    const kinds = manifests.map(({ kind }) => kind);
    expect(kinds).toEqual(['ServiceAccount', 'Role', 'RoleBinding', 'Deployment']);
  });

  it('lets its account hold an election', async () => {
    const store = kubernetesStore({ server: account });
    const { token } = await store.acquire(ask);
    expect(await store.renew({ ...ask, token: token! })).toMatchObject({ type: 'renewed' });
    await store.release({ ...ask, token: token! });
    expect(await store.read(ask.name)).toEqual({ type: 'free' });
  });

  it('lets it watch, which the store would do without, slowly', async () => {
    const api = new LeaseApi(account, 'default');
    const { metadata } = (await api.create({ metadata: { name: 'watched' } }))!;
    const ending = new AbortController();
    const told = api.changes('watched', metadata.resourceVersion!, ending.signal).next();
    await api.replace({ metadata, spec: { holderIdentity: 'a#1' } });
    expect((await told).value?.spec?.holderIdentity).toBe('a#1');
    ending.abort();
  });

  it('lets it do so in no other namespace', async () => {
    const store = kubernetesStore({ server: account, namespace: 'kube-system' });
    const refusal = await store.acquire(ask).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StoreRefusedError);
    expect((refusal as Error).message).toMatch(/403: .*forbidden.* needs get, create, update and watch/);
  });

  it('lets no other account do so', async () => {
    await apply({ ...manifests[0]!, metadata: { name: 'stranger' } } as Manifest);
    const token = await tokenOf('stranger');
    const store = kubernetesStore({ server: { ...account, token: () => token } });
    await expect(store.acquire(ask)).rejects.toThrow(/needs get, create, update and watch on leases/);
  });
});
