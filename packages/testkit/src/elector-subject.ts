import type { Elector, Guarantees, NodeId } from '@hustings/elector';
import type { Clock } from '@hustings/runtime';

/** Some way to run an election, and what it promises. */
export interface ElectorSubject {
  readonly name: string;
  readonly guarantees: Guarantees;
  /** How long a check waits for something that must happen. Default 10 s. */
  readonly patienceMs?: number;
  /** The clock that its electors go by. Default: the machine's. With another one, checks wait in virtual time. */
  readonly clock?: Clock;
  open(ids: readonly NodeId[]): ElectorCluster | Promise<ElectorCluster>;
}

export interface ElectorCluster {
  /** A new elector, not started, for a node that has none running. What the last one saved is still there. */
  create(id: NodeId): Elector;
  /** Called when every elector has stopped. */
  close?(): Promise<void>;
}
