import { type ProfileName, profiles } from '@hustings/catalogue';
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

/** One word that names the trial: `bully.default.5.crash.matched.2000.1x8k2p`. The seed is in base 36. */
export function encodeToken({
  algorithm,
  variant,
  nodes,
  fault,
  profile,
  budgetMs,
  seed,
}: TrialName): string {
  return [algorithm, variant, nodes, fault, profile, budgetMs, (seed >>> 0).toString(36)].join('.');
}

/** Null when the text is not a token. Whether the algorithm exists is for the caller to find out. */
export function decodeToken(token: string): TrialName | null {
  const match = /^([a-z0-9-]+)\.([a-z0-9-]+)\.(\d+)\.([a-z-]+)\.([a-z]+)\.(\d+)\.([0-9a-z]{1,7})$/.exec(
    token,
  );
  if (match === null) return null;
  const [, algorithm, variant, nodes, fault, profile, budgetMs, seed] = match as unknown as string[];
  const knownProfile = profiles.find((name) => name === profile);
  const number = Number.parseInt(seed!, 36);
  if (!isFaultName(fault!) || knownProfile === undefined || number > 0xffffffff) return null;
  return {
    algorithm: algorithm!,
    variant: variant!,
    nodes: Number(nodes),
    fault,
    profile: knownProfile,
    budgetMs: Number(budgetMs),
    seed: number | 0,
  };
}
