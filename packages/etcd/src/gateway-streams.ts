/** The two calls of etcd that are streams: watching, and keeping a lease alive. */

import type { Etcd3, IEvent, IWatchRequest, IWatchResponse } from 'etcd3';
import { prefixEnd } from './gateway-codec.js';
import type { EtcdRequest } from './messages.js';

export interface WatchStreamHandlers {
  watching(id: number): void;
  changed(id: number, events: readonly IEvent[], number: number): void;
  cancelled(id: number): void;
  lost(id: number, reason: 'compacted' | 'disconnected'): void;
  /** After every watch has been reported lost. The error is null when the stream was dropped on purpose. */
  ended(error: Error | null): void;
}

type Stream = Awaited<ReturnType<Etcd3['watchClient']['watch']>>;
type CallOptions = NonNullable<Parameters<Etcd3['watchClient']['watch']>[0]>;
type Interceptor = NonNullable<CallOptions['interceptors']>[number];

/**
 * Has a member end the stream when it has lost its leader: cut off from the others it would hear of no change, and
 * the watch would stay silent. The client has no option for such metadata, but lets calls be intercepted.
 */
const requireLeader: Interceptor = (options, nextCall) => {
  const call = nextCall(options) as ReturnType<Interceptor>;
  const start = call.start.bind(call);
  call.start = (metadata, listener) => {
    // The client uses one metadata object for all of its calls.
    const ownMetadata = metadata.clone();
    ownMetadata.set('hasleader', 'true');
    start(ownMetadata, listener);
  };
  return call;
};

/** All watches of one gateway, on one stream to one endpoint. It ends once and does not come back. */
export class WatchStream {
  readonly #handlers: WatchStreamHandlers;
  readonly #watches = new Map<number, 'asked' | 'watching' | 'cancelled'>();
  /** How many messages there were for each. */
  readonly #told = new Map<number, number>();
  /** What was asked before the stream stood. */
  readonly #unsent: IWatchRequest[] = [];
  #stream: Stream | null = null;
  #ended = false;

  constructor(client: Etcd3, handlers: WatchStreamHandlers) {
    this.#handlers = handlers;
    void this.#open(client);
  }

  watch({ id, key, prefix, fromRevision }: Extract<EtcdRequest, { type: 'watch' }>): void {
    const from = Buffer.from(key);
    this.#watches.set(id, 'asked');
    this.#write({
      create_request: {
        key: from,
        ...(prefix ? { range_end: prefixEnd(from) } : {}),
        start_revision: fromRevision,
        watch_id: id,
      },
    });
  }

  cancel(id: number): void {
    if (!this.#watches.has(id)) return;
    this.#watches.set(id, 'cancelled');
    this.#write({ cancel_request: { watch_id: id } });
  }

  /** Gives the stream up; every watch is lost. */
  drop(): void {
    this.#end(null);
  }

  /** Gives the stream up without a word. */
  close(): void {
    this.#ended = true;
    this.#cancel();
  }

  async #open(client: Etcd3): Promise<void> {
    try {
      const stream = await client.watchClient.watch({ interceptors: [requireLeader] });
      stream.on('error', (error) => this.#end(error));
      stream.on('end', () => this.#end(new Error('The server ended the watch stream.')));
      stream.on('data', (response) => {
        if (!this.#ended) this.#onResponse(response);
      });
      this.#stream = stream;
      if (this.#ended) this.#cancel();
      else for (const request of this.#unsent.splice(0)) stream.write(request);
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #write(request: IWatchRequest): void {
    if (this.#ended) return;
    if (this.#stream === null) this.#unsent.push(request);
    else this.#stream.write(request);
  }

  #onResponse({ watch_id, created, canceled, compact_revision, events }: IWatchResponse): void {
    const id = this.#idOf(watch_id);
    const status = this.#watches.get(id);
    if (status === undefined) return;
    if (created) {
      if (status === 'asked') this.#watches.set(id, 'watching');
      this.#handlers.watching(id);
    }
    if (events.length > 0 && status !== 'cancelled') this.#onEvents(id, events);
    if (!canceled) return;
    this.#watches.delete(id);
    this.#told.delete(id);
    if (status === 'cancelled') this.#handlers.cancelled(id);
    else this.#handlers.lost(id, compact_revision === '0' ? 'disconnected' : 'compacted');
  }

  #onEvents(id: number, events: readonly IEvent[]): void {
    const number = (this.#told.get(id) ?? 0) + 1;
    this.#told.set(id, number);
    this.#handlers.changed(id, events, number);
  }

  /** A watch that is refused is answered as number -1; answers come in the order of the requests. */
  #idOf(watchId: string): number {
    if (watchId !== '-1') return Number(watchId);
    const asked = [...this.#watches].find(([, status]) => status === 'asked');
    return asked?.[0] ?? -1;
  }

  /**
   * In a turn of its own: reset in the same one in which another call is sent on the same connection, Node's HTTP/2 may
   * never return, and fill the memory. Seen on Node 20.20.2; nodejs/node#52952 reads alike.
   */
  #cancel(): void {
    setImmediate(() => this.#stream?.cancel());
  }

  #end(error: Error | null): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancel();
    const lost = [...this.#watches].filter(([, status]) => status !== 'cancelled');
    this.#watches.clear();
    // In a later turn: `drop` may be called from inside `send`, which calls no handler.
    setImmediate(() => {
      for (const [id] of lost) this.#handlers.lost(id, 'disconnected');
    });
    this.#handlers.ended(error);
  }
}

/** Renews once, on a stream of its own, and resolves with the TTL in seconds; 0 when the lease is gone. */
export async function keepAlive(client: Etcd3, lease: string, withinMs: number): Promise<number> {
  const stream = await client.leaseClient.leaseKeepAlive({ deadline: Date.now() + withinMs });
  return new Promise((resolve, reject) => {
    stream.on('data', ({ TTL }) => resolve(Number(TTL)));
    stream.on('error', reject);
    stream.on('end', () => reject(new Error('The server ended the stream without an answer.')));
    stream.write({ ID: lease });
    stream.end();
  });
}
