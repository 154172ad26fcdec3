/**
 * Makes a failing schedule small: fewest nodes, then faults, workload and settings, then time, then decisions. Whatever is tried must
 * break the same property, or the smaller schedule would tell another story.
 */

import { InvalidOptionError, type NodeId } from '@hustings/elector';
import type { Fault, Target } from './faults.js';
import { fit, type JudgeOptions, judge, type Subject } from './judge.js';
import { defaultNetwork } from './network.js';
import type { Violation } from './oracle.js';
import { formatSchedule, type Schedule } from './schedule.js';
import { nodeNames, settledMs, type Timing } from './swarm.js';

export interface Shrunk {
  readonly schedule: Schedule;
  readonly violation: Violation;
  /** How many schedules were tried. */
  readonly runs: number;
}

/** A schedule of 7 nodes and 5 faults needs a few hundred. */
const defaultMaxRuns = 1000;
/** What was given up in one round may be possible in the next: fewer faults, fewer nodes. */
const maxRounds = 4;

/** Null when the schedule breaks nothing. The same arguments, the same result. */
export function shrink<State>(
  subject: Subject<State>,
  schedule: Schedule,
  maxRuns = defaultMaxRuns,
  options: Pick<JudgeOptions, 'maxSteps'> = {},
): Shrunk | null {
  const { violation } = judge(subject, schedule, options);
  return violation === null ? null : new Shrinker(subject, schedule, violation, maxRuns, options).shrink();
}

class Shrinker<State> {
  readonly #subject: Subject<State>;
  readonly #maxRuns: number;
  readonly #options: JudgeOptions;
  #best: Schedule;
  #violation: Violation;
  #runs = 1;

  constructor(
    subject: Subject<State>,
    schedule: Schedule,
    violation: Violation,
    maxRuns: number,
    options: JudgeOptions,
  ) {
    this.#subject = subject;
    this.#maxRuns = maxRuns;
    this.#options = options;
    this.#best = schedule;
    this.#violation = violation;
    this.#endWithViolation();
  }

  shrink(): Shrunk {
    for (let round = 0; round < maxRounds; round += 1) {
      const before = formatSchedule(this.#best);
      this.#shrinkNodes();
      this.#shrinkFaults();
      this.#shrinkWorkload();
      this.#shrinkSettings();
      this.#shrinkTime();
      this.#shrinkDecisions();
      if (formatSchedule(this.#best) === before) break;
    }
    return { schedule: this.#best, violation: this.#violation, runs: this.#runs };
  }

  /** Keeps the candidate if it breaks the same property. */
  #try(candidate: Schedule): boolean {
    if (this.#runs >= this.#maxRuns) return false;
    this.#runs += 1;
    const violation = this.#judge(candidate);
    if (violation?.property !== this.#violation.property) return false;
    this.#best = candidate;
    this.#violation = violation;
    this.#endWithViolation();
    return true;
  }

  /** Null also for settings that do not go together. */
  #judge(candidate: Schedule): Violation | null {
    try {
      return judge(this.#subject, candidate, this.#options).violation;
    } catch (error) {
      if (error instanceof InvalidOptionError) return null;
      throw error;
    }
  }

  #change(change: Partial<Schedule>): boolean {
    return this.#try({ ...this.#best, ...change });
  }

  #changeFault(index: number, fault: Fault): boolean {
    return this.#change({ faults: this.#best.faults.with(index, fault) });
  }

  /** What comes after the violation plays no part in it. What should have come true keeps its time to do so. */
  #endWithViolation(): void {
    if (this.#violation.node === null) return;
    const durationMs = Math.ceil(this.#violation.atMs);
    const faults = this.#best.faults.map((fault) =>
      (fault.healAtMs ?? 0) > durationMs ? withoutHealing(fault) : fault,
    );
    this.#best = { ...this.#best, durationMs, faults };
  }

  #shrinkNodes(): void {
    for (const kept of smallerSubsets(this.#best.nodes)) {
      if (kept.length > 0 && this.#tryWithTime(keepNodes(this.#best, kept))) return;
    }
  }

  #shrinkFaults(): void {
    for (const faults of smallerSubsets(this.#best.faults)) {
      if (this.#tryWithTime({ ...this.#best, faults })) break;
    }
    for (let index = 0; index < this.#best.faults.length; index += 1) {
      for (const simpler of simplerFaults(this.#best.faults[index]!, this.#best.nodes)) {
        if (this.#changeFault(index, simpler)) break;
      }
    }
  }

  #shrinkWorkload(): void {
    const { workload, ...idle } = this.#best;
    if (workload === undefined || this.#tryWithTime(idle)) return;
    for (const kinds of smallerSubsets(workload.kinds)) {
      if (kinds.length > 0 && this.#tryWithTime({ ...idle, workload: { ...workload, kinds } })) return;
    }
  }

  #shrinkSettings(): void {
    const { settings = {}, ...customary } = this.#best;
    if (Object.keys(settings).length === 0 || this.#tryWithTime(customary)) return;
    for (const name of Object.keys(settings)) {
      const { [name]: _, ...others } = this.#best.settings ?? {};
      if (Object.keys(others).length > 0) this.#tryWithTime({ ...this.#best, settings: others });
    }
  }

  get #timing(): Timing {
    return fit(this.#subject, this.#best).timing;
  }

  /** With fewer nodes, faults or decisions all happens at other times, so the run gets time for it. */
  #tryWithTime(candidate: Schedule): boolean {
    const settled = settledMs(candidate, this.#timing);
    const durationMs = Number.isFinite(settled) ? settled : candidate.durationMs + this.#timing.settleMs;
    return this.#try({ ...candidate, durationMs });
  }

  #shrinkTime(): void {
    this.#change({ unwindMs: 0 });
    for (const field of ['closesLinksOnCrash', 'tellsLivesApart'] as const) {
      this.#change({ network: { ...this.#best.network, [field]: defaultNetwork[field] } });
    }
    const { saveMs: _, ...quickDisk } = this.#best;
    this.#try(quickDisk);
    for (const latencyMs of [1, 10, Math.round(this.#best.network.latencyMs[1])]) {
      const network = { ...this.#best.network, latencyMs: [latencyMs, latencyMs] as const };
      if (this.#tryWithTime({ ...this.#best, network })) break;
    }
    for (let index = 0; index < this.#best.faults.length; index += 1) this.#shrinkTimeOfFault(index);
    if (this.#violation.node === null) {
      this.#change({ durationMs: settledMs(this.#best, this.#timing) });
    }
  }

  #shrinkTimeOfFault(index: number): void {
    const fault = (): Fault => this.#best.faults[index]!;
    this.#changeFault(index, withoutHealing(fault()));
    this.#shrinkNumber(fault().atMs, 0, (atMs) => this.#changeFault(index, moved(fault(), atMs)));
    const { atMs, healAtMs } = fault();
    if (healAtMs === undefined) return;
    this.#shrinkNumber(healAtMs, Math.ceil(atMs), (sooner) =>
      this.#changeFault(index, { ...fault(), healAtMs: sooner }),
    );
  }

  #shrinkDecisions(): void {
    const { decisions } = this.#best;
    // Elections end because chance ends them: without it, none need.
    if (this.#violation.node === null) return;
    // A run of a few seconds makes some hundreds of decisions; if more than that matter, all may.
    this.#shrinkNumber(decisions ?? 2048, 0, (fewer) =>
      this.#tryWithTime({ ...this.#best, decisions: fewer }),
    );
    if (this.#best.decisions === 0) this.#change({ seed: 0 });
  }

  /** Finds the least whole number that still fails, then a rounder one close above it. */
  #shrinkNumber(from: number, least: number, accepts: (value: number) => boolean): void {
    if (from <= least || accepts(least)) return;
    let low = least;
    let high = Math.floor(from);
    if (high <= low || (high < from && !accepts(high))) return;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (accepts(middle)) high = middle;
      else low = middle;
    }
    for (const unit of [100, 50, 10]) {
      const round = Math.ceil(high / unit) * unit;
      if (round > high && round <= from && round <= 1.2 * high && accepts(round)) return;
    }
  }
}

/** All that can be left when something is left out, the smallest first. Of many things, only one at a time. */
function* smallerSubsets<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  if (items.length > 8) {
    for (const left of items) yield items.filter((item) => item !== left);
    return;
  }
  const masks = Array.from({ length: 2 ** items.length - 1 }, (_, mask) => mask);
  for (const mask of masks.sort((a, b) => sizeOf(a) - sizeOf(b) || a - b)) {
    yield items.filter((_, index) => (mask >> index) & 1);
  }
}

function sizeOf(mask: number): number {
  return mask === 0 ? 0 : (mask & 1) + sizeOf(mask >> 1);
}

/** The same schedule for these nodes alone, under new names in the old order. */
function keepNodes(schedule: Schedule, kept: readonly NodeId[]): Schedule {
  const nodes = nodeNames(kept.length);
  const names = new Map<Target, Target>(kept.map((id, index) => [id, nodes[index]!]));
  const followers = nodes.slice(1).map((_, index): Target => `follower-${index + 1}`);
  for (const office of ['leader', 'coordinator', ...followers]) names.set(office, office);
  return {
    ...schedule,
    nodes,
    faults: schedule.faults.flatMap((fault) => renamed(fault, names, nodes.length)),
  };
}

function renamed(fault: Fault, names: ReadonlyMap<Target, Target>, size: number): Fault[] {
  if (fault.type === 'split') {
    const side = fault.side.flatMap((node) => names.get(node) ?? []);
    return side.length === 0 || side.length === size ? [] : [{ ...fault, side }];
  }
  if (!('node' in fault)) return [fault];
  const node = names.get(fault.node);
  if (node === undefined) return [];
  if ('peer' in fault) {
    const peer = names.get(fault.peer);
    return peer === undefined ? [] : [{ ...fault, node, peer }];
  }
  if (fault.type !== 'graceful' || fault.to === undefined) return [{ ...fault, node }];
  const { to, ...rest } = fault;
  const successor = names.get(to);
  return [successor === undefined ? { ...rest, node } : { ...rest, node, to: successor }];
}

/** Other ways to put a fault, from the plainest: by name rather than by office, and cutting off one rather than some. */
function simplerFaults(fault: Fault, nodes: readonly NodeId[]): Fault[] {
  if (fault.type === 'split') {
    const { side, ...time } = fault;
    const alone: Fault[] = [...side, ...nodes.filter((node) => !side.includes(node))].map((node) => ({
      ...time,
      type: 'isolate',
      node,
    }));
    return [
      ...alone,
      ...side.map((left) => ({ ...fault, side: side.filter((node) => node !== left) })),
    ].filter((simpler) => !('side' in simpler) || simpler.side.length > 0);
  }
  if ('probability' in fault) return fault.probability === 1 ? [] : [{ ...fault, probability: 1 }];
  if ('node' in fault && fault.node === 'leader') return nodes.map((node) => ({ ...fault, node }));
  return [];
}

function withoutHealing(fault: Fault): Fault {
  const { healAtMs: _, ...lasting } = fault;
  return lasting;
}

/** Starts at another time and lasts as long. */
function moved(fault: Fault, atMs: number): Fault {
  return fault.healAtMs === undefined
    ? { ...fault, atMs }
    : { ...fault, atMs, healAtMs: Math.ceil(atMs + fault.healAtMs - fault.atMs) };
}
