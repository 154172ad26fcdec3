/**
 * A lease store for the processes of one machine: a socket is the lock, and a file keeps the token.
 *
 * @packageDocumentation
 */
export { type LocalStoreOptions, localStore } from './store.js';
