import { randomUUID } from 'node:crypto';
import {
  type Belief,
  type CampaignOptions,
  CampaignWithdrawnError,
  type Elector,
  type FencingToken,
  type Guarantees,
  InvalidOptionError,
  type Leadership,
  type NodeId,
  NotStartedError,
  type ObserveOptions,
  type ResignOptions,
  type StepDownReason,
  StoppedError,
  StorageFailedError,
  TransferUnsupportedError,
} from '@hustings/elector';
import {
  believe,
  type DelayRangeMs,
  type Effect,
  type Input,
  type Protocol,
  type ProtocolMessage,
  type RoleEffect,
  undecided,
} from '@hustings/elector/protocol';
import type { Transport } from '@hustings/transport';
import { Beliefs } from './beliefs.js';
import { Campaigns } from './campaigns.js';
import { type Clock, monotonicClock } from './clock.js';
import { type Diagnostic, watchForStalls } from './diagnostics.js';
import { Tenure } from './leadership.js';
import type { Storage } from './storage.js';

export interface ElectorOptions<
  State,
  Message extends ProtocolMessage,
  Durable,
  Timer extends string,
  Request = never,
  Announcement = never,
> {
  readonly protocol: Protocol<State, Message, Durable, Timer, Request, Announcement>;
  /** Its id is the node's id. The elector starts it and stops it. */
  readonly transport: Transport<Message>;
  /** The other nodes. */
  readonly peers: readonly NodeId[];
  /** `fileStorage`; or `memoryStorage` for tests, and for protocols that save nothing. */
  readonly storage: Storage<Durable>;
  readonly clock?: Clock;
  /** From 0 to 1, 1 excluded. Timer delays are drawn with it. */
  readonly random?: () => number;
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
  /** Hears, in order, what only this algorithm has to tell. */
  readonly onAnnouncement?: (announcement: Announcement) => void;
  /** How late the event loop may run before it is reported as stalled. Default 200. */
  readonly stallThresholdMs?: number;
  /** How long `stop()` waits for the resignation to be acknowledged before it leaves all the same. Default 1000. */
  readonly stopTimeoutMs?: number;
}

export interface RuntimeElector<Request = never> extends Elector {
  /** Asks the protocol for something that only this algorithm offers. */
  request(request: Request): void;
  /** Tells the protocol whether this process is fit to lead. It is taken to be fit until told otherwise. */
  setHealthy(healthy: boolean): void;
}

/** Runs `protocol` for real and presents it as an `Elector`. Nothing happens before `start()`. */
export function createElector<
  State,
  Message extends ProtocolMessage,
  Durable,
  Timer extends string,
  Request = never,
  Announcement = never,
>(options: ElectorOptions<State, Message, Durable, Timer, Request, Announcement>): RuntimeElector<Request> {
  return new Driver(options);
}

/** `stopped` is final, whether by `stop()` or by a failure. */
type Phase = 'new' | 'starting' | 'running' | 'stopping' | 'stopped';

interface QueuedInput<Message extends ProtocolMessage, Durable, Timer extends string, Request> {
  readonly input: Input<Message, Durable, Timer, Request>;
  /** False when what the input tells of has been called off while it waited. */
  readonly isCurrent: () => boolean;
}

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

const stallIntervalMs = 50;

/** A protocol that answers `campaign-requested` with `step-down` is asked again, but not in a tight loop. */
const campaignRetryMs = 100;

/**
 * One input at a time: step, then its effects in their order. A save is awaited, and nothing else is stepped
 * meanwhile; only the end of a lease does not wait for it.
 */
class Driver<State, Message extends ProtocolMessage, Durable, Timer extends string, Request, Announcement>
  implements RuntimeElector<Request>
{
  readonly id: NodeId;
  readonly guarantees: Guarantees;
  readonly #protocol: Protocol<State, Message, Durable, Timer, Request, Announcement>;
  readonly #transport: Transport<Message>;
  readonly #peers: readonly NodeId[];
  readonly #storage: Storage<Durable>;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #onDiagnostic: (diagnostic: Diagnostic) => void;
  readonly #onAnnouncement: (announcement: Announcement) => void;
  readonly #stallThresholdMs: number;
  readonly #stopTimeoutMs: number;
  readonly #holder: string;

  readonly #beliefs = new Beliefs((observed) => {
    if (this.#phase === 'running') this.#feed({ type: 'observation-changed', observed });
  });
  readonly #campaigns = new Campaigns(() => this.#withdraw());
  readonly #queue: QueuedInput<Message, Durable, Timer, Request>[] = [];
  readonly #timers = new Map<Timer, { readonly cancel: () => void }>();

  #state: State;
  #phase: Phase = 'new';
  #healthy = true;
  #tenure: Tenure | null = null;
  /** From `resign-requested` until the protocol has answered it with `step-down('resigned')`. */
  #resignation: Deferred | null = null;
  #failure: Error | null = null;

  #started: Promise<void> | null = null;
  #stopped: Deferred | null = null;
  #closed: Promise<void> | null = null;
  /** Settles when the queue has been worked off; null while nothing is being stepped. */
  #working: Promise<void> | null = null;

  #cancelLeaseTimer = noop;
  #cancelCampaignRetry = noop;
  #cancelStallWatch = noop;

  constructor(options: ElectorOptions<State, Message, Durable, Timer, Request, Announcement>) {
    const { protocol, transport, peers } = options;
    if (peers.includes(transport.id) || new Set(peers).size !== peers.length) {
      throw new InvalidOptionError(`'peers' must name each other node once, and not ${transport.id} itself.`);
    }
    this.id = transport.id;
    this.guarantees = protocol.guarantees;
    this.#protocol = protocol;
    this.#transport = transport;
    this.#peers = [...peers];
    this.#storage = options.storage;
    this.#clock = options.clock ?? monotonicClock;
    this.#random = options.random ?? Math.random;
    this.#onDiagnostic = options.onDiagnostic ?? noop;
    this.#onAnnouncement = options.onAnnouncement ?? noop;
    this.#stallThresholdMs = options.stallThresholdMs ?? 200;
    this.#stopTimeoutMs = options.stopTimeoutMs ?? 1000;
    this.#holder = `${transport.id}#${randomUUID()}`;
    this.#state = protocol.initialState(transport.id, this.#peers);
  }

  // ---- What the application calls -------------------------------------------------------------------

  async start(): Promise<void> {
    if (this.#stopped !== null) throw this.#failure ?? new StoppedError(this.id);
    this.#started ??= this.#start();
    await this.#started;
  }

  async campaign({ signal }: CampaignOptions = {}): Promise<Leadership> {
    this.#requireRunning();
    signal?.throwIfAborted();
    this.#endLapsedLeadership();
    if (this.#isLeading() && this.#tenure !== null) return this.#tenure.leadership;
    const won = this.#campaigns.join(signal);
    if (this.#campaigns.count === 1) this.#stand();
    return won;
  }

  belief(): Belief {
    return this.#beliefs.present;
  }

  observe({ signal }: ObserveOptions = {}): AsyncIterable<Belief> {
    return this.#beliefs.observe(signal);
  }

  async resign({ to }: ResignOptions = {}): Promise<void> {
    if (this.#phase === 'new' || this.#phase === 'starting') throw new NotStartedError(this.id);
    if (to !== undefined) this.#requirePossibleSuccessor(to);
    const standing = this.#isStanding();
    this.#campaigns.loseAll(new CampaignWithdrawnError(this.id));
    if (this.#phase === 'running' && standing) await this.#resign('resigned', to);
    else await this.#resignation?.promise;
  }

  setHealthy(healthy: boolean): void {
    if (this.#healthy === healthy) return;
    this.#healthy = healthy;
    if (this.#phase === 'running') this.#feed({ type: 'health-changed', healthy });
  }

  request(request: Request): void {
    this.#requireRunning();
    this.#feed({ type: 'requested', request });
  }

  stop(): Promise<void> {
    if (this.#stopped === null) {
      // Set first: the work may call stop() again from the abort that this causes.
      this.#stopped = deferred();
      void this.#leave().then(this.#stopped.resolve);
    }
    return this.#stopped.promise;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  // ---- Joining and leaving --------------------------------------------------------------------------

  async #start(): Promise<void> {
    this.#phase = 'starting';
    const durable = await this.#load();
    try {
      await this.#transport.start({
        received: (from, message) => this.#feed({ type: 'received', from, message }),
        linkUp: (peer) => this.#feed({ type: 'link-up', peer }),
        linkDown: (peer) => this.#feed({ type: 'link-down', peer }),
      });
    } catch (error) {
      throw this.#fail('transport-failed', asError(error));
    }
    if (this.#stopped !== null) throw new StoppedError(this.id);
    this.#phase = 'running';
    this.#watchForStalls();
    if (!this.#healthy) this.#feedFirst({ type: 'health-changed', healthy: false });
    if (this.#beliefs.isObserved) this.#feedFirst({ type: 'observation-changed', observed: true });
    // Whatever arrived while the transport was starting has been waiting, and goes on waiting behind this.
    this.#feedFirst(durable === undefined ? { type: 'started' } : { type: 'restarted', durable });
  }

  async #leave(): Promise<void> {
    if (this.#phase === 'starting') await this.#started?.catch(noop);
    if (this.#phase === 'running') {
      this.#phase = 'stopping';
      const standing = this.#isStanding();
      this.#campaigns.loseAll(new StoppedError(this.id));
      const resigned = standing ? this.#resign('stopped') : this.#resignation?.promise;
      // A write in progress would otherwise race with the next process that reads the same file.
      await this.#allowTimeFor(Promise.all([resigned, this.#working]));
    }
    await this.#close('stopped', new StoppedError(this.id));
  }

  async #allowTimeFor(farewell: Promise<unknown>): Promise<void> {
    let cancel = noop;
    const timeout = new Promise<'timeout'>((resolve) => {
      cancel = this.#clock.setTimer(this.#stopTimeoutMs, () => resolve('timeout'));
    });
    const outcome = await Promise.race([farewell, timeout]);
    cancel();
    if (outcome === 'timeout') this.#diagnose({ type: 'stop-timed-out', afterMs: this.#stopTimeoutMs });
  }

  /** Fail-stop: a node that cannot keep its promises must not go on making them. */
  #fail(type: 'storage-failed' | 'protocol-failed' | 'transport-failed', error: Error): Error {
    this.#failure = error;
    this.#stopped ??= deferred();
    void this.#close(type === 'storage-failed' ? type : 'stopped', error).then(this.#stopped.resolve);
    this.#diagnose({ type, error });
    return error;
  }

  #close(reason: StepDownReason, error: Error): Promise<void> {
    if (this.#closed !== null) return this.#closed;
    this.#phase = 'stopped';
    this.#queue.length = 0;
    this.#cancelLeaseTimer();
    this.#cancelCampaignRetry();
    this.#cancelStallWatch();
    for (const timer of this.#timers.keys()) this.#cancelTimer(timer);
    // Last of all, for a closed link invites a successor.
    this.#closed = Promise.resolve().then(() => this.#closeTransport());
    this.#tenure?.end(reason);
    this.#tenure = null;
    this.#campaigns.loseAll(error);
    this.#resignation?.resolve();
    this.#resignation = null;
    this.#beliefs.change(undecided);
    this.#beliefs.end();
    return this.#closed;
  }

  async #closeTransport(): Promise<void> {
    try {
      await this.#transport.stop();
    } catch (error) {
      this.#diagnose({ type: 'transport-failed', error: asError(error) });
    }
  }

  // ---- One input at a time --------------------------------------------------------------------------

  #feed(input: Input<Message, Durable, Timer, Request>, isCurrent: () => boolean = always): void {
    if (this.#phase === 'stopped') return;
    this.#queue.push({ input, isCurrent });
    this.#work();
  }

  #feedFirst(input: Input<Message, Durable, Timer, Request>, isCurrent: () => boolean = always): void {
    this.#queue.unshift({ input, isCurrent });
    this.#work();
  }

  #work(): void {
    if (!this.#isActive()) return;
    // In a later microtask, so that no caller of this class has the protocol running inside its own call.
    this.#working ??= Promise.resolve().then(() => this.#workOffQueue());
  }

  async #workOffQueue(): Promise<void> {
    try {
      while (this.#isActive()) {
        // After a pause, messages and timers arrive in any order; the lease that ran out meanwhile is first.
        this.#endLapsedLeadership();
        const next = this.#queue.shift();
        if (next === undefined) break;
        if (next.isCurrent()) await this.#step(next.input);
      }
    } catch (error) {
      if (this.#isActive()) this.#fail('protocol-failed', asError(error));
    } finally {
      this.#working = null;
    }
  }

  async #step(input: Input<Message, Durable, Timer, Request>): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const [state, effects] = this.#protocol.step(this.#state, input, nowMs);
    this.#state = state;
    for (const effect of effects) {
      const wasLeading = this.#isLeading();
      if (effect.type === 'save') await this.#save(effect.durable);
      else this.#perform(effect, nowMs);
      // Whoever has waited for this Leadership has it before there is any more to do: its time runs.
      if (!wasLeading && this.#isLeading()) await turnOfTheLoop();
      if (!this.#isActive()) return;
    }
    const reasons = effects.flatMap((effect) => (effect.type === 'step-down' ? [effect.reason] : []));
    if (reasons.includes('resigned')) this.#completeResignation();
    if (reasons.length > 0) this.#standAgain(input.type === 'campaign-requested' ? campaignRetryMs : 0);
  }

  #perform(
    effect: Exclude<Effect<Message, Durable, Timer, Announcement>, { type: 'save' }>,
    nowMs: number,
  ): void {
    switch (effect.type) {
      case 'send':
        this.#transport.send(effect.to, effect.message);
        break;
      case 'set-timer':
        this.#setTimer(effect.timer, effect.delayMs);
        break;
      case 'cancel-timer':
        this.#cancelTimer(effect.timer);
        break;
      case 'announce':
        this.#onAnnouncement(effect.announcement);
        break;
      case 'lead':
        this.#lead(effect, nowMs);
        break;
      case 'step-down':
        this.#stepDown(effect);
        break;
      case 'campaign':
      case 'follow':
        if (this.#isLeading()) throw this.#violation(`'${effect.type}' while leading`);
        this.#beliefs.change(believe(this.id, this.#beliefs.present, effect));
    }
  }

  #setTimer(timer: Timer, [minMs, maxMs]: DelayRangeMs): void {
    this.#cancelTimer(timer);
    const delayMs = minMs + this.#random() * (maxMs - minMs);
    const setting = {
      cancel: this.#clock.setTimer(delayMs, () =>
        // A timer that was moved or cancelled after it fired, but before that was heard, has not fired.
        this.#feed({ type: 'timer-fired', timer }, () => this.#timers.get(timer) === setting),
      ),
    };
    this.#timers.set(timer, setting);
  }

  #cancelTimer(timer: Timer): void {
    this.#timers.get(timer)?.cancel();
    this.#timers.delete(timer);
  }

  // ---- Storage --------------------------------------------------------------------------------------

  async #load(): Promise<Durable | undefined> {
    try {
      return await this.#storage.load();
    } catch (error) {
      throw this.#fail('storage-failed', asStorageFailure(error));
    }
  }

  async #save(durable: Durable): Promise<void> {
    try {
      await this.#storage.save(durable);
    } catch (error) {
      if (this.#isActive()) this.#fail('storage-failed', asStorageFailure(error));
    }
    this.#endLapsedLeadership();
  }

  // ---- Leading --------------------------------------------------------------------------------------

  #lead(effect: Extract<RoleEffect, { type: 'lead' }>, nowMs: number): void {
    const deadlineMs = nowMs + (effect.validForMs ?? Infinity);
    if (this.#tenure === null) this.#tenure = this.#beginTenure(effect.token, deadlineMs);
    else this.#extendTenure(this.#tenure, effect.token, deadlineMs);
    this.#setLeaseTimer(deadlineMs);
    // A slow disk may have used up the lease before it could be granted.
    this.#endLapsedLeadership();
    if (this.#tenure.over) return;
    this.#beliefs.change(believe(this.id, this.#beliefs.present, effect));
    this.#campaigns.winAll(this.#tenure.leadership);
  }

  #beginTenure(token: FencingToken, deadlineMs: number): Tenure {
    const tenure = new Tenure({ token, holder: this.#holder, clock: this.#clock, deadlineMs });
    if (this.#resignation !== null) tenure.end('resigned');
    else if (this.#campaigns.count === 0) {
      throw this.#violation("'lead' although the application did not campaign");
    }
    return tenure;
  }

  #extendTenure(tenure: Tenure, token: FencingToken, deadlineMs: number): void {
    if (tenure.token !== token) {
      throw this.#violation(`'lead' with token ${token} while leading with ${tenure.token}`);
    }
    tenure.extendTo(deadlineMs);
  }

  #setLeaseTimer(deadlineMs: number): void {
    this.#cancelLeaseTimer();
    if (deadlineMs === Infinity) return;
    this.#cancelLeaseTimer = this.#clock.setTimer(deadlineMs - this.#clock.nowMs(), () =>
      this.#endLapsedLeadership(),
    );
  }

  /** Does not wait for anything, least of all for a save in progress: the next leader may begin now. */
  #endLapsedLeadership(): void {
    const tenure = this.#tenure;
    if (tenure === null || !tenure.noticeLapse()) return;
    const lateMs = this.#clock.nowMs() - tenure.deadlineMs;
    this.#endLeadership('lease-expired');
    this.#feedFirst({ type: 'lease-expired' }, () => this.#tenure === tenure);
    this.#diagnose({ type: 'lease-lapsed', token: tenure.token, lateMs });
  }

  /** Ends the application's side. The tenure lasts until the protocol has stepped down, too. */
  #endLeadership(reason: StepDownReason): void {
    if (!this.#isLeading()) return;
    this.#tenure?.end(reason);
    this.#beliefs.change(believe(this.id, this.#beliefs.present, { type: 'step-down', reason }));
  }

  #stepDown(effect: Extract<RoleEffect, { type: 'step-down' }>): void {
    this.#tenure?.end(effect.reason);
    this.#tenure = null;
    this.#cancelLeaseTimer();
    this.#beliefs.change(believe(this.id, this.#beliefs.present, effect));
  }

  // ---- Standing and resigning -----------------------------------------------------------------------

  #stand(): void {
    // Otherwise the protocol has yet to step down from what came before, and `#standAgain` follows that.
    if (this.#tenure === null && this.#resignation === null) this.#feed({ type: 'campaign-requested' });
  }

  /** A `step-down` ends the candidacy, but not the wish of those who still wait. */
  #standAgain(delayMs: number): void {
    this.#cancelCampaignRetry();
    if (this.#campaigns.count === 0) return;
    if (delayMs === 0) this.#stand();
    else this.#cancelCampaignRetry = this.#clock.setTimer(delayMs, () => this.#standAgain(0));
  }

  /** Nobody here wants to lead any more. */
  #withdraw(): void {
    if (this.#phase === 'running') void this.#resign('resigned');
  }

  #resign(reason: StepDownReason, to?: NodeId): Promise<void> {
    if (this.#resignation !== null) return this.#resignation.promise;
    this.#resignation = deferred();
    const { promise } = this.#resignation;
    this.#cancelCampaignRetry();
    // Before the protocol hears of it: no message may invite a successor while the work still goes on.
    this.#endLeadership(reason);
    this.#feed(to === undefined ? { type: 'resign-requested' } : { type: 'resign-requested', to });
    return promise;
  }

  #completeResignation(): void {
    this.#resignation?.resolve();
    this.#resignation = null;
  }

  // ---- Questions ------------------------------------------------------------------------------------

  #isActive(): boolean {
    return this.#phase === 'running' || this.#phase === 'stopping';
  }

  #isLeading(): boolean {
    return this.#tenure !== null && !this.#tenure.over;
  }

  #isStanding(): boolean {
    return this.#tenure !== null || this.#campaigns.count > 0;
  }

  #requireRunning(): void {
    if (this.#phase === 'new' || this.#phase === 'starting') throw new NotStartedError(this.id);
    if (this.#phase !== 'running') throw this.#failure ?? new StoppedError(this.id);
  }

  #requirePossibleSuccessor(to: NodeId): void {
    if (!this.guarantees.targetedTransfer) throw new TransferUnsupportedError(this.#protocol.algorithm);
    if (!this.#peers.includes(to))
      throw new InvalidOptionError(`'to' must be a peer of ${this.id}; ${to} is not.`);
  }

  #violation(what: string): Error {
    return new Error(`The protocol ${this.#protocol.algorithm} broke its contract: ${what}.`);
  }

  #watchForStalls(): void {
    this.#cancelStallWatch = watchForStalls({
      clock: this.#clock,
      intervalMs: stallIntervalMs,
      thresholdMs: this.#stallThresholdMs,
      onStall: (forMs) => {
        this.#endLapsedLeadership();
        this.#diagnose({ type: 'stalled', forMs });
      },
    });
  }

  #diagnose(diagnostic: Diagnostic): void {
    try {
      this.#onDiagnostic(diagnostic);
    } catch {
      // A broken listener must not break the election.
    }
  }
}

function deferred(): Deferred {
  let resolve = noop;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function asStorageFailure(error: unknown): StorageFailedError {
  if (error instanceof StorageFailedError) return error;
  return new StorageFailedError(`Storage failed: ${asError(error).message}`, { cause: error });
}

function always(): boolean {
  return true;
}

function noop(): void {}
