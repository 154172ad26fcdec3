/** What was measured of each elector, from the committed results. */

import { readFileSync } from 'node:fs';

export interface Evidence {
  readonly elector: string;
  /** Under which settings. */
  readonly setting: string;
  readonly trials: number;
  /** Median, from SIGKILL to the next Leadership. */
  readonly crashMs: number;
  /** Median, from the resignation, or from SIGTERM, to the next Leadership; null where it was not measured. */
  readonly resignMs: number | null;
  /** Files in docs/data. */
  readonly sources: readonly string[];
}

interface Row {
  readonly name?: string;
  readonly make?: string;
  readonly trials: number;
  readonly medianMs: number;
}

export const readData = <Data>(name: string): Data =>
  JSON.parse(readFileSync(new URL(`../data/${name}.json`, import.meta.url), 'utf8'));

const find = (file: string, name: string): Row =>
  readData<readonly Row[]>(file).find((row) => (row.name ?? row.make) === name)!;

function pair(elector: string, setting: string, folder: string, name: string): Evidence {
  const [kill, resign] = [find(`${folder}/kill`, name), find(`${folder}/resign`, name)];
  return {
    elector,
    setting,
    trials: kill.trials,
    crashMs: kill.medianMs,
    resignMs: resign.medianMs,
    sources: [`${folder}/kill.json`, `${folder}/resign.json`],
  };
}

function ofRaft(): Evidence {
  const { trials, electionTimeoutMs, rows } = readData<{
    readonly trials: number;
    readonly electionTimeoutMs: readonly [number, number];
    readonly rows: readonly Row[];
  }>('raft/failover');
  const { handOverMs } = readData<{ readonly handOverMs: { readonly medianMs: number } }>('run/readme');
  return {
    elector: 'raft',
    setting: `election timeout ${electionTimeoutMs.join(' to ')} ms`,
    trials,
    crashMs: rows[0]!.medianMs,
    resignMs: handOverMs.medianMs,
    sources: ['raft/failover.json', 'run/readme.json'],
  };
}

function ofLocal(): Evidence {
  const { kills, medianMs } = readData<{ readonly kills: number; readonly medianMs: number }>('stores/local');
  return {
    elector: 'local',
    setting: 'eight processes',
    trials: kills,
    crashMs: medianMs,
    resignMs: null,
    sources: ['stores/local.json'],
  };
}

export const readEvidence = (): readonly Evidence[] => [
  ofRaft(),
  pair('etcd', 'TTL 2 s', 'etcd', 'hustings'),
  pair('zookeeper', 'session 2 s', 'zookeeper', 'hustings'),
  pair('postgres', 'TTL 1 s', 'stores', 'hustings row'),
  pair('postgres, session', 'TTL 1 s', 'stores', 'hustings session'),
  pair('redis', 'TTL 1 s', 'stores', 'hustings redis'),
  pair('redlock', 'TTL 1 s', 'stores', 'hustings redlock'),
  ofLocal(),
];
