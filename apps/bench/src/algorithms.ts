import { type BullySettings, bully, defaultSettings, invariants } from '@hustings/bully';
import type { Invariants } from '@hustings/elector';
import type { AnyProtocol } from '@hustings/simulator';
import type { ProfileName } from './settings.js';

/** What an algorithm was configured with; printed beside its results. */
export type Parameters = Readonly<Record<string, number | string | readonly number[]>>;

export interface Configured<State> {
  readonly protocol: AnyProtocol<State>;
  readonly parameters: Parameters;
  /** The longest that a silent leader goes unnoticed. A trial's times are multiples of it. */
  readonly detectionMs: number;
}

export interface Variant<State> {
  readonly variant: string;
  /** `budgetMs` is the detection budget of the matched profile; `defaults` takes no notice of it. */
  configure(profile: ProfileName, budgetMs: number): Configured<State>;
}

export interface Algorithm<State> {
  readonly name: string;
  /** The default one first. */
  readonly variants: readonly Variant<State>[];
  readonly invariants: Invariants<State>;
}

/** An algorithm whose state's type only it knows: whoever opens it must work for every type of state. */
export type Entry = <Result>(use: <State>(algorithm: Algorithm<State>) => Result) => Result;

const entry =
  <State>(algorithm: Algorithm<State>): Entry =>
  (use) =>
    use(algorithm);

const registry: ReadonlyMap<string, Entry> = new Map([
  [
    'bully',
    entry({
      name: 'bully',
      variants: [{ variant: 'default', configure: (...profile) => configured(bullySettings(...profile)) }],
      invariants,
    }),
  ],
]);

/** Promised by the command line, in the order of the tables; those in the registry are built. */
export const plannedAlgorithms = ['bully', 'ring', 'raft', 'zookeeper', 'etcd'] as const;

export const algorithmNames: readonly string[] = plannedAlgorithms.filter((name) => registry.has(name));

export function variantsOf(algorithm: string): readonly string[] {
  return open(algorithm)(({ variants }) => variants.map(({ variant }) => variant));
}

export function open(algorithm: string): Entry {
  const found = registry.get(algorithm);
  if (found === undefined) throw new RangeError(`There is no algorithm ${algorithm}.`);
  return found;
}

/** Throws `RangeError` when there is no such variant, and what the algorithm throws when the settings cannot work. */
export function configure<State>(
  { name, variants }: Algorithm<State>,
  variant: string,
  profile: ProfileName,
  budgetMs: number,
): Configured<State> {
  const found = variants.find((candidate) => candidate.variant === variant);
  if (found === undefined) throw new RangeError(`${name} has no variant ${variant}.`);
  return found.configure(profile, budgetMs);
}

function configured(settings: BullySettings) {
  return {
    protocol: bully(settings),
    parameters: { ...settings },
    detectionMs: settings.leaderTimeoutMs[1],
  };
}

function bullySettings(profile: ProfileName, budgetMs: number): BullySettings {
  if (profile === 'defaults') return defaultSettings;
  return {
    heartbeatMs: budgetMs / 10,
    leaderTimeoutMs: [0.8 * budgetMs, budgetMs],
    // Fifty times the simulated network's slowest message at the default budget: room for a busy machine.
    maxDelayMs: budgetMs / 20,
  };
}
