/** One of the threads that simulate services. It is told which, and answers with what came of it. */

import { parentPort } from 'node:worker_threads';
import { runService } from './simulated.js';

if (parentPort === null) throw new Error('This file runs as a worker thread of the benchmark.');
const port = parentPort;
port.on('message', ({ task }) => port.postMessage(runService(task)));
