import { randomUUID } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { type EtcdCluster, monotonicMs, startEtcdCluster } from '@hustings/servers';
import { eventually } from '@hustings/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Hustings } from './hustings.js';

let etcd: EtcdCluster;
beforeAll(async () => {
  etcd = await startEtcdCluster();
});
afterAll(() => etcd.stop());

interface Answer {
  readonly status: number;
  readonly body: {
    readonly leaderId?: string | null;
    readonly token?: string;
    readonly validForMs?: number;
  };
}

async function get(url: string, path: string, options: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${url}${path}`, options);
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

async function untilStatus(url: string, status: number): Promise<Answer> {
  for (;;) {
    const answer = await get(url, '/leader');
    if (answer.status === status) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const sidecar = (id: string, election: string, ...more: string[]) =>
  new Hustings(
    ...['sidecar', '--listen', '127.0.0.1:0', '--etcd', etcd.endpoints[0]!],
    ...['--election', election, '--id', id, ...more],
  );

/** This machine as others see it, where it has a network. */
const outerAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);

describe('given two sidecars', () => {
  it('one answers 200 with its token and for how long, the other 503 with who leads', async () => {
    const election = randomUUID();
    await using first = sidecar('node-1', election);
    const { body } = await untilStatus(await first.url(), 200);
    expect(body).toMatchObject({ id: 'node-1', election, leading: true, leaderId: 'node-1' });
    expect(body).toMatchObject({
      token: expect.stringMatching(/^\d+$/),
      holder: expect.stringMatching(/^node-1#/),
    });
    expect(body.validForMs).toBeGreaterThan(0);
    expect(body.validForMs).toBeLessThanOrEqual(1000);
    await using second = sidecar('node-2', election);
    const url = await second.url();
    let answer = await get(url, '/leader');
    while (answer.body.leaderId !== 'node-1') answer = await get(url, '/leader');
    expect(answer).toMatchObject({ status: 503, body: { leading: false, token: body.token } });
    expect(await get(url, '/healthz')).toEqual({ status: 200, body: { ok: true } });
    expect((await get(url, '/elsewhere')).status).toBe(404);
  });

  it('hands over on SIGTERM, but not before what it has promised has run out', async () => {
    const election = randomUUID();
    await using first = sidecar('node-1', election, '--promise-ms', '700');
    const url = await first.url();
    await untilStatus(url, 200);
    await using second = sidecar('node-2', election);
    const nextUrl = await second.url();
    await untilStatus(nextUrl, 503);
    const askedAtMs = monotonicMs();
    const { body } = await get(url, '/leader');
    first.signal('SIGTERM');
    await untilStatus(nextUrl, 200);
    expect(monotonicMs() - askedAtMs).toBeGreaterThanOrEqual(body.validForMs!);
    expect(await first.exitCode()).toBe(0);
  });
});

describe('given a sidecar that leads', () => {
  it('resigns when hustings resign asks it, stands again, and tells observers of both', async () => {
    const election = randomUUID();
    await using node = sidecar('node-1', election, '--promise-ms', '0');
    const url = await node.url();
    const before = await untilStatus(url, 200);
    await using observer = new Hustings('observe', '--sidecar', url, '--json');
    await observer.says(/"leaderId":"node-1"/);
    await using resignation = new Hustings('resign', '--sidecar', url);
    expect(await resignation.exitCode()).toBe(0);
    expect(resignation.said).toBe('Resigned.\n');
    await observer.says(/"leaderId":null/);
    const after = await untilStatus(url, 200);
    expect(BigInt(after.body.token!)).toBeGreaterThan(BigInt(before.body.token!));
    observer.signal('SIGTERM');
    expect(await observer.exitCode()).toBe(0);
  });

  it('answers everybody who asks it to resign', async () => {
    await using node = sidecar('node-1', randomUUID(), '--promise-ms', '500');
    const url = await node.url();
    await untilStatus(url, 200);
    const asked = [1, 2].map(() => get(url, '/resign', { method: 'POST' }));
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
    await untilStatus(url, 200);
  });

  it('counts as no leader once it is deposed, although it keeps a promise', async () => {
    const election = randomUUID();
    await using node = sidecar('node-1', election, '--promise-ms', '3000');
    const url = await node.url();
    await untilStatus(url, 200);
    await etcd.etcdctl('del', '--prefix', election);
    await untilStatus(url, 503);
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^hustings_leader\{[^}]+\} 0$/m);
  });

  it('refuses to name a successor where etcd cannot choose one', async () => {
    await using node = sidecar('node-1', randomUUID());
    const url = await node.url();
    await untilStatus(url, 200);
    await using resignation = new Hustings('resign', '--sidecar', url, '--to', 'node-2');
    expect(await resignation.exitCode()).toBe(1);
    expect(resignation.said).toContain('cannot choose its successor; resign without --to');
    await untilStatus(url, 200);
  });

  it('lets no page in a browser, and nobody on another machine, make it resign', async () => {
    const election = ['--election', randomUUID(), '--etcd', etcd.endpoints[0]!];
    await using node = new Hustings('sidecar', '--listen', '0.0.0.0:0', ...election);
    const { port } = new URL(await node.url());
    const url = `http://127.0.0.1:${port}`;
    await untilStatus(url, 200);
    const headers = { origin: 'http://example.com' };
    expect(await get(url, '/resign', { method: 'POST', headers })).toMatchObject({ status: 403 });
    for (const address of outerAddresses()) {
      expect(await get(`http://${address}:${port}`, '/resign', { method: 'POST' })).toMatchObject({
        status: 403,
      });
    }
    expect((await get(url, '/resign')).status).toBe(404);
    await untilStatus(url, 200);
  });

  it('goes on when nobody reads its log any more', async () => {
    await using node = sidecar('node-1', randomUUID());
    const url = await node.url();
    await untilStatus(url, 200);
    node.process.stderr?.destroy();
    for (let times = 0; times < 2; times += 1) {
      await fetch(`${url}/resign`, { method: 'POST' });
      await untilStatus(url, 200);
    }
  });

  it('has said all that it has to say to whoever asks for the head of its events', async () => {
    await using node = sidecar('node-1', randomUUID());
    const url = await node.url();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (method: string, path: string) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        request(`${url}${path}`, { method, agent }, resolve).on('error', reject).end();
      });
    const head = await ask('HEAD', '/events');
    expect(head.headers['content-type']).toBe('text/event-stream');
    head.resume();
    // Over the same connection, which is free for it only then.
    expect((await ask('GET', '/healthz')).statusCode).toBe(200);
    agent.destroy();
  });

  it('counts for Prometheus', async () => {
    const election = 'quoted"election';
    await using node = sidecar('node-1', election);
    const url = await node.url();
    await untilStatus(url, 200);
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    const labels = '{hustings_node="node-1",hustings_election="quoted\\"election"}';
    expect(text).toContain(`# TYPE hustings_leader gauge\nhustings_leader${labels} 1\n`);
    expect(text).toContain(`hustings_elections_total${labels} 1\n`);
    expect(text).toMatch(/^hustings_lease_remaining_seconds\{[^}]+\} [0-4]\.\d+$/m);
  });
});

describe('given a sidecar that does not lead', () => {
  it('says so when it is asked to resign', async () => {
    const election = randomUUID();
    await using leader = sidecar('node-1', election);
    await untilStatus(await leader.url(), 200);
    await using follower = sidecar('node-2', election);
    const url = await follower.url();
    await using resignation = new Hustings('resign', '--sidecar', url, '--json');
    expect(await resignation.exitCode()).toBe(1);
    expect(resignation.said).toContain('node-2 does not lead.');
  });
});

describe('hustings observe', () => {
  it('tells from etcd who leads, and that nobody does any longer', async () => {
    const election = randomUUID();
    await using observer = new Hustings('observe', '--etcd', etcd.endpoints[0]!, '--election', election);
    await observer.says(/nobody leads/);
    await using leader = sidecar('node-1', election);
    await observer.says(/node-1 leads with token \d+/);
    leader.signal('SIGTERM');
    await eventually('the leader is gone', () => /node-1 leads.*\n(.*\n)*nobody leads/.test(observer.said));
  });
});
