/** A client of the `etcd3` package, and what it is told not to do by itself. */

import { randomInt } from 'node:crypto';
import { Etcd3, type IOptions } from 'etcd3';
import type { EtcdGatewayOptions } from './gateway-options.js';

/**
 * Small enough for a JavaScript number. The ids that the server would choose are not, and the client rounds them
 * where it fails to load its library for long integers, as under some bundlers and test runners.
 */
export const newLeaseId = (): string => randomInt(1, 2 ** 48 - 1).toString();

type Policy = NonNullable<NonNullable<IOptions['faultHandling']>['global']>;

const silence = { dispose() {} };

/** No retries and no circuit breaker: the protocol repeats what it wants repeated, when it wants it. */
const onceOnly: Policy = {
  _altReturn: undefined as never,
  onSuccess: () => silence,
  onFailure: () => silence,
  execute: async (call, signal = new AbortController().signal) => call({ signal }),
};

export function connect(host: string, options: EtcdGatewayOptions, requestTimeoutMs: number): Etcd3 {
  const { credentials, auth, grpcOptions } = options;
  return new Etcd3({
    hosts: host,
    ...(credentials === undefined ? {} : { credentials }),
    ...(auth === undefined ? {} : { auth }),
    defaultCallOptions: ({ isStream }) => (isStream ? {} : { deadline: Date.now() + requestTimeoutMs }),
    faultHandling: { host: () => onceOnly, global: onceOnly },
    grpcOptions: {
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.min_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 500,
      // A frozen server, or a cut cable, closes nothing: without pings a watch on it would wait without end. etcd hangs
      // up on whoever pings more often than every five seconds, or while there is nothing to wait for.
      'grpc.keepalive_time_ms': 6000,
      'grpc.keepalive_timeout_ms': 1000,
      // All elections of a session are read at once. etcd's own client has no limit either; the usual one is 4 MiB.
      'grpc.max_receive_message_length': -1,
      ...grpcOptions,
    },
  });
}
