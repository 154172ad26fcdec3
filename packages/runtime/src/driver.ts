import type { NodeId } from '@hustings/elector';
import { StorageFailedError } from '@hustings/elector';
import type {
  DelayRangeMs,
  Effect,
  Input,
  Machine,
  MachineTypes,
  RoleEffect,
} from '@hustings/elector/protocol';
import type { Transport } from '@hustings/transport';
import type { Clock } from './clock.js';
import type { Storage } from './storage.js';

export interface DriverOptions<Types extends MachineTypes> {
  readonly machine: Machine<Types>;
  readonly transport: Transport<Types['message']>;
  readonly peers: readonly NodeId[];
  readonly storage: Storage<Types['durable']>;
  readonly clock: Clock;
  readonly random: () => number;
}

/** The step that an effect belongs to. */
export interface Step<Types extends MachineTypes> {
  readonly input: Input<Types>;
  /** The clock reading that it was given. */
  readonly nowMs: number;
}

export type FailureType = 'storage-failed' | 'protocol-failed' | 'transport-failed';

/** Whom the driver works for: it knows what leading means. */
export interface Owner<Types extends MachineTypes> {
  /** The machine is about to begin. What is returned is the first that it hears. */
  begin(): readonly Input<Types>[];
  /** Time has passed: something is about to be stepped, or has been saved. */
  lookAtClock(): void;
  /** The next effect waits for a promise. */
  changeRole(effect: RoleEffect, step: Step<Types>): Promise<void> | undefined;
  announced(announcement: Types['announcement']): void;
  /** A step with all its effects is done. */
  stepped(): void;
  /** The node can no longer keep its promises. The driver has stopped. */
  failed(type: FailureType, error: Error): void;
}

interface QueuedInput<Types extends MachineTypes> {
  readonly input: Input<Types>;
  /** False when what the input tells of has been called off while it waited. */
  readonly isCurrent: () => boolean;
  /** The process that the input comes from, for what comes from another node. */
  readonly sender?: Sender;
}

interface Sender {
  readonly peer: NodeId;
  readonly incarnation: string;
}

/**
 * Runs a machine: one input at a time, then its effects in their order. A save is awaited, and nothing else is
 * stepped meanwhile.
 *
 * The machine talks to processes, not to names. A process that has restarted has another clock and has forgotten
 * what it asked, so nothing that its predecessor said is heard once the machine knows of it, and nothing that is
 * said before the machine knows of it reaches it.
 */
export class Driver<Types extends MachineTypes> {
  readonly #machine: Machine<Types>;
  readonly #transport: Transport<Types['message']>;
  readonly #storage: Storage<Types['durable']>;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #owner: Owner<Types>;
  readonly #queue: QueuedInput<Types>[] = [];
  readonly #timers = new Map<Types['timer'], { readonly cancel: () => void }>();
  /** Which process of each peer the machine has heard of last. */
  readonly #incarnations = new Map<NodeId, string>();
  /** Processes that are known to have ended, the last of each peer. */
  readonly #gone = new Map<NodeId, string>();
  #state: Types['state'];
  #phase: 'new' | 'running' | 'halted' = 'new';
  #working: Promise<void> | null = null;

  constructor(options: DriverOptions<Types>, owner: Owner<Types>) {
    const { machine, transport, peers } = options;
    this.#machine = machine;
    this.#transport = transport;
    this.#storage = options.storage;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#owner = owner;
    this.#state = machine.initialState(transport.id, [...peers], transport.incarnation);
  }

  get #isHalted(): boolean {
    return this.#phase === 'halted';
  }

  /** Settles when the queue has been worked off; null while nothing is being stepped. */
  get working(): Promise<void> | null {
    return this.#working;
  }

  /** Rejects when the storage cannot be read or the transport does not start; the owner has been told. */
  async start(): Promise<void> {
    const durable = await this.#attempt('storage-failed', () => this.#storage.load());
    if (this.#isHalted) return;
    await this.#attempt('transport-failed', () =>
      this.#transport.start({
        received: (from, message, incarnation) =>
          this.#feedFrom({ peer: from, incarnation }, { type: 'received', from, message }),
        linkUp: (peer, incarnation) =>
          this.#feedFrom({ peer, incarnation }, { type: 'link-up', peer, incarnation }),
        linkDown: (peer) => this.feed({ type: 'link-down', peer }),
        peerGone: (peer, incarnation) => this.#onPeerGone(peer, incarnation),
      }),
    );
    if (this.#isHalted) return;
    this.#phase = 'running';
    // Whatever arrived while the transport was starting has been waiting, and goes on waiting behind this.
    const first: Input<Types> = durable === undefined ? { type: 'started' } : { type: 'restarted', durable };
    const inputs = [first, ...this.#owner.begin()];
    this.#queue.unshift(...inputs.map((input) => ({ input, isCurrent: always })));
    this.#work();
  }

  feed(input: Input<Types>, isCurrent: () => boolean = always): void {
    if (this.#isHalted) return;
    this.#queue.push({ input, isCurrent });
    this.#work();
  }

  feedFirst(input: Input<Types>, isCurrent: () => boolean): void {
    if (this.#isHalted) return;
    this.#queue.unshift({ input, isCurrent });
    this.#work();
  }

  /** Nothing is stepped any more and no timer fires. The transport is left to the owner. */
  halt(): void {
    this.#phase = 'halted';
    this.#queue.length = 0;
    for (const timer of this.#timers.keys()) this.#cancelTimer(timer);
  }

  #feedFrom(sender: Sender, input: Input<Types>): void {
    if (this.#isHalted) return;
    this.#queue.push({ input, isCurrent: always, sender });
    this.#work();
  }

  /** Whatever it sent and still waits to be stepped is not heard any more. */
  #onPeerGone(peer: NodeId, incarnation: string): void {
    this.#gone.set(peer, incarnation);
    this.feed({ type: 'peer-gone', peer, incarnation });
  }

  #work(): void {
    if (this.#phase !== 'running') return;
    // In a later microtask, so that no caller of this class has the machine running inside its own call.
    this.#working ??= Promise.resolve().then(() => this.#workOffQueue());
  }

  async #workOffQueue(): Promise<void> {
    try {
      while (this.#phase === 'running') {
        // After a pause, messages and timers arrive in any order; a lease that ran out meanwhile is first.
        this.#owner.lookAtClock();
        const next = this.#queue.shift();
        if (next === undefined) break;
        if (next.isCurrent() && this.#isAlive(next)) await this.#step(next.input);
      }
    } catch (error) {
      this.#fail('protocol-failed', asError(error));
    } finally {
      this.#working = null;
    }
  }

  /** A new process announces itself by `link-up`; until then the first one heard is the one. */
  #isAlive({ input, sender }: QueuedInput<Types>): boolean {
    if (sender === undefined) return true;
    const { peer, incarnation } = sender;
    if (this.#gone.get(peer) === incarnation) return false;
    const known = this.#incarnations.get(peer);
    if (input.type !== 'link-up' && known !== undefined) return known === incarnation;
    this.#incarnations.set(peer, incarnation);
    return true;
  }

  async #step(input: Input<Types>): Promise<void> {
    const step = { input, nowMs: this.#clock.nowMs() };
    const [state, effects] = this.#machine.step(this.#state, input, step.nowMs);
    this.#state = state;
    for (const effect of effects) {
      const done = this.#perform(effect, step);
      if (done !== undefined) await done;
      if (this.#phase !== 'running') return;
    }
    this.#owner.stepped();
  }

  #perform(effect: Effect<Types>, step: Step<Types>): Promise<void> | undefined {
    switch (effect.type) {
      case 'send':
        this.#transport.send(effect.to, effect.message, this.#incarnations.get(effect.to));
        return undefined;
      case 'set-timer':
        this.#setTimer(effect.timer, effect.delayMs);
        return undefined;
      case 'cancel-timer':
        this.#cancelTimer(effect.timer);
        return undefined;
      case 'save':
        return this.#save(effect.durable);
      case 'announce':
        this.#owner.announced(effect.announcement);
        return undefined;
      default:
        return this.#owner.changeRole(effect, step);
    }
  }

  async #save(durable: Types['durable']): Promise<void> {
    try {
      await this.#storage.save(durable);
    } catch (error) {
      this.#fail('storage-failed', asStorageFailure(error));
    }
    this.#owner.lookAtClock();
  }

  #setTimer(timer: Types['timer'], [minMs, maxMs]: DelayRangeMs): void {
    this.#cancelTimer(timer);
    const delayMs = minMs + this.#random() * (maxMs - minMs);
    const setting = {
      cancel: this.#clock.setTimer(delayMs, () =>
        // A timer that was moved or cancelled after it fired, but before that was heard, has not fired.
        this.feed({ type: 'timer-fired', timer }, () => this.#timers.get(timer) === setting),
      ),
    };
    this.#timers.set(timer, setting);
  }

  #cancelTimer(timer: Types['timer']): void {
    this.#timers.get(timer)?.cancel();
    this.#timers.delete(timer);
  }

  async #attempt<Value>(type: FailureType, action: () => Promise<Value>): Promise<Value> {
    try {
      return await action();
    } catch (error) {
      throw this.#fail(type, type === 'storage-failed' ? asStorageFailure(error) : asError(error));
    }
  }

  #fail(type: FailureType, error: Error): Error {
    if (this.#isHalted) return error;
    this.halt();
    this.#owner.failed(type, error);
    return error;
  }
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function asStorageFailure(error: unknown): StorageFailedError {
  if (error instanceof StorageFailedError) return error;
  return new StorageFailedError(`Storage failed: ${asError(error).message}`, { cause: error });
}

function always(): boolean {
  return true;
}
