import type { NodeId } from '@hustings/elector';
import {
  defaultSettings,
  type Entry,
  initialState,
  type RaftMessage,
  type RaftSettings,
  type RaftState,
  type RaftTimer,
  step,
} from '../src/index.js';
import type { RaftEffect, RaftInput } from '../src/transition.js';

export type Input = RaftInput;
export type Message<Type extends RaftMessage['type']> = Extract<RaftMessage, { type: Type }>;

export const standing: Input = { type: 'campaign-requested' };
export const fires = (timer: RaftTimer): Input => ({ type: 'timer-fired', timer });
export const hears = (from: NodeId, message: RaftMessage): Input => ({ type: 'received', from, message });

/** An input, or an input at its time; without one, a second after the last. */
export type Timed = Input | readonly [atMs: number, input: Input];

/** A node and everything that it has done, step by step. */
export class Node {
  state: RaftState;
  effects: readonly RaftEffect[] = [];
  nowMs = 0;

  constructor(id: NodeId, members: readonly NodeId[], settings: Partial<RaftSettings> = {}) {
    const peers = members.filter((member) => member !== id);
    this.state = initialState(id, peers, { ...defaultSettings, ...settings });
    this.after([0, { type: 'started' }]);
  }

  after(...inputs: Timed[]): this {
    for (const timed of inputs) {
      const [atMs, input] = Array.isArray(timed)
        ? (timed as [number, Input])
        : [this.nowMs + 1000, timed as Input];
      this.nowMs = atMs;
      [this.state, this.effects] = step(this.state, input, atMs);
    }
    return this;
  }

  /** A copy that goes its own way. */
  fork(): Node {
    const copy = Object.create(Node.prototype) as Node;
    return Object.assign(copy, this);
  }

  /** To whom the last step sent messages of this type. */
  sent(type: RaftMessage['type']): NodeId[] {
    return this.effects.flatMap((effect) =>
      effect.type === 'send' && effect.message.type === type ? [effect.to] : [],
    );
  }

  /** The first message of this type that the last step sent. */
  message<Type extends RaftMessage['type']>(type: Type): Message<Type> | undefined {
    for (const effect of this.effects) {
      if (effect.type === 'send' && effect.message.type === type) return effect.message as Message<Type>;
    }
    return undefined;
  }

  /** The effects of the last step, by type. */
  did(type: RaftEffect['type']): RaftEffect[] {
    return this.effects.filter((effect) => effect.type === type);
  }

  types(): string[] {
    return this.effects.map(({ type }) => type);
  }

  get announced(): unknown[] {
    return this.effects.flatMap((effect) => (effect.type === 'announce' ? [effect.announcement] : []));
  }
}

export const three = ['n1', 'n2', 'n3'] as const;
export const five = ['n1', 'n2', 'n3', 'n4', 'n5'] as const;

export const noOp = (index: number, term: number): Entry => ({ index, term, type: 'no-op' });
export const data = (index: number, term: number, value = `${index}/${term}`): Entry => ({
  index,
  term,
  type: 'data',
  data: value,
});

export const append = (
  term: number,
  previous: readonly [index: number, term: number],
  entries: readonly Entry[],
  commitIndex = 0,
  sentMs = 0,
): RaftMessage => ({
  type: 'append',
  term,
  sentMs,
  previousIndex: previous[0],
  previousTerm: previous[1],
  commitIndex,
  entries,
});

export const heartbeat = (
  term: number,
  index = 0,
  indexTerm = 0,
  commitIndex = 0,
  sentMs = 0,
): RaftMessage => ({
  type: 'heartbeat',
  term,
  sentMs,
  previousIndex: index,
  previousTerm: indexTerm,
  commitIndex,
});

export const requestVote = (term: number, lastIndex = 0, lastTerm = 0, transfer = false): RaftMessage => ({
  type: 'vote-request',
  term,
  lastIndex,
  lastTerm,
  transfer,
});

export const requestPreVote = (term: number, lastIndex = 0, lastTerm = 0): RaftMessage => ({
  type: 'pre-vote-request',
  term,
  lastIndex,
  lastTerm,
});

export const grant = (term: number): RaftMessage => ({ type: 'vote-reply', term, granted: true });
export const refuse = (term: number): RaftMessage => ({ type: 'vote-reply', term, granted: false });
export const preGrant = (term: number): RaftMessage => ({ type: 'pre-vote-reply', term, granted: true });

export const preRefuse = (term: number): RaftMessage => ({ type: 'pre-vote-reply', term, granted: false });

export const accepted = (term: number, index: number, sentMs = 0, available = true): RaftMessage => ({
  type: 'append-reply',
  term,
  sentMs,
  accepted: true,
  index,
  available,
});

export const rejected = (term: number, index: number, sentMs = 0): RaftMessage => ({
  type: 'append-reply',
  term,
  sentMs,
  accepted: false,
  index,
  available: true,
});

export const staleTerm = (term: number): RaftMessage => ({ type: 'stale-term', term });

/** A node that has just been elected by n2 (and n3), in the next term after those it has heard of. */
export function elected(
  members: readonly NodeId[] = three,
  settings: Partial<RaftSettings> = {},
  ...history: Timed[]
): Node {
  const node = new Node('n1', members, { ...settings, preVote: false });
  node.after(standing, ...history, [10_000, fires('election')]);
  const term = node.state.currentTerm;
  const needed = Math.floor(members.length / 2);
  for (const voter of members.slice(1, 1 + needed)) node.after([10_000, hears(voter, grant(term))]);
  return node;
}
