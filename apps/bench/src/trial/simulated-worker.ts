/** One of the threads that run trials. It is told which trials, and answers with their outcomes. */

import { parentPort, workerData } from 'node:worker_threads';
import type { Circumstances } from '../plan/settings.js';
import type { Batch } from '../run-simulated.js';
import { runTrial } from './simulated.js';

if (parentPort === null) throw new Error('This file runs as a worker thread of the benchmark.');
const port = parentPort;
const circumstances = workerData as Circumstances;

port.on('message', ({ trials }: Batch) =>
  port.postMessage(trials.map((trial) => runTrial(trial, circumstances))),
);
