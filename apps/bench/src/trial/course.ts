/** The course of a trial, written once: virtual time and real time only carry it out. */

import type { NodeId } from '@hustings/elector';
import { deriveSeed, Random } from '@hustings/simulator';
import { type FaultPlan, planFault } from '../plan/faults.js';
import { timingOf } from '../plan/settings.js';
import type { TrialName } from '../plan/trial-name.js';

/** What a trial does next. Whoever carries it out answers with whether `condition` came true in time. */
export type Step =
  | { readonly type: 'wait'; readonly untilMs: number; readonly condition: () => boolean }
  | { readonly type: 'strike'; readonly plan: FaultPlan; readonly leader: NodeId }
  | { readonly type: 'heal' };

/** The trial as it stands, and those who must be told how far it is. */
export interface Stage {
  readonly nowMs: number;
  /** Whom the fault would strike now. */
  readonly leader: NodeId | null;
  /** One node leads, and all believe in it. */
  readonly isSettled: boolean;
  /** The healthy nodes believe in a new leader. */
  readonly isConverged: boolean;
  /** When the last `strike` struck. */
  readonly struckAtMs: number;
  quietBegins(): void;
  limitReached(): void;
}

/** The times between which nothing was done to the nodes; null if it did not come so far. */
export interface Course {
  readonly quietSinceMs: number | null;
  readonly struckAtMs: number | null;
}

export type Steps = Generator<Step, Course, boolean>;

export function* courseOf(
  { fault, seed }: TrialName,
  nodes: readonly NodeId[],
  detectionMs: number,
  stage: Stage,
): Steps {
  const timing = timingOf(nodes.length);
  // A stream of its own: how the trial is arranged does not disturb the draws of the run.
  const random = new Random(deriveSeed(seed, 'arrangement'));
  const after = (share: number): number => stage.nowMs + share * detectionMs;
  const settled = (): boolean => stage.isSettled;

  const nothing: Course = { quietSinceMs: null, struckAtMs: null };
  if (!(yield until(settled, after(timing.start)))) return nothing;
  yield rest(after(timing.calm));
  const quietSinceMs = stage.nowMs;
  stage.quietBegins();
  yield rest(after(random.between(...timing.quiet)));
  const { leader } = stage;
  if (leader === null) return nothing;

  const plan = planFault(fault, { leader, nodes, detectionMs, random });
  yield { type: 'strike', plan, leader };
  const { struckAtMs } = stage;
  const limit = plan.demandsSuccessor ? timing.limit : timing.watch;
  yield until(() => stage.isConverged, struckAtMs + limit * detectionMs);
  stage.limitReached();
  yield rest(after(random.between(...timing.hold)));
  if (!plan.heals) return { quietSinceMs, struckAtMs };

  yield { type: 'heal' };
  const [leastMs, mostMs] = timing.aftermath.map(after);
  yield rest(leastMs!);
  yield until(settled, mostMs!);
  return { quietSinceMs, struckAtMs };
}

const until = (condition: () => boolean, untilMs: number): Step => ({ type: 'wait', condition, untilMs });

const rest = (untilMs: number): Step => until(() => false, untilMs);
