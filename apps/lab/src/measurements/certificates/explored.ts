/**
 * Follows every order of events of electors with death certificates, within several bounds. After `npm run build`:
 *
 *     node --max-old-space-size=12000 apps/lab/dist/measurements/certificates/explored.js [millions of states] [algorithm]
 *
 * Prints JSON.
 */

import type { ExploreBounds } from '@hustings/simulator';
import { exploreAlgorithm } from '../../explore/exploration.js';

interface Round extends Partial<ExploreBounds> {
  readonly algorithm: string;
  readonly nodes: number;
}

/** Of Raft, ticks that let a promise of 150 ms run out; of the others, a fifth of a lease or session. */
const rounds: readonly Round[] = [
  { algorithm: 'raft', nodes: 2, tickMs: 75, maxTicks: 6, maxLate: 1, maxLosses: 0 },
  { algorithm: 'raft', nodes: 3, tickMs: 75, maxTicks: 4, maxLosses: 0, maxInFlightPerLink: 1 },
  { algorithm: 'raft', nodes: 3, tickMs: 75, maxTicks: 4, maxLosses: 0 },
  { algorithm: 'etcd', nodes: 2, maxTicks: 1 },
  { algorithm: 'etcd', nodes: 3, maxTicks: 1 },
  { algorithm: 'zookeeper', nodes: 2, maxTicks: 1 },
  { algorithm: 'zookeeper', nodes: 3, maxTicks: 1 },
  { algorithm: 'lease', nodes: 2, maxTicks: 2 },
  { algorithm: 'lease', nodes: 2, maxTicks: 6, maxLate: 2 },
  { algorithm: 'lease', nodes: 3, maxTicks: 1 },
];

const [millions = '12', only] = process.argv.slice(2);
const maxStates = 1_000_000 * Number(millions);

const results = rounds
  .filter(({ algorithm }) => only === undefined || algorithm === only)
  .map(({ algorithm, nodes, ...bounds }) => {
    const report = exploreAlgorithm({
      ...{ algorithm, nodes, variant: 'certificates', undeclared: false },
      bounds: { depth: 1000, maxStates, maxInFlightPerLink: 8, ...bounds },
    });
    process.stderr.write(`${JSON.stringify({ algorithm, nodes, ...bounds })}: ${report.states} states\n`);
    return { ...report, bounds };
  });

process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
