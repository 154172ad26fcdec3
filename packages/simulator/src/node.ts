import type { Belief, NodeId } from '@hustings/elector';
import {
  type DelayRangeMs,
  isLeading,
  type Machine,
  type MachineTypes,
  type NodeView,
  type Office,
  type Protocol,
  type Tenure,
  vacantOffice,
} from '@hustings/elector/protocol';

import { nameOfLife } from './links.js';

/** Only the state's type is left open: the simulator never looks into messages or timers. */
export interface AnyTypes<State> extends MachineTypes {
  readonly state: State;
}

export type AnyMachine<State> = Machine<AnyTypes<State>>;
export type AnyProtocol<State> = Protocol<AnyTypes<State>>;

/** A timer that was set at least once. At most one event in the queue stands for it. */
export interface TimerSlot {
  readonly name: string;
  armed: boolean;
  /** When it should fire. Moved later without touching the queue; the event looks here when it comes up. */
  dueMs: number;
  /** When its event comes up; `Infinity` if none is queued. */
  queuedMs: number;
}

export type NodeStatus = 'running' | 'paused' | 'crashed';

/** One simulated process. Written by `Simulation` alone. */
export class SimulatedNode<State> implements NodeView<State> {
  readonly id: NodeId;
  readonly index: number;
  /** A coordinator rather than a candidate. */
  readonly isService: boolean;
  readonly machine: AnyMachine<State>;
  state: State;
  /** What a restarted node steps from first. Until then `state` is that of its last life, for comparison. */
  beginsWith: State | null = null;
  durable: unknown;
  hasSaved = false;
  /** How long a save takes; null for no time at all. */
  readonly saveMs: DelayRangeMs | null;
  /** What is still to be done after a save waits for it, and so does every input. */
  isSaving = false;
  /** What it was before the step whose save is in progress: nobody has been told of what it is since. */
  beforeSave: State | null = null;
  status: NodeStatus = 'running';
  /** Counts restarts: what was on its way to an earlier life never arrives. */
  incarnation = 0;
  office: Office;
  readonly timers = new Map<string, TimerSlot>();
  readonly leaseTimer: TimerSlot = {
    name: 'lease',
    armed: false,
    dueMs: 0,
    queuedMs: Number.POSITIVE_INFINITY,
  };
  /** Whether its application wants to lead: it campaigns again after every loss. */
  wantsToLead: boolean;
  /** Its clock reads `clockBaseMs + (now − clockSinceMs) × clockRate`. */
  clockRate = 1;
  clockBaseMs = 0;
  clockSinceMs = 0;

  readonly #world: { readonly nowMs: number };
  readonly #everyone: readonly NodeId[];

  constructor(
    world: { readonly nowMs: number },
    id: NodeId,
    index: number,
    everyone: readonly NodeId[],
    machine: AnyMachine<State>,
    { isService = false, saveMs = null }: { isService?: boolean; saveMs?: DelayRangeMs | null } = {},
  ) {
    this.#world = world;
    this.id = id;
    this.index = index;
    this.#everyone = everyone;
    this.isService = isService;
    this.saveMs = saveMs;
    this.wantsToLead = !isService;
    this.machine = machine;
    this.office = vacantOffice(id);
    this.state = machine.initialState(id, this.peers, nameOfLife(id, 0));
  }

  /** Made when asked for: in a cluster of thousands, all lists of peers together are millions of names. */
  get peers(): readonly NodeId[] {
    return this.#everyone.filter((other) => other !== this.id);
  }

  get running(): boolean {
    return this.status === 'running';
  }

  get belief(): Belief {
    return this.office.belief;
  }

  /** A lease that has run out is over, even at the very moment at which its timer is still to come up. */
  get leading(): boolean {
    const { office } = this;
    return isLeading(office) && this.localMs(this.#world.nowMs) < office.tenure!.deadlineMs;
  }

  /** What its application holds; the deadline is on the node's own clock. */
  get leadership(): Tenure | null {
    return isLeading(this.office) ? this.office.tenure : null;
  }

  localMs(nowMs: number): number {
    return this.clockBaseMs + (nowMs - this.clockSinceMs) * this.clockRate;
  }

  /** A process has a clock of its own, which begins anywhere. */
  restartClock(originMs: number, nowMs: number): void {
    this.clockBaseMs = originMs;
    this.clockSinceMs = nowMs;
  }

  setClockRate(rate: number, nowMs: number): void {
    this.clockBaseMs = this.localMs(nowMs);
    this.clockSinceMs = nowMs;
    this.clockRate = rate;
  }
}
