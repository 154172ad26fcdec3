/**
 * The driver that runs protocols for real. Protocols decide; this package is the only one that acts: it owns
 * the clock, the random source, the transport and the disk.
 *
 * ```ts
 * const protocol = bully();
 * const elector = createElector({
 *   protocol,
 *   transport,
 *   peers: ['node-2', 'node-3'],
 *   storage: fileStorage({ directory: 'state', id: 'node-1', decode: protocol.decodeDurable }),
 * });
 * await elector.start();
 * await lead(elector, async ({ token, signal }) => serve(token, signal));
 * ```
 *
 * @packageDocumentation
 */
export { type Clock, monotonicClock } from './clock.js';
export type { Diagnostic } from './diagnostics.js';
export { createElector, type ElectorOptions, type RuntimeElector } from './elector.js';
export { type MachineOptions, type RunningMachine, runMachine } from './machine.js';
export {
  type FileStorage,
  type FileStorageOptions,
  fileStorage,
  memoryStorage,
  type Storage,
} from './storage.js';
