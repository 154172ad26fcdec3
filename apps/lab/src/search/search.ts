import { type Progress, workInThreads } from '@hustings/command';
import type { Assignment, Batch, BatchResult, Find } from './protocol.js';

export interface SearchRequest extends Assignment {
  readonly firstSeed: number;
  readonly seeds: number;
  readonly workers: number;
}

export interface SearchResult {
  /** Fewer than the seeds asked for if the search was interrupted. */
  readonly runs: number;
  readonly runsPerSecond: number;
  /** In the order of the seeds, however many threads looked for them. */
  readonly finds: readonly Find[];
}

export interface SearchOptions {
  readonly progress: Progress;
  /** Ends the search; what was found so far is the result. */
  readonly signal: AbortSignal;
}

/** Long enough that handing it over costs nothing, short enough that the threads end together. */
const batchSize = 200;

export async function search(
  request: SearchRequest,
  { progress, signal }: SearchOptions,
): Promise<SearchResult> {
  const startedAtMs = performance.now();
  const finds: Find[] = [];
  let runs = 0;
  const rate = (): number => (runs / (performance.now() - startedAtMs)) * 1000;
  const onResult = (_: Batch, result: BatchResult): void => {
    runs += result.runs;
    finds.push(...result.finds);
    progress.advance(result.runs, `${Math.round(rate())} runs/s, ${finds.length} broken`);
  };
  progress.begin(request.seeds);
  const { algorithm, variant, swarm } = request;
  await workInThreads<Batch, BatchResult>(toBatches(request), {
    file: new URL('./worker.js', import.meta.url),
    workerData: { algorithm, variant, swarm } satisfies Assignment,
    threads: Math.min(request.workers, Math.ceil(request.seeds / batchSize)),
    signal,
    onResult,
  });
  progress.end();
  const order = (seed: number): number => (seed - request.firstSeed) >>> 0;
  finds.sort((a, b) => order(a.seed) - order(b.seed));
  return { runs, runsPerSecond: Math.round(rate()), finds };
}

function* toBatches({ firstSeed, seeds }: SearchRequest): Generator<Batch, undefined> {
  for (let done = 0; done < seeds; done += batchSize) {
    yield { firstSeed: (firstSeed + done) | 0, count: Math.min(batchSize, seeds - done) };
  }
}
