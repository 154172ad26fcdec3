import { type KubernetesServer, startKubernetes } from '@hustings/servers';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Hustings } from '../live/hustings.js';

let kubernetes: KubernetesServer;
beforeAll(async () => {
  kubernetes = await startKubernetes();
});
afterEach(() => void vi.unstubAllEnvs());
afterAll(() => kubernetes?.stop());

const flags = ['--kubernetes', 'default', '--election', 'billing'];
const tokenIn = async (node: Hustings): Promise<bigint> => BigInt((await node.says(/^token=(\d+)$/m))[1]!);

describe('hustings on a real API server', () => {
  it('runs a command on one node, and on the next when that one ends', async () => {
    vi.stubEnv('KUBECONFIG', await kubernetes.kubeconfig());
    const script = 'echo token=$HUSTINGS_TOKEN; exec sleep 300';
    await using first = new Hustings('run', ...flags, '--id', 'node-1', '--', 'sh', '-c', script);
    const token = await tokenIn(first);
    await using second = new Hustings('run', ...flags, '--id', 'node-2', '--', 'sh', '-c', script);
    await using sidecar = new Hustings('observe', ...flags);
    await sidecar.says(/node-1/);
    expect(second.said).not.toMatch(/^token=/m);
    first.signal('SIGTERM');
    expect(await tokenIn(second)).toBeGreaterThan(token);
    await sidecar.says(/node-2/);
  });

  it('says what is wrong with a token that the API server does not know', async () => {
    vi.stubEnv('KUBECONFIG', await kubernetes.kubeconfig(kubernetes.url, 'forged'));
    await using node = new Hustings('run', ...flags, '--', 'true');
    await node.says(/Kubernetes answers 401.* does not know this token/);
  });
});
