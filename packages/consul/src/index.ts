/**
 * A lease store on Consul.
 *
 * @packageDocumentation
 */
export { type ConsulStoreOptions, consulStore } from './store.js';
