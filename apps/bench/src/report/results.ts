import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import type { Configuration, ProfileName } from '@hustings/catalogue';
import type { FaultName } from '../plan/faults.js';
import type { Summary } from '../statistics.js';
import type { DrawnTenure } from '../trial/observation.js';
import type { Validation, ValidationReport } from './validation.js';

export type Mode = 'simulated' | 'live';

/** `results.json`. A summary is null when no trial gave a sample. */
export interface Results {
  readonly schema: 'hustings-bench/1';
  readonly mode: Mode;
  readonly seed: string;
  readonly profile: ProfileName;
  /** The detection budget of the matched profile; null for the defaults. */
  readonly budgetMs: number | null;
  /** Null outside a git checkout. */
  readonly commit: string | null;
  readonly machine: { readonly node: string; readonly cpus: number };
  /** False when the run was interrupted: the rows are those that were finished. */
  readonly complete: boolean;
  readonly wallMs: number;
  /** Virtual time of all trials together; 0 in live mode. */
  readonly simulatedMs: number;
  /** Protocol steps in simulated mode, reported sightings in live mode. */
  readonly events: number;
  readonly rows: readonly Row[];
  /** With --validate: each live row beside its simulated twin. */
  readonly validation?: readonly Validation[];
  /** With --validate: what this machine took for the parts of a hand-over, by coordinator. */
  readonly calibration?: ValidationReport['calibration'];
}

export interface Row {
  /** One of ours, or the name of a rival. */
  readonly algorithm: string;
  /** Live, with --peers: somebody else's elector. What cannot be observed of it is null. */
  readonly peer?: true;
  readonly variant: string;
  readonly nodes: number;
  readonly fault: FaultName;
  readonly trials: number;
  /** Trials in which no new leader was agreed upon in time, and the old one did not rightly stay. */
  readonly unresolved: number;
  /** Trials in which the old leader stayed in office, under a fault that lets it. */
  readonly kept: number;
  readonly parameters: Configuration;
  readonly detectionMs: Summary | null;
  readonly failoverMs: Summary | null;
  readonly convergenceMs: Summary | null;
  /** Until a write of a new leader got through: the fenced store took it, and so would the coordinator have. */
  readonly nextWriteMs: Summary | null;
  readonly messages: {
    /** Until a new Leadership begins, without heartbeats and keep-alives. */
    readonly failover: Summary | null;
    readonly election: Summary | null;
    readonly total: Summary | null;
    /** The mean number of each kind from the fault to convergence; `election` leaves out the periodic ones. */
    readonly byType: Readonly<Record<string, { readonly mean: number; readonly periodic: boolean }>>;
    /** The mean over the trials; null when no trial got as far. */
    readonly steadyPerSecond: number | null;
    /** Live, with a coordinator: what passed between the nodes and its servers. Null where there are none. */
    readonly wire?: WireMessages | null;
  };
  readonly splitBrain: {
    readonly incidents: number;
    readonly trialsAffected: number;
    readonly overlapMs: Summary | null;
    /** Who led when in the trial with the longest overlap, in ms from the fault; null if there was none. */
    readonly worst: WorstOverlap | null;
  };
  readonly writes: {
    readonly staleAttempted: number;
    readonly staleAcceptedUnfenced: number;
    readonly staleAcceptedFenced: number;
  };
  /** Names the trial with the worst failover; null in live mode, where nothing replays exactly. */
  readonly replay: string | null;
}

/** Counted by the proxies before the servers, both ways, keep-alives and pings included. */
export interface WireMessages {
  /** Until a new Leadership begins. */
  readonly failover: Summary | null;
  /** While nothing happens: the mean over the trials. */
  readonly steadyPerSecond: number | null;
}

export interface WorstOverlap {
  readonly overlapMs: number;
  /** Names that trial; null in live mode. */
  readonly replay: string | null;
  readonly tenures: readonly DrawnTenure[];
}

export function serialise(results: Results): string {
  return `${JSON.stringify(results, null, 2)}\n`;
}

export const machine = { node: process.versions.node, cpus: availableParallelism() };

/** Of the code that was measured, wherever the command was started. */
export async function currentCommit(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname });
    return stdout.trim();
  } catch {
    return null;
  }
}
