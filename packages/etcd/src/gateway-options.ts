/** What a gateway is given. */

import { InvalidOptionError, type NodeId } from '@hustings/elector';
import type { IOptions } from 'etcd3';

export interface EtcdGatewayOptions {
  readonly id: NodeId;
  /** One endpoint or several, such as `https://10.0.0.1:2379`. */
  readonly hosts: string | readonly string[];
  /** For TLS: the authority to trust, and with client certificates this node's own key and chain. */
  readonly credentials?: NonNullable<IOptions['credentials']>;
  readonly auth?: { readonly username: string; readonly password: string };
  /** How long one call may take. Default 1000. */
  readonly requestTimeoutMs?: number;
  /** How often to try while no endpoint answers. Default 200. */
  readonly reconnectMs?: number;
  /** Further options of the gRPC channels. */
  readonly grpcOptions?: NonNullable<IOptions['grpcOptions']>;
  /** The name under which the protocol knows etcd. Default `etcd`. */
  readonly coordinator?: NodeId;
}

export function readHosts(hosts: string | readonly string[]): readonly string[] {
  const all = typeof hosts === 'string' ? [hosts] : hosts;
  if (all.length === 0) throw new InvalidOptionError("'hosts' must name at least one endpoint of etcd.");
  return all;
}
