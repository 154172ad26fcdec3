/**
 * Leader election on etcd: candidates line up, and each lease ends before the next leader begins.
 *
 * ```ts
 * import { etcdElector, lead } from 'hustings/etcd';
 *
 * const elector = etcdElector({ id: 'node-1', election: 'billing', hosts: ['http://10.0.0.1:2379'] });
 * await lead(elector, async ({ token, signal }) => serve({ token, signal }));
 * ```
 *
 * @packageDocumentation
 */

import { group, readOptions, required, text } from '@hustings/elector/options';
import { etcd } from '@hustings/etcd';
import { etcdGateway } from '@hustings/etcd/gateway';
import { memoryStorage } from '@hustings/runtime';
import { type CommonOptions, type HustingsElector, openElector } from './front.js';
import { type CoordinatorOptions, coordinatorRules, type Tls } from './shared-options.js';

export * from './index.js';

export interface EtcdElectorOptions extends CommonOptions, CoordinatorOptions {
  readonly auth?: { readonly username: string; readonly password: string } | undefined;
}

const rules = {
  ...coordinatorRules,
  auth: group({
    username: required(text, 'the name of a user of etcd'),
    password: required((value) => (typeof value === 'string' ? null : 'must be a text'), 'the password'),
  }),
};

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function etcdElector(given: EtcdElectorOptions): HustingsElector {
  const options = readOptions<EtcdElectorOptions>('etcdElector', given, rules);
  const { id, election, hosts, tls, auth, driftBound } = options;
  return openElector(options, election, {
    protocol: etcd({ name: election, ...(driftBound === undefined ? {} : { driftBound }) }),
    peers: [],
    storage: memoryStorage(),
    transport: () =>
      etcdGateway({
        id,
        hosts,
        ...(tls === undefined ? {} : { credentials: credentialsOf(tls) }),
        ...(auth === undefined ? {} : { auth }),
      }),
  });
}

function credentialsOf({ ca = '', cert, key }: Tls) {
  return {
    rootCertificate: Buffer.from(ca),
    ...(key === undefined ? {} : { privateKey: Buffer.from(key) }),
    ...(cert === undefined ? {} : { certChain: Buffer.from(cert) }),
  };
}
