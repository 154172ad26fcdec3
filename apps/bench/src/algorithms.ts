import * as bullyPackage from '@hustings/bully';
import type { Invariants } from '@hustings/elector';
import * as ringPackage from '@hustings/ring';
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
      variants: [heartbeating('default', bullyPackage.bully, bullyPackage.defaultSettings)],
      invariants: bullyPackage.invariants,
    }),
  ],
  [
    'ring',
    entry({
      name: 'ring',
      variants: [
        heartbeating('default', ringPackage.ring, ringPackage.defaultSettings),
        heartbeating('chang-roberts', ringPackage.changRoberts, ringPackage.defaultSettings),
      ],
      invariants: ringPackage.invariants,
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

/** What bully and ring have in common: the leader sends heartbeats, and followers wait for them. */
interface HeartbeatSettings {
  readonly heartbeatMs: number;
  readonly leaderTimeoutMs: readonly [minMs: number, maxMs: number];
  readonly maxDelayMs: number;
}

function heartbeating<State>(
  variant: string,
  create: (settings: HeartbeatSettings) => AnyProtocol<State>,
  customary: HeartbeatSettings,
): Variant<State> {
  return {
    variant,
    configure(profile, budgetMs) {
      const { heartbeatMs, leaderTimeoutMs, maxDelayMs } =
        profile === 'defaults' ? customary : matched(budgetMs);
      const settings: HeartbeatSettings = { heartbeatMs, leaderTimeoutMs, maxDelayMs };
      return { protocol: create(settings), parameters: { ...settings }, detectionMs: leaderTimeoutMs[1] };
    },
  };
}

const matched = (budgetMs: number): HeartbeatSettings => ({
  heartbeatMs: budgetMs / 10,
  leaderTimeoutMs: [0.8 * budgetMs, budgetMs],
  // Fifty times the simulated network's slowest message at the default budget: room for a busy machine.
  maxDelayMs: budgetMs / 20,
});
