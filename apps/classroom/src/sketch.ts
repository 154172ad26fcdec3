/**
 * A sketch is an election algorithm with as little around it as possible: what a node does when it starts, when it
 * hears a message, and when a timer fires. `sketch` makes a real `Protocol` of it, the same kind of thing as bully and
 * Raft are, so that the simulator, the playground and the search take it like any other.
 */

import type { FencingToken, Guarantees, NodeId } from '@hustings/elector';
import {
  byRank,
  type DelayRangeMs,
  type Effect,
  type Input,
  type MachineTypes,
  type Protocol,
  type ProtocolMessage,
} from '@hustings/elector/protocol';
import { copyPlain, deepFreeze, isSamePlain } from './plain.js';
import { slips } from './slips.js';

/** What a sketch is made of: `types.ts` of an exercise says it. */
export interface SketchTypes {
  /** What a node remembers while it runs. */
  readonly state: object;
  readonly message: ProtocolMessage;
  readonly timer: string;
  /** What it remembers across a crash. */
  readonly saved: unknown;
}

/** One node, as its own code sees it. */
export interface Me<Types extends SketchTypes> {
  readonly id: NodeId;
  /** The other nodes, weakest first. */
  readonly peers: readonly NodeId[];
  /** Yours: change it as you like. It is lost in a crash. */
  readonly state: Types['state'];
  /** What you gave to `save` last, even before a crash; null when there is nothing. */
  readonly saved: Types['saved'] | null;
  /** By this node's own clock. Only differences mean anything. */
  readonly nowMs: number;
  /** Whether this node leads. */
  readonly leading: boolean;
  /** To one node or to several. It may get lost. */
  send(to: NodeId | readonly NodeId[], message: Types['message']): void;
  /** `timer` is called with this name after so long, or after a time drawn from a range. Asked again, it starts again. */
  wait(timer: Types['timer'], delayMs: number | DelayRangeMs): void;
  stopWaiting(timer: Types['timer']): void;
  /** I lead from now on. A token tells leaders apart, the later one by the higher token. */
  lead(token: FencingToken, validForMs?: number): void;
  /** I follow this node, or nobody. Whoever led leads no longer. */
  follow(leader: NodeId | null, token?: FencingToken): void;
  /** On disk before anything that comes after it is done. */
  save(saved: Types['saved']): void;
}

export interface Sketch<Types extends SketchTypes> {
  /** Whom a node may send to beside its peers, such as a store. */
  readonly services?: readonly NodeId[];
  /** What every node begins with. */
  readonly state: Types['state'];
  /** The node comes up, for the first time or after a crash. */
  start(me: Me<Types>): void;
  message(me: Me<Types>, from: NodeId, message: Types['message']): void;
  timer(me: Me<Types>, timer: Types['timer']): void;
  /** The time that was given to `lead` is over; this node leads no longer. */
  expired?(me: Me<Types>): void;
}

/** What the driver keeps for one node: the student's state, and where the node stands with its application. */
export interface SketchState<Own> {
  readonly id: NodeId;
  readonly peers: readonly NodeId[];
  readonly own: Own;
  readonly saved: unknown;
  /** The application asks to lead. */
  readonly standing: boolean;
  /** The token it leads with, as digits. */
  readonly leading: string | null;
  /** What it would lead with, and until when, were it asked to: a former leader's work may take a moment to end. */
  readonly ambition: { readonly token: string; readonly untilMs: number | null } | null;
}

export interface SketchMachine<Types extends SketchTypes> extends MachineTypes {
  readonly state: SketchState<Types['state']>;
  readonly message: Types['message'];
  readonly durable: Types['saved'];
  readonly timer: Types['timer'];
  readonly request: never;
  readonly announcement: never;
}

/** A sketch promises nothing. An exercise may ask for more. */
export const noGuarantees: Guarantees = {
  atMostOneLeader: false,
  monotonicTokens: false,
  toleratesPartition: false,
  orderedSuccession: false,
  targetedTransfer: false,
  leased: false,
  assumptions: [],
};

export function sketch<Types extends SketchTypes>(handlers: Sketch<Types>): Protocol<SketchMachine<Types>> {
  checkHandlers(handlers);
  return {
    algorithm: 'sketch',
    variant: 'default',
    guarantees: noGuarantees,
    periodicMessages: new Set(),
    initialState: (id, peers) => ({
      id,
      peers: deepFreeze([...peers].sort(byRank)),
      own: copyPlain(handlers.state, 'state'),
      saved: null,
      standing: false,
      leading: null,
      ambition: null,
    }),
    step: (state, input, nowMs) => new Turn(handlers, state, nowMs).take(input),
    decodeMessage: (value) => value as Types['message'],
    decodeDurable: (value) => value as Types['saved'],
  };
}

function checkHandlers(handlers: object): void {
  const given = handlers as Record<string, unknown>;
  for (const name of ['start', 'message', 'timer']) {
    if (typeof given[name] !== 'function') throw slips.noExport(`give sketch() a function '${name}'`);
  }
  const { state } = given as { readonly state?: unknown };
  if (typeof state !== 'object' || state === null) {
    throw slips.noExport("give sketch() a 'state': an object with what every node begins with");
  }
}

/** One call of the student's code: it writes down what the node asks for. */
class Turn<Types extends SketchTypes> implements Me<Types> {
  readonly id: NodeId;
  readonly peers: readonly NodeId[];
  readonly state: Types['state'];
  readonly nowMs: number;
  readonly #handlers: Sketch<Types>;
  readonly #before: SketchState<Types['state']>;
  readonly #effects: Effect<SketchMachine<Types>>[] = [];
  #saved: unknown;
  #standing: boolean;
  #leading: string | null;
  #ambition: SketchState<unknown>['ambition'];

  constructor(handlers: Sketch<Types>, before: SketchState<Types['state']>, nowMs: number) {
    this.#handlers = handlers;
    this.#before = before;
    this.id = before.id;
    this.peers = before.peers;
    this.state = copyPlain(before.own, 'state');
    this.nowMs = nowMs;
    this.#saved = before.saved;
    this.#standing = before.standing;
    this.#leading = before.leading;
    this.#ambition = before.ambition;
  }

  take(
    input: Input<SketchMachine<Types>>,
  ): readonly [SketchState<Types['state']>, readonly Effect<SketchMachine<Types>>[]] {
    const promise: unknown = this.#call(input);
    if (isThenable(promise)) throw slips.asyncStep(`${handlerOf(input.type)}()`);
    return [this.#after(), this.#effects];
  }

  #call(input: Input<SketchMachine<Types>>): unknown {
    const handlers = this.#handlers;
    switch (input.type) {
      case 'restarted':
        this.#saved = input.durable;
        return handlers.start(this);
      case 'started':
        return handlers.start(this);
      case 'received':
        return handlers.message(this, input.from, input.message);
      case 'timer-fired':
        return handlers.timer(this, input.timer);
      case 'campaign-requested':
        this.#standing = true;
        return this.#cameTooLate() ? this.#giveUp() : this.#takeOffice();
      case 'resign-requested':
        return this.#leave('resigned');
      case 'lease-expired':
        this.#leave('lease-expired');
        return handlers.expired?.(this);
      default:
        return undefined;
    }
  }

  #after(): SketchState<Types['state']> {
    const before = this.#before;
    const own = copyPlain(this.state, 'me.state');
    const after: SketchState<Types['state']> = {
      id: this.id,
      peers: this.peers,
      own: isSamePlain(own, before.own) ? before.own : own,
      saved: this.#saved,
      standing: this.#standing,
      leading: this.#leading,
      ambition: this.#ambition,
    };
    return isSamePlain(after, before) ? before : after;
  }

  get #reachable(): readonly NodeId[] {
    return [...this.peers, ...(this.#handlers.services ?? [])];
  }

  get saved(): Types['saved'] | null {
    return this.#saved as Types['saved'] | null;
  }

  get leading(): boolean {
    return this.#leading !== null || (this.#ambition !== null && !this.#cameTooLate());
  }

  send(to: NodeId | readonly NodeId[], message: Types['message']): void {
    if (typeof message?.type !== 'string') {
      throw slips.notPlainData('A message without a type', 'no message: write { type: … }');
    }
    const sent = deepFreeze(copyPlain(message, 'message'));
    for (const peer of typeof to === 'string' ? [to] : to) {
      if (!this.#reachable.includes(peer)) throw slips.unknownPeer(peer, this.id, this.#reachable);
      this.#effects.push({ type: 'send', to: peer, message: sent });
    }
  }

  wait(timer: Types['timer'], delayMs: number | DelayRangeMs): void {
    // A forgotten delay is no range, either.
    const [leastMs, mostMs] = typeof delayMs === 'object' ? delayMs : [delayMs, delayMs];
    checkDelay(timer, leastMs, mostMs);
    this.#effects.push({ type: 'set-timer', timer, delayMs: [leastMs, mostMs] });
  }

  stopWaiting(timer: Types['timer']): void {
    this.#effects.push({ type: 'cancel-timer', timer });
  }

  lead(token: FencingToken, validForMs?: number): void {
    if (typeof token !== 'bigint') throw slips.numberToken(token);
    if (validForMs !== undefined && Number.isNaN(validForMs)) throw slips.nanTerm(validForMs);
    const digits = `${token}`;
    if (this.#leading !== null && this.#leading !== digits) this.#leave('deposed');
    if (this.#leading !== null && validForMs === undefined) return;
    this.#ambition = { token: digits, untilMs: validForMs === undefined ? null : this.nowMs + validForMs };
    this.#takeOffice();
  }

  follow(leader: NodeId | null, token?: FencingToken): void {
    if (leader !== null && !this.peers.includes(leader)) {
      throw slips.unknownPeer(leader, this.id, this.peers);
    }
    if (token !== undefined && typeof token !== 'bigint') throw slips.numberToken(token);
    if (this.#leading !== null) this.#leave('deposed');
    this.#ambition = null;
    this.#effects.push({ type: 'follow', leaderId: leader, token: token ?? null });
  }

  save(saved: Types['saved']): void {
    this.#saved = deepFreeze(copyPlain(saved, 'saved'));
    this.#effects.push({ type: 'save', durable: this.#saved });
  }

  #takeOffice(): void {
    if (!this.#standing || this.#ambition === null) return;
    const { token, untilMs } = this.#ambition;
    this.#ambition = null;
    this.#leading = token;
    const office = { type: 'lead', token: BigInt(token) } as const;
    this.#effects.push(untilMs === null ? office : { ...office, validForMs: untilMs - this.nowMs });
  }

  /** The time to lead was over before the application was ready. */
  #cameTooLate(): boolean {
    const untilMs = this.#ambition?.untilMs ?? Number.POSITIVE_INFINITY;
    return untilMs <= this.nowMs;
  }

  #giveUp(): void {
    this.#ambition = null;
    this.#handlers.expired?.(this);
  }

  #leave(reason: 'deposed' | 'resigned' | 'lease-expired'): void {
    this.#leading = null;
    this.#ambition = null;
    this.#standing = false;
    this.#effects.push({ type: 'step-down', reason });
  }
}

export function checkDelay(timer: string, leastMs: unknown, mostMs: unknown): void {
  const isDelay = (value: unknown): boolean =>
    typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY;
  if (!isDelay(leastMs) || !isDelay(mostMs) || Number(leastMs) > Number(mostMs)) {
    throw slips.nanDelay(timer, Object.is(leastMs, mostMs) ? `${leastMs}` : `${leastMs} to ${mostMs}`);
  }
  if (leastMs === 0) throw slips.zeroTimer(timer);
}

export const isThenable = (value: unknown): boolean =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

function handlerOf(type: string): string {
  const handlers: Readonly<Record<string, string>> = {
    received: 'message',
    'timer-fired': 'timer',
    'lease-expired': 'expired',
  };
  return handlers[type] ?? 'start';
}
