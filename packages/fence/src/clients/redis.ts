import { InvalidOptionError } from '@hustings/elector';
import type { Listening } from './subscriptions.js';

/** What is needed of the package `ioredis`. */
export interface IoRedis {
  call(command: string, ...parameters: string[]): Promise<unknown>;
  duplicate(changed?: { readonly enableOfflineQueue: boolean }): IoRedisSubscriber;
}

export interface IoRedisSubscriber {
  subscribe(channel: string): Promise<unknown>;
  on(event: 'message' | 'ready' | 'error', listener: () => void): unknown;
  disconnect(): void;
}

/** What is needed of the package `@redis/client`, or `redis`. */
export interface NodeRedis {
  sendCommand(parameters: string[]): Promise<unknown>;
  duplicate(): NodeRedisSubscriber;
}

export interface NodeRedisSubscriber {
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: () => void): Promise<unknown>;
  on(event: 'ready' | 'error', listener: () => void): unknown;
  readonly isOpen: boolean;
  destroy(): void;
}

/** A client of either package. */
export type RedisClient = IoRedis | NodeRedis;

/** The same of all clients. */
export interface Redis {
  /** Runs a script. A reply is text, a number, null, or a list of such. */
  evaluate(script: string, keys: readonly string[], parameters: readonly string[]): Promise<unknown>;
  /** Calls `notified` for each message on the channel, and once whenever some may have been missed. */
  listen(channel: string, notified: () => void): Listening;
}

export function redisOf(client: RedisClient): Redis {
  // A class is a function, and every function has `call`.
  if (typeof client !== 'object' || !('call' in client || 'sendCommand' in client))
    throw new InvalidOptionError("client must be one of 'ioredis' or '@redis/client'.");
  const send =
    'call' in client
      ? (command: string, ...parameters: string[]) => client.call(command, ...parameters)
      : (...parameters: string[]) => client.sendCommand(parameters);
  return {
    evaluate: (script, keys, parameters) => send('EVAL', script, `${keys.length}`, ...keys, ...parameters),
    listen: (channel, notified) =>
      'call' in client
        ? listenWithIoRedis(client, channel, notified)
        : listenWithNodeRedis(client, channel, notified),
  };
}

/** Both subscribe again by themselves after an interruption, and are ready again then. */
function onceAgain(notified: () => void): () => void {
  let isFirst = true;
  return () => {
    if (!isFirst) notified();
    isFirst = false;
  };
}

function listenWithIoRedis(client: IoRedis, channel: string, notified: () => void): Listening {
  // It subscribes before it is connected, whatever the commands of its original do.
  const subscriber = client.duplicate({ enableOfflineQueue: true });
  subscriber.on('error', () => {}); // It reconnects; without a listener the process would end.
  subscriber.on('ready', onceAgain(notified));
  subscriber.on('message', notified);
  return { ready: subscriber.subscribe(channel), end: () => subscriber.disconnect() };
}

function listenWithNodeRedis(client: NodeRedis, channel: string, notified: () => void): Listening {
  const subscriber = client.duplicate();
  subscriber.on('error', () => {});
  subscriber.on('ready', onceAgain(notified));
  const ready = subscriber.connect().then(() => subscriber.subscribe(channel, notified));
  return { ready, end: () => subscriber.isOpen && subscriber.destroy() };
}
