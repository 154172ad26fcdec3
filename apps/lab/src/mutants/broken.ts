/** What the search takes, with a mutant in the place of the intact protocol. */

import { UsageError } from '@hustings/command';
import type { Subject } from '@hustings/simulator';
import { bullySubject } from './bully.js';
import { etcdSubject } from './etcd.js';
import { leaseSubject } from './lease.js';
import type { Alteration } from './mutant.js';
import { raftSubject } from './raft.js';
import { ringSubject } from './ring.js';
import { zookeeperSubject } from './zookeeper.js';

interface NamedMutant {
  readonly name: string;
  /** Of the algorithm's own protocol, whatever the type of its state. */
  readonly alter: unknown;
}

const mutants: Readonly<Record<string, readonly NamedMutant[]>> = {
  bully: bullySubject.mutants,
  ring: ringSubject.mutants,
  raft: raftSubject.mutants,
  etcd: etcdSubject.mutants,
  zookeeper: zookeeperSubject.mutants,
  lease: leaseSubject.mutants,
};

/** Intact if no mutant is named. Throws `UsageError` if the algorithm has none of this name. */
export function broken<State>(intact: Subject<State>, mutant: string | undefined): Subject<State> {
  if (mutant === undefined) return intact;
  const { algorithm } = intact.protocol;
  const known = mutants[algorithm] ?? [];
  const found = known.find(({ name }) => name === mutant);
  if (found !== undefined) return altered(intact, found.alter as Alteration<State>);
  throw new UsageError(
    `${algorithm} has no mutant '${mutant}'; choose from ${known.map(({ name }) => name).join(', ')}.`,
  );
}

/** Whatever its settings. */
function altered<State>(intact: Subject<State>, alter: Alteration<State>): Subject<State> {
  const { protocol, withSettings } = intact;
  return {
    ...intact,
    protocol: alter(protocol),
    ...(withSettings && { withSettings: (settings) => altered(withSettings(settings), alter) }),
  };
}
