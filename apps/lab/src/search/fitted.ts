import { wrapped } from '@hustings/command';
import type { NodeId } from '@hustings/elector';

export const usualWidth = 80;

/** Of the story beside the lines of the nodes: with fewer, nothing of it could be understood. */
const leastStory = 24;

/** As wide as the terminal, unless there are so many nodes that their lines alone would fill it. */
export function drawingWidth(nodes: readonly NodeId[], width: number): number {
  const columnWidth = Math.max(6, ...nodes.map((id) => id.length + 2));
  return Math.max(width, 13 + columnWidth * nodes.length + leastStory);
}

export const legend =
  'What happened, heartbeats left out (▲ begins to lead, ▼ stops, ┃ leads, ┊ paused, ✕ lost):';

/** The drawing stays as it is: it was made for its width. */
export function fitted(report: string, width: number): string {
  const [before = '', after] = report.split(`${legend}\n`);
  if (after === undefined) return wrapped(before, width);
  const end = after.indexOf('\n\n');
  const drawing = after.slice(0, end);
  return `${wrapped(`${before}${legend}`, width)}\n${drawing}${wrapped(after.slice(end), width)}`;
}
