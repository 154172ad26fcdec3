#!/usr/bin/env node
/**
 * How fast the simulator and the search of two builds are, measured side by side: each algorithm in a process of its
 * own, both builds at once so that they suffer alike, the best of several rounds. In processor time, since other work
 * on the machine takes turns with it. A run of one build is not a run of the other where schedules are drawn differently: what they
 * have in common is steps, so steps that were checked are counted as well.
 *
 *     node apps/lab/dist/measurements/simulator/builds.js DIRECTORY_OF_THE_OTHER_BUILD [rounds]
 */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type * as Catalogue from '@hustings/catalogue';
import type * as Simulator from '@hustings/simulator';
import type { Subject } from '@hustings/simulator';

interface Rates {
  /** A cluster of five that lives on. */
  readonly steps: number;
  readonly searchRuns: number;
  readonly searchSteps: number;
}

type Build = Pick<typeof Catalogue, 'open' | 'configure' | 'defaultBudgetMs' | 'withSubject'> &
  typeof Simulator;

const algorithms = ['bully', 'ring', 'raft', 'zookeeper', 'etcd'];
const clusterSize = 5;
const warmUpMs = 2000;
const measuredMs = 1000;
const partitions: readonly string[] = ['isolate', 'split', 'one-way'];

/** The first builds kept the list of electors in the benchmark. */
async function load(root: string): Promise<Build> {
  const catalogue = 'packages/catalogue/dist/index.js';
  const files = existsSync(join(root, catalogue))
    ? [catalogue]
    : ['algorithms', 'settings', 'search/subject'].map((name) => `apps/bench/dist/${name}.js`);
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

function stepsPerSecond({ open, configure, defaultBudgetMs, Simulation }: Build, algorithm: string): number {
  return open(algorithm)((opened) => {
    const { variant } = opened.variants[0]!;
    const { protocol, services, detectionMs } = configure(opened, variant, 'matched', defaultBudgetMs);
    const nodes = Array.from({ length: clusterSize }, (_, index) => `n${index + 1}`);
    const simulation = new Simulation({ protocol, services, nodes, seed: 1 });
    return perSecond(() => {
      const before = simulation.steps;
      simulation.runUntil(simulation.nowMs + 1000 * detectionMs); // To read the clock takes longer than a step.
      return [simulation.steps - before];
    })[0]!;
  });
}

/** Without partitions: a broken run ends early, and would flatter the checks. */
function searchPerSecond(build: Build, algorithm: string): [runs: number, steps: number] {
  const faults = build.faultTypes.filter((type) => !partitions.includes(type));
  return build.withSubject(algorithm, 'default', <State>(subject: Subject<State>) => {
    let seed = 0;
    const [runs, steps] = perSecond(() => {
      seed += 1;
      const schedule = build.scheduleOfSeed(subject, { nodes: [3, 7], faults }, seed);
      return [1, build.judge(subject, schedule).steps];
    });
    return [runs!, steps!];
  });
}

async function measureOne(root: string, algorithm: string): Promise<void> {
  const build = await load(root);
  const steps = stepsPerSecond(build, algorithm);
  const [searchRuns, searchSteps] = searchPerSecond(build, algorithm);
  process.stdout.write(JSON.stringify({ steps, searchRuns, searchSteps } satisfies Rates));
}

async function measureInProcess(root: string, algorithm: string): Promise<Rates> {
  const program = fileURLToPath(import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--one', root, algorithm]);
  return JSON.parse(stdout);
}

const better = (a: Rates, b: Rates): Rates => ({
  steps: Math.max(a.steps, b.steps),
  searchRuns: Math.max(a.searchRuns, b.searchRuns),
  searchSteps: Math.max(a.searchSteps, b.searchSteps),
});

async function compare(algorithm: string, roots: readonly string[], rounds: number): Promise<object> {
  const none: Rates = { steps: 0, searchRuns: 0, searchSteps: 0 };
  let [before, after] = [none, none];
  for (let round = 0; round < rounds; round += 1) {
    const measured = await Promise.all(roots.map((root) => measureInProcess(root, algorithm)));
    [before, after] = [better(before, measured[0]!), better(after, measured[1]!)];
    process.stderr.write(`${algorithm}: ${JSON.stringify({ before, after })}\n`);
  }
  const share = (kind: keyof Rates): number => Math.round((100 * after[kind]) / before[kind]) / 100;
  const ratio = { steps: share('steps'), searchRuns: share('searchRuns'), searchSteps: share('searchSteps') };
  return { before, after, ratio };
}

const [first, second, third] = process.argv.slice(2);
if (first === '--one') await measureOne(second!, third!);
else {
  const root = fileURLToPath(new URL('../../../../../', import.meta.url));
  const rounds = Number(second ?? 3);
  const compared: Record<string, object> = {};
  for (const name of algorithms) compared[name] = await compare(name, [resolve(first!), root], rounds);
  const document = { unit: 'per second of processor time', rounds, algorithms: compared };
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}
