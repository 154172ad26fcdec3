import {
  formatRunName,
  formatSchedule,
  type Schedule,
  type Subject,
  type Swarm,
  scheduleOfSeed,
  shrink,
} from '@hustings/simulator';
import type { Find } from './protocol.js';

/** A broken promise as `search --json` prints it. */
export interface FoundViolation {
  readonly property: string;
  readonly detail: string;
  readonly seed: number;
  /** The name of the run as it was found. */
  readonly replay: string;
  /** The name of the smallest run that breaks the same property. */
  readonly shrunk: string;
  /** The smallest run as text. */
  readonly schedule: string;
}

/** How many finds are shrunk at most: those of one cause mostly shrink to one and the same run. */
const mostShrunk = 50;

/** The first violations that are different once they have been shrunk. */
export function shrinkFinds<State>(
  subject: Subject<State>,
  swarm: Swarm,
  finds: readonly Find[],
  limit: number,
): FoundViolation[] {
  const found = new Map<string, FoundViolation>();
  for (const { seed } of finds.slice(0, mostShrunk)) {
    if (found.size >= limit) break;
    const violation = shrinkSeed(subject, swarm, seed);
    if (violation !== null && !found.has(violation.shrunk)) found.set(violation.shrunk, violation);
  }
  return [...found.values()];
}

function shrinkSeed<State>(subject: Subject<State>, swarm: Swarm, seed: number): FoundViolation | null {
  const shrunk = shrink(subject, scheduleOfSeed(subject, swarm, seed));
  if (shrunk === null) return null;
  const { algorithm, variant } = subject.protocol;
  const { property, detail } = shrunk.violation;
  return {
    property,
    detail,
    seed,
    replay: formatRunName({ algorithm, variant, type: 'seed', seed, swarm }),
    shrunk: nameOf(subject, shrunk.schedule),
    schedule: formatSchedule(shrunk.schedule),
  };
}

export function nameOf<State>({ protocol }: Subject<State>, schedule: Schedule): string {
  const { algorithm, variant } = protocol;
  return formatRunName({ algorithm, variant, type: 'schedule', schedule });
}
