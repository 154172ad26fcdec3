/** One trial each: ours leads, then a candidate of client-go, then ours again, and each leader ends in the same way. */

import { randomUUID } from 'node:crypto';
import { kubernetesStore, readKubeconfig } from '@hustings/kubernetes';
import type { LeaseStore } from '@hustings/lease';
import { type KubernetesServer, type LoopbackProxy, loopbackProxy } from '@hustings/servers';
import { until } from '@hustings/testkit/check';
import { Candidate, type Contender, nowMs } from './candidates.js';
import { Program } from './program.js';
import { programs } from './settings.js';

export type MixedFault = 'killed' | 'paused' | 'cut-off' | 'resigned';
export const mixedFaults: readonly MixedFault[] = ['killed', 'paused', 'cut-off', 'resigned'];

export interface MixedResult {
  /** From the end of our leader to the leadership of client-go's, and back. */
  readonly theyFollowMs: number;
  readonly weFollowMs: number;
  /** How long ours still held a valid Leadership after theirs had begun: more than 0 is two leaders. */
  readonly heldOnMs: number;
  /** How much sooner ours took over than a lease after the last renewal of theirs, unless it was released. */
  readonly earlyMs: number;
  readonly tokensGrow: boolean;
}

const ttlMs = 15_000;
const leaseMs = programs['client-go'].ttlMs!;

export async function runMixed(kubernetes: KubernetesServer, fault: MixedFault): Promise<MixedResult> {
  const election = `mixed-${randomUUID()}`;
  const toUs = await loopbackProxy({ target: kubernetes.url, framing: 'none' });
  const toThem = await loopbackProxy({ target: kubernetes.url, framing: 'none' });
  const ours = async (id: string, url?: string): Promise<Candidate> => {
    const store = [await kubernetes.kubeconfig(url)];
    const make = 'hustings kubernetes';
    return Candidate.start({ make, id, election, ttlMs, store, resource: null, reports: true });
  };
  const vigil = new Vigil(
    kubernetesStore({ server: readKubeconfig(await kubernetes.kubeconfig()) }),
    election,
  );
  const running: { stop(): Promise<void> }[] = [];
  const started = <Each extends { stop(): Promise<void> }>(each: Each): Each => {
    running.push(each);
    return each;
  };
  try {
    const first = started(await ours('ours-1', toUs.url));
    await first.until('leads');
    const theirs = started(
      new Program('client-go', await kubernetes.startCandidate(election, 'client-go', toThem.url)),
    );
    await theirs.until('waits');

    const weEndedMs = inflict(fault, first, toUs, 'SIGINT');
    const theyLeadMs = await theirs.until('leads');
    await recover(fault, first, toUs);

    const second = started(await ours('ours-2'));
    await second.until('waits');
    vigil.begin();
    await vigil.seen();
    const theyEndedMs = inflict(fault, theirs, toThem, 'SIGTERM');
    const weLeadMs = await second.until('leads', 3 * leaseMs);
    return {
      theyFollowMs: theyLeadMs - weEndedMs,
      weFollowMs: weLeadMs - theyEndedMs,
      heldOnMs: Math.max(0, ...first.timesOf('holds').map((atMs) => atMs - theyLeadMs)),
      earlyMs: fault === 'resigned' ? 0 : Math.max(0, vigil.renewedMs + leaseMs - weLeadMs),
      tokensGrow: second.token > first.token,
    };
  } finally {
    await vigil.end();
    await Promise.all(running.map((each) => each.stop()));
    await Promise.all([toUs.close(), toThem.close()]);
  }
}

/** Returns when. */
function inflict(fault: MixedFault, leader: Contender, proxy: LoopbackProxy, resign: NodeJS.Signals): number {
  const atMs = nowMs();
  if (fault === 'cut-off') proxy.cut();
  else leader.signal({ killed: 'SIGKILL', paused: 'SIGSTOP', resigned: resign }[fault] as NodeJS.Signals);
  return atMs;
}

/** Whoever led before wakes up, or is heard again with all that it had to say, and must find that it is over. */
async function recover(fault: MixedFault, former: Candidate, proxy: LoopbackProxy): Promise<void> {
  proxy.heal();
  if (fault === 'paused') former.signal('SIGCONT');
  if (fault !== 'killed') await former.until('lost');
}

/** Looks at the Lease again and again. */
class Vigil {
  readonly #store: LeaseStore;
  readonly #election: string;
  #ending = false;
  #looking: Promise<void> = Promise.resolve();
  #version: string | undefined;
  /** When the version was not yet there that stood last before it became ours. */
  renewedMs = 0;

  constructor(store: LeaseStore, election: string) {
    this.#store = store;
    this.#election = election;
  }

  begin(): void {
    this.#looking = this.#look();
  }

  /** Where nobody harms it, client-go loses its lease only on a machine that has far too much to do. */
  async seen(): Promise<void> {
    await until('client-go is seen to lead', 20_000, () => this.#version !== undefined);
  }

  async end(): Promise<void> {
    this.#ending = true;
    await this.#looking;
    await this.#store.close?.();
  }

  async #look(): Promise<void> {
    for (let lastMs = nowMs(); !this.#ending; await sleep(100)) {
      const askedMs = nowMs();
      const found = await this.#store.read(this.#election).catch(() => null);
      if (found === null) continue;
      const isTheirs = found.type === 'held' && found.holder === 'client-go';
      if (isTheirs && found.version !== this.#version) {
        this.#version = found.version;
        this.renewedMs = lastMs;
      }
      lastMs = askedMs;
    }
  }
}

const sleep = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs));
