/** A replica of Redis is promoted that has missed the lease: a second leader is elected while the first one leads. */

import { randomUUID } from 'node:crypto';
import { loopbackProxy, startRedis } from '@hustings/servers';
import { until } from '@hustings/testkit/check';
import { Candidate } from './candidates.js';
import { countStale, openResource } from './resource.js';

export interface PromotionResult {
  readonly overlapMs: number;
  readonly tokensGrow: boolean;
  readonly staleUnfenced: number;
  readonly staleFenced: number;
}

/** The third server is what leaders write to: it forgets nothing. */
export async function runPromotion(ttlMs: number): Promise<PromotionResult> {
  const servers = await startRedis({ members: 3 });
  const [primary = '', replica = '', address = ''] = servers.urls;
  const replication = await loopbackProxy({ target: primary, framing: 'none' });
  const election = randomUUID();
  const resource = openResource(address, election);
  const candidates: Candidate[] = [];
  const start = async (id: string, store: string): Promise<Candidate> => {
    const settings = {
      make: 'hustings redis',
      id,
      election,
      ttlMs,
      store: [store],
      resource: address,
    } as const;
    const candidate = await Candidate.start(settings);
    candidates.push(candidate);
    await candidate.until('waits');
    return candidate;
  };
  try {
    await servers.cli(1, 'REPLICAOF', '127.0.0.1', `${replication.port}`);
    await untilLinked(() => servers.cli(1, 'INFO', 'replication'));
    replication.cut();
    // A replica takes no writes: this one waits until it is promoted.
    const next = await start('next', replica);
    const old = await start('old', primary);
    await old.until('holds');
    await servers.killMember(0);
    await servers.cli(1, 'REPLICAOF', 'NO', 'ONE');
    const leadsMs = await next.until('leads');
    await next.until('holds');
    await until('the older one has written', 10_000, () =>
      old.timesOf('holds').some((atMs) => atMs > leadsMs),
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { unfenced, fenced } = await resource.written();
    return {
      overlapMs: Math.max(0, ...old.timesOf('holds').map((atMs) => atMs - leadsMs)),
      tokensGrow: next.token > old.token,
      staleUnfenced: countStale(unfenced),
      staleFenced: countStale(fenced),
    };
  } finally {
    await Promise.all(candidates.map((candidate) => candidate.stop()));
    await Promise.all([replication.close(), resource.close()]);
    await servers.stop();
  }
}

async function untilLinked(info: () => Promise<string>): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if ((await info()).includes('master_link_status:up')) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('The replica did not find its primary.');
}
