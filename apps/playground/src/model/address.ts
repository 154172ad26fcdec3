/** The address holds the run: whoever opens it sees the same, and can replay it on the command line. */

import { withSubject } from '@hustings/catalogue';
import { formatRunName, parseRunName, parseSchedule, type Schedule, scheduleOf } from '@hustings/simulator';
import { type Elector, keyOf } from './run.js';
import { type Scenario, scenarioOf } from './scenarios.js';

export interface View {
  readonly electors: readonly Elector[];
  readonly schedule: Schedule;
  readonly scenario: Scenario | null;
  /** Null: at the violation, where there is one. */
  readonly atMs: number | null;
}

export const electorOf = (key: string): Elector => {
  const [algorithm = '', variant = 'default'] = key.split('.');
  return { algorithm, variant };
};

export const viewOf = (scenario: Scenario): View => ({
  electors: scenario.electors.map(electorOf),
  schedule: parseSchedule(scenario.schedule),
  scenario,
  atMs: scenario.fromMs,
});

/** Throws what `parseRunName` says about a name that is none; null for an address without a run. */
export function readAddress(hash: string): View | null {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const scenario = scenarioOf(fields.get('scenario'));
  const name = fields.get('run');
  const at = fields.get('at');
  const atMs = at === null || !Number.isFinite(Number(at)) ? null : Number(at);
  if (name === null) return scenario === null ? null : { ...viewOf(scenario), atMs: atMs ?? scenario.fromMs };
  const run = parseRunName(name);
  const { algorithm, variant } = run;
  const schedule = withSubject(algorithm, variant, (subject) => scheduleOf(run, subject));
  const beside = (fields.get('beside') ?? '').split(',').filter((key) => key !== '');
  const electors = [{ algorithm, variant }, ...beside.map(electorOf)];
  for (const elector of electors) withSubject(elector.algorithm, elector.variant, () => {});
  return { electors, schedule, scenario, atMs };
}

export function writeAddress({ electors, schedule, scenario, atMs }: View): string {
  const at = atMs === null ? '' : `&at=${Math.round(atMs * 10) / 10}`;
  const isAsGiven = scenario !== null && isUntouched(scenario, electors, schedule);
  if (isAsGiven) return `#scenario=${scenario.id}${at}`;
  const [first, ...others] = electors as [Elector, ...Elector[]];
  const run = formatRunName({ ...first, type: 'schedule', schedule });
  const beside = others.length === 0 ? '' : `&beside=${others.map(keyOf).join(',')}`;
  return `#run=${run}${beside}${scenario === null ? '' : `&scenario=${scenario.id}`}${at}`;
}

export function isUntouched(scenario: Scenario, electors: readonly Elector[], schedule: Schedule): boolean {
  const original = viewOf(scenario);
  return (
    JSON.stringify(original.schedule) === JSON.stringify(schedule) &&
    electors.map(keyOf).join() === original.electors.map(keyOf).join()
  );
}
