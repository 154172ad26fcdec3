import type { Settings } from '@hustings/simulator';
import type { Algorithm, Configured, CoordinatorKind } from './algorithm.js';
import { bullyElector } from './electors/bully.js';
import { etcdElector } from './electors/etcd.js';
import { leaseElector } from './electors/lease.js';
import { raftElector } from './electors/raft.js';
import { ringElector } from './electors/ring.js';
import { zookeeperElector } from './electors/zookeeper.js';
import type { ProfileName } from './profiles.js';

/** An algorithm whose state's type only it knows: whoever opens it must work for every type of state. */
export type Entry = <Result>(use: <State>(algorithm: Algorithm<State>) => Result) => Result;

const entry = <State>(algorithm: Algorithm<State>): [name: string, entry: Entry] => [
  algorithm.name,
  (use) => use(algorithm),
];

const entries = new Map<string, Entry>([
  entry(bullyElector),
  entry(ringElector),
  entry(raftElector),
  entry(zookeeperElector),
  entry(etcdElector),
  entry(leaseElector),
]);

const names = [...entries.keys()];

/** In the order of the tables; guests last. */
export const algorithmNames: readonly string[] = names;

/** Those whose nodes need nobody but each other: all there is of them can be explored. */
export const selfSufficientNames: readonly string[] = algorithmNames.filter(
  (name) => coordinatorOf(name) === null,
);

/** An elector that is not ours, such as a student's. From now on it is known by its name, as all others are. */
export function enrol<State>(algorithm: Algorithm<State>): void {
  const [name, use] = entry(algorithm);
  if (!entries.has(name)) names.push(name);
  entries.set(name, use);
}

export function variantsOf(algorithm: string): readonly string[] {
  return open(algorithm)(({ variants }) => variants.map(({ variant }) => variant));
}

/** Whether this can happen to it at all: the processes of one machine have no network between them. */
export function canBefall(algorithm: string, variant: string, fault: string): boolean {
  return open(algorithm)(
    ({ variants }) => variants.find((each) => each.variant === variant)?.faults?.includes(fault) ?? true,
  );
}

export function coordinatorOf(algorithm: string): CoordinatorKind | null {
  return open(algorithm)(({ coordinator }) => coordinator);
}

export function open(algorithm: string): Entry {
  const found = entries.get(algorithm);
  if (found === undefined) throw new RangeError(`There is no algorithm ${algorithm}.`);
  return found;
}

/** Throws `RangeError` when there is no such variant, and what the algorithm throws when the settings cannot work. */
export function configure<State>(
  { name, variants }: Algorithm<State>,
  variant: string,
  profile: ProfileName,
  budgetMs: number,
  election?: string,
  settings?: Settings,
): Configured<State> {
  const found = variants.find((candidate) => candidate.variant === variant);
  if (found === undefined) throw new RangeError(`${name} has no variant ${variant}.`);
  return found.configure(profile, budgetMs, election, settings);
}
