#!/usr/bin/env node
/**
 * How fast the simulator, the search and the exploration of two builds are, measured side by side: each of them in a
 * process of its own, as people run them, both builds at once so that they suffer alike, the best of several rounds. In
 * processor time, since other work on the machine takes turns with it; states of the exploration by the clock on the
 * wall. A run of one build is not a run of the other where schedules are drawn differently: what they have in common
 * is steps, so steps that were checked are counted as well. What the other build does not have is null.
 *
 *     node apps/lab/dist/measurements/simulator/builds.js DIRECTORY_OF_THE_OTHER_BUILD [rounds]
 */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type * as Catalogue from '@hustings/catalogue';
import { algorithmNames, selfSufficientNames } from '@hustings/catalogue';
import type * as Simulator from '@hustings/simulator';
import type { Subject } from '@hustings/simulator';
import type * as Exploration from '../../explore/speed.js';

interface Rates {
  /** A cluster of five that lives on. */
  readonly steps: number;
  /** The same, with every event written down. */
  readonly tracedSteps: number;
  readonly searchRuns: number;
  readonly searchSteps: number;
  /** Null for those that need a coordinator, which are not explored. */
  readonly exploredStates: number | null;
}

type Build = Pick<
  typeof Catalogue,
  'algorithmNames' | 'open' | 'configure' | 'defaultBudgetMs' | 'withSubject'
> &
  typeof Simulator &
  typeof Exploration;

const clusterSize = 5;
const warmUpMs = 2000;
const exploredAtMost = 100_000;
const measuredMs = 4000;
/** To read the clock after each run would take as long as a short run does. */
const runsBetweenReadings = 25;
const partitions: readonly string[] = ['isolate', 'split', 'one-way'];

/** The first builds kept the list of electors, and the exploration, in the benchmark. */
async function load(root: string): Promise<Build> {
  const catalogue = 'packages/catalogue/dist/index.js';
  const files = existsSync(join(root, catalogue))
    ? [catalogue, 'apps/lab/dist/explore/speed.js']
    : ['algorithms', 'settings', 'search/subject', 'explore/speed'].map(
        (name) => `apps/bench/dist/${name}.js`,
      );
  const modules = [...files, 'packages/simulator/dist/index.js'];
  return Object.assign(
    {},
    ...(await Promise.all(modules.map((file) => import(`${pathToFileURL(join(root, file))}`)))),
  );
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** How much of each kind of work is done in a second. The first seconds warm up. */
function perSecond(work: () => readonly number[]): number[] {
  for (const startedMs = processorMs(); processorMs() - startedMs < warmUpMs; ) work();
  const startedMs = processorMs();
  let done: readonly number[] = [];
  while (processorMs() - startedMs < measuredMs) {
    const more = work();
    done = more.map((amount, kind) => amount + (done[kind] ?? 0));
  }
  return done.map((amount) => Math.round((amount * 1000) / (processorMs() - startedMs)));
}

const nodes = Array.from({ length: clusterSize }, (_, index) => `n${index + 1}`);

function stepsPerSecond({ open, configure, defaultBudgetMs, Simulation }: Build, algorithm: string): number {
  return open(algorithm)((opened) => {
    const { variant } = opened.variants[0]!;
    const { protocol, services, detectionMs } = configure(opened, variant, 'matched', defaultBudgetMs);
    const simulation = new Simulation({ protocol, services, nodes, seed: 1 });
    return perSecond(() => {
      const before = simulation.steps;
      simulation.runUntil(simulation.nowMs + 1000 * detectionMs); // To read the clock takes longer than a step.
      return [simulation.steps - before];
    })[0]!;
  });
}

/** Again and again from the beginning, since a trace that goes on for ever fills the memory. */
function tracedStepsPerSecond(build: Build, algorithm: string): number {
  const { open, configure, defaultBudgetMs, Simulation, TraceRecorder } = build;
  return open(algorithm)(<State>(opened: Catalogue.Algorithm<State>) => {
    const { variant } = opened.variants[0]!;
    const { protocol, services, detectionMs } = configure(opened, variant, 'matched', defaultBudgetMs);
    return perSecond(() => {
      const recorder = new TraceRecorder<State>();
      const simulation = new Simulation<State>({ protocol, services, nodes, seed: 1, observers: [recorder] });
      recorder.attach(simulation);
      simulation.runUntil(20 * detectionMs);
      return [simulation.steps];
    })[0]!;
  });
}

/** Without partitions: a broken run ends early, and would flatter the checks. */
function searchPerSecond(build: Build, algorithm: string): [runs: number, steps: number] {
  const faults = build.faultTypes.filter((type) => !partitions.includes(type));
  return build.withSubject(algorithm, 'default', <State>(subject: Subject<State>) => {
    let seed = 0;
    const [runs, steps] = perSecond(() => {
      let checked = 0;
      for (let run = 0; run < runsBetweenReadings; run += 1) {
        seed += 1;
        const schedule = build.scheduleOfSeed(subject, { nodes: [3, 7], faults }, seed);
        checked += build.judge(subject, schedule).steps;
      }
      return [runsBetweenReadings, checked];
    });
    return [runs!, steps!];
  });
}

const measurements: Readonly<Record<string, (build: Build, algorithm: string) => Partial<Rates>>> = {
  simulation: (build, algorithm) => ({ steps: stepsPerSecond(build, algorithm) }),
  tracing: (build, algorithm) => ({ tracedSteps: tracedStepsPerSecond(build, algorithm) }),
  search(build, algorithm) {
    const [searchRuns, searchSteps] = searchPerSecond(build, algorithm);
    return { searchRuns, searchSteps };
  },
  exploration: (build, algorithm) => ({
    exploredStates: selfSufficientNames.includes(algorithm)
      ? Math.round(build.measureExplore(algorithm, exploredAtMost).statesPerSecond)
      : null,
  }),
};

async function measure(root: string, algorithm: string, what: string): Promise<Partial<Rates> | null> {
  const build = await load(root);
  return build.algorithmNames.includes(algorithm) ? measurements[what]!(build, algorithm) : null;
}

async function measureInProcess(...parameters: Parameters<typeof measure>): ReturnType<typeof measure> {
  const program = fileURLToPath(import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--one', ...parameters]);
  return JSON.parse(stdout);
}

/** Of all builds at once. */
async function measureAll(roots: readonly string[], algorithm: string): Promise<(Rates | null)[]> {
  let rates: (Partial<Rates> | null)[] = roots.map(() => ({}));
  for (const what of Object.keys(measurements)) {
    const more = await Promise.all(roots.map((root) => measureInProcess(root, algorithm, what)));
    rates = more.map((measured, index) => measured && { ...rates[index], ...measured });
  }
  return rates as (Rates | null)[];
}

type Kind = keyof Rates;
const kinds: readonly Kind[] = ['steps', 'tracedSteps', 'searchRuns', 'searchSteps', 'exploredStates'];

const ofEach = (rate: (kind: Kind) => number | null): Record<Kind, number | null> =>
  Object.fromEntries(kinds.map((kind) => [kind, rate(kind)])) as Record<Kind, number | null>;

type Best = ReturnType<typeof ofEach>;

/** Whatever else the machine does can only slow a round down. */
function better(best: Best | null, measured: Rates | null): Best | null {
  if (measured === null) return best;
  return ofEach((kind) => (measured[kind] === null ? null : Math.max(best?.[kind] ?? 0, measured[kind])));
}

function share(before: Best | null, after: Best | null): Best | null {
  if (before === null || after === null) return null;
  return ofEach((kind) => {
    const [earlier, later] = [before[kind], after[kind]];
    return earlier === null || later === null ? null : Math.round((100 * later) / earlier) / 100;
  });
}

async function compare(algorithm: string, roots: readonly string[], rounds: number): Promise<object> {
  let before: Best | null = null;
  let after: Best | null = null;
  for (let round = 0; round < rounds; round += 1) {
    const measured = await measureAll(roots, algorithm);
    [before, after] = [better(before, measured[0]!), better(after, measured[1]!)];
    process.stderr.write(`${algorithm}: ${JSON.stringify({ before, after })}\n`);
  }
  return { before, after, ratio: share(before, after) };
}

const [first, second, third, fourth] = process.argv.slice(2);
if (first === '--one') process.stdout.write(JSON.stringify(await measure(second!, third!, fourth!)));
else {
  const root = fileURLToPath(new URL('../../../../../', import.meta.url));
  const rounds = Number(second ?? 3);
  const compared: Record<string, object> = {};
  for (const name of algorithmNames) compared[name] = await compare(name, [resolve(first!), root], rounds);
  const document = { unit: 'per second of processor time', rounds, algorithms: compared };
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}
