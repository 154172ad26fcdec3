import type { Guarantees, NodeId } from '@hustings/elector';
import type { Finding, Invariants, NodeView } from '@hustings/elector/protocol';
import type { SimulatedNode } from './node.js';
import type { AnyEffect, AnyInput, Observer } from './simulation.js';

/** A promise that was broken, when, and where it was noticed. */
export interface Violation {
  readonly property: string;
  readonly detail: string;
  readonly atMs: number;
  /** The node whose event broke it; null for what should have come true and did not. */
  readonly node: NodeId | null;
}

/** What the oracle needs to know of a run. */
export interface World<State> {
  readonly nowMs: number;
  readonly nodes: readonly SimulatedNode<State>[];
  /** Whether messages from one node fail to reach another because of a fault. */
  isCut?(from: NodeId, to: NodeId): boolean;
}

/** The general promises that a run can be held to. */
export interface Promises extends Partial<Guarantees> {
  /**
   * No two nodes lead while a cut keeps one of them from hearing the other. It asks less than
   * `atMostOneLeader`: the overlap of one message at a hand-over is let pass.
   */
  readonly noSplitBrain?: boolean;
  /**
   * No two processes lead with the same token. It asks less than `monotonicTokens`: a node whose clock is slow may
   * take its grant for good, and begin to lead, when a later one leads already with a higher token.
   */
  readonly distinctTokens?: boolean;
}

/**
 * What is left to ask when a clock is off by more than an algorithm bears. Leases rest on the clocks: two may lead at
 * once, in either order. What is left is that tokens tell them apart.
 */
export function beyondClocks(guarantees: Guarantees): Promises {
  const { leased, monotonicTokens: distinctTokens } = guarantees;
  return leased
    ? { ...guarantees, atMostOneLeader: false, monotonicTokens: false, distinctTokens }
    : guarantees;
}

interface Check<Subject extends readonly unknown[]> {
  readonly property: string;
  readonly check: (...subject: Subject) => Finding;
}

export const atMostOneLeader = 'at most one leader at a time';
export const tokensGrow = 'tokens grow from leader to leader';
export const tokensDiffer = 'no two processes lead with the same token';
export const agreement = 'everyone believes in one leader';
export const legalEffects = 'a protocol keeps its contract with the driver';

/**
 * Checks a run as it goes: what must always hold after each event that could break it, what must come true
 * when asked after the faults have healed. Keeps the first violation; a broken run has nothing more to say.
 */
export class Oracle<State> implements Observer<State> {
  violation: Violation | null = null;
  readonly #ofOneState: readonly Check<[State]>[];
  readonly #ofTwoStates: readonly Check<[State, State]>[];
  readonly #always: readonly Check<[readonly NodeView<State>[]]>[];
  readonly #ofLeaders: readonly Check<[readonly NodeView<State>[]]>[];
  readonly #concernsAll: (before: State, after: State) => boolean;
  readonly #eventually: readonly Check<[readonly NodeView<State>[]]>[];
  readonly #watchesOrder: boolean;
  readonly #watchesHolders: boolean;
  #highest: { readonly token: bigint; readonly life: string } | null = null;
  /** The tokens of those that lead: only a beginning can break the order. */
  readonly #tokens = new Map<NodeId, bigint>();
  /** Which process has ever led with a token. */
  readonly #holders = new Map<bigint, string>();
  #world: World<State> | null = null;

  /** Checks the invariants, and of the general promises those that `promised` declares. */
  constructor(invariants: Invariants<State>, promised: Promises = {}) {
    this.#ofOneState = toChecks(invariants.ofOneState);
    this.#ofTwoStates = toChecks(invariants.ofTwoStates);
    this.#always = toChecks(invariants.always);
    this.#ofLeaders = this.#checksOfLeaders(promised);
    this.#concernsAll = invariants.concernsAll ?? (() => true);
    this.#eventually = [...toChecks(invariants.eventually), { property: agreement, check: findDissent }];
    this.#watchesOrder = promised.monotonicTokens ?? false;
    this.#watchesHolders = promised.distinctTokens ?? false;
  }

  attach(world: World<State>): void {
    this.#world = world;
  }

  stepped(node: SimulatedNode<State>, _input: AnyInput, before: State, _effects: readonly AnyEffect[]): void {
    // Protocols return the same object when nothing changed, and then nothing can have been broken.
    if (node.state === before || node.isService || this.violation !== null) return;
    const { state } = node;
    for (const { property, check } of this.#ofOneState) this.#report(property, check(state), node.id);
    for (const { property, check } of this.#ofTwoStates)
      this.#report(property, check(before, state), node.id);
    if (this.#concernsAll(before, state)) this.#checkAll(this.#always, node);
    this.#checkAll(this.#ofLeaders, node);
  }

  changed(node: SimulatedNode<State>): void {
    if (this.violation !== null) return;
    if (this.#watchesOrder || this.#watchesHolders) this.#watchToken(node);
    this.#checkAll(this.#always, node);
    this.#checkAll(this.#ofLeaders, node);
  }

  violated(node: SimulatedNode<State>, what: string): void {
    this.#report(legalEffects, what, node.id);
  }

  /** Asks, at the end of a run whose faults have healed, whether what should have come true has. */
  checkEventually(): void {
    for (const { property, check } of this.#eventually) {
      this.#report(property, check(this.#world?.nodes ?? []), null);
    }
  }

  #checksOfLeaders({
    atMostOneLeader: always,
    noSplitBrain,
  }: Promises): Check<[readonly NodeView<State>[]]>[] {
    if (always) return [{ property: atMostOneLeader, check: (nodes) => findSecondLeader(nodes) }];
    if (!noSplitBrain) return [];
    const areApart = (a: NodeId, b: NodeId): boolean =>
      this.#world?.isCut?.(a, b) === true || this.#world?.isCut?.(b, a) === true;
    return [{ property: atMostOneLeader, check: (nodes) => findSecondLeader(nodes, areApart) }];
  }

  #checkAll(checks: readonly Check<[readonly NodeView<State>[]]>[], node: SimulatedNode<State>): void {
    const nodes = this.#world?.nodes;
    if (nodes === undefined) return;
    for (const { property, check } of checks) this.#report(property, check(nodes), node.id);
  }

  #watchToken(node: SimulatedNode<State>): void {
    const token = node.leadership?.token;
    if (token === undefined) {
      this.#tokens.delete(node.id);
      return;
    }
    if (this.#tokens.get(node.id) === token) return;
    this.#tokens.set(node.id, token);
    const life = `${node.id}#${node.incarnation}`;
    if (this.#watchesOrder) this.#report(tokensGrow, this.#findOlder(token, life), node.id);
    if (this.#watchesHolders) this.#report(tokensDiffer, this.#findSame(token, life), node.id);
  }

  #findOlder(token: bigint, life: string): Finding {
    const highest = this.#highest;
    if (highest === null || token > highest.token) {
      this.#highest = { token, life };
      return null;
    }
    return life === highest.life && token === highest.token
      ? null
      : `${life} leads with token ${token} after ${highest.life} did with ${highest.token}`;
  }

  #findSame(token: bigint, life: string): Finding {
    const holder = this.#holders.get(token) ?? life;
    this.#holders.set(token, holder);
    return holder === life ? null : `${life} leads with token ${token}, as ${holder} did`;
  }

  #report(property: string, finding: Finding, node: NodeId | null): void {
    if (finding === null || this.violation !== null) return;
    this.violation = { property, detail: finding, atMs: this.#world?.nowMs ?? 0, node };
  }
}

function toChecks<Subject extends readonly unknown[]>(
  named: Readonly<Record<string, (...subject: Subject) => Finding>> = {},
): Check<Subject>[] {
  return Object.entries(named).map(([property, check]) => ({ property, check }));
}

/** `areRivals` says which two leaders are one too many; by default, any two. */
export function findSecondLeader(
  nodes: readonly NodeView<unknown>[],
  areRivals: (a: NodeId, b: NodeId) => boolean = () => true,
): Finding {
  // Asked after every change, and nearly always there is at most one.
  let count = 0;
  for (const node of nodes) if (node.leading && node.running) count += 1;
  if (count < 2) return null;
  const leaders: NodeId[] = [];
  for (const { id, running, leading } of nodes) {
    if (!running || !leading) continue;
    const rival = leaders.find((other) => areRivals(other, id));
    if (rival !== undefined) return `${rival} and ${id} both lead`;
    leaders.push(id);
  }
  return null;
}

function findDissent(nodes: readonly NodeView<unknown>[]): Finding {
  const running = nodes.filter((node) => node.running);
  const leader = running.find((node) => node.leading);
  if (leader === undefined) return running.length === 0 ? null : 'nobody leads';
  const dissenter = running.find(({ belief }) => belief.leaderId !== leader.id);
  return dissenter === undefined
    ? null
    : `${leader.id} leads, but ${dissenter.id} believes in ${dissenter.belief.leaderId ?? 'nobody'}`;
}
