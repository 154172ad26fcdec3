// `npm run mutate -- raft ring`: changes each decision of these packages (of all, when none is named) in every small way
// that StrykerJS knows, and looks whether the package's own quick tests notice. Writes docs/data/mutation.json, and exits
// 1 when a mutant survives that is not known to be equivalent. What has not changed since the last run is not run again;
// `--force` runs everything.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { describe, summarize } from './report.mjs';
import { scopes } from './scopes.mjs';

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const file = 'docs/data/mutation.json';

const { values, positionals } = readArguments();
for (const name of positionals.length > 0 ? positionals : Object.keys(scopes)) {
  const summary = summarize(await mutantsOf(name), equivalentsOf(name), lineOf);
  record(name, summary);
  console.log(describe(name, summary));
  if (summary.survivors.some(({ reason }) => reason === null)) process.exitCode = 1;
}

function readArguments() {
  try {
    const args = parseArgs({
      allowPositionals: true,
      options: { force: { type: 'boolean', default: false } },
    });
    const unknown = args.positionals.find((name) => !(name in scopes));
    if (unknown === undefined) return args;
    throw new Error(
      `There is nothing to mutate in '${unknown}'; name some of ${Object.keys(scopes).join(', ')}.`,
    );
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

async function mutantsOf(name) {
  mkdirSync('.stryker', { recursive: true });
  // The workers inherit it, and the runner reads it.
  process.env.HUSTINGS_MUTATE = name;
  const mutants = await new Stryker(optionsFor(name)).runMutationTest();
  return mutants.map((mutant) => ({ ...mutant, fileName: relative('.', mutant.fileName) }));
}

function optionsFor(name) {
  return {
    mutate: scopes[name].map((pattern) => `packages/${name}/${pattern}`),
    testRunner: 'one-process',
    plugins: [fileURLToPath(new URL('./runner.mjs', import.meta.url))],
    warnings: { slow: false },
    // A copy of what the tests of this package read. Its siblings are found through node_modules, as they stand.
    ignorePatterns: [
      '**',
      `!packages/${name}/**`,
      '!.config/**',
      '!*.json',
      '!packages/*/tsconfig.json',
      '**/dist/**',
    ],
    tempDirName: '.stryker/sandbox',
    cleanTempDir: 'always',
    incremental: true,
    incrementalFile: `.stryker/${name}.json`,
    force: values.force,
    concurrency: 1,
    // A loop without end is noticed by the count of its turns. This is for a promise that never settles, and long enough
    // for a busy machine: whoever is late passes for killed.
    timeoutMS: 120_000,
    reporters: ['progress-append-only'],
    logLevel: 'warn',
    allowConsoleColors: false,
  };
}

function equivalentsOf(name) {
  const list = `packages/${name}/test/equivalent-mutants.json`;
  return existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
}

function lineOf(fileName, line) {
  return readFileSync(fileName, 'utf8').split('\n')[line - 1];
}

function record(name, summary) {
  const { packages } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { packages: {} };
  const sorted = Object.entries({ ...packages, [name]: summary }).sort(([a], [b]) => a.localeCompare(b));
  const results = { schema: 'hustings-mutation/1', packages: Object.fromEntries(sorted) };
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}
