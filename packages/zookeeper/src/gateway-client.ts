/** The part of the `zookeeper` package that the gateway uses. Its own types say `any`, so here are ours. */

import { InvalidOptionError } from '@hustings/elector';
import type { FailureReason } from './messages.js';

export interface Acl {
  /** 1 to read, 2 to write, 4 to create, 8 to delete, 16 to administer; added up. */
  readonly perm: number;
  /** `world`, `auth`, `digest`, `ip`. */
  readonly scheme: string;
  readonly auth: string;
}

export interface Stat {
  readonly czxid: number;
  /** Hexadecimal digits; `0` for a znode that is not ephemeral. */
  readonly ephemeralOwner: string;
}

type Done<Results extends readonly unknown[]> = (code: number, error: string, ...results: Results) => void;
type Watcher = (type: number, state: number, path: string) => void;

/** Each call returns 0, or a negative code if it was not sent, in which case nothing is called back. */
export interface NativeClient {
  readonly client_id: unknown;
  readonly client_password: string;
  readonly timeout: number;
  setLogger(logger: (line: unknown) => void): void;
  on(event: 'connect' | 'connecting' | 'close' | 'error', listener: (...values: unknown[]) => void): this;
  init(options: object): this;
  close(): void;
  add_auth(scheme: string, credentials: string, done: Done<[]>): number;
  a_create(path: string, data: string, flags: number, done: Done<[path: string]>): number;
  a_exists(path: string, watch: boolean, done: Done<[stat: Stat]>): number;
  a_get(path: string, watch: boolean, done: Done<[stat: Stat, data: Buffer | string | null]>): number;
  aw_get(path: string, watcher: Watcher, done: Done<[stat: Stat, data: Buffer | string | null]>): number;
  a_get_children(path: string, watch: boolean, done: Done<[names: readonly string[]]>): number;
  aw_get_children(path: string, watcher: Watcher, done: Done<[names: readonly string[]]>): number;
  a_set(path: string, data: string, version: number, done: Done<[stat: Stat]>): number;
  a_delete_(path: string, version: number, done: Done<[]>): number;
  a_set_acl(path: string, version: number, acl: readonly Acl[], done: Done<[]>): number;
}

export interface ClientOptions {
  readonly connect: string;
  readonly timeout: number;
  readonly debug_level: number;
  readonly host_order_deterministic: boolean;
  readonly data_as_buffer: boolean;
  readonly response_counter_limit: number;
  readonly client_id?: string;
  readonly client_password?: string;
}

export type ClientClass = new (options: ClientOptions) => NativeClient;

/** From `zookeeper.h` of the C client. */
export const codes = {
  ok: 0,
  connectionLoss: -4,
  operationTimeout: -7,
  badArguments: -8,
  invalidState: -9,
  noNode: -101,
  noAuth: -102,
  badVersion: -103,
  nodeExists: -110,
  sessionExpired: -112,
  /** As the code with which a client closes; as that of a call it is -115. */
  authenticationFailed: -113,
  closing: -116,
  sessionMoved: -118,
} as const;

export const flags = { ephemeralSequential: 3, container: 4 } as const;

/** After these the request may have been carried out; or a later message tells what became of the session. */
const indefinite: ReadonlySet<number> = new Set([
  codes.connectionLoss,
  codes.operationTimeout,
  codes.invalidState,
  codes.sessionExpired,
  codes.closing,
  codes.sessionMoved,
]);

export function failureOf(code: number, detail: string): { reason: FailureReason; detail: string } {
  const reason = code === codes.noNode ? 'no-node' : indefinite.has(code) ? 'connection-loss' : 'refused';
  return { reason, detail: `${detail} (${code})` };
}

/** A name that the compiler does not follow: the package is optional, and may not be there. */
const packageName: string = 'zookeeper';

export async function loadClient(): Promise<ClientClass> {
  try {
    const { default: Client } = (await import(packageName)) as { readonly default: ClientClass };
    return Client;
  } catch (cause) {
    throw new InvalidOptionError(
      "The ZooKeeper gateway needs the package 'zookeeper', which is compiled when it is installed: install python3, make and g++, and then run 'npm install zookeeper'.",
      { cause },
    );
  }
}
