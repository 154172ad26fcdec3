import { randomUUID } from 'node:crypto';
import {
  type Belief,
  type CampaignOptions,
  CampaignWithdrawnError,
  type Elector,
  type Guarantees,
  InvalidOptionError,
  type Leadership,
  type NodeId,
  NotStartedError,
  type ObserveOptions,
  type ResignOptions,
  type StepDownReason,
  StoppedError,
  TransferUnsupportedError,
} from '@hustings/elector';
import {
  callback,
  must,
  numberAbove,
  type OptionTable,
  readOptions,
  record,
  required,
} from '@hustings/elector/options';
import {
  type Entry,
  enter,
  type Input,
  isLeading,
  type MachineTypes,
  maySeekOffice,
  type Office,
  type OfficeEvent,
  type Protocol,
  type RoleEffect,
  vacantOffice,
} from '@hustings/elector/protocol';
import { checkNodeId, type Transport } from '@hustings/transport';
import { Beliefs } from './beliefs.js';
import { Campaigns } from './campaigns.js';
import { type Clock, monotonicClock } from './clock.js';
import { type Diagnostic, watchForStalls } from './diagnostics.js';
import { asError, Driver, type FailureType, type Owner, type Step } from './driver.js';
import { Grant } from './leadership.js';
import type { Storage } from './storage.js';

export interface ElectorOptions<Types extends MachineTypes> {
  readonly protocol: Protocol<Types>;
  /** Its id is the node's id. The elector starts it and stops it. */
  readonly transport: Transport<Types['message']>;
  /** The other nodes; needed only where the transport does not know them. If both say who they are, they must agree. */
  readonly peers?: readonly NodeId[] | undefined;
  /** `fileStorage`; or `memoryStorage` for tests, and for protocols that save nothing. The elector closes it. */
  readonly storage: Storage<Types['durable']>;
  readonly clock?: Clock;
  /** From 0 to 1, 1 excluded. Timer delays are drawn with it. */
  readonly random?: () => number;
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
  /** Hears, in order, what only this algorithm has to tell. If it throws, something is missed, so the node leaves. */
  readonly onAnnouncement?: (announcement: Types['announcement']) => void;
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

const rules: OptionTable = {
  protocol: required(record, 'such as raft()'),
  transport: required(record, 'such as webSocketTransport({ … })'),
  peers: must('an array', Array.isArray),
  storage: required(record, 'such as fileStorage({ … })'),
  clock: record,
  random: callback,
  onDiagnostic: callback,
  onAnnouncement: callback,
  stallThresholdMs: numberAbove(0),
  stopTimeoutMs: numberAbove(0),
};

/** Runs `protocol` for real and presents it as an `Elector`. Nothing happens before `start()`. */
export function createElector<Types extends MachineTypes>(
  options: ElectorOptions<Types>,
): RuntimeElector<Types['request']> {
  return new DrivenElector(readOptions<ElectorOptions<Types>>('createElector', options, rules));
}

/** `stopped` is final, whether by `stop()` or by a failure. */
type Phase = 'new' | 'starting' | 'running' | 'stopping' | 'stopped';

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/**
 * The application's view of a driven protocol. The office decides what everything means for the application; this
 * class turns its events into promises and signals.
 */
class DrivenElector<Types extends MachineTypes> implements RuntimeElector<Types['request']>, Owner<Types> {
  readonly id: NodeId;
  readonly guarantees: Guarantees;
  readonly #algorithm: string;
  readonly #transport: Transport<Types['message']>;
  readonly #storage: Storage<Types['durable']>;
  readonly #peers: readonly NodeId[];
  readonly #clock: Clock;
  readonly #onDiagnostic: (diagnostic: Diagnostic) => void;
  readonly #onAnnouncement: (announcement: Types['announcement']) => void;
  readonly #stallThresholdMs: number;
  readonly #stopTimeoutMs: number;
  readonly #holder: string;
  readonly #driver: Driver<Types>;
  readonly #beliefs = new Beliefs((observed) => {
    if (this.#phase === 'running') this.#driver.feed({ type: 'observation-changed', observed });
  });
  readonly #campaigns = new Campaigns(() => this.#withdraw());

  #phase: Phase = 'new';
  #healthy = true;
  #office: Office;
  /** What the application holds while the office says that it leads. */
  #grant: Grant | null = null;
  #resignation: Deferred | null = null;
  #hasResigned = false;
  #failure: Error | null = null;

  #started: Promise<void> | null = null;
  #stopped: Deferred | null = null;
  #closed: Promise<void> | null = null;

  #cancelLeaseTimer = noop;
  #cancelCampaignRetry = noop;
  #cancelStallWatch = noop;

  constructor(options: ElectorOptions<Types>) {
    const { protocol, transport, storage } = options;
    const peers = readPeers(options);
    this.id = transport.id;
    this.guarantees = protocol.guarantees;
    this.#algorithm = protocol.algorithm;
    this.#transport = transport;
    this.#storage = storage;
    this.#peers = [...peers];
    this.#clock = options.clock ?? monotonicClock;
    this.#onDiagnostic = options.onDiagnostic ?? noop;
    this.#onAnnouncement = options.onAnnouncement ?? noop;
    this.#stallThresholdMs = options.stallThresholdMs ?? 200;
    this.#stopTimeoutMs = options.stopTimeoutMs ?? 1000;
    this.#holder = `${transport.id}#${randomUUID()}`;
    this.#office = vacantOffice(transport.id);
    const random = options.random ?? Math.random;
    this.#driver = new Driver(
      { machine: protocol, transport, peers, storage, clock: this.#clock, random },
      this,
    );
  }

  // ---- What the application calls -------------------------------------------------------------------

  async start(): Promise<void> {
    if (this.#stopped !== null) throw this.#failure ?? new StoppedError(this.id);
    this.#started ??= this.#start();
    await this.#started;
  }

  async campaign({ signal }: CampaignOptions = {}): Promise<Leadership> {
    this.#requireRunning();
    // First, for whoever hears that the last Leadership is over may abort this signal.
    this.lookAtClock();
    signal?.throwIfAborted();
    if (this.#grant !== null) return this.#grant.leadership;
    const won = this.#campaigns.join(signal);
    this.#enter({ type: 'campaign' });
    return won;
  }

  belief(): Belief {
    // A lease may have run out before any timer has noticed.
    this.lookAtClock();
    return this.#beliefs.present;
  }

  observe({ signal }: ObserveOptions = {}): AsyncIterable<Belief> {
    return this.#beliefs.observe(signal);
  }

  async resign({ to }: ResignOptions = {}): Promise<void> {
    if (this.#phase === 'new' || this.#phase === 'starting') throw new NotStartedError(this.id);
    if (to !== undefined) this.#requirePossibleSuccessor(to);
    this.#campaigns.loseAll(new CampaignWithdrawnError(this.id));
    if (this.#phase === 'running') await this.#resign('resigned', to);
    else await this.#resignation?.promise;
  }

  setHealthy(healthy: boolean): void {
    if (this.#healthy === healthy) return;
    this.#healthy = healthy;
    if (this.#phase === 'running') this.#driver.feed({ type: 'health-changed', healthy });
  }

  request(request: Types['request']): void {
    this.#requireRunning();
    this.#driver.feed({ type: 'requested', request });
  }

  stop(): Promise<void> {
    if (this.#stopped === null) {
      // Set first: the work may call stop() again from the abort that this causes.
      this.#stopped = deferred();
      if (this.#phase === 'starting') this.#driver.halt();
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
    try {
      await this.#driver.start();
    } catch (error) {
      // Another elector may take its port and its file as soon as this one has failed.
      await this.#closed;
      throw error;
    }
    if (this.#stopped !== null) throw new StoppedError(this.id);
    this.#watchForStalls();
  }

  async #leave(): Promise<void> {
    if (this.#phase === 'starting') await this.#started?.catch(noop);
    if (this.#phase === 'running') {
      this.#phase = 'stopping';
      this.#campaigns.loseAll(new StoppedError(this.id));
      // A write in progress would otherwise race with the next process that reads the same file.
      await this.#allowTimeFor(Promise.all([this.#resign('stopped'), this.#driver.working]));
    }
    await this.#close('stopped', new StoppedError(this.id));
  }

  async #allowTimeFor(farewell: Promise<unknown>): Promise<void> {
    let cancel = noop;
    const timeout = new Promise<'timeout'>((resolve) => {
      cancel = this.#clock.setTimer(this.#stopTimeoutMs, () => resolve('timeout'));
    });
    const outcome = await Promise.race([farewell, timeout]).finally(() => cancel());
    if (outcome === 'timeout') this.#diagnose({ type: 'stop-timed-out', afterMs: this.#stopTimeoutMs });
  }

  #close(reason: StepDownReason, error: Error): Promise<void> {
    if (this.#closed !== null) return this.#closed;
    this.#phase = 'stopped';
    this.#driver.halt();
    this.#cancelCampaignRetry();
    this.#cancelStallWatch();
    // Last of all, for a closed link invites a successor.
    this.#closed = Promise.resolve().then(() => this.#letGo());
    this.#enter({ type: 'close', reason });
    this.#completeResignation();
    this.#campaigns.loseAll(error);
    this.#beliefs.end();
    return this.#closed;
  }

  async #letGo(): Promise<void> {
    try {
      await this.#transport.stop();
    } catch (error) {
      this.#diagnose({ type: 'transport-failed', error: asError(error) });
    }
    try {
      // It waits for a write in progress, and a disk may never end one.
      await this.#allowTimeFor(Promise.resolve(this.#storage.close?.()));
    } catch (error) {
      this.#diagnose({ type: 'storage-failed', error: asError(error) });
    }
  }

  // ---- What the driver asks -------------------------------------------------------------------------

  begin(): readonly Input<Types>[] {
    this.#phase = 'running';
    return [
      ...(this.#beliefs.isObserved ? [{ type: 'observation-changed', observed: true } as const] : []),
      ...(this.#healthy ? [] : [{ type: 'health-changed', healthy: false } as const]),
    ];
  }

  lookAtClock(): void {
    this.#enter({ type: 'look-at-clock' });
  }

  changeRole(effect: RoleEffect, { input, nowMs }: Step<Types>): Promise<void> | undefined {
    const wasLeading = isLeading(this.#office);
    this.#enter({ type: 'effect', effect, steppedMs: nowMs, answers: input.type });
    // Let `campaign()` resolve first: the lease is already running.
    return !wasLeading && isLeading(this.#office) ? turnOfTheLoop() : undefined;
  }

  announced(announcement: Types['announcement']): void {
    try {
      this.#onAnnouncement(announcement);
    } catch (cause) {
      throw new Error(`onAnnouncement threw: ${asError(cause).message}`, { cause });
    }
  }

  stepped(): void {
    // It may have been asked to resign once more since.
    if (this.#hasResigned && !this.#office.resigning) this.#completeResignation();
  }

  /** Fail-stop: a node that cannot keep its promises must not go on making them. */
  failed(type: FailureType, error: Error): void {
    this.#failure = error;
    this.#stopped ??= deferred();
    void this.#close(type === 'storage-failed' ? type : 'stopped', error).then(this.#stopped.resolve);
    this.#diagnose({ type, error });
  }

  // ---- What the office decides ----------------------------------------------------------------------

  #enter(entry: Entry): void {
    const [office, events] = enter(this.#office, entry, this.#clock.nowMs());
    this.#office = office;
    // First, for whoever hears that a Leadership is over may ask what this node believes.
    this.#beliefs.change(office.belief);
    for (const event of events) this.#carryOut(event);
  }

  #carryOut(event: OfficeEvent): void {
    switch (event.type) {
      case 'began':
        this.#grant = new Grant({ ...event, holder: this.#holder, clock: this.#clock });
        this.#setLeaseTimer(event.deadlineMs);
        this.#campaigns.winAll(this.#grant.leadership);
        break;
      case 'renewed':
        this.#grant?.extendTo(event.deadlineMs);
        this.#setLeaseTimer(event.deadlineMs);
        break;
      case 'ended':
        this.#endLeadership(event.reason);
        break;
      case 'expired':
        this.#onExpired(event);
        break;
      case 'stand':
        this.#stand(event.afterMs);
        break;
      case 'resign':
        this.#cancelCampaignRetry();
        this.#driver.feed({ ...event, type: 'resign-requested' });
        break;
      case 'resigned':
        this.#hasResigned = true;
        break;
      case 'violated':
        throw new Error(`The protocol ${this.#algorithm} broke its contract: ${event.what}.`);
    }
  }

  #endLeadership(reason: StepDownReason): void {
    const grant = this.#grant;
    this.#grant = null;
    this.#cancelLeaseTimer();
    grant?.end(reason);
  }

  /** Does not wait for anything, least of all for a save in progress: the next leader may begin now. */
  #onExpired({ token, deadlineMs }: Extract<OfficeEvent, { type: 'expired' }>): void {
    this.#driver.feedFirst({ type: 'lease-expired' }, () => this.#office.tenure?.token === token);
    this.#diagnose({ type: 'lease-lapsed', token, lateMs: this.#clock.nowMs() - deadlineMs });
  }

  #setLeaseTimer(deadlineMs: number): void {
    this.#cancelLeaseTimer();
    if (deadlineMs === Number.POSITIVE_INFINITY) return;
    this.#cancelLeaseTimer = this.#clock.setTimer(deadlineMs - this.#clock.nowMs(), () => this.lookAtClock());
  }

  #stand(afterMs: number): void {
    this.#cancelCampaignRetry();
    const stand = () => {
      if (maySeekOffice(this.#office)) this.#driver.feed({ type: 'campaign-requested' });
    };
    if (afterMs === 0) stand();
    else this.#cancelCampaignRetry = this.#clock.setTimer(afterMs, stand);
  }

  // ---- Resigning ------------------------------------------------------------------------------------

  /** Nobody here wants to lead any more. */
  #withdraw(): void {
    if (this.#phase === 'running') void this.#resign('resigned');
  }

  #resign(reason: 'resigned' | 'stopped', to?: NodeId): Promise<void> {
    this.#resignation ??= deferred();
    const { promise } = this.#resignation;
    this.#enter(to === undefined ? { type: 'resign', reason } : { type: 'resign', reason, to });
    if (!this.#office.resigning) this.#completeResignation();
    return promise;
  }

  #completeResignation(): void {
    this.#hasResigned = false;
    this.#resignation?.resolve();
    this.#resignation = null;
  }

  // ---- Questions ------------------------------------------------------------------------------------

  #requireRunning(): void {
    if (this.#phase === 'new' || this.#phase === 'starting') throw new NotStartedError(this.id);
    if (this.#phase !== 'running') throw this.#failure ?? new StoppedError(this.id);
  }

  #requirePossibleSuccessor(to: NodeId): void {
    if (!this.guarantees.targetedTransfer) throw new TransferUnsupportedError(this.#algorithm);
    if (!this.#peers.includes(to))
      throw new InvalidOptionError(`'to' must be a peer of ${this.id}; ${to} is not.`);
  }

  #watchForStalls(): void {
    this.#cancelStallWatch = watchForStalls({
      clock: this.#clock,
      thresholdMs: this.#stallThresholdMs,
      onStall: (forMs) => {
        this.lookAtClock();
        this.#diagnose({ type: 'stalled', forMs });
      },
    });
  }

  #diagnose(diagnostic: Diagnostic): void {
    // A broken listener must not break the election, whether it throws or its promise is rejected.
    (async () => this.#onDiagnostic(diagnostic))().catch(noop);
  }
}

/** Who the others are is said once, by the transport or here; of two answers, one would be believed by nobody. */
function readPeers<Types extends MachineTypes>({ transport, peers }: ElectorOptions<Types>): NodeId[] {
  const given = peers ?? transport.peers;
  if (given === undefined)
    throw new InvalidOptionError("createElector: option 'peers' is missing: the other nodes.");
  for (const id of [transport.id, ...given]) checkNodeId(id);
  if (given.includes(transport.id) || new Set(given).size !== given.length) {
    throw new InvalidOptionError(`'peers' must name each other node once, and not ${transport.id} itself.`);
  }
  if (transport.peers !== undefined && !isSameSet(given, transport.peers)) {
    throw new InvalidOptionError(
      `createElector: option 'peers' names [${given.join(', ')}], but the transport knows [${transport.peers.join(', ')}]; leave it out, and the transport's are used.`,
    );
  }
  return [...given];
}

function isSameSet(left: readonly NodeId[], right: readonly NodeId[]): boolean {
  return left.length === right.length && left.every((id) => right.includes(id));
}

function deferred(): Deferred {
  let resolve = noop;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function noop(): void {}
