import {
  drawDiagram,
  findWitnesses,
  formatShiviz,
  formatTrace,
  judge,
  parseToken,
  type RunName,
  type RunResult,
  type Schedule,
  type Subject,
  scheduleOf,
  type TraceEvent,
  writeReport,
  writeScenario,
} from '@hustings/simulator';
import { withSubject } from './subject.js';

export type Verdict =
  | { readonly holds: true }
  | {
      readonly holds: false;
      readonly property: string;
      readonly detail: string;
      readonly atMs: number;
      readonly node: string | null;
      /** The sequence numbers of the events that show it. */
      readonly witnesses: readonly number[];
    };

/** A run once more, with all there is to say about it. */
export interface Replay {
  readonly token: string;
  readonly verdict: Verdict;
  readonly events: readonly TraceEvent[];
  /** For a terminal. */
  readonly report: string;
  /** By file name, as `--out` writes them. */
  files(): Readonly<Record<string, string>>;
}

export interface ReplayOptions {
  /** The token of the run from which this one was shrunk. */
  readonly shrunkFrom?: string;
  readonly width?: number;
}

export const replayCommand = (token: string): string => `npm run replay -- ${token}`;

/**
 * Runs what a token names, exactly as it was. Throws `MalformedError` for what is no token, and
 * `InvalidOptionError` for one of an algorithm that is not there.
 */
export function replay(token: string, options: ReplayOptions = {}): Replay {
  const name = parseToken(token);
  const original = options.shrunkFrom === undefined ? null : parseToken(options.shrunkFrom);
  return withSubject(name.algorithm, name.variant, (subject) => {
    const schedule = scheduleOf(name, subject);
    const result = judge(subject, schedule, { trace: true });
    const report = writeReport(subject, schedule, {
      command: replayCommand(token),
      ...describeOrigin(subject, original, options.shrunkFrom),
      ...(options.width === undefined ? {} : { width: options.width }),
    });
    return {
      token,
      verdict: toVerdict(result),
      events: result.trace,
      report,
      files: () => ({ 'report.txt': report, ...drawFiles(subject, schedule, result, token) }),
    };
  });
}

function describeOrigin<State>(subject: Subject<State>, original: RunName | null, token = '') {
  if (original === null) return {};
  return { shrunkFrom: { schedule: scheduleOf(original, subject), command: replayCommand(token) } };
}

function toVerdict({ violation, trace }: RunResult): Verdict {
  if (violation === null) return { holds: true };
  const witnesses = findWitnesses(violation, trace).map(({ sequence }) => sequence);
  return { holds: false, ...violation, witnesses };
}

function drawFiles<State>(
  subject: Subject<State>,
  schedule: Schedule,
  { violation, trace }: RunResult,
  token: string,
): Record<string, string> {
  const { algorithm, periodicMessages } = subject.protocol;
  const title =
    violation === null ? `${algorithm} keeps its promises` : `${algorithm} breaks: ${violation.property}`;
  const outcome = violation === null ? 'Nothing was violated.' : `In the end ${violation.detail}.`;
  return {
    'diagram.svg': drawDiagram(trace, {
      nodes: schedule.nodes,
      periodicMessages,
      witnesses: violation === null ? [] : findWitnesses(violation, trace),
      title,
      description: `A space-time diagram of ${trace.length} events on ${schedule.nodes.length} nodes. ${outcome}`,
    }),
    'trace.jsonl': formatTrace(trace),
    'shiviz.log': formatShiviz(trace),
    // To be moved into the algorithm's folder of scenarios.
    'scenario.txt': writeScenario(subject, schedule, `${title}.\n${outcome}\n${replayCommand(token)}`),
  };
}
