import { parentPort, workerData } from 'node:worker_threads';
import { withSubject } from '@hustings/catalogue';
import { judge, type Subject, type Swarm, scheduleOfSeed } from '@hustings/simulator';
import { broken } from '../mutants/broken.js';
import type { Assignment, Batch, BatchResult, Find } from './protocol.js';

const { algorithm, variant, swarm, mutant } = workerData as Assignment;

withSubject(algorithm, variant, (intact) => {
  const subject = broken(intact, mutant);
  parentPort!.on('message', (batch: Batch) => parentPort!.postMessage(runBatch(subject, swarm, batch)));
});

function runBatch<State>(
  subject: Subject<State>,
  drawnFrom: Swarm,
  { firstSeed, count }: Batch,
): BatchResult {
  const finds: Find[] = [];
  for (let offset = 0; offset < count; offset += 1) {
    const seed = (firstSeed + offset) | 0;
    const { violation } = judge(subject, scheduleOfSeed(subject, drawnFrom, seed));
    if (violation !== null) finds.push({ seed, property: violation.property });
  }
  return { runs: count, finds };
}
