import { parseTrialName } from '@hustings/bench/trial';
import { withSubject } from '@hustings/catalogue';
import { UsageError } from '@hustings/command';
import {
  judge,
  parseRunName,
  type RunName,
  type Subject,
  scheduleOf,
  writeReport,
  writeScenario,
} from '@hustings/simulator';
import { broken } from '../mutants/broken.js';
import { drawingWidth, fitted, usualWidth } from './fitted.js';
import {
  drawFiles,
  outcomeOf,
  type Replay,
  type ReplayOptions,
  replayCommand,
  titleOf,
  toVerdict,
  waysBack,
} from './judged.js';
import { replayTrial } from './replay-trial.js';

/**
 * Runs what this is the name of, exactly as it was. Throws `MalformedError` for what is no name or a damaged one, and
 * `InvalidOptionError` for one of an algorithm that is not there.
 */
export function replay(text: string, options: ReplayOptions = {}): Replay {
  const trial = parseTrialName(text);
  if (trial !== null) {
    if (options.mutant === undefined) return replayTrial(text, trial, options);
    throw new UsageError(
      '--mutant is for runs of the search: a trial of the benchmark is of the intact algorithm.',
    );
  }
  const name = parseRunName(text);
  const original = options.shrunkFrom === undefined ? null : parseRunName(options.shrunkFrom);
  const { mutant } = options;
  return withSubject(name.algorithm, name.variant, (intact) => {
    const subject = broken(intact, mutant);
    const schedule = scheduleOf(name, subject);
    const result = judge(subject, schedule, { trace: true });
    const { width = usualWidth } = options;
    const origin = describeOrigin(subject, original, options);
    const ways = waysBack(text, mutant);
    const drawn = { ...ways, ...origin, width: drawingWidth(schedule.nodes, width) };
    const report = fitted(writeReport(subject, schedule, drawn), width);
    return {
      token: text,
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
          `${titleOf(subject.protocol, result)}.\n${outcomeOf(result)}\n${ways.command}`,
        ),
      }),
    };
  });
}

function describeOrigin<State>(
  subject: Subject<State>,
  original: RunName | null,
  { shrunkFrom = '', mutant }: ReplayOptions,
) {
  if (original === null) return {};
  return {
    shrunkFrom: { schedule: scheduleOf(original, subject), command: replayCommand(shrunkFrom, mutant) },
  };
}
