/** What a gateway is given. */

import { InvalidOptionError, type NodeId } from '@hustings/elector';
import {
  callback,
  either,
  listOf,
  numberAbove,
  type OptionTable,
  readOptions,
  record,
  required,
  text,
} from '@hustings/elector/options';
import type { IOptions } from 'etcd3';
import { addressOf, type EtcdTrouble } from './gateway-diagnosis.js';

/** Something an operator would want to know. */
export type EtcdDiagnostic =
  /** etcd answers, for the first time or again. */
  | { readonly type: 'connected'; readonly host: string }
  /** No endpoint answers; this is what is the matter with one of them. It is tried again. */
  | {
      readonly type: 'unreachable';
      readonly host: string;
      readonly trouble: EtcdTrouble;
      readonly detail: string;
    }
  /** etcd answers, and says no. It is asked again, but somebody should look at the configuration. */
  | { readonly type: 'denied'; readonly host: string; readonly denial: EtcdDenial; readonly detail: string };

export type EtcdDenial = 'wrong-password' | 'auth-not-enabled' | 'auth-required' | 'no-permission' | 'other';

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
  readonly onDiagnostic?: (diagnostic: EtcdDiagnostic) => void;
}

const rules: OptionTable = {
  id: required(text, "what this node is called, such as 'node-1'"),
  hosts: required(either(text, listOf(text)), 'the endpoints of etcd, such as http://10.0.0.1:2379'),
  credentials: record,
  auth: record,
  requestTimeoutMs: numberAbove(0),
  reconnectMs: numberAbove(0),
  grpcOptions: record,
  coordinator: text,
  onDiagnostic: callback,
};

/** Without those that are undefined. Throws `InvalidOptionError`. */
export function readGatewayOptions(options: EtcdGatewayOptions): EtcdGatewayOptions {
  return readOptions('etcdGateway', options, rules);
}

/** Throws `InvalidOptionError`. */
export function readHosts(hosts: string | readonly string[]): readonly string[] {
  const all = typeof hosts === 'string' ? [hosts] : hosts;
  const wrong = all.find((host) => !URL.canParse(addressOf(host)));
  if (wrong === undefined) return all;
  throw new InvalidOptionError(
    `etcdGateway: '${wrong}' in 'hosts' is no address; it must look like http://host:2379.`,
  );
}
