import { type Guarantees, InvalidOptionError } from '@hustings/elector';
import type { Invariants } from '@hustings/elector/protocol';
import type { AnyProtocol } from './node.js';
import { atMostOneLeader, beyondClocks, type Promises, type Violation } from './oracle.js';
import { deriveSeed, Random } from './random.js';
import { type Historian, type RunOptions, type RunResult, run, Scrutiny, type Standards } from './run.js';
import type { Schedule, Settings } from './schedule.js';
import type { Observer, Service, Simulation } from './simulation.js';
import { drawSchedule, keepsClocks, type Swarm, settledMs, type Timing } from './swarm.js';

/** An algorithm as the search, the shrinker and the replay take it. */
export interface Subject<State> {
  readonly protocol: AnyProtocol<State>;
  readonly invariants: Invariants<State>;
  readonly timing: Timing;
  /** The coordinators that the protocol talks to. */
  readonly services?: readonly Service[];
  /** What applications can ask of their nodes, by kind. A schedule names the kinds of its run. */
  readonly workload?: Workload<State>;
  /** Watches one run. */
  readonly historian?: () => Historian<State>;
  /** Something in it fails again and again, so that nothing need come true in the end. */
  readonly restless?: boolean;
  /** It is asked for other things: that two lead on two sides of a cut is let pass, unless it promises otherwise. */
  readonly letsTwoLead?: boolean;
  /** Other settings to search with. A schedule names those of its run. */
  readonly drawSettings?: (random: Random) => Settings;
  /** The same algorithm with these settings. Throws `InvalidOptionError` for settings that it does not have. */
  readonly withSettings?: (settings: Settings) => Subject<State>;
}

export type Workload<State> = Readonly<Record<string, Plan<State>>>;

/** Plans what is asked, until `untilMs`. What would keep the nodes from settling is to be undone after that. */
export type Plan<State> = (simulation: Simulation<State>, random: Random, untilMs: number) => void;

export type JudgeOptions = Pick<RunOptions<unknown>, 'trace' | 'maxSteps'>;

/**
 * Runs a schedule and holds it to all that can be asked of it: the algorithm's invariants and history, the promises
 * that it declares, and that no two nodes lead on two sides of a cut, which is asked even of those that cannot
 * promise it: it is what a search is for. Such a split brain is reported only if nothing that was promised is broken.
 * What should come true is asked if the run is long enough after its faults.
 *
 * The verdict is a function of the subject and the schedule, so a shrunk schedule is judged as the first was.
 */
export function judge<State>(
  subject: Subject<State>,
  schedule: Schedule,
  options: JudgeOptions = {},
): RunResult {
  const fitted = fit(subject, schedule);
  const [strict, lax] = standardsFor(fitted, schedule);
  const first = hold(fitted, schedule, strict, options);
  if (lax === undefined || first.violation?.property !== atMostOneLeader) return first;
  const second = hold(fitted, schedule, lax, options);
  return second.violation === null ? first : second;
}

/** What `judge` asks of a run, asked while somebody else runs it to its end. The subject fits the schedule. */
export class Jury<State> {
  readonly #strict: Scrutiny<State>;
  readonly #lax: Scrutiny<State> | null;

  constructor(fitted: Subject<State>, schedule: Schedule) {
    const [strict, lax] = standardsFor(fitted, schedule);
    this.#strict = new Scrutiny(strict);
    this.#lax = lax === undefined ? null : new Scrutiny(lax);
  }

  get observers(): Observer<State>[] {
    return [...this.#strict.observers, ...(this.#lax?.observers ?? [])];
  }

  attach(simulation: Simulation<State>): void {
    this.#strict.attach(simulation);
    this.#lax?.attach(simulation);
  }

  /** After each event. */
  look(): void {
    this.#strict.look();
    this.#lax?.look();
  }

  /** When all events have been handled. */
  conclude(): Violation | null {
    this.#strict.conclude();
    this.#lax?.conclude();
    const { violation } = this.#strict;
    return violation?.property === atMostOneLeader ? (this.#lax?.violation ?? violation) : violation;
  }
}

/** Where a split brain is asked about that nobody promised to avoid, all but that comes second. */
function standardsFor<State>(
  { protocol, invariants, timing, historian, restless = false, letsTwoLead = false }: Subject<State>,
  schedule: Schedule,
): [strict: Standards<State>, lax?: Standards<State>] {
  const promised = promisesIn(protocol.guarantees, schedule, timing);
  const settles = !restless && settlesInTime(schedule, timing);
  const standards = (promises: Promises): Standards<State> => ({
    ...{ invariants, promised: promises, settles },
    ...(historian && { historian: historian() }),
  });
  const isPromised = promised.atMostOneLeader || promised.leased || letsTwoLead;
  return isPromised
    ? [standards(promised)]
    : [standards({ ...promised, noSplitBrain: true }), standards(promised)];
}

const promisesIn = (guarantees: Guarantees, schedule: Schedule, timing: Timing): Promises =>
  keepsClocks(schedule, timing) ? guarantees : beyondClocks(guarantees);

function hold<State>(
  subject: Subject<State>,
  schedule: Schedule,
  standards: Standards<State>,
  options: JudgeOptions,
): RunResult {
  const { protocol, services = [] } = subject;
  return run(protocol, schedule, {
    ...options,
    ...standards,
    services,
    prepare: (simulation) => planWorkload(subject, schedule, simulation),
  });
}

/** The subject with the settings of a schedule, but for those of other algorithms. */
export function fit<State>(subject: Subject<State>, schedule: Pick<Schedule, 'settings'>): Subject<State> {
  const settings = settingsFor(subject.protocol.algorithm, schedule.settings ?? {});
  if (Object.keys(settings).length === 0) return subject;
  if (subject.withSettings !== undefined) return subject.withSettings(settings);
  throw new InvalidOptionError(
    `${subject.protocol.algorithm} takes no settings from a schedule: leave out '${Object.keys(settings)[0]}'.`,
  );
}

/** `heartbeatMs` is for whichever algorithm runs, `raft.heartbeatMs` for Raft alone. */
function settingsFor(algorithm: string, settings: Settings): Settings {
  const own = Object.entries(settings).flatMap(([name, value]) => {
    const point = name.indexOf('.');
    const isOwn = point === -1 || name.slice(0, point) === algorithm;
    return isOwn ? [[name.slice(point + 1), value] as const] : [];
  });
  return Object.fromEntries(own);
}

/** A stream for each kind: to leave one out changes none of the others. */
export function planWorkload<State>(
  { protocol, workload = {} }: Subject<State>,
  { seed, workload: drawn }: Schedule,
  simulation: Simulation<State>,
): void {
  for (const kind of drawn?.kinds ?? []) {
    const plan = workload[kind];
    if (plan === undefined) {
      throw new InvalidOptionError(`There is no workload '${kind}' of ${protocol.algorithm}: leave it out.`);
    }
    plan(simulation, new Random(deriveSeed(seed, 'workload', kind)), drawn!.untilMs);
  }
}

function settlesInTime(schedule: Schedule, timing: Timing): boolean {
  const { network, durationMs } = schedule;
  const keepsAssumptions = network.lossProbability === 0 && network.latencyMs[1] <= timing.maxDelayMs;
  return keepsAssumptions && durationMs >= settledMs(schedule, timing);
}

/** The schedule that a seed stands for. */
export function scheduleOfSeed<State>(subject: Subject<State>, swarm: Swarm, seed: number): Schedule {
  // A stream of its own: what is drawn here does not disturb the rest.
  const settings = subject.drawSettings?.(new Random(deriveSeed(seed, 'settings'))) ?? {};
  const own = Object.keys(settings).length === 0 ? {} : { settings };
  const { timing, protocol, services = [], workload = {} } = fit(subject, own as Schedule);
  const drawn = drawSchedule(seed, swarm, {
    timing,
    targetedTransfer: protocol.guarantees.targetedTransfer,
    leased: protocol.guarantees.leased,
    hasCoordinator: services.length > 0,
    workload: Object.keys(workload),
  });
  return { ...drawn, ...own };
}
