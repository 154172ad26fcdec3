import { tell } from './story.js';
import type { TraceEvent } from './trace.js';

/** What to enter in ShiViz as the log parsing regular expression. */
export const shivizParser = '(?<event>.*)\\n(?<host>\\S*) (?<clock>{.*})';

/**
 * A log that ShiViz draws: for each event a line that says what happened, and one with the host and its vector
 * clock. What no node took part in, such as a message that was lost, has no clock and is left out.
 */
export function formatShiviz(trace: readonly TraceEvent[]): string {
  return trace
    .flatMap((event) =>
      'node' in event && event.clock !== undefined
        ? [`${event.atMs.toFixed(3)} ${tell(event)}\n${event.node} ${JSON.stringify(event.clock)}\n`]
        : [],
    )
    .join('');
}
