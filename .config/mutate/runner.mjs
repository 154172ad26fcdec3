// StrykerJS's runner for vitest, with one thing mended: a mutant that breaks what a test file does while it loads, in the
// body of a `describe`, leaves no test that could fail, and passed for a survivor.

import { declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { TestStatus } from '@stryker-mutator/api/test-runner';
import { strykerPlugins as vitestPlugins } from '@stryker-mutator/vitest-runner';

export { strykerValidationSchema } from '@stryker-mutator/vitest-runner';

const [{ factory: createVitestRunner }] = vitestPlugins;

function createRunner(injector) {
  const runner = createVitestRunner(injector);
  const run = runner.run.bind(runner);
  runner.run = async (...args) => {
    const result = await run(...args);
    const unloaded = runner.ctx.state.getFiles().filter(({ result }) => result?.state === 'fail');
    return { ...result, tests: [...(result.tests ?? []), ...unloaded.map(toFailure)] };
  };
  return runner;
}
createRunner.inject = createVitestRunner.inject;

function toFailure({ filepath, result }) {
  const failureMessage = result.errors?.[0]?.message ?? 'It could not be loaded.';
  return { id: filepath, name: filepath, status: TestStatus.Failed, timeSpentMs: 0, failureMessage };
}

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'vitest-loading', createRunner)];
