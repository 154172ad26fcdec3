import type { TrialOutcome } from '@hustings/bench/trial';
import { decodeToken, runConfigured, type TrialName } from '@hustings/bench/trial';
import { type Algorithm, configure, open } from '@hustings/catalogue';
import type { NodeId } from '@hustings/elector';
import {
  drawDiagram,
  drawText,
  findWitnesses,
  formatShiviz,
  formatTrace,
  judge,
  nodeNames,
  Oracle,
  parseToken,
  type RunName,
  type RunResult,
  type Subject,
  scheduleOf,
  type TraceEvent,
  TraceRecorder,
  writeReport,
  writeScenario,
} from '@hustings/simulator';
import { checkAlgorithm, withSubject } from './subject.js';

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
  const trial = decodeToken(token);
  if (trial !== null) return replayTrial(token, trial, options);
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
      files: () => ({
        'report.txt': report,
        ...drawFiles(subject.protocol, schedule.nodes, result),
        // To be moved into the algorithm's folder of scenarios.
        'scenario.txt': writeScenario(
          subject,
          schedule,
          `${titleOf(subject.protocol, result)}.\n${outcomeOf(result)}\n${replayCommand(token)}`,
        ),
      }),
    };
  });
}

function describeOrigin<State>(subject: Subject<State>, original: RunName | null, token = '') {
  if (original === null) return {};
  return { shrunkFrom: { schedule: scheduleOf(original, subject), command: replayCommand(token) } };
}

function toVerdict(judged: Judged): Verdict {
  const { violation } = judged;
  if (violation === null) return { holds: true };
  return { holds: false, ...violation, witnesses: witnessesOf(judged).map(({ sequence }) => sequence) };
}

/** A trial of the benchmark once more, held to what its algorithm promises. */
function replayTrial(token: string, name: TrialName, { width = 100 }: ReplayOptions): Replay {
  checkAlgorithm(name.algorithm, name.variant);
  return open(name.algorithm)(<State>(algorithm: Algorithm<State>) => {
    const configured = configure(algorithm, name.variant, name.profile, name.budgetMs);
    const { protocol } = configured;
    const oracle = new Oracle(algorithm.invariants, protocol.guarantees);
    const recorder = new TraceRecorder<State>();
    const outcome = runConfigured(configured, name, [recorder, oracle]);
    const result = { violation: oracle.violation, trace: recorder.events };
    const verdict = toVerdict(result);
    const nodes = nodeNames(name.nodes);
    const witnesses = witnessesOf(result);
    const report = [
      verdict.holds ? `${protocol.algorithm} kept what it promises.\n` : `VIOLATED: ${verdict.property}\n`,
      `\nThe trial: ${describeTrial(name)}.\n`,
      describeOutcome(outcome),
      '\nWhat happened, heartbeats left out (▲ begins to lead, ▼ stops, ┃ leads, ┊ paused, ✕ lost):\n',
      drawText(result.trace, { nodes, periodicMessages: protocol.periodicMessages, witnesses, width }),
      `\nReplay it:          ${replayCommand(token)}\n`,
    ].join('');
    return {
      token,
      verdict,
      events: result.trace,
      report,
      files: () => ({ 'report.txt': report, ...drawFiles(protocol, nodes, result) }),
    };
  });
}

function describeTrial({ nodes, fault, profile, budgetMs }: TrialName): string {
  return `${nodes} nodes, fault ${fault}, profile ${profile}${profile === 'matched' ? ` with ${budgetMs} ms to detect it` : ''}`;
}

function describeOutcome({
  resolution,
  detectionMs,
  failoverMs,
  convergenceMs,
  overlapsMs,
}: TrialOutcome): string {
  const ms = (value: number | null): string => (value === null ? '–' : `${value.toFixed(1)} ms`);
  const overlap = overlapsMs.length === 0 ? 'never' : `for ${ms(Math.max(...overlapsMs))} at most`;
  return `The outcome: ${resolution}; detection ${ms(detectionMs)}, failover ${ms(failoverMs)}, agreement ${ms(convergenceMs)}; two leaders at once ${overlap}.\n`;
}

type Judged = Pick<RunResult, 'violation' | 'trace'>;

const witnessesOf = ({ violation, trace }: Judged): readonly TraceEvent[] =>
  violation === null ? [] : findWitnesses(violation, trace);

const titleOf = ({ algorithm }: { readonly algorithm: string }, { violation }: Judged): string =>
  violation === null ? `${algorithm} keeps its promises` : `${algorithm} breaks: ${violation.property}`;

const outcomeOf = ({ violation }: Judged): string =>
  violation === null ? 'Nothing was violated.' : `In the end ${violation.detail}.`;

function drawFiles(
  protocol: { readonly algorithm: string; readonly periodicMessages: ReadonlySet<string> },
  nodes: readonly NodeId[],
  result: Judged,
): Record<string, string> {
  const { trace } = result;
  return {
    'diagram.svg': drawDiagram(trace, {
      nodes,
      periodicMessages: protocol.periodicMessages,
      witnesses: witnessesOf(result),
      title: titleOf(protocol, result),
      description: `A space-time diagram of ${trace.length} events on ${nodes.length} nodes. ${outcomeOf(result)}`,
    }),
    'trace.jsonl': formatTrace(trace),
    'shiviz.log': formatShiviz(trace),
  };
}
