/** What is needed of the package `ioredis`. */
export interface IoRedis {
  call(command: string, ...parameters: string[]): Promise<unknown>;
  duplicate(): IoRedisSubscriber;
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
  destroy(): void;
}

/** A client of either package. */
export type RedisClient = IoRedis | NodeRedis;

/** The same of all clients. */
export interface Redis {
  /** Runs a script. A reply is text, a number, null, or a list of such. */
  evaluate(script: string, keys: readonly string[], parameters: readonly string[]): Promise<unknown>;
  /**
   * Calls `notified` for each message on the channel, and once whenever some may have been missed. Resolves, once it
   * listens, with a function that ends it.
   */
  listen(channel: string, notified: () => void): Promise<() => void>;
}

export function redisOf(client: RedisClient): Redis {
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

async function listenWithIoRedis(
  client: IoRedis,
  channel: string,
  notified: () => void,
): Promise<() => void> {
  const subscriber = client.duplicate();
  subscriber.on('error', () => {}); // It reconnects; without a listener the process would end.
  subscriber.on('ready', onceAgain(notified));
  subscriber.on('message', notified);
  await subscriber.subscribe(channel);
  return () => subscriber.disconnect();
}

async function listenWithNodeRedis(
  client: NodeRedis,
  channel: string,
  notified: () => void,
): Promise<() => void> {
  const subscriber = client.duplicate();
  subscriber.on('error', () => {});
  subscriber.on('ready', onceAgain(notified));
  await subscriber.connect();
  await subscriber.subscribe(channel, notified);
  return () => subscriber.destroy();
}
