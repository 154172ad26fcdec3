/**
 * Leader election on Consul, by a session. A leader that crashes is followed after one to two times `ttlMs`.
 *
 * ```ts
 * import { consulElector, lead } from 'hustings/consul';
 *
 * const elector = consulElector({ id: 'node-1', election: 'billing', hosts: ['http://127.0.0.1:8500'] });
 * await lead(elector, async ({ token, signal }) => serve({ token, signal }));
 * ```
 *
 * @packageDocumentation
 */

import { consulStore } from '@hustings/consul';
import {
  group,
  listOf,
  numberAbove,
  numberFrom,
  type Rule,
  readOptions,
  required,
  show,
  text,
} from '@hustings/elector/options';
import type { CommonOptions, HustingsElector } from './front.js';
import { type LeaseOptions, leaseElector, leaseRules } from './lease.js';

export * from './index.js';

export interface ConsulElectorOptions extends CommonOptions, LeaseOptions {
  /** Agents or servers; one is asked until it does not answer. Default: `http://127.0.0.1:8500`, this machine's agent. */
  readonly hosts?: readonly string[] | undefined;
  /** An ACL token with `key_prefix` write and `session_prefix` write. */
  readonly auth?: { readonly token: string } | undefined;
  readonly datacenter?: string | undefined;
  /** How long a session lasts that is not renewed. Default 10,000. */
  readonly ttlMs?: number | undefined;
  /** As `session_ttl_min` of the servers has it. Default 10,000, which is theirs. */
  readonly minTtlMs?: number | undefined;
  /** How long Consul keeps others out after somebody has destroyed a leader's session. Default 0. */
  readonly lockDelayMs?: number | undefined;
}

const address: Rule = (value) =>
  typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)
    ? null
    : `must look like http://host:8500 or https://host:8501, not ${show(value)}`;

const rules = {
  ...leaseRules,
  hosts: listOf(address),
  auth: group({ token: required(text, 'an ACL token') }),
  datacenter: text,
  minTtlMs: numberAbove(0),
  lockDelayMs: numberFrom(0, 60_000),
};

const defaultTtlMs = 10_000;

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function consulElector(given: ConsulElectorOptions): HustingsElector {
  const options = readOptions<ConsulElectorOptions>('consulElector', given, rules);
  const { auth, hosts, datacenter, minTtlMs, lockDelayMs, ttlMs = defaultTtlMs } = options;
  const store = consulStore({ hosts, datacenter, minTtlMs, lockDelayMs, aclToken: auth?.token });
  return leaseElector({ ...options, ttlMs }, store, 'Consul');
}
