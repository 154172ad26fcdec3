/**
 * Follows every order of events of electors with death certificates, within several bounds. After `npm run build`:
 *
 *     node --max-old-space-size=12000 apps/lab/dist/measurements/certificates/explored.js
 *
 * Prints JSON.
 */

import type { ExploreBounds } from '@hustings/simulator';
import { exploreAlgorithm } from '../../explore/exploration.js';

interface Round extends Partial<ExploreBounds> {
  readonly algorithm: string;
  readonly nodes: number;
}

const rounds: readonly Round[] = [{ algorithm: 'raft', nodes: 2, tickMs: 75, maxTicks: 6 }];

const only = process.argv[2];

const results = rounds
  .filter(({ algorithm }) => only === undefined || algorithm === only)
  .map(({ algorithm, nodes, ...bounds }) => {
    const report = exploreAlgorithm({
      ...{ algorithm, nodes, variant: 'certificates', undeclared: false },
      bounds: { depth: 1000, maxStates: 12_000_000, ...bounds },
    });
    process.stderr.write(`${JSON.stringify({ algorithm, nodes, ...bounds })}: ${report.states} states\n`);
    return { ...report, bounds };
  });

process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
