import type { Reporter, TestModule } from 'vitest/node';

/** Closes a run with `N passed, N failed, N skipped` alone on a line, which scripts can read. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    // A file that does not even load, or an error outside every test, is a failure too.
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') counts[state] += 1;
      }
    }
    // After the default reporter's own summary, so that this is the last line.
    setImmediate(() =>
      process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`),
    );
  }
}
