/**
 * One transport to a coordinator for many elections: each is handed one of its own, whose only peer is the coordinator
 * as far as it can see. What they share, and why that is safe, is decided by a pure state machine of their algorithm;
 * here it is given a clock, timers and a transport.
 */

import { InvalidOptionError, type NodeId } from '@hustings/elector';
import type { SessionEffect, SessionInput, SessionStep } from '@hustings/elector/sessions';
import type { Transport, TransportHandlers } from './transport.js';

export interface SharedTransportOptions<Message, State, Timer extends string> {
  /** To the coordinator. It is started with the first election, and stopped by `stop()`. */
  readonly transport: Transport<Message>;
  readonly coordinator: NodeId;
  readonly state: State;
  readonly step: SessionStep<State, Message, Message, Timer>;
}

export interface SharedTransport<Message> {
  /** How the coordinator appears to this election. One at a time for each election. */
  transport(election: string): Transport<Message>;
  start(): Promise<void>;
  /** Gives back what is held. Whatever is still open hears nothing any more. */
  stop(): Promise<void>;
}

export function shareTransport<Message, State, Timer extends string>(
  options: SharedTransportOptions<Message, State, Timer>,
): SharedTransport<Message> {
  return new Switchboard(options);
}

class Switchboard<Message, State, Timer extends string> implements SharedTransport<Message> {
  readonly #transport: Transport<Message>;
  readonly #coordinator: NodeId;
  readonly #step: SessionStep<State, Message, Message, Timer>;
  readonly #open = new Map<string, View<Message>>();
  readonly #timers = new Map<Timer, ReturnType<typeof setTimeout>>();
  #state: State;
  #started: Promise<void> | null = null;
  #stopped: Promise<void> | null = null;
  #isUp = false;

  constructor({ transport, coordinator, state, step }: SharedTransportOptions<Message, State, Timer>) {
    this.#transport = transport;
    this.#coordinator = coordinator;
    this.#state = state;
    this.#step = step;
  }

  transport(election: string): Transport<Message> {
    return new View(this, this.#transport.id, election, this.#coordinator);
  }

  start(): Promise<void> {
    this.#started ??= this.#start();
    return this.#started;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Whether the coordinator could be reached when last heard of. */
  open(election: string, view: View<Message>): boolean {
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

  ask(election: string, request: Message): void {
    this.#hear({ type: 'asked', election, request });
  }

  async #start(): Promise<void> {
    await this.#transport.start({
      received: (_, reply) => this.#hear({ type: 'answered', reply }),
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

  #hear(input: SessionInput<Message, Message, Timer>): void {
    const [state, effects] = this.#step(this.#state, input, performance.now());
    this.#state = state;
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: SessionEffect<Message, Message, Timer>): void {
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

  #setTimer({
    timer,
    delayMs: [minMs, maxMs],
  }: Extract<SessionEffect<Message, Message, Timer>, { type: 'set-timer' }>): void {
    clearTimeout(this.#timers.get(timer));
    if (this.#stopped !== null) return;
    const delayMs = minMs + Math.random() * (maxMs - minMs);
    this.#timers.set(
      timer,
      setTimeout(() => this.#hear({ type: 'timer-fired', timer }), delayMs),
    );
  }
}

/** What a view needs of the switchboard. */
type Board<Message> = Pick<Switchboard<Message, never, never>, 'start' | 'open' | 'close' | 'ask'>;

/** What one election has of it. */
class View<Message> implements Transport<Message> {
  readonly id: NodeId;
  readonly incarnation = crypto.randomUUID();
  readonly peers: readonly NodeId[] = [];
  readonly #board: Board<Message>;
  readonly #election: string;
  readonly #coordinator: NodeId;
  /** What was delivered from inside a call of `send`, in which no handler may be called. */
  readonly #waiting: (() => void)[] = [];
  #handlers: TransportHandlers<Message> | null = null;
  #phase: 'new' | 'running' | 'stopped' = 'new';
  #isOpen = false;

  constructor(board: Board<Message>, id: NodeId, election: string, coordinator: NodeId) {
    this.id = id;
    this.#board = board;
    this.#election = election;
    this.#coordinator = coordinator;
  }

  async start(handlers: TransportHandlers<Message>): Promise<void> {
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

  send(to: NodeId, message: Message, incarnation = this.incarnation): void {
    if (this.#phase !== 'running' || to !== this.#coordinator || incarnation !== this.incarnation) return;
    this.#board.ask(this.#election, message);
  }

  async stop(): Promise<void> {
    this.#phase = 'stopped';
    this.#handlers = null;
    if (this.#isOpen) this.#board.close(this.#election);
    this.#isOpen = false;
  }

  deliver(reply: Message): void {
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
