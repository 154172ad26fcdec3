import type { Invariants } from '@hustings/elector/protocol';
import type { AnyProtocol, Historian, Random, Service, Settings, Workload } from '@hustings/simulator';
import type { Trait } from './portrait.js';
import type { ProfileName } from './profiles.js';

/** The kind of server that an algorithm cannot do without, by the algorithm; a lease takes any store. */
export type CoordinatorKind = 'etcd' | 'zookeeper' | 'lease';

export interface Algorithm<State> {
  readonly name: string;
  /** Null for algorithms whose nodes need nobody but each other. */
  readonly coordinator: CoordinatorKind | null;
  /** The default one first. */
  readonly variants: readonly Variant<State>[];
  readonly invariants: Invariants<State>;
  /** What applications can ask of their nodes, by kind. */
  readonly workload?: Workload<State>;
  /** Remembers a run, for rules that no single state shows. */
  readonly historian?: () => Historian<State>;
  /** Settings to search a variant with. None for its own. */
  drawSettings?(random: Random, variant: string): Settings;
  /** A node's state for people, its role first. `nowMs` is by the node's own clock. */
  portray(state: State, nowMs: number): readonly Trait[];
}

export interface Variant<State> {
  readonly variant: string;
  /** Those that can befall it; all, if left out. */
  readonly faults?: readonly string[];
  /**
   * `budgetMs` is the detection budget of the matched profile; `defaults` takes no notice of it. `election` is a
   * name that nobody else uses on the same servers. `settings` of the algorithm or of its simulated coordinator go
   * before all others.
   */
  configure(
    profile: ProfileName,
    budgetMs: number,
    election?: string,
    settings?: Settings,
  ): Configured<State>;
}

/** What an algorithm was configured with; printed beside its results. */
export type Configuration = Readonly<Record<string, number | string | readonly number[]>>;

export interface Configured<State> {
  readonly protocol: AnyProtocol<State>;
  readonly parameters: Configuration;
  /** The simulated coordinators that the protocol talks to; in live mode real ones take their place. */
  readonly services: readonly Coordinator[];
  /** The longest that a silent leader goes unnoticed. A trial's times are multiples of it. */
  readonly detectionMs: number;
  /** The slowest message that the settings allow for. */
  readonly maxDelayMs: number;
  /** How far from real time the clocks may run, where the algorithm rests on them. */
  readonly maxDriftRate?: number;
  /** The coordinator fails again and again. */
  readonly restless?: boolean;
}

/** A simulated coordinator. Its methods take its own state, whose type only it knows. */
export interface Coordinator extends Service {
  /** Whether its members have a leader to commit a write. */
  canCommit(state: unknown): boolean;
  /** The request by which the leader of its members fails. */
  readonly failLeader: unknown;
}
