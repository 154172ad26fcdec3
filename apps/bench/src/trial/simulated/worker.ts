/** One of the threads that run trials. It is told which trials, and answers with their outcomes. */

import { parentPort } from 'node:worker_threads';
import type { Task } from './run.js';
import { runTrial } from './trial.js';

if (parentPort === null) throw new Error('This file runs as a worker thread of the benchmark.');
const port = parentPort;

port.on('message', ({ trials, circumstances }: Task) =>
  port.postMessage(trials.map((trial) => runTrial(trial, circumstances))),
);
