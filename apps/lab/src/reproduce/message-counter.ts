import type { NodeId } from '@hustings/elector';
import type { ProtocolMessage } from '@hustings/elector/protocol';
import type { Observer } from '@hustings/simulator';

/** Counts what is sent, by type. A message to a dead node counts: its sender did not know. */
export class MessageCounter implements Observer<unknown> {
  readonly #counts = new Map<string, number>();

  sending(_from: unknown, _to: NodeId, { type }: ProtocolMessage): void {
    this.#counts.set(type, this.of(type) + 1);
  }

  of(type: string): number {
    return this.#counts.get(type) ?? 0;
  }

  /** Forgets what was sent so far. */
  reset(): void {
    this.#counts.clear();
  }
}
