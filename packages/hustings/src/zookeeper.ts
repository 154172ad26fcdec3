/**
 * Leader election on ZooKeeper: candidates line up as ephemeral sequential znodes, as Curator's LeaderLatch does.
 *
 * ```ts
 * import { lead, zookeeperElector } from 'hustings/zookeeper';
 *
 * const elector = zookeeperElector({ id: 'node-1', election: 'billing', hosts: ['10.0.0.1:2181', '10.0.0.2:2181'] });
 * await lead(elector, async ({ token, signal }) => serve({ token, signal }));
 * ```
 *
 * @packageDocumentation
 */

import { either, group, readOptions, required, text } from '@hustings/elector/options';
import { memoryStorage } from '@hustings/runtime';
import { zookeeper } from '@hustings/zookeeper';
import { zookeeperGateway } from '@hustings/zookeeper/gateway';
import { type CommonOptions, type HustingsElector, openElector } from './front.js';
import { type CoordinatorOptions, coordinatorRules } from './shared-options.js';

export * from './index.js';

type Auth =
  | { readonly username: string; readonly password: string }
  | { readonly scheme: string; readonly credentials: string };

export interface ZooKeeperElectorOptions extends CommonOptions, CoordinatorOptions {
  /** A user of the scheme `digest`; or another scheme with its credentials. */
  readonly auth?: Auth | undefined;
}

const rules = {
  ...coordinatorRules,
  auth: either(
    group({
      scheme: required(text, "such as 'digest'"),
      credentials: required(text, 'what the scheme asks for'),
    }),
    group({ username: required(text, 'a name'), password: required(text, 'the password') }),
  ),
};

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function zookeeperElector(given: ZooKeeperElectorOptions): HustingsElector {
  const options = readOptions<ZooKeeperElectorOptions>('zookeeperElector', given, rules);
  const { id, election, hosts, tls, auth, driftBound } = options;
  return openElector(options, election, {
    protocol: zookeeper({
      path: election.startsWith('/') ? election : `/${election}`,
      ...(driftBound === undefined ? {} : { driftBound }),
    }),
    peers: [],
    storage: memoryStorage(),
    transport: () =>
      zookeeperGateway({
        id,
        hosts: hosts.join(','),
        ...(tls === undefined ? {} : { tls: tls as object }),
        ...(auth === undefined ? {} : { auth: authOf(auth) }),
      }),
  });
}

function authOf(auth: Auth): { readonly scheme: string; readonly credentials: string } {
  return 'scheme' in auth ? auth : { scheme: 'digest', credentials: `${auth.username}:${auth.password}` };
}
