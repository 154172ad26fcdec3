import { InvalidOptionError } from '@hustings/elector';
import type { Settings, Subject } from '@hustings/simulator';
import type { Algorithm, Configured } from './algorithm.js';
import { algorithmNames, configure, open, variantsOf } from './catalogue.js';
import { defaultBudgetMs } from './profiles.js';

/** Of the detection time: enough for one election to fail and a second one to succeed, with room to spare. */
const settleShare = 6;
/** A coordinator that comes back gives every session a new lease of life first. */
const settleShareWithCoordinator = 10;

/**
 * An algorithm with its customary settings, the same as its own scenario tests use, so that what a search finds
 * can be committed as one of them. Throws `InvalidOptionError` when there is no such algorithm or variant.
 */
export function withSubject<Result>(
  algorithm: string,
  variant: string,
  use: <State>(subject: Subject<State>, algorithm: Algorithm<State>) => Result,
): Result {
  checkAlgorithm(algorithm, variant);
  return open(algorithm)((found) => use(subjectOf(found, variant), found));
}

function subjectOf<State>(found: Algorithm<State>, variant: string, settings: Settings = {}): Subject<State> {
  const { invariants, workload, historian, drawSettings } = found;
  const configured = configure(found, variant, 'defaults', defaultBudgetMs, undefined, settings);
  const { protocol, services, restless = false } = configured;
  return {
    protocol,
    services,
    invariants,
    timing: timingOf(configured),
    restless,
    withSettings: (others) => subjectOf(found, variant, others),
    ...(workload && { workload }),
    ...(historian && { historian }),
    ...(drawSettings && { drawSettings: (random) => drawSettings(random, variant) }),
  };
}

export function checkAlgorithm(algorithm: string, variant: string): void {
  checkName('algorithm', algorithm, algorithmNames);
  checkName(`variant of ${algorithm}`, variant, variantsOf(algorithm));
}

function checkName(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  throw new InvalidOptionError(`There is no ${what} '${name}'; choose from ${known.join(', ')}.`);
}

function timingOf<State>(configured: Configured<State>): Subject<State>['timing'] {
  const { detectionMs, maxDelayMs, maxDriftRate, services } = configured;
  const share = services.length === 0 ? settleShare : settleShareWithCoordinator;
  const settleMs = share * detectionMs;
  return { detectionMs, maxDelayMs, settleMs, ...(maxDriftRate !== undefined && { maxDriftRate }) };
}
