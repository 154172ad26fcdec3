import { maxBudgetMs, minBudgetMs, type ProfileName, profiles } from '@hustings/catalogue';
import { MalformedError } from '@hustings/elector/protocol';
import { checkBounds, sealName, unsealName } from '@hustings/simulator';
import { type FaultName, isFaultName } from './faults.js';

/** Everything that decides one simulated trial. */
export interface TrialName {
  readonly algorithm: string;
  readonly variant: string;
  readonly nodes: number;
  readonly fault: FaultName;
  readonly profile: ProfileName;
  readonly budgetMs: number;
  /** A signed 32-bit integer. */
  readonly seed: number;
}

/** One word that names the trial: `2.bully.default.t.5.crash.matched.2000.1x8k2p.abcde`. The seed is in base 36. */
export function formatTrialName(trial: TrialName): string {
  const { algorithm, variant, nodes, fault, profile, budgetMs, seed } = trial;
  const words = [nodes, fault, profile, budgetMs, (seed >>> 0).toString(36)];
  return sealName(algorithm, variant, 't', ...words.map(String));
}

/**
 * Null when the text names no trial; it may name another run. Whether the algorithm exists is for the caller to
 * find out. Throws `MalformedError` when it names one, and is damaged or asks for too much.
 */
export function parseTrialName(text: string): TrialName | null {
  const isOld = /^[a-z]/.test(text);
  const [algorithm = '', variant = '', ...rest] = isOld ? text.split('.') : unsealName(text);
  if (!isOld && rest.shift() !== 't') return null;
  return readTrial(algorithm, variant, rest.join('.'), text);
}

function readTrial(algorithm: string, variant: string, words: string, text: string): TrialName | null {
  const match = /^(\d+)\.([a-z-]+)\.([a-z]+)\.(\d+)\.([0-9a-z]{1,7})$/.exec(words);
  if (match === null) return null;
  const [, nodes, fault, profile, budget, seedText] = match as unknown as string[];
  const knownProfile = profiles.find((name) => name === profile);
  const seed = Number.parseInt(seedText!, 36);
  const budgetMs = Number(budget);
  if (!isFaultName(fault!) || knownProfile === undefined || seed > 0xffffffff) return null;
  if (Number(nodes) < 1) return null;
  checkBounds(text, { nodes: Number(nodes) });
  if (budgetMs < minBudgetMs || budgetMs > maxBudgetMs) {
    throw new MalformedError(
      `'${text}' has a budget of ${budgetMs} ms; those from ${minBudgetMs} to ${maxBudgetMs} ms are replayed.`,
    );
  }
  return {
    algorithm,
    variant,
    nodes: Number(nodes),
    fault,
    profile: knownProfile,
    budgetMs,
    seed: seed | 0,
  };
}
