/** Three candidates, of ours or of somebody else's make, to whom something is done while one of them leads. */

import type { NodeId } from '@hustings/elector';
import { type LoopbackProxy, monotonicMs } from '@hustings/servers';
import { until } from '@hustings/testkit/check';
import type { MessageCount } from './messages.js';
import type { Term } from './terms.js';

export const ids: readonly NodeId[] = ['node-1', 'node-2', 'node-3'];
export const patienceMs = 60_000;
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** `cut-off`: from everyone, its coordinator and its peers. */
export type Fault = 'SIGKILL' | 'SIGSTOP' | 'cut-off';

export interface Team {
  /** In the order in which this process heard of them. */
  readonly terms: Term[];
  /** False for a make that does not say when it leads no longer. */
  readonly tellsEnds: boolean;
  /** Somebody leads, and the others are ready to take over. */
  isSettled(): Promise<boolean>;
  kill(id: NodeId): void;
  /** Starts it again after it was killed. */
  restart(id: NodeId): Promise<void>;
  signal(id: NodeId, signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ways that are cut, and nothing that is closed. */
  readonly cables: Cables;
  /** Resolves with when all who are well follow this leader; null where nobody can tell. */
  agreed(next: Term, unwell: NodeId): Promise<number | null>;
  /** What all who run now have sent between two moments; null where that cannot be counted. */
  count(fromMs: number, toMs: number): Promise<MessageCount | null>;
  close(): Promise<void>;
}

/** Proxies, by the nodes at their ends. */
export class Cables {
  readonly #all: { readonly ends: readonly NodeId[]; readonly proxy: LoopbackProxy }[] = [];

  add(proxy: LoopbackProxy, ...ends: readonly NodeId[]): LoopbackProxy {
    this.#all.push({ ends, proxy });
    return proxy;
  }

  cut(id: NodeId): void {
    for (const proxy of this.of(id)) proxy.cut();
  }

  heal(id: NodeId): void {
    for (const proxy of this.of(id)) proxy.heal();
  }

  of(id: NodeId): LoopbackProxy[] {
    return this.#all.filter(({ ends }) => ends.includes(id)).map(({ proxy }) => proxy);
  }

  /** Those to its peers, without the one to its coordinator. */
  toPeersOf(id: NodeId): LoopbackProxy[] {
    return this.#all.filter(({ ends }) => ends.includes(id) && ends.length > 1).map(({ proxy }) => proxy);
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map(({ proxy }) => proxy.close()));
  }
}

/** A process that has just started, or woken up, is busy with itself for a while. */
const restMs = 200;

export interface Trial {
  readonly failoverMs: number;
  /** From the fault until all who are well agree, or where nobody can tell, until another leads. */
  readonly messages: MessageCount | null;
}

/** Does this to the leader, some time after all are settled, and leaves the team as whole as it was. */
export async function tryOnce(team: Team, fault: Fault, afterMs: number): Promise<Trial> {
  const former = await settledLeader(team, restMs + afterMs);
  const seen = team.terms.length;
  const struckMs = strike(team, fault, former);
  await until('another leads', patienceMs, () => team.terms.length > seen);
  const next = team.terms[seen]!;
  if (next.token !== null && former.token !== null && next.token <= former.token) {
    throw new Error(`Token ${next.token} came after ${former.token}.`);
  }
  const agreedMs = (await team.agreed(next, former.id)) ?? next.beganMs;
  await heal(team, fault, former);
  // Only now, since a process that is stopped does not answer.
  const messages = await team.count(struckMs, agreedMs);
  return { failoverMs: next.beganMs - struckMs, messages };
}

/** Resolves with who leads. */
export async function untilSettled(team: Team): Promise<Term> {
  const giveUpMs = performance.now() + patienceMs;
  while (!(await team.isSettled())) {
    if (performance.now() > giveUpMs)
      throw new Error(`Waited ${patienceMs} ms in vain until all are settled.`);
    await pause(5);
  }
  return team.terms.at(-1)!;
}

/** Whoever leads for so long, and still does. */
async function settledLeader(team: Team, forMs: number): Promise<Term> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const leader = await untilSettled(team);
    await pause(forMs);
    if (leader === team.terms.at(-1) && leader.endedMs === null) return leader;
  }
  throw new Error('One leader after the other is lost although nothing is done to them.');
}

/** Returns when. */
function strike(team: Team, fault: Fault, leader: Term): number {
  leader.wasStruck = true;
  const atMs = monotonicMs();
  switch (fault) {
    case 'SIGKILL':
      leader.endedMs = atMs;
      team.kill(leader.id);
      break;
    case 'SIGSTOP':
      team.signal(leader.id, 'SIGSTOP');
      break;
    case 'cut-off':
      team.cables.cut(leader.id);
      break;
  }
  return atMs;
}

async function heal(team: Team, fault: Fault, former: Term): Promise<void> {
  const foundOut = (): Promise<void> =>
    until('the old leader has found out', patienceMs, () => !team.tellsEnds || former.endedMs !== null);
  switch (fault) {
    case 'SIGKILL':
      return team.restart(former.id);
    case 'SIGSTOP':
      former.resumedMs = monotonicMs();
      team.signal(former.id, 'SIGCONT');
      return foundOut();
    case 'cut-off':
      // A cable that were whole again would tell a leader that does not know the time.
      await foundOut();
      team.cables.heal(former.id);
  }
}
