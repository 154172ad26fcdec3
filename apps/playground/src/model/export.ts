import { drawDiagram, findWitnesses, formatSchedule, formatShiviz } from '@hustings/simulator';
import { type Run, titleOf } from './run.js';

export interface Export {
  readonly title: string;
  readonly name: string;
  readonly type: string;
  text(): string;
}

/** The run for other tools: all of it, a picture, and a log that ShiViz draws. */
export function exportsOf(run: Run): readonly Export[] {
  const { facts } = run.recording;
  const title = `${titleOf(run.elector)} in the playground`;
  const witnesses = facts.violation === null ? [] : findWitnesses(facts.violation, facts.events);
  return [
    { title: 'JSON', name: 'run.json', type: 'application/json', text: () => toJson(run) },
    {
      title: 'SVG',
      name: 'run.svg',
      type: 'image/svg+xml',
      text: () =>
        drawDiagram(facts.events, {
          nodes: facts.nodes,
          periodicMessages: facts.periodicMessages,
          witnesses,
          title,
          description: `A space-time diagram of ${facts.events.length} events on ${facts.nodes.length} nodes.`,
        }),
    },
    { title: 'ShiViz', name: 'run-shiviz.log', type: 'text/plain', text: () => formatShiviz(facts.events) },
  ];
}

function toJson({ name, recording }: Run): string {
  const { schedule, violation, tenures, events } = recording.facts;
  // Tokens are big integers, which JSON has not.
  const asText = (_key: string, value: unknown): unknown =>
    typeof value === 'bigint' ? String(value) : value;
  return `${JSON.stringify({ run: name, schedule: formatSchedule(schedule), violation, tenures, events }, asText, 2)}\n`;
}
