import type { NodeId } from '@hustings/elector';
import {
  invariants,
  type MembershipChange,
  type RaftDurable,
  type RaftMessage,
  type RaftRequest,
  type RaftSettings,
} from '../src/index.js';
import { type Input, Node, standing } from './nodes.js';

export interface Letter {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: RaftMessage;
}

/** Which letters: those to or from these nodes, of this type; or whatever a function says. */
export type Choice = (letter: Letter) => boolean;

export const between =
  (from: NodeId, to: NodeId, type?: RaftMessage['type']): Choice =>
  (letter) =>
    letter.from === from && letter.to === to && (type === undefined || letter.message.type === type);

export const ofType =
  (type: RaftMessage['type']): Choice =>
  ({ message }) =>
    message.type === type;

/**
 * Nodes, and everything that is on its way between them. Nothing arrives and no timer fires unless a test says so.
 * Every process has a clock of its own, which begins at 0. The invariants are checked after every step.
 */
export class Network {
  nowMs = 1000;
  readonly nodes = new Map<NodeId, Node>();
  inFlight: readonly Letter[] = [];
  /** Everything that was ever sent. */
  readonly sent: Letter[] = [];
  readonly #settings: Partial<RaftSettings>;
  readonly #members: readonly NodeId[];
  readonly #originMs = new Map<NodeId, number>();
  readonly #disks = new Map<NodeId, RaftDurable>();
  readonly #cutOff = new Set<NodeId>();

  constructor(members: readonly NodeId[], settings: Partial<RaftSettings> = {}) {
    this.#members = members;
    this.#settings = settings;
    for (const id of members) this.#boot(id);
  }

  node(id: NodeId): Node {
    return this.nodes.get(id)!;
  }

  /** Gives a node these inputs, and puts on its way what the node sends. */
  give(id: NodeId, ...inputs: Input[]): this {
    for (const input of inputs) this.#step(id, input);
    return this;
  }

  wait(ms: number): this {
    this.nowMs += ms;
    return this;
  }

  /** Lets the chosen letters arrive, in the order in which they were sent, and those that answer them. */
  deliver(chosen: Choice = () => true): this {
    for (let count = 0; count < 1000; count += 1) {
      const letter = this.inFlight.find(chosen);
      if (letter === undefined) return this;
      this.inFlight = this.inFlight.filter((other) => other !== letter);
      if (this.#cutOff.has(letter.from) || this.#cutOff.has(letter.to)) continue;
      this.#step(letter.to, { type: 'received', from: letter.from, message: letter.message });
    }
    throw new Error('The nodes never cease to talk.');
  }

  /** Takes the chosen letters out of the network. */
  take(chosen: Choice = () => true): readonly Letter[] {
    const taken = this.inFlight.filter(chosen);
    this.inFlight = this.inFlight.filter((letter) => !taken.includes(letter));
    return taken;
  }

  /** Puts letters back, behind everything else. */
  put(letters: readonly Letter[]): this {
    this.inFlight = [...this.inFlight, ...letters];
    return this;
  }

  /** Whatever these nodes send, and whatever is sent to them, is lost. */
  cutOff(...ids: NodeId[]): this {
    for (const id of ids) this.#cutOff.add(id);
    return this;
  }

  heal(): this {
    this.#cutOff.clear();
    return this;
  }

  /** A new process with what the last one had saved. What the last one sent is still on its way. */
  restart(id: NodeId): this {
    this.#boot(id);
    const durable = this.#disks.get(id);
    return durable === undefined ? this : this.give(id, { type: 'restarted', durable });
  }

  /** Lets everybody's patience pass, and this node stand and win. */
  elect(id: NodeId): this {
    return this.wait(1000).give(id, standing, { type: 'timer-fired', timer: 'election' }).deliver();
  }

  /** Gives a leader its heartbeat timer, and delivers what follows. */
  beat(id: NodeId): this {
    return this.give(id, { type: 'timer-fired', timer: 'heartbeat' }).deliver();
  }

  ask(id: NodeId, request: RaftRequest): this {
    return this.give(id, { type: 'requested', request });
  }

  propose(id: NodeId, ...values: string[]): this {
    for (const data of values) this.ask(id, { type: 'propose', id: data, data });
    return this;
  }

  change(id: NodeId, type: MembershipChange, node: NodeId): this {
    return this.ask(id, { type, id: `${type} ${node}`, node });
  }

  get leaders(): NodeId[] {
    return [...this.nodes.values()].flatMap(({ state }) => (state.role === 'leader' ? [state.id] : []));
  }

  #boot(id: NodeId): void {
    this.#originMs.set(id, this.nowMs);
    this.nodes.set(id, new Node(id, this.#members, this.#settings));
  }

  #step(id: NodeId, input: Input): void {
    const node = this.node(id);
    const before = node.state;
    node.after([this.nowMs - this.#originMs.get(id)!, input]);
    for (const effect of node.effects) {
      if (effect.type === 'save') this.#disks.set(id, effect.durable);
      if (effect.type === 'send') this.#send({ from: id, to: effect.to, message: effect.message });
    }
    this.#checkInvariants(node, input.type === 'restarted' ? node.state : before);
  }

  #send(letter: Letter): void {
    this.sent.push(letter);
    this.put([letter]);
  }

  #checkInvariants(node: Node, before: Node['state']): void {
    const { ofOneState = {}, ofTwoStates = {}, always = {} } = invariants;
    const views = [...this.nodes.values()].map(({ state }) => ({
      id: state.id,
      running: true,
      state,
      belief: { role: 'follower', leaderId: null, token: null } as const,
      leading: state.role === 'leader' && state.leaseUntilMs !== null,
    }));
    const findings = [
      ...Object.values(ofOneState).map((check) => check(node.state)),
      ...Object.values(ofTwoStates).map((check) => check(before, node.state)),
      ...Object.values(always).map((check) => check(views)),
    ].filter((finding) => finding !== null);
    if (findings.length > 0) throw new Error(findings.join('; '));
  }
}
