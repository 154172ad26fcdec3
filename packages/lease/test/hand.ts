import { expect } from 'vitest';
import {
  defaultSettings,
  initialState,
  type LeaseEffect,
  type LeaseInput,
  type LeaseReply,
  type LeaseRequest,
  type LeaseSettings,
  type LeaseState,
  type LeaseTimer,
  type LeaseView,
  type StoreTraits,
  step,
} from '../src/index.js';

export const traits: StoreTraits = {
  ...{ name: 'test', clock: 'store', expiryFactor: 1, minTtlMs: 1, granularityMs: 1, survives: 'disk' },
  releasedBy: 'anybody',
  guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  assumptions: [],
};

/** A node that is fed inputs by hand. */
export class Hand {
  state: LeaseState;
  effects: readonly LeaseEffect[] = [];
  nowMs = 1;

  constructor(settings: Partial<LeaseSettings> = {}) {
    const chosen = { ...defaultSettings, store: traits, name: 'e', ttlMs: 3000, ...settings };
    this.state = initialState('n1', chosen, 'p');
    this.give({ type: 'started' });
  }

  give(...inputs: readonly LeaseInput[]): this {
    for (const input of inputs) {
      const { nextId } = this.state;
      [this.state, this.effects] = step(this.state, input, this.nowMs);
      this.#expectNumbers(nextId);
    }
    return this;
  }

  /** Every request has a number of its own: the store's answer names nothing else. */
  #expectNumbers(firstId: number): void {
    const numbers = this.effects.flatMap((effect) => (effect.type === 'send' ? [effect.message.id] : []));
    expect(numbers).toEqual(numbers.map((_, index) => firstId + index));
    expect(this.state.nextId).toBe(firstId + numbers.length);
  }

  hear(message: LeaseReply): this {
    return this.give({ type: 'received', from: 'store', message });
  }

  fire(timer: LeaseTimer): this {
    return this.give({ type: 'timer-fired', timer });
  }

  at(nowMs: number): this {
    this.nowMs = nowMs;
    return this;
  }

  sent<Type extends LeaseRequest['type']>(type: Type): Extract<LeaseRequest, { type: Type }>[] {
    return this.effects.flatMap((effect) =>
      effect.type === 'send' && effect.message.type === type
        ? [effect.message as Extract<LeaseRequest, { type: Type }>]
        : [],
    );
  }

  roles(): LeaseEffect[] {
    return this.effects.filter(({ type }) => ['campaign', 'lead', 'follow', 'step-down'].includes(type));
  }

  announced(): unknown[] {
    return this.effects.flatMap((effect) => (effect.type === 'announce' ? [effect.announcement] : []));
  }

  timer(name: string): readonly number[] | undefined {
    const found = this.effects.findLast((effect) => effect.type === 'set-timer' && effect.timer === name);
    return found?.type === 'set-timer' ? found.delayMs : undefined;
  }

  /** Asks for the lease. */
  stands(): this {
    return this.give({ type: 'campaign-requested' });
  }

  acquired(token: number, sentMs = this.nowMs, id = this.state.request ?? -1): this {
    return this.hear({ type: 'acquired', id, holder: 'n1#p', token: `${token}`, validForMs: 3000, sentMs });
  }

  /** Leads with this token from a request of this moment. */
  leads(token = 5): this {
    return this.stands().acquired(token);
  }

  held(lease: Partial<LeaseView> = {}): this {
    return this.hear({ type: 'held', id: this.state.request ?? -1, ...view(lease) });
  }

  found(lease: Partial<LeaseView> | null): this {
    const id = this.state.look ?? -1;
    return this.hear({ type: 'found', id, lease: lease === null ? null : view(lease) });
  }

  renewed(sentMs: number, token = '5'): this {
    return this.hear({ type: 'renewed', id: this.state.renewal ?? -1, token, validForMs: 3000, sentMs });
  }

  hinted(): this {
    return this.hear({ type: 'changed', id: this.state.watch ?? -1 });
  }
}

export const view = (lease: Partial<LeaseView>): LeaseView => ({
  holder: 'n2#q',
  token: '7',
  expiresInMs: 2000,
  version: null,
  ...lease,
});
