/**
 * How soon another leads when the leader is killed, stopped or cut off: ours with death certificates, with heirs and
 * with neither, beside etcd's own Raft, `etcdctl lock`, the `etcd3` package and Curator's LeaderLatch. Three candidates
 * in processes of their own, one after the other on one machine. After `npm run build`:
 *
 *     node apps/lab/dist/measurements/failover/live.js [trials] [trials of what waits for a lease] [file] [electors]
 *
 * Writes the file after each row and prints a table. What a file that is not complete holds already is not measured
 * again. `electors` is a part of their names, such as `heirs`, where not all are wanted.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guarded, wholeNumber } from '@hustings/command';
import { monotonicMs, Processes } from '@hustings/servers';
import { type Entry, plan, Stage } from './plan.js';
import { isRow, type Results, type Row, type RowName, rowOf, tableOf, titleOf } from './results.js';
import { ids, pause, type Team, type Trial, tryOnce, untilSettled } from './team.js';
import { judge } from './terms.js';

const progress = (line: string): boolean => process.stderr.write(`${line}\n`);

/** Spreads any number of trials over a period, none close to another: the multiples of the golden ratio. */
const partOf = (trial: number): number => (trial * 0.618034) % 1;

/** The rows of these names, with the same three candidates, or several such teams side by side. */
async function measure(entry: Entry, names: readonly RowName[], onRow: (row: Row) => void): Promise<void> {
  const stage = new Stage(await Processes.open('hustings-failover'));
  const teams: Team[] = [];
  try {
    while (teams.length < entry.teams) teams.push(await entry.open(stage));
    for (const team of teams) await untilSettled(team);
    const idlePerSecond = await countIdle(teams, entry.idleMs);
    for (const name of names) {
      const trials = await tryOften(name, entry.spreadMs, teams);
      const verdict = teams.every(({ tellsEnds }) => tellsEnds)
        ? judge(teams.map(({ terms }) => terms))
        : null;
      onRow(rowOf(name, trials, verdict, idlePerSecond, loadavg()[0]!));
      // Who leads now leads on into the next row.
      for (const { terms } of teams) terms.splice(0, terms.length - 1);
    }
  } finally {
    await Promise.all(teams.map((team) => team.close()));
    await stage.close();
  }
}

/** What one team sends in a second. */
async function countIdle(teams: readonly Team[], forMs: number): Promise<number | null> {
  const fromMs = monotonicMs();
  await pause(forMs);
  const counts = await Promise.all(teams.map((team) => team.count(fromMs, fromMs + forMs)));
  const counted = counts.filter((count) => count !== null);
  if (counted.length === 0) return null;
  return (counted.reduce((sum, { total }) => sum + total, 0) * 1000) / (forMs * counted.length);
}

async function tryOften(name: RowName, spreadMs: number, teams: readonly Team[]): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  let begun = 0;
  const run = async (team: Team): Promise<void> => {
    while (begun < name.trials) {
      begun += 1;
      const trial = await tryOnce(team, name.fault, partOf(begun) * spreadMs);
      trials.push(trial);
      progress(`${titleOf(name)}, ${name.fault}, ${trials.length}: ${trial.failoverMs.toFixed(1)} ms`);
    }
  };
  // All come to an end, so that none is at work on what is being closed.
  const ends = await Promise.allSettled(
    teams.map((team) =>
      run(team).catch((error: unknown) => {
        begun = name.trials;
        throw error;
      }),
    ),
  );
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return trials;
}

// ---- The command --------------------------------------------------------------------------------------

/** What was measured; null outside a git checkout. */
function commit(): string | null {
  try {
    const options = { cwd: import.meta.dirname, encoding: 'utf8', stdio: 'pipe' } as const;
    return execFileSync('git', ['rev-parse', 'HEAD'], options).trim();
  } catch {
    return null;
  }
}

/** The file, as far as it is written. */
class Sheet {
  readonly #path: string;
  readonly #names: readonly RowName[];
  #rows: readonly Row[] = [];

  /** Of what the file holds, all is kept if it is not complete; otherwise what is not `wanted` again. */
  constructor(path: string, names: readonly RowName[], wanted: string) {
    this.#path = path;
    this.#names = names;
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) return;
    const { complete, rows } = JSON.parse(readFileSync(path, 'utf8')) as Results;
    this.#rows = complete ? rows.filter((row) => !titleOf(row).includes(wanted)) : rows;
  }

  /** In the order of their names, whenever they were measured. */
  get rows(): readonly Row[] {
    return this.#names.flatMap((name) => this.#rows.find((row) => isRow(row, name)) ?? []);
  }

  has(name: RowName): boolean {
    return this.#rows.some((row) => isRow(row, name));
  }

  add(row: Row): void {
    this.#rows = [...this.#rows, row];
    const { rows } = this;
    const results: Results = {
      nodes: ids.length,
      machine: { node: process.versions.node, cpus: availableParallelism() },
      commit: commit(),
      complete: rows.length === this.#names.length,
      rows,
    };
    writeFileSync(this.#path, `${JSON.stringify(results, null, 2)}\n`);
  }
}

const usualPath = fileURLToPath(new URL('../../../../../docs/data/failover.json', import.meta.url));

await guarded(async () => {
  const [quick = '100', slow = '15', path = usualPath, wanted = ''] = process.argv.slice(2);
  const [quickTrials, slowTrials] = [quick, slow].map(wholeNumber('The number of trials', 1));
  const namesOf = ({ faults, isQuick, ...entry }: Entry): RowName[] => {
    const { elector, means, isOurs, settings } = entry;
    const trials = isQuick ? quickTrials! : slowTrials!;
    return faults.map((fault) => ({ elector, means, isOurs, settings, fault, trials }));
  };
  const sheet = new Sheet(resolve(path), plan.flatMap(namesOf), wanted);
  // An end of this process is the end of all that it has started.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
  for (const entry of plan.filter((each) => titleOf(each).includes(wanted))) {
    const missing = namesOf(entry).filter((name) => !sheet.has(name));
    if (missing.length === 0) continue;
    try {
      await measure(entry, missing, (row) => sheet.add(row));
    } catch (error) {
      // The others are still worth having; the next run does what is missing.
      progress(`${titleOf(entry)} was not measured: ${error}`);
      process.exitCode = 1;
    }
  }
  process.stdout.write(`${tableOf(sheet.rows)}\n`);
});
