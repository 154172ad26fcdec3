/**
 * Leader election among the processes of one machine, with nothing installed. **A leader that is stopped is not replaced.**
 *
 * ```ts
 * import { lead, localElector } from 'hustings/local';
 *
 * const elector = localElector({ id: `worker-${process.pid}`, election: 'billing' });
 * await lead(elector, async ({ token, signal }) => serve({ token, signal }));
 * ```
 *
 * @packageDocumentation
 */

import { readOptions, text } from '@hustings/elector/options';
import { localStore } from '@hustings/local';
import type { CommonOptions, HustingsElector } from './front.js';
import { type LeaseOptions, leaseElector, leaseRules } from './lease.js';

export * from './index.js';

export interface LocalElectorOptions extends CommonOptions, LeaseOptions {
  /** Where the tokens are kept, by all processes that take part. Default: `~/.local/state/hustings`. */
  readonly directory?: string | undefined;
}

const rules = { ...leaseRules, directory: text };

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function localElector(given: LocalElectorOptions): HustingsElector {
  const options = readOptions<LocalElectorOptions>('localElector', given, rules);
  const { directory } = options;
  return leaseElector(options, localStore(directory === undefined ? {} : { directory }), 'this machine');
}
