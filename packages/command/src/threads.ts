import { Worker } from 'node:worker_threads';

export interface ThreadOptions<Task, Result> {
  /** What each thread runs: it answers every message, a task, with one message, its result. */
  readonly file: URL;
  /** Given to each thread when it starts. */
  readonly workerData?: unknown;
  readonly threads: number;
  /** Ends the work. What is under way is lost. */
  readonly signal: AbortSignal;
  onResult(task: Task, result: Result): void;
}

/** Hands tasks to threads, which take them from one list until there are none. Rejects when a thread fails. */
export async function workInThreads<Task, Result>(
  tasks: Iterable<Task>,
  options: ThreadOptions<Task, Result>,
): Promise<void> {
  const waiting = tasks[Symbol.iterator]();
  await Promise.all(Array.from({ length: options.threads }, () => workInThread(waiting, options)));
}

async function workInThread<Task, Result>(
  waiting: Iterator<Task>,
  { file, workerData, signal, onResult }: ThreadOptions<Task, Result>,
): Promise<void> {
  const worker = new Worker(file, { workerData });
  try {
    await new Promise<void>((resolve, reject) => {
      let task: Task;
      const giveNext = (): void => {
        const next = signal.aborted ? { done: true as const } : waiting.next();
        if (next.done) {
          resolve();
        } else {
          task = next.value;
          worker.postMessage(task);
        }
      };
      worker.on('message', (result: Result) => {
        if (signal.aborted) return;
        onResult(task, result);
        giveNext();
      });
      worker.on('error', reject);
      signal.addEventListener('abort', () => resolve(), { once: true });
      giveNext();
    });
  } finally {
    await worker.terminate();
  }
}
