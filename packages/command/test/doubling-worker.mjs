import { parentPort, workerData } from 'node:worker_threads';

parentPort.on('message', (number) => {
  if (Number.isNaN(number)) throw new Error('not a number');
  parentPort.postMessage(workerData * number);
});
