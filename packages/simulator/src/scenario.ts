import type { AnyProtocol } from './node.js';
import { run } from './run.js';
import { parseSchedule } from './schedule.js';
import type { Service } from './simulation.js';
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
  const [schedule = ''] = text.split(divider);
  const { trace } = run(protocol, parseSchedule(schedule), { services, trace: true });
  return schedule + divider + tellStory(trace, protocol.periodicMessages);
}
