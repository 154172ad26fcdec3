// How StrykerJS runs tests here: in one process, in which everything but the mutated package stays loaded. A worker of
// vitest for each mutant takes many times as long, nearly all of it to load. Collecting, running and comparing is
// vitest's own.

import { readdirSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { startTests } from '@vitest/runner';
import { configureGlobal } from 'fast-check';
import { createServer, createServerModuleRunner } from 'vite';
import { expect } from 'vitest';
import { config, isQuick } from './quick-tests.mjs';

// What the instrumented code reads and counts in.
globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {};
const mutation = globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE];

// A mutant that dies today must die tomorrow; and a test is known by its name, which has the seed in it.
configureGlobal({ seed: 1 });

// Vitest asks its worker for both, and there is none.
expect.setState({ testPath: undefined });
expect.extend({
  toMatchFileSnapshot: (received, path) => ({
    pass: received === readFileSync(path, 'utf8'),
    message: () => `It differs from ${path}.`,
  }),
});

class OneProcessRunner {
  folder = resolve(`packages/${process.env.HUSTINGS_MUTATE}`);
  files = quickTestsIn(`${this.folder}/test`);

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    this.server = await createServer(config);
    this.modules = createServerModuleRunner(this.server.environments.ssr, { hmr: false });
  }

  async dispose() {
    await this.modules?.close();
    await this.server?.close();
  }

  async dryRun() {
    mutation.activeMutant = undefined;
    mutation.mutantCoverage = { static: {}, perTest: {} };
    const tests = [];
    for (const file of this.files) tests.push(...(await this.runFile(file, undefined, false)));
    return { status: DryRunStatus.Complete, tests, mutantCoverage: mutation.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    Object.assign(mutation, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
    const wanted = testFilter && new Set(testFilter);
    const tests = [];
    for (const file of this.files) {
      tests.push(...(await this.runFile(file, wanted, true)));
      if (tests.some(({ status }) => status === TestStatus.Failed)) break;
    }
    const endless = determineHitLimitReached(mutation.hitCount, hitLimit);
    return toMutantRunResult(endless ?? { status: DryRunStatus.Complete, tests });
  }

  /** The results of the tests of a file: of the `wanted` ones, where not all are; `bail` ends at the first that fails. */
  async runFile(file, wanted, bail) {
    if (wanted && ![...wanted].some((id) => id.startsWith(`${relative('.', file)}#`))) return [];
    this.forget();
    const results = [];
    let failed = false;
    const [{ result }] = await startTests([file], {
      config: { ...runnerConfig, testTimeout: isCostly(file) ? 60_000 : 10_000 },
      importFile: (path) => this.modules.import(path),
      onBeforeRunTask: (test) => {
        if ((bail && failed) || (wanted && !wanted.has(idOf(test)))) test.mode = 'skip';
      },
      onBeforeTryTask: (test) => {
        mutation.currentTestId = idOf(test);
      },
      onAfterRunTask: (test) => {
        mutation.currentTestId = undefined;
        failed ||= test.result?.state === 'fail';
        if (test.mode !== 'skip') results.push(toResult(test));
      },
    });
    // A mutant that breaks what a file does while it loads, in the body of a `describe`, leaves no test that could fail.
    if (result?.state === 'fail' && !failed) results.push(toFailure(file, result));
    return results;
  }

  /** The mutated package and its tests are loaded anew, for they decide some things once, when they are. */
  forget() {
    const { evaluatedModules } = this.modules;
    for (const [path, modules] of evaluatedModules.fileToModulesMap) {
      if (path.startsWith(this.folder))
        for (const module of modules) evaluatedModules.invalidateModule(module);
    }
  }
}

/** Properties and simulations last: most mutants die before. */
function quickTestsIn(folder) {
  return readdirSync(folder)
    .map((name) => `${folder}/${name}`)
    .filter(isQuick)
    .sort((a, b) => Number(isCostly(a)) - Number(isCostly(b)) || a.localeCompare(b));
}

const isCostly = (path) => /'(fast-check|@hustings\/simulator)'/.test(readFileSync(path, 'utf8'));

const runnerConfig = {
  root: resolve('.'),
  setupFiles: [],
  passWithNoTests: true,
  allowOnly: false,
  sequence: { seed: 1, hooks: 'stack', setupFiles: 'list' },
  maxConcurrency: 1,
  // A promise that a mutant leaves unsettled is noticed by the limit of time of a test, which is a thousand times what
  // it takes, for a busy machine: whoever is late passes for one that noticed.
  hookTimeout: 60_000,
  retry: 0,
  tags: [],
  strictTags: false,
};

function nameOf({ name, suite }) {
  return suite ? `${nameOf(suite)} ${name}`.trim() : name;
}

const idOf = (test) => `${relative('.', test.file.filepath)}#${nameOf(test)}`;

function toResult(test) {
  const { state, duration = 0, errors } = test.result ?? {};
  const common = { id: idOf(test), name: nameOf(test), timeSpentMs: duration, fileName: test.file.filepath };
  if (state === 'pass') return { ...common, status: TestStatus.Success };
  return { ...common, status: TestStatus.Failed, failureMessage: errors?.[0]?.message ?? 'It failed.' };
}

function toFailure(file, { errors }) {
  const failureMessage = errors?.[0]?.message ?? 'It could not be loaded.';
  return { id: file, name: file, timeSpentMs: 0, status: TestStatus.Failed, failureMessage };
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'one-process', OneProcessRunner)];
