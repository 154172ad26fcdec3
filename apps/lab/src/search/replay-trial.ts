import { runConfigured, type TrialName, type TrialOutcome } from '@hustings/bench/trial';
import { type Algorithm, checkAlgorithm, configure, open } from '@hustings/catalogue';
import type { Guarantees } from '@hustings/elector';
import { beyondClocks, drawText, nodeNames, Oracle, type Promises, TraceRecorder } from '@hustings/simulator';
import { drawingWidth, fitted, legend, usualWidth } from './fitted.js';
import {
  drawFiles,
  type Replay,
  type ReplayOptions,
  replayCommand,
  toVerdict,
  type Verdict,
  witnessesOf,
} from './judged.js';

/** A trial of the benchmark once more, held to what its algorithm promises. */
export function replayTrial(text: string, name: TrialName, { width = usualWidth }: ReplayOptions): Replay {
  checkAlgorithm(name.algorithm, name.variant);
  return open(name.algorithm)(<State>(algorithm: Algorithm<State>) => {
    const configured = configure(algorithm, name.variant, name.profile, name.budgetMs);
    const { protocol } = configured;
    const oracle = new Oracle(algorithm.invariants, promisesIn(name, protocol.guarantees));
    const recorder = new TraceRecorder<State>();
    const outcome = runConfigured(configured, name, [recorder, oracle]);
    const result = { violation: oracle.violation, trace: recorder.events };
    const verdict = withSplitBrain(toVerdict(result), outcome);
    const nodes = nodeNames(name.nodes);
    const witnesses = witnessesOf(result);
    const { periodicMessages } = protocol;
    const drawn = [
      `${tellVerdict(verdict, name)}\n`,
      `\nThe trial: ${describeTrial(name)}.\n`,
      describeOutcome(outcome),
      `\n${legend}\n`,
      drawText(result.trace, { nodes, periodicMessages, witnesses, width: drawingWidth(nodes, width) }),
      `\nReplay it:          ${replayCommand(text)}\n`,
    ].join('');
    const report = fitted(drawn, width);
    return {
      token: text,
      verdict,
      events: result.trace,
      report,
      files: () => ({ 'report.txt': report, ...drawFiles(protocol, nodes, result) }),
    };
  });
}

/** Leases rest on the clocks: one leader at a time is promised while those keep to their bound. */
const breaksClocks = ({ fault }: TrialName): boolean => fault === 'clock-drift';

const promisesIn = (name: TrialName, guarantees: Guarantees): Promises =>
  breaksClocks(name) ? beyondClocks(guarantees) : guarantees;

function withSplitBrain(verdict: Verdict, { overlapsMs }: TrialOutcome): Verdict {
  if (!verdict.holds || overlapsMs.length === 0) return verdict;
  return { ...verdict, twoLeadersForMs: Math.max(...overlapsMs) };
}

function tellVerdict(verdict: Verdict, name: TrialName): string {
  if (!verdict.holds) return `VIOLATED: ${verdict.property}`;
  const { algorithm } = name;
  if (verdict.twoLeadersForMs === undefined) return `${algorithm} kept what it promises.`;
  const split = `SPLIT BRAIN for ${verdict.twoLeadersForMs.toFixed(1)} ms`;
  return breaksClocks(name)
    ? `${split}: ${algorithm} promises one leader while clocks keep to their bound.`
    : `${split}, against which ${algorithm} promises nothing.`;
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
