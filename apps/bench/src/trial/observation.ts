/**
 * What both modes measure, defined once. The simulated and the live trial report the same sightings; this
 * turns them into the numbers of design.md §6.
 */

import type { FencingToken, NodeId } from '@hustings/elector';
import type { FaultPlan } from '../plan/faults.js';

/** Something that a node did, or that was done to it. Times are on one clock for all nodes. */
export type Sighting = { readonly atMs: number } & (
  | { readonly type: 'began'; readonly node: NodeId; readonly holder: string; readonly token: FencingToken }
  | { readonly type: 'ended'; readonly node: NodeId }
  /** A paused node holds its Leadership, but it does not run. */
  | { readonly type: 'paused' | 'resumed'; readonly node: NodeId }
  | { readonly type: 'believed'; readonly node: NodeId; readonly leaderId: NodeId | null }
  | { readonly type: 'campaigned'; readonly node: NodeId }
  /** `kind` is the message's own type. */
  | { readonly type: 'sent'; readonly kind: string; readonly periodic: boolean }
  /**
   * A leader wrote to the store; `accepted` is the answer of the fenced one. The unfenced one accepts everything.
   * `committed` is false while the coordinator that elected the leader could not commit a write of its.
   */
  | {
      readonly type: 'wrote';
      readonly holder: string;
      readonly token: FencingToken;
      readonly accepted: boolean;
      readonly committed?: boolean;
    }
);

/** How one trial went. Times count from the fault; null means that it did not happen. */
export interface TrialOutcome {
  readonly resolution: 'replaced' | 'kept' | 'unresolved';
  readonly detectionMs: number | null;
  readonly failoverMs: number | null;
  readonly convergenceMs: number | null;
  /** Until a write of a new leader got through: the fenced store took it, and so would the coordinator have. */
  readonly nextWriteMs: number | null;
  /** Until the new Leadership began, without heartbeats and keep-alives. */
  readonly failoverMessages: number | null;
  /** From the fault to convergence, without heartbeats and keep-alives. */
  readonly electionMessages: number | null;
  readonly totalMessages: number | null;
  /** What `totalMessages` is made of; empty where that is null. */
  readonly messagesByType: Readonly<Record<string, number>>;
  readonly steadyPerSecond: number | null;
  /** One for each split-brain incident. */
  readonly overlapsMs: readonly number[];
  /** Who led when, from the fault to the end; empty unless two led at once. For drawing. */
  readonly tenures: readonly DrawnTenure[];
  readonly staleAttempted: number;
  readonly staleAcceptedFenced: number;
}

/** A Leadership as it is drawn: times count from the fault. */
export interface DrawnTenure {
  readonly node: NodeId;
  readonly fromMs: number;
  readonly toMs: number;
}

interface Tenure {
  readonly node: NodeId;
  readonly holder: string;
  readonly beganMs: number;
  /** Leaderships are numbered as they begin: the greater, the newer. */
  readonly number: number;
}

interface NodeRecord {
  tenure: Tenure | null;
  paused: boolean;
  leaderId: NodeId | null;
}

export class Observation {
  readonly #nodes: ReadonlyMap<NodeId, NodeRecord>;
  /** How many nodes hold a Leadership. */
  #holding = 0;
  /** Answers are kept until something changes: the question is asked after every event. */
  #settled: { readonly leader: NodeId | null } | null = null;
  readonly #tenures = new Map<string, Tenure>();
  readonly #overlapsMs: number[] = [];
  #newest: Tenure | null = null;
  #overlapSinceMs: number | null = null;
  #quietSinceMs: number | null = null;
  #steadyPerSecond: number | null = null;
  #plan: FaultPlan | null = null;
  #faultAtMs = 0;
  /** The newest Leadership when the fault struck, and whose it was. */
  #former: { readonly node: NodeId; readonly number: number } | null = null;
  #detectionMs: number | null = null;
  #failoverMs: number | null = null;
  #convergenceMs: number | null = null;
  /** Whether the old leader was rightly in office when the time was up, and whether all believed in it then. */
  #stayed = false;
  #kept = false;
  #healthy: ReadonlySet<NodeId> = new Set();
  #nextWriteMs: number | null = null;
  #failoverMessages: number | null = null;
  readonly #drawn: DrawnTenure[] = [];
  #sent = 0;
  #sentPeriodic = 0;
  #sentByType: Record<string, number> = {};
  #messagesAtConvergence: {
    readonly election: number;
    readonly total: number;
    readonly byType: Readonly<Record<string, number>>;
  } | null = null;
  #staleAttempted = 0;
  #staleAcceptedFenced = 0;

  constructor(nodes: readonly NodeId[]) {
    this.#nodes = new Map(nodes.map((node) => [node, { tenure: null, paused: false, leaderId: null }]));
  }

  /** Every node believes in one leader, and that one alone leads. */
  get settledLeader(): NodeId | null {
    this.#settled ??= { leader: this.#findSettledLeader() };
    return this.#settled.leader;
  }

  get converged(): boolean {
    return this.#convergenceMs !== null;
  }

  /** Starts the window in which steady-state messages are counted. */
  quietBegins(atMs: number): void {
    this.#quietSinceMs = atMs;
    this.#sent = 0;
  }

  faultStrikes(atMs: number, leader: NodeId, plan: FaultPlan): void {
    if (this.#quietSinceMs !== null && atMs > this.#quietSinceMs) {
      this.#steadyPerSecond = (this.#sent * 1000) / (atMs - this.#quietSinceMs);
    }
    this.#plan = plan;
    this.#faultAtMs = atMs;
    this.#former = { node: leader, number: this.#newest?.number ?? -1 };
    this.#healthy = new Set(plan.healthy);
    this.#sent = 0;
    this.#sentPeriodic = 0;
    this.#sentByType = {};
  }

  /** The time for a new leader is up. Where the old one may stay, this is when it is looked at. */
  limitReached(): void {
    if (this.#plan === null || this.converged) return;
    this.#stayed = !this.#plan.demandsSuccessor && this.#failoverMs === null && this.#formerLeads();
    this.#kept = this.#stayed && this.#allBelieveIn(this.#former!.node, this.#healthy);
    this.#plan = null;
  }

  record(sighting: Sighting): void {
    switch (sighting.type) {
      case 'began':
        this.#begin(sighting);
        break;
      case 'ended':
        this.#end(sighting.node, sighting.atMs);
        this.#noticeOverlap(sighting.atMs);
        break;
      case 'paused':
      case 'resumed': {
        const node = this.#node(sighting.node);
        const paused = sighting.type === 'paused';
        if (node.paused === paused) break;
        node.paused = paused;
        this.#noticeOverlap(sighting.atMs);
        break;
      }
      case 'believed': {
        const node = this.#node(sighting.node);
        if (node.leaderId === sighting.leaderId) break;
        node.leaderId = sighting.leaderId;
        this.#settled = null;
        this.#noticeConvergence(sighting.atMs);
        break;
      }
      case 'campaigned':
        // A leader that was restarted campaigns at once, whether or not anybody has missed it.
        if (this.#healthy.has(sighting.node) && this.#plan !== null && this.#former?.node !== sighting.node) {
          this.#detectionMs ??= sighting.atMs - this.#faultAtMs;
        }
        break;
      case 'sent':
        this.#sent += 1;
        if (sighting.periodic) this.#sentPeriodic += 1;
        if (this.#former !== null && !this.converged) {
          this.#sentByType[sighting.kind] = (this.#sentByType[sighting.kind] ?? 0) + 1;
        }
        break;
      case 'wrote':
        this.#judgeWrite(sighting);
        break;
    }
  }

  finish(atMs: number): TrialOutcome {
    this.#endOverlap(atMs);
    if (this.#overlapsMs.length > 0) for (const node of this.#nodes.keys()) this.#end(node, atMs);
    // A node that had a passing doubt just when the time was up may have returned to its leader since.
    const kept =
      this.#kept ||
      (this.#stayed && this.#formerLeads() && this.#allBelieveIn(this.#former!.node, this.#healthy));
    return {
      resolution: this.converged ? 'replaced' : kept ? 'kept' : 'unresolved',
      detectionMs: this.#detectionMs,
      failoverMs: this.#failoverMs,
      convergenceMs: this.#convergenceMs,
      nextWriteMs: this.#nextWriteMs,
      failoverMessages: this.#failoverMessages,
      electionMessages: this.#messagesAtConvergence?.election ?? null,
      totalMessages: this.#messagesAtConvergence?.total ?? null,
      messagesByType: this.#messagesAtConvergence?.byType ?? {},
      steadyPerSecond: this.#steadyPerSecond,
      overlapsMs: this.#overlapsMs,
      tenures: this.#overlapsMs.length === 0 ? [] : this.#drawn,
      staleAttempted: this.#staleAttempted,
      staleAcceptedFenced: this.#staleAcceptedFenced,
    };
  }

  #begin({ atMs, node, holder, token }: Extract<Sighting, { type: 'began' }>): void {
    const tenure: Tenure = { node, holder, beganMs: atMs, number: (this.#newest?.number ?? -1) + 1 };
    this.#newest = tenure;
    this.#tenures.set(tenureKey(holder, token), tenure);
    this.#end(node, atMs);
    this.#node(node).tenure = tenure;
    this.#holding += 1;
    this.#settled = null;
    if (this.#plan !== null && this.#healthy.has(node) && this.#failoverMs === null) {
      this.#failoverMs = atMs - this.#faultAtMs;
      // Whoever is told in one answer that the others are gone and that its turn has come seeks nothing first.
      if (node !== this.#former?.node) this.#detectionMs ??= this.#failoverMs;
      this.#failoverMessages = this.#sent - this.#sentPeriodic;
    }
    this.#noticeOverlap(atMs);
    this.#noticeConvergence(atMs);
  }

  #end(node: NodeId, atMs: number): void {
    const record = this.#node(node);
    if (record.tenure === null) return;
    const { beganMs } = record.tenure;
    record.tenure = null;
    this.#holding -= 1;
    this.#settled = null;
    if (this.#former === null) return;
    const fromMs = Math.max(beganMs, this.#faultAtMs) - this.#faultAtMs;
    this.#drawn.push({ node, fromMs, toMs: atMs - this.#faultAtMs });
  }

  #findSettledLeader(): NodeId | null {
    if (this.#holding !== 1) return null;
    for (const [node, { tenure }] of this.#nodes) {
      if (tenure !== null) return this.#allBelieveIn(node, this.#nodes.keys()) ? node : null;
    }
    return null;
  }

  /** 'That leader' is the one in whom they come to agree: a first one may have given way to a second. */
  #noticeConvergence(atMs: number): void {
    if (this.#plan === null || this.#failoverMs === null || this.converged) return;
    const healthy = this.#healthy;
    const leader = this.#node(this.#plan.healthy[0]!).leaderId;
    if (leader === null || !healthy.has(leader) || !this.#allBelieveIn(leader, healthy)) return;
    const tenure = this.#node(leader).tenure;
    if (tenure === null || tenure.number <= this.#former!.number) return;
    this.#convergenceMs = atMs - this.#faultAtMs;
    this.#messagesAtConvergence = {
      election: this.#sent - this.#sentPeriodic,
      total: this.#sent,
      byType: { ...this.#sentByType },
    };
  }

  #noticeOverlap(atMs: number): void {
    let leaders = 0;
    // Nearly always fewer than two: then there is nobody to look for.
    if (this.#holding >= 2) {
      for (const { tenure, paused } of this.#nodes.values()) if (tenure !== null && !paused) leaders += 1;
    }
    if (leaders < 2) this.#endOverlap(atMs);
    else this.#overlapSinceMs ??= atMs;
  }

  /** An overlap of no duration is none: nothing can be done in it. */
  #endOverlap(atMs: number): void {
    if (this.#overlapSinceMs === null) return;
    // What happened before the fault is not its doing.
    const overlapMs = atMs - Math.max(this.#overlapSinceMs, this.#faultAtMs);
    if (overlapMs > 0 && this.#former !== null) this.#overlapsMs.push(overlapMs);
    this.#overlapSinceMs = null;
  }

  #judgeWrite({
    atMs,
    holder,
    token,
    accepted,
    committed = true,
  }: Extract<Sighting, { type: 'wrote' }>): void {
    const tenure = this.#tenures.get(tenureKey(holder, token));
    if (this.#former === null || tenure === undefined) return;
    const isSuccessor = tenure.number > this.#former.number && this.#healthy.has(tenure.node);
    if (accepted && committed && isSuccessor && this.#failoverMs !== null) {
      this.#nextWriteMs ??= atMs - this.#faultAtMs;
    }
    if (tenure === this.#newest) return;
    this.#staleAttempted += 1;
    if (accepted) this.#staleAcceptedFenced += 1;
  }

  #formerLeads(): boolean {
    if (this.#former === null) return false;
    return this.#node(this.#former.node).tenure?.number === this.#former.number;
  }

  #allBelieveIn(leader: NodeId, nodes: Iterable<NodeId>): boolean {
    for (const node of nodes) if (this.#node(node).leaderId !== leader) return false;
    return true;
  }

  #node(id: NodeId): NodeRecord {
    const node = this.#nodes.get(id);
    if (node === undefined) throw new RangeError(`There is no node ${id} in this trial.`);
    return node;
  }
}

const tenureKey = (holder: string, token: FencingToken): string => `${token} ${holder}`;
