/** One trial each: a leader is cut off, paused or killed, and another one takes over. */

import { randomUUID } from 'node:crypto';
import { Candidate, nowMs } from './candidates.js';
import { countStale, openResource, type Resource } from './resource.js';
import { proxiesBefore, type Servers } from './servers.js';
import type { MakeName } from './settings.js';

export type Fault = 'cut-off' | 'paused' | 'killed';
export const faults: readonly Fault[] = ['cut-off', 'paused', 'killed'];

export interface TrialResult {
  /** From the fault to the next Leadership. */
  readonly failoverMs: number;
  /** How long the older leader still held a valid Leadership after the next one had begun: more than 0 is two leaders. */
  readonly overlapMs: number;
  readonly tokensGrow: boolean;
  /** Writes of the older leader after the newer one's first, as each resource took them. */
  readonly staleUnfenced: number;
  readonly staleFenced: number;
}

export async function runTrial(
  servers: Servers,
  make: MakeName,
  fault: Fault,
  ttlMs: number,
): Promise<TrialResult> {
  const election = randomUUID();
  const address = servers.resourceOf(make);
  const [toStore, toResource] = await Promise.all([
    proxiesBefore(servers.storeOf(make)),
    proxiesBefore([address]),
  ]);
  const resource = openResource(address, election);
  await resource.prepare();
  const common = { make, election, ttlMs };
  const old = await Candidate.start({
    ...common,
    id: 'old',
    store: toStore.urls,
    resource: toResource.urls[0]!,
  });
  await old.until('holds');
  const next = await Candidate.start({
    ...common,
    id: 'next',
    store: servers.storeOf(make),
    resource: address,
  });
  try {
    await next.until('waits');
    // Somewhere between two renewals.
    await sleep(ttlMs + Math.random() * ttlMs);
    const faultMs = await inflict(fault, old, { toStore, toResource });
    const leadsMs = await next.until('leads');
    await untilWritten(resource, next.token);
    if (fault === 'paused') old.signal('SIGCONT');
    if (fault === 'killed') toResource.heal();
    await untilStale(resource);
    const { unfenced, fenced } = await resource.written();
    return {
      failoverMs: leadsMs - faultMs,
      overlapMs: Math.max(0, ...old.timesOf('holds').map((atMs) => atMs - leadsMs)),
      tokensGrow: next.token > old.token,
      staleUnfenced: countStale(unfenced),
      staleFenced: countStale(fenced),
    };
  } finally {
    await Promise.all([old.stop(), next.stop()]);
    await Promise.all([toStore.close(), toResource.close(), resource.close()]);
  }
}

type Proxies = Record<'toStore' | 'toResource', Awaited<ReturnType<typeof proxiesBefore>>>;

async function inflict(fault: Fault, leader: Candidate, { toStore, toResource }: Proxies): Promise<number> {
  if (fault === 'killed') {
    // What it has sent is on its way when it dies, and arrives late.
    toResource.holdToServer();
    await sleep(100);
  }
  const atMs = nowMs();
  if (fault === 'cut-off') toStore.cut();
  else leader.signal(fault === 'paused' ? 'SIGSTOP' : 'SIGKILL');
  return atMs;
}

async function untilWritten(resource: Resource, token: bigint): Promise<void> {
  await poll('the new leader has written', async () => {
    const { unfenced, fenced } = await resource.written();
    return unfenced.includes(token) && fenced.includes(token);
  });
}

/** The unfenced resource has taken something stale, so the fenced one was offered it as well. */
async function untilStale(resource: Resource): Promise<void> {
  await poll('a stale write was taken', async () => countStale((await resource.written()).unfenced) > 0);
  await sleep(100);
}

async function poll(what: string, condition: () => Promise<boolean>): Promise<void> {
  const giveUpMs = nowMs() + 20_000;
  while (!(await condition())) {
    if (nowMs() > giveUpMs) throw new Error(`Waited 20 s in vain until ${what}.`);
    await sleep(20);
  }
}

const sleep = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs));
