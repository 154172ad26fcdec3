import { fit, planWorkload, type Subject } from './judge.js';
import type { AnyProtocol } from './node.js';
import { run } from './run.js';
import { parseSchedule } from './schedule.js';
import type { Service, Simulation } from './simulation.js';
import { tellStory } from './story.js';

const divider = '---\n';

/**
 * Plays a golden trace: a schedule, a line of dashes, and the story that the run tells. Returns the text with
 * the story as it is now, so that a test can compare the two and an update can rewrite the file.
 */
export function playScenario<State>(
  protocol: AnyProtocol<State>,
  text: string,
  services: readonly Service[] = [],
): string {
  return playSubject({ protocol, services }, text);
}

/** The same for a subject, which may have settings and a workload of its schedule. */
export function playSubject<State>(
  subject: Omit<Subject<State>, 'invariants' | 'timing'>,
  text: string,
): string {
  const [head = ''] = text.split(divider);
  const schedule = parseSchedule(head);
  const fitted = fit({ ...subject, invariants: {}, timing: unused }, schedule);
  const { protocol, services = [] } = fitted;
  const prepare = (simulation: Simulation<State>): void => planWorkload(fitted, schedule, simulation);
  const { trace } = run(protocol, schedule, { services, trace: true, prepare });
  return head + divider + tellStory(trace, protocol.periodicMessages);
}

const unused = { detectionMs: 0, maxDelayMs: 0, settleMs: 0 };
