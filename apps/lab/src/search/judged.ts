/** What there is to say about a run that was replayed, whatever it was a part of. */

import type { NodeId } from '@hustings/elector';
import {
  drawDiagram,
  findWitnesses,
  formatShiviz,
  formatTrace,
  type RunResult,
  type TraceEvent,
} from '@hustings/simulator';

export type Verdict =
  | {
      readonly holds: true;
      /** Two led at once for so long, against which the algorithm promises nothing, or nothing in such a trial. */
      readonly twoLeadersForMs?: number;
    }
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
  /** The name of the run. */
  readonly token: string;
  readonly verdict: Verdict;
  readonly events: readonly TraceEvent[];
  /** For a terminal. */
  readonly report: string;
  /** By file name, as `--out` writes them. */
  files(): Readonly<Record<string, string>>;
}

export interface ReplayOptions {
  /** The name of the run from which this one was shrunk. */
  readonly shrunkFrom?: string;
  /** Which of the algorithm's mutants ran in its place. */
  readonly mutant?: string;
  readonly width?: number;
}

export const replayCommand = (name: string, mutant?: string): string =>
  `npm run replay -- ${name}${mutant === undefined ? '' : ` --mutant ${mutant}`}`;

/** Where `npm run playground` shows it. */
export const playgroundLink = (name: string): string => `http://localhost:4173/#run=${name}`;

/** What replays a run, and where it can be looked at: the playground has no mutants. */
export const waysBack = (
  name: string,
  mutant?: string,
): { readonly command: string; readonly link?: string } =>
  mutant === undefined
    ? { command: replayCommand(name), link: playgroundLink(name) }
    : { command: replayCommand(name, mutant) };

export function toVerdict(judged: Judged): Verdict {
  const { violation } = judged;
  if (violation === null) return { holds: true };
  return { holds: false, ...violation, witnesses: witnessesOf(judged).map(({ sequence }) => sequence) };
}

export type Judged = Pick<RunResult, 'violation' | 'trace'>;

export const witnessesOf = ({ violation, trace }: Judged): readonly TraceEvent[] =>
  violation === null ? [] : findWitnesses(violation, trace);

export const titleOf = ({ algorithm }: { readonly algorithm: string }, { violation }: Judged): string =>
  violation === null ? `${algorithm} keeps its promises` : `${algorithm} breaks: ${violation.property}`;

export const outcomeOf = ({ violation }: Judged): string =>
  violation === null ? 'Nothing was violated.' : `In the end ${violation.detail}.`;

export function drawFiles(
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
