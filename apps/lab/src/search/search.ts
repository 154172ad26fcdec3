import { type Progress, workInThreads } from '@hustings/command';
import { type Journal, noJournal } from './journal.js';
import type { Assignment, Batch, BatchResult, Find } from './protocol.js';
import type { Shard } from './shard.js';

export interface SearchRequest extends Assignment {
  readonly firstSeed: number;
  readonly seeds: number;
  /** Which share of the seeds to run. Default: all of them. */
  readonly shard?: Shard;
  readonly workers: number;
}

export interface SearchResult {
  /** Those of the journal included. Fewer than the seeds asked for if the search was interrupted. */
  readonly runs: number;
  /** Of those that were made now. */
  readonly runsPerSecond: number;
  /** In the order of the seeds, however many threads looked for them. */
  readonly finds: readonly Find[];
}

export interface SearchOptions {
  readonly progress: Progress;
  /** Ends the search; what was found so far is the result. */
  readonly signal: AbortSignal;
  /** What is in it is not run again. */
  readonly journal?: Journal;
}

/** Long enough that handing it over costs nothing, short enough that the threads end together. */
const batchSize = 200;

export async function search(
  request: SearchRequest,
  { progress, signal, journal = noJournal }: SearchOptions,
): Promise<SearchResult> {
  const startedAtMs = performance.now();
  const batches = toBatches(request);
  const missing = batches.filter((batch) => journal.resultOf(batch) === undefined);
  const known = batches.flatMap((batch) => journal.resultOf(batch) ?? []);
  const finds = known.flatMap((result) => result.finds);
  let runs = 0;
  const rate = (): number => (runs / (performance.now() - startedAtMs)) * 1000;
  const onResult = (batch: Batch, result: BatchResult): void => {
    journal.note(batch, result);
    runs += result.runs;
    finds.push(...result.finds);
    progress.advance(result.runs, `${Math.round(rate())} runs/s, ${finds.length} broken`);
  };
  progress.begin(missing.reduce((sum, { count }) => sum + count, 0));
  const { algorithm, variant, swarm, mutant } = request;
  await workInThreads<Batch, BatchResult>(missing, {
    file: new URL('./worker.js', import.meta.url),
    workerData: { algorithm, variant, swarm, ...(mutant && { mutant }) } satisfies Assignment,
    threads: Math.min(request.workers, missing.length),
    signal,
    onResult,
  });
  progress.end();
  const order = (seed: number): number => (seed - request.firstSeed) >>> 0;
  finds.sort((a, b) => order(a.seed) - order(b.seed));
  const runsKnown = known.reduce((sum, result) => sum + result.runs, 0);
  return { runs: runsKnown + runs, runsPerSecond: Math.round(rate()), finds };
}

/** Whatever the shard, the batches are the same ones: a journal counts for every way to share them out. */
function toBatches({ firstSeed, seeds, shard = { number: 1, of: 1 } }: SearchRequest): Batch[] {
  const batches = Array.from({ length: Math.ceil(seeds / batchSize) }, (_, index): Batch => {
    const done = index * batchSize;
    return { firstSeed: (firstSeed + done) | 0, count: Math.min(batchSize, seeds - done) };
  });
  return batches.filter((_, index) => index % shard.of === shard.number - 1);
}
