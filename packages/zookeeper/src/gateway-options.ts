/** What a gateway is given, and what it tells an operator. */

import type { ConnectionOptions } from 'node:tls';
import { InvalidOptionError, type NodeId } from '@hustings/elector';
import {
  callback,
  flag,
  must,
  type OptionTable,
  readOptions,
  record,
  required,
  text,
} from '@hustings/elector/options';
import type { Acl } from './gateway-client.js';

/** Something an operator would want to know. */
export type ZooKeeperDiagnostic =
  | { readonly type: 'connected'; readonly session: string; readonly sessionTimeoutMs: number }
  /** The session may live on, and is tried at another member. */
  | { readonly type: 'disconnected'; readonly session: string }
  | { readonly type: 'expired'; readonly session: string }
  /** A member could not be reached, or did not answer; the next one is tried. */
  | { readonly type: 'unreachable'; readonly host: string; readonly error: Error }
  /** The ensemble does not accept the credentials. It is tried again, but not in a hurry. */
  | { readonly type: 'authentication-failed' }
  /** What the client itself would have printed. */
  | { readonly type: 'client'; readonly line: string };

export interface ZooKeeperGatewayOptions {
  readonly id: NodeId;
  /** All members: `10.0.0.1:2181,10.0.0.2:2181`. A path at the end, `…/app`, is prefixed to every path. */
  readonly hosts: string;
  /** For members that listen on a `secureClientPort`: which authority to trust, and this node's own key and chain. */
  readonly tls?: ConnectionOptions;
  /** For example `{ scheme: 'digest', credentials: 'user:password' }`. */
  readonly auth?: { readonly scheme: string; readonly credentials: string };
  /** Who may do what with the election's path and the znodes in it; anybody everything if it is left out. */
  readonly acl?: readonly Acl[];
  readonly onDiagnostic?: (diagnostic: ZooKeeperDiagnostic) => void;
  /** Whether what the client does is reported, line by line, as diagnostics of type `client`. */
  readonly verbose?: boolean;
  /** The name under which the protocol knows ZooKeeper. Default `zookeeper`. */
  readonly coordinator?: NodeId;
}

const rules: OptionTable = {
  id: required(text, "what this node is called, such as 'node-1'"),
  hosts: required(
    must('a text', (value) => typeof value === 'string'),
    'the members of the ensemble, such as 10.0.0.1:2181,10.0.0.2:2181',
  ),
  tls: record,
  auth: record,
  acl: must('an array', Array.isArray),
  onDiagnostic: callback,
  verbose: flag,
  coordinator: text,
};

/** Without those that are undefined. Throws `InvalidOptionError`. */
export function readGatewayOptions(options: ZooKeeperGatewayOptions): ZooKeeperGatewayOptions {
  return readOptions('zookeeperGateway', options, rules);
}

export interface Host {
  readonly name: string;
  readonly port: number;
  /** The path that is prefixed to every path; empty for none. */
  readonly root: string;
}

export function readHosts(hosts: string): Host[] {
  const [, members = '', root = ''] = /^([^/]*)(\/.*)?$/.exec(hosts.trim()) ?? [];
  const names = members
    .split(',')
    .map((host) => host.trim())
    .filter((host) => host !== '');
  if (names.length === 0) {
    throw new InvalidOptionError("'hosts' must name at least one member of the ensemble.");
  }
  return names.map((host) => {
    // An address of IPv6 is in brackets.
    const [, bracketed, plain = '', port = '2181'] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(host) ?? [];
    const name = bracketed ?? plain;
    if (name === '') throw new InvalidOptionError(`'${host}' in 'hosts' is not of the form name:port.`);
    return { name, port: Number(port), root };
  });
}
