// The tests that a mutant runs against. They are run thousands of times, so these are the quick ones of the package that is
// mutated: no server, no process, no real time, no search.

const slow = [
  ...['aggregator', 'conformance', 'contract', 'counts', 'data-loss', 'gateway', 'lost-report'],
  ...['random-faults', 'readme', 'replica', 'safety', 'simulation', 'storage'],
  'raft/test/properties', // Of every step of many simulated runs.
].map((name) => `/${name}.test.ts`);

/** Whether a file of a package's test folder is one of them. */
export const isQuick = (path) => path.endsWith('.test.ts') && !slow.some((name) => path.endsWith(name));

const conditions = ['@hustings/source', 'module', 'node', 'import', 'default'];

/** As .config/vitest.config.ts has it: on the packages' sources, and what is not ours is loaded by Node. */
export const config = {
  configFile: false,
  appType: 'custom',
  logLevel: 'error',
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true, include: [] },
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['@hustings/source'] } },
};
