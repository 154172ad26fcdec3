import type { ProvenIdentity } from './handshake.js';

/** How many former processes are known by name. Those beyond are still recognised by what they leave behind. */
const rememberedProcesses = 64;

/**
 * The processes of one peer, in the order in which they were linked. Of two the later counts, and what the earlier
 * one sent must not be heard any more, however late it arrives.
 *
 * Most are recognised by their name. But a process may have died before it was ever linked, with its handshake
 * still on its way. It was alive when it was asked for its proof; its successor was born after its death and asked
 * later still. So whoever was asked before the present process is not a successor of it.
 */
export class Lineage {
  readonly #former = new Set<string>();
  #present: ProvenIdentity | null = null;

  /** Whether a later process than this one has been linked. */
  supersedes(process: ProvenIdentity): boolean {
    if (this.#former.has(process.incarnation)) return true;
    if (this.#present === null || this.#present.incarnation === process.incarnation) return false;
    return process.askedAtMs < this.#present.askedAtMs;
  }

  linked(process: ProvenIdentity): void {
    if (this.#present?.incarnation === process.incarnation) return;
    if (this.#present !== null) this.#remember(this.#present.incarnation);
    this.#present = process;
  }

  /** It is known to have ended, and is never to be linked again. */
  bury(incarnation: string): void {
    this.#remember(incarnation);
  }

  #remember(incarnation: string): void {
    this.#former.add(incarnation);
    const [oldest] = this.#former;
    if (this.#former.size > rememberedProcesses && oldest !== undefined) this.#former.delete(oldest);
  }
}
