/**
 * An election on leases whose nodes may also reach each other, for death certificates. Apart from `lease.ts`, so that
 * whoever has no links does not load what they are made of.
 */

import { type OptionTable, readOptions } from '@hustings/elector/options';
import { decodeMessage, type LeaseElectionRequest, type LeaseStore } from '@hustings/lease';
import type { CommonOptions, HustingsElector } from './front.js';
import { type LeaseOptions, leaseElector } from './lease.js';
import { linkedTransport } from './peers.js';
import { certifiesByLinks, type LinkedOptions, linkedRules } from './shared-options.js';

/** What whoever calls the store's elector has given, checked. */
export function readLinkedOptions<Options extends LinkedOptions>(
  caller: string,
  given: Options,
  rules: OptionTable,
): Options {
  const options = readOptions<Options>(caller, given, { ...rules, ...linkedRules });
  certifiesByLinks(caller, options);
  return options;
}

/** `server` is what people call the store. */
export function linkedLeaseElector(
  options: CommonOptions & LeaseOptions & LinkedOptions,
  store: LeaseStore,
  server: string,
): HustingsElector<LeaseElectionRequest> {
  return leaseElector(options, store, server, {}, (gateway, report) =>
    linkedTransport(gateway, options, decodeMessage, report),
  );
}
