/**
 * What both modes measure, defined once. The simulated and the live trial report the same sightings; this
 * turns them into the numbers of design.md §6.
 */

import type { FencingToken, NodeId } from '@hustings/elector';
import type { FaultPlan } from './faults.js';

/** Something that a node did, or that was done to it. Times are on one clock for all nodes. */
export type Sighting = { readonly atMs: number } & (
  | { readonly type: 'began'; readonly node: NodeId; readonly holder: string; readonly token: FencingToken }
  | { readonly type: 'ended'; readonly node: NodeId }
  /** A paused node holds its Leadership, but it does not run. */
  | { readonly type: 'paused' | 'resumed'; readonly node: NodeId }
  | { readonly type: 'believed'; readonly node: NodeId; readonly leaderId: NodeId | null }
  | { readonly type: 'campaigned'; readonly node: NodeId }
  | { readonly type: 'sent'; readonly periodic: boolean }
  /** A leader wrote to the store; `accepted` is the answer of the fenced one. The unfenced one accepts everything. */
  | {
      readonly type: 'wrote';
      readonly holder: string;
      readonly token: FencingToken;
      readonly accepted: boolean;
    }
);

/** How one trial went. Times count from the fault; null means that it did not happen. */
export interface TrialOutcome {
  readonly resolution: 'replaced' | 'kept' | 'unresolved';
  readonly detectionMs: number | null;
  readonly failoverMs: number | null;
  readonly convergenceMs: number | null;
  /** From the fault to convergence, without heartbeats and keep-alives. */
  readonly electionMessages: number | null;
  readonly totalMessages: number | null;
  readonly steadyPerSecond: number | null;
  /** One for each split-brain incident. */
  readonly overlapsMs: readonly number[];
  readonly staleAttempted: number;
  readonly staleAcceptedFenced: number;
}

interface Tenure {
  readonly holder: string;
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
  #healthy: readonly NodeId[] = [];
  #sent = 0;
  #sentPeriodic = 0;
  #messagesAtConvergence: { readonly election: number; readonly total: number } | null = null;
  #staleAttempted = 0;
  #staleAcceptedFenced = 0;

  constructor(nodes: readonly NodeId[]) {
    this.#nodes = new Map(nodes.map((node) => [node, { tenure: null, paused: false, leaderId: null }]));
  }

  /** Every node believes in one leader, and that one alone leads. */
  get settledLeader(): NodeId | null {
    let leader: NodeId | null = null;
    for (const [node, { tenure }] of this.#nodes) {
      if (tenure === null) continue;
      if (leader !== null) return null;
      leader = node;
    }
    return leader !== null && this.#allBelieveIn(leader, this.#nodes.keys()) ? leader : null;
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
    this.#sent = 0;
    this.#sentPeriodic = 0;
  }

  /** The time for a new leader is up. Where the old one may stay, this is when it is looked at. */
  limitReached(): void {
    if (this.#plan === null || this.converged) return;
    this.#stayed = !this.#plan.demandsSuccessor && this.#failoverMs === null && this.#formerLeads();
    this.#healthy = this.#plan.healthy;
    this.#kept = this.#stayed && this.#allBelieveIn(this.#former!.node, this.#healthy);
    this.#plan = null;
  }

  record(sighting: Sighting): void {
    switch (sighting.type) {
      case 'began':
        this.#begin(sighting);
        break;
      case 'ended':
        this.#node(sighting.node).tenure = null;
        this.#noticeOverlap(sighting.atMs);
        break;
      case 'paused':
      case 'resumed':
        this.#node(sighting.node).paused = sighting.type === 'paused';
        this.#noticeOverlap(sighting.atMs);
        break;
      case 'believed':
        this.#node(sighting.node).leaderId = sighting.leaderId;
        this.#noticeConvergence(sighting.atMs);
        break;
      case 'campaigned':
        if (this.#plan?.healthy.includes(sighting.node)) {
          this.#detectionMs ??= sighting.atMs - this.#faultAtMs;
        }
        break;
      case 'sent':
        this.#sent += 1;
        if (sighting.periodic) this.#sentPeriodic += 1;
        break;
      case 'wrote':
        this.#judgeWrite(sighting);
        break;
    }
  }

  finish(atMs: number): TrialOutcome {
    this.#endOverlap(atMs);
    // A node that had a passing doubt just when the time was up may have returned to its leader since.
    const kept =
      this.#kept ||
      (this.#stayed && this.#formerLeads() && this.#allBelieveIn(this.#former!.node, this.#healthy));
    return {
      resolution: this.converged ? 'replaced' : kept ? 'kept' : 'unresolved',
      detectionMs: this.#detectionMs,
      failoverMs: this.#failoverMs,
      convergenceMs: this.#convergenceMs,
      electionMessages: this.#messagesAtConvergence?.election ?? null,
      totalMessages: this.#messagesAtConvergence?.total ?? null,
      steadyPerSecond: this.#steadyPerSecond,
      overlapsMs: this.#overlapsMs,
      staleAttempted: this.#staleAttempted,
      staleAcceptedFenced: this.#staleAcceptedFenced,
    };
  }

  #begin({ atMs, node, holder, token }: Extract<Sighting, { type: 'began' }>): void {
    const tenure: Tenure = { holder, number: (this.#newest?.number ?? -1) + 1 };
    this.#newest = tenure;
    this.#tenures.set(tenureKey(holder, token), tenure);
    this.#node(node).tenure = tenure;
    if (this.#plan?.healthy.includes(node)) this.#failoverMs ??= atMs - this.#faultAtMs;
    this.#noticeOverlap(atMs);
    this.#noticeConvergence(atMs);
  }

  /** 'That leader' is the one in whom they come to agree: a first one may have given way to a second. */
  #noticeConvergence(atMs: number): void {
    if (this.#plan === null || this.#failoverMs === null || this.converged) return;
    const { healthy } = this.#plan;
    const leader = this.#node(healthy[0]!).leaderId;
    if (leader === null || !healthy.includes(leader) || !this.#allBelieveIn(leader, healthy)) return;
    const tenure = this.#node(leader).tenure;
    if (tenure === null || tenure.number <= this.#former!.number) return;
    this.#convergenceMs = atMs - this.#faultAtMs;
    this.#messagesAtConvergence = { election: this.#sent - this.#sentPeriodic, total: this.#sent };
  }

  #noticeOverlap(atMs: number): void {
    let leaders = 0;
    for (const { tenure, paused } of this.#nodes.values()) if (tenure !== null && !paused) leaders += 1;
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

  #judgeWrite({ holder, token, accepted }: Extract<Sighting, { type: 'wrote' }>): void {
    const tenure = this.#tenures.get(tenureKey(holder, token));
    if (this.#former === null || tenure === undefined || tenure === this.#newest) return;
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
