/**
 * One connection to etcd for many elections: each is handed a transport of its own, whose only peer is etcd as far as
 * it can see. What is shared, and why that is safe, is in `shared/state.ts`; here it is given a clock and a gateway.
 */

import { randomUUID } from 'node:crypto';
import { InvalidOptionError, type NodeId } from '@hustings/elector';
import type { Transport, TransportHandlers } from '@hustings/transport';
import type { EtcdMessage, EtcdReply, EtcdRequest } from './messages.js';
import {
  defaultShared,
  initialShared,
  type SharedEffect,
  type SharedInput,
  type SharedSettings,
  type SharedState,
  type SharedTimer,
} from './shared/state.js';
import { step } from './shared/step.js';

export interface SharedGatewayOptions {
  /** To etcd: `etcdGateway({ … })`. The shared one starts it and stops it. */
  readonly transport: Transport<EtcdMessage>;
  /** What the names of all elections begin with. */
  readonly name: string;
  readonly settings?: Partial<Omit<SharedSettings, 'prefix'>>;
}

export interface SharedGateway {
  /** How etcd appears to the election `<name>/<election>`. One at a time for each election. */
  transport(election: string): Transport<EtcdMessage>;
  /** Resolves once it has been tried whether etcd answers. */
  start(): Promise<void>;
  /** Gives the leases back. Whatever is still open hears nothing any more. */
  stop(): Promise<void>;
}

export function sharedGateway(options: SharedGatewayOptions): SharedGateway {
  return new Switchboard(options);
}

class Switchboard implements SharedGateway {
  readonly #transport: Transport<EtcdMessage>;
  readonly #coordinator: NodeId;
  readonly #open = new Map<string, View>();
  readonly #timers = new Map<SharedTimer, NodeJS.Timeout>();
  #state: SharedState;
  #started: Promise<void> | null = null;
  #stopped: Promise<void> | null = null;
  #isUp = false;

  constructor({ transport, name, settings = {} }: SharedGatewayOptions) {
    const complete: SharedSettings = { ...defaultShared, ...settings, prefix: `${name}/` };
    this.#transport = transport;
    this.#coordinator = complete.coordinator;
    this.#state = initialShared(complete);
  }

  get id(): NodeId {
    return this.#transport.id;
  }

  transport(election: string): Transport<EtcdMessage> {
    return new View(this, election, this.#coordinator);
  }

  start(): Promise<void> {
    this.#started ??= this.#start();
    return this.#started;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Whether etcd could be reached when last heard of. */
  open(election: string, view: View): boolean {
    if (this.#open.has(election)) {
      throw new InvalidOptionError(
        `The election '${election}' has an elector in this session already; stop that one first.`,
      );
    }
    this.#open.set(election, view);
    this.#hear({ type: 'opened', election });
    return this.#isUp;
  }

  close(election: string): void {
    this.#open.delete(election);
    this.#hear({ type: 'closed', election });
  }

  ask(election: string, request: EtcdRequest): void {
    this.#hear({ type: 'asked', election, request });
  }

  async #start(): Promise<void> {
    await this.#transport.start({
      received: (_, message) => this.#hear({ type: 'answered', reply: message as EtcdReply }),
      linkUp: () => {
        this.#isUp = true;
        this.#hear({ type: 'link-up' });
        for (const view of this.#open.values()) view.linkUp();
      },
      linkDown: () => {
        this.#isUp = false;
        this.#hear({ type: 'link-down' });
        for (const view of this.#open.values()) view.linkDown();
      },
    });
    this.#hear({ type: 'started' });
  }

  async #stop(): Promise<void> {
    await this.#started?.catch(() => {});
    this.#hear({ type: 'ended' });
    for (const timer of this.#timers.values()) clearTimeout(timer);
    // It waits a little for what was just sent.
    await this.#transport.stop();
  }

  #hear(input: SharedInput): void {
    const [state, effects] = step(this.#state, input, performance.now());
    this.#state = state;
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: SharedEffect): void {
    switch (effect.type) {
      case 'send':
        this.#transport.send(this.#coordinator, effect.request);
        break;
      case 'deliver':
        this.#open.get(effect.election)?.deliver(effect.reply);
        break;
      case 'set-timer':
        this.#setTimer(effect);
    }
  }

  #setTimer({ timer, delayMs: [minMs, maxMs] }: Extract<SharedEffect, { type: 'set-timer' }>): void {
    clearTimeout(this.#timers.get(timer));
    if (this.#stopped !== null) return;
    const delayMs = minMs + Math.random() * (maxMs - minMs);
    this.#timers.set(
      timer,
      setTimeout(() => this.#hear({ type: 'timer-fired', timer }), delayMs),
    );
  }
}

/** What one election has of it. */
class View implements Transport<EtcdMessage> {
  readonly id: NodeId;
  readonly incarnation = randomUUID();
  readonly peers: readonly NodeId[] = [];
  readonly #board: Switchboard;
  readonly #election: string;
  readonly #coordinator: NodeId;
  /** What was delivered from inside a call of `send`, in which no handler may be called. */
  readonly #waiting: (() => void)[] = [];
  #handlers: TransportHandlers<EtcdMessage> | null = null;
  #phase: 'new' | 'running' | 'stopped' = 'new';
  #isOpen = false;

  constructor(board: Switchboard, election: string, coordinator: NodeId) {
    this.id = board.id;
    this.#board = board;
    this.#election = election;
    this.#coordinator = coordinator;
  }

  async start(handlers: TransportHandlers<EtcdMessage>): Promise<void> {
    if (this.#phase !== 'new') {
      throw new InvalidOptionError(`Transport ${this.id} starts only once; create another one.`);
    }
    this.#phase = 'running';
    this.#handlers = handlers;
    await this.#board.start();
    if (this.#handlers === null) return;
    const isUp = this.#board.open(this.#election, this);
    this.#isOpen = true;
    if (isUp) this.linkUp();
  }

  send(to: NodeId, message: EtcdMessage, incarnation = this.incarnation): void {
    if (this.#phase !== 'running' || to !== this.#coordinator || incarnation !== this.incarnation) return;
    this.#board.ask(this.#election, message as EtcdRequest);
  }

  async stop(): Promise<void> {
    this.#phase = 'stopped';
    this.#handlers = null;
    if (this.#isOpen) this.#board.close(this.#election);
    this.#isOpen = false;
  }

  deliver(reply: EtcdReply): void {
    this.#later(() => this.#handlers?.received(this.#coordinator, reply, this.incarnation));
  }

  linkUp(): void {
    this.#later(() => this.#handlers?.linkUp(this.#coordinator, this.incarnation));
  }

  linkDown(): void {
    this.#later(() => this.#handlers?.linkDown(this.#coordinator));
  }

  #later(tell: () => void): void {
    if (this.#waiting.push(tell) === 1) queueMicrotask(() => this.#tellAll());
  }

  #tellAll(): void {
    for (const tell of this.#waiting.splice(0)) tell();
  }
}
