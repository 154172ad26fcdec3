/**
 * Joins the elector to a store of leases: a transport whose only peer is the store. It turns each message into one
 * call, and what comes back into messages. It decides nothing and repeats nothing: that is the protocol's part.
 *
 * @packageDocumentation
 */

import { randomUUID } from 'node:crypto';
import { InvalidOptionError, type NodeId } from '@hustings/elector';
import { MalformedError } from '@hustings/elector/protocol';
import type { Transport, TransportHandlers } from '@hustings/transport';
import {
  decodeMessage,
  type FailureReason,
  type LeaseMessage,
  type LeaseReply,
  type LeaseRequest,
  type LeaseView,
} from './messages.js';
import { type Held, type LeaseStore, StoreRefusedError } from './store.js';

export { sharedStore } from './gateway-session.js';
export {
  type Answer,
  type Call,
  decodeAnswer,
  decodeCall,
  encodeAnswer,
  encodeCall,
} from './gateway-wire.js';

export interface LeaseGatewayOptions {
  readonly id: NodeId;
  readonly store: LeaseStore;
  /** How long a call may take before the protocol hears that it failed. Default 1000. */
  readonly requestTimeoutMs?: number;
  /** How often to try while the store does not answer. Default 200. */
  readonly reconnectMs?: number;
  /** The name under which the protocol knows the store. Default `store`. */
  readonly coordinator?: NodeId;
  readonly onDiagnostic?: (diagnostic: LeaseDiagnostic) => void;
}

/** Something an operator would want to know. */
export type LeaseDiagnostic =
  /** The store answers, for the first time or again. */
  | { readonly type: 'connected' }
  /** It does not. It is tried again. */
  | { readonly type: 'unreachable'; readonly detail: string };

/** A node that is stopped does not start again: create another gateway. It closes the store when it stops. */
export function leaseGateway(options: LeaseGatewayOptions): Transport<LeaseMessage> {
  return new Gateway(options);
}

/** How long `stop` waits for calls in progress: the last of them gives the lease back. */
const farewellMs = 250;

type StoreRequest = Exclude<LeaseRequest, { type: 'watch' }>;

class Gateway implements Transport<LeaseMessage> {
  readonly id: NodeId;
  /** Of this process, and of the store too: the gateway that speaks for it lives in here. */
  readonly incarnation = randomUUID();
  readonly peers: readonly NodeId[] = [];
  readonly #coordinator: NodeId;
  readonly #store: LeaseStore;
  readonly #requestTimeoutMs: number;
  readonly #reconnectMs: number;
  readonly #onDiagnostic: (diagnostic: LeaseDiagnostic) => void;
  readonly #inProgress = new Set<Promise<void>>();
  #handlers: TransportHandlers<LeaseMessage> | null = null;
  #phase: 'new' | 'running' | 'stopped' = 'new';
  #isUp = false;
  #probeTimer: NodeJS.Timeout | undefined;
  /** The election that this node takes part in: what a probe reads. */
  #name = 'hustings';
  #stopped: Promise<void> | null = null;
  #watchId = 0;
  #watch: Promise<(() => void) | null> | null = null;
  #watchTimer: NodeJS.Timeout | undefined;

  constructor(options: LeaseGatewayOptions) {
    this.id = options.id;
    this.#store = options.store;
    this.#coordinator = options.coordinator ?? 'store';
    this.#requestTimeoutMs = options.requestTimeoutMs ?? 1000;
    this.#reconnectMs = options.reconnectMs ?? 200;
    this.#onDiagnostic = options.onDiagnostic ?? (() => {});
  }

  async start(handlers: TransportHandlers<LeaseMessage>): Promise<void> {
    if (this.#phase !== 'new') {
      throw new InvalidOptionError(`Transport ${this.id} starts only once; create another one.`);
    }
    this.#phase = 'running';
    this.#handlers = handlers;
    await this.#probe();
  }

  send(to: NodeId, message: LeaseMessage, incarnation = this.incarnation): void {
    if (this.#phase !== 'running' || to !== this.#coordinator || incarnation !== this.incarnation) return;
    const request = message as LeaseRequest;
    this.#name = request.name;
    if (request.type === 'watch') this.#listen(request);
    else this.#track(this.#call(request));
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#phase = 'stopped';
    this.#handlers = null;
    clearTimeout(this.#probeTimer);
    clearTimeout(this.#watchTimer);
    await this.#within(farewellMs, Promise.all(this.#inProgress));
    const watch = this.#watch;
    await this.#within(farewellMs, (async () => (await watch)?.())());
    await this.#store.close?.();
  }

  // ---- Calls ----------------------------------------------------------------------------------------

  async #call(request: StoreRequest): Promise<void> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#onFailure(request.id, 'timeout', `No answer in ${this.#requestTimeoutMs} ms.`);
    }, this.#requestTimeoutMs);
    try {
      // Anybody may write a store: what it answers is checked as if it came over a network.
      const reply = decodeMessage(await ask(this.#store, request)) as LeaseReply;
      this.#onAnswer();
      // Also when it is late: a lease that nobody waits for any more must be given back.
      this.#deliver(reply);
    } catch (error) {
      const { reason, detail } = classify(error);
      if (reason === 'refused') this.#onAnswer();
      if (!isLate) this.#onFailure(request.id, reason, detail);
    } finally {
      clearTimeout(timer);
    }
  }

  #onFailure(id: number, reason: FailureReason, detail: string): void {
    this.#deliver({ type: 'failed', id, reason, detail });
    if (reason === 'refused' || !this.#isUp) return;
    this.#isUp = false;
    this.#handlers?.linkDown(this.#coordinator);
    this.#diagnose({ type: 'unreachable', detail });
    this.#probeLater();
  }

  #track(call: Promise<void>): void {
    this.#inProgress.add(call);
    void call.finally(() => this.#inProgress.delete(call));
  }

  #deliver(reply: LeaseReply): void {
    this.#handlers?.received(this.#coordinator, reply, this.incarnation);
  }

  // ---- Hints ----------------------------------------------------------------------------------------

  /** Listens once, for whichever request to watch came last. A store that cannot be watched gives no hints. */
  #listen({ id, name }: Extract<LeaseRequest, { type: 'watch' }>): void {
    this.#watchId = id;
    this.#watch ??= this.#subscribe(name);
    this.#onceListening(() => this.#deliver({ type: 'watching', id }));
  }

  /** Nothing but speed rests on it, so nobody hears that it has failed; but it is tried again. */
  async #subscribe(name: string): Promise<(() => void) | null> {
    try {
      // A store may throw before it gives a promise, too.
      const unwatch = await Promise.resolve().then(() => this.#store.watch?.(name, () => this.#hint()));
      return unwatch ?? null;
    } catch {
      if (this.#phase === 'running')
        this.#watchTimer = setTimeout(() => this.#watchAgain(name), this.#requestTimeoutMs);
      return null;
    }
  }

  #watchAgain(name: string): void {
    this.#watch = this.#subscribe(name);
    this.#onceListening(() => {
      this.#deliver({ type: 'watching', id: this.#watchId });
      // What happened meanwhile is unknown.
      this.#hint();
    });
  }

  #onceListening(act: () => void): void {
    if (this.#watch === null) return;
    this.#track(
      this.#watch.then((unwatch) => {
        if (unwatch !== null) act();
      }),
    );
  }

  #hint(): void {
    this.#deliver({ type: 'changed', id: this.#watchId });
  }

  // ---- Whether the store can be reached ---------------------------------------------------------------

  #onAnswer(): void {
    if (this.#isUp || this.#phase !== 'running') return;
    this.#isUp = true;
    clearTimeout(this.#probeTimer);
    this.#handlers?.linkUp(this.#coordinator, this.incarnation);
    this.#diagnose({ type: 'connected' });
  }

  #probeLater(): void {
    clearTimeout(this.#probeTimer);
    if (this.#phase === 'running') this.#probeTimer = setTimeout(() => void this.#probe(), this.#reconnectMs);
  }

  async #probe(): Promise<void> {
    try {
      const answer = this.#store.read(this.#name).then(() => true);
      if ((await this.#within(this.#requestTimeoutMs, answer)) === true) this.#onAnswer();
      else this.#diagnose({ type: 'unreachable', detail: `No answer in ${this.#requestTimeoutMs} ms.` });
    } catch (error) {
      const { reason, detail } = classify(error);
      if (reason === 'refused') this.#onAnswer();
      else this.#diagnose({ type: 'unreachable', detail });
    }
    if (!this.#isUp) this.#probeLater();
  }

  #diagnose(diagnostic: LeaseDiagnostic): void {
    if (this.#phase !== 'running') return;
    // A broken listener must not break the election, whether it throws or its promise is rejected.
    (async () => this.#onDiagnostic(diagnostic))().catch(() => {});
  }

  /** Undefined when the time is over first. */
  async #within<Value>(limitMs: number, promise: Promise<Value>): Promise<Value | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, limitMs, undefined);
    });
    try {
      return await Promise.race([promise, timeout]);
    } finally {
      clearTimeout(timer);
      promise.catch(() => {});
    }
  }
}

async function ask(store: LeaseStore, request: StoreRequest): Promise<LeaseReply> {
  const { id, name } = request;
  switch (request.type) {
    case 'acquire': {
      const { holder, ttlMs, over, sentMs } = request;
      const answer = await store.acquire({ name, holder, ttlMs, ...(over === null ? {} : { over }) });
      if (answer.type === 'held') return { type: 'held', id, ...viewOf(answer) };
      return {
        type: 'acquired',
        id,
        holder,
        token: `${answer.token}`,
        validForMs: answer.validForMs,
        sentMs,
      };
    }
    case 'renew': {
      const { holder, token, ttlMs, sentMs } = request;
      const answer = await store.renew({ name, holder, token: BigInt(token), ttlMs });
      if (answer.type === 'lost') return { type: 'lost', id, token };
      return { type: 'renewed', id, token, validForMs: answer.validForMs, sentMs };
    }
    case 'release':
      await store.release({ name, holder: request.holder, token: BigInt(request.token) });
      return { type: 'released', id };
    case 'read': {
      const answer = await store.read(name);
      return { type: 'found', id, lease: answer.type === 'free' ? null : viewOf(answer) };
    }
  }
}

const viewOf = ({ holder, token, expiresInMs, version }: Held): LeaseView => ({
  holder,
  token: token === null ? null : `${token}`,
  expiresInMs,
  version: version ?? null,
});

/** What is not known to be an answer is taken for the lack of one. */
function classify(error: unknown): { readonly reason: FailureReason; readonly detail: string } {
  const isAnswer = error instanceof StoreRefusedError || error instanceof MalformedError;
  if (isAnswer) return { reason: 'refused', detail: error.message };
  return { reason: 'unavailable', detail: rootOf(error) };
}

/** `fetch failed` and the attempts at several addresses of a name say nothing; what they were caused by does. */
function rootOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  return error.cause instanceof Error ? rootOf(error.cause) : error.message;
}
