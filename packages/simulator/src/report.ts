import { fit, judge, type Subject } from './judge.js';
import type { RunResult } from './run.js';
import { playSubject } from './scenario.js';
import { formatSchedule, type Schedule } from './schedule.js';
import { drawText } from './space-time.js';
import { tellEvent } from './story.js';
import { findWitnesses } from './witnesses.js';

export interface ReportOptions {
  /** What replays the run. */
  readonly command: string;
  /** Where it can be looked at. */
  readonly link?: string;
  /** What the run was before it was shrunk, and what replays that. */
  readonly shrunkFrom?: { readonly schedule: Schedule; readonly command: string };
  readonly width?: number;
}

/** All that a person needs to understand a run, broken or not, as text for a terminal. */
export function writeReport<State>(
  subject: Subject<State>,
  schedule: Schedule,
  options: ReportOptions,
): string {
  const result = judge(subject, schedule, { trace: true });
  const { protocol } = fit(subject, schedule);
  const { command, link, shrunkFrom, width = 100 } = options;
  const witnesses = result.violation === null ? [] : findWitnesses(result.violation, result.trace);
  const { nodes } = schedule;
  const { periodicMessages } = protocol;
  return [
    tellVerdict(result, `${protocol.algorithm} (${protocol.variant})`),
    ...witnesses.map((event, index) => `  ${index + 1}  ${event.atMs.toFixed(1)} ms  ${tellEvent(event)}\n`),
    '\nThe schedule',
    shrunkFrom === undefined ? ':\n' : `, shrunk from ${size(shrunkFrom.schedule)}:\n`,
    indented(formatSchedule(schedule)),
    '\nWhat happened, heartbeats left out (▲ begins to lead, ▼ stops, ┃ leads, ┊ paused, ✕ lost):\n',
    drawText(result.trace, { nodes, periodicMessages, witnesses, width }),
    `\nReplay it:          ${command}\n`,
    ...(link === undefined ? [] : [`In the playground:  ${link}\n`]),
    ...(shrunkFrom === undefined ? [] : [`As it was found:    ${shrunkFrom.command}\n`]),
  ].join('');
}

function tellVerdict({ violation }: RunResult, subject: string): string {
  if (violation === null) return `${subject} kept every promise in this run.\n`;
  const { property, detail, atMs } = violation;
  return `VIOLATED by ${subject}: ${property}\n  ${detail}, at ${atMs.toFixed(1)} ms\n`;
}

function size({ nodes, faults }: Schedule): string {
  return `${nodes.length} nodes and ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`;
}

const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ');

/**
 * The run as a golden trace: put it into the algorithm's `test/scenarios` folder, and the test there replays it
 * from then on.
 */
export function writeScenario<State>(subject: Subject<State>, schedule: Schedule, title: string): string {
  const comment = title.replace(/^/gm, '# ');
  return playSubject(subject, `${comment}\n${formatSchedule(schedule)}`);
}
