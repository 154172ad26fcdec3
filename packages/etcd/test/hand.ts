import { expect } from 'vitest';
import {
  defaultSettings,
  type EtcdEffect,
  type EtcdInput,
  type EtcdReply,
  type EtcdRequest,
  type EtcdSettings,
  type EtcdState,
  initialState,
  type KeyValue,
  step,
} from '../src/index.js';

/** They name what was numbered before. */
const unnumbered: ReadonlySet<string> = new Set(['cancel-watch', 'promise']);

/** A node that is fed inputs by hand. */
export class Hand {
  state: EtcdState;
  effects: readonly EtcdEffect[] = [];
  nowMs = 1;

  constructor(settings: Partial<EtcdSettings> = {}) {
    this.state = initialState('n1', { ...defaultSettings, name: 'e', ttlSeconds: 3, ...settings });
    this.give({ type: 'started' });
  }

  give(...inputs: readonly EtcdInput[]): this {
    for (const input of inputs) {
      const { nextId } = this.state;
      [this.state, this.effects] = step(this.state, input, this.nowMs);
      this.#expectNumbers(nextId);
    }
    return this;
  }

  /** Every request has a number of its own: etcd's answer names nothing else. */
  #expectNumbers(firstId: number): void {
    const numbers = this.effects.flatMap((effect) =>
      effect.type === 'send' && 'id' in effect.message && !unnumbered.has(effect.message.type)
        ? [effect.message.id]
        : [],
    );
    expect(numbers).toEqual(numbers.map((_, index) => firstId + index));
    expect(this.state.nextId).toBeGreaterThanOrEqual(firstId + numbers.length);
  }

  hear(message: EtcdReply): this {
    return this.give({ type: 'received', from: 'etcd', message });
  }

  at(nowMs: number): this {
    this.nowMs = nowMs;
    return this;
  }

  sent<Type extends EtcdRequest['type']>(type: Type): Extract<EtcdRequest, { type: Type }>[] {
    return this.effects.flatMap((effect) =>
      effect.type === 'send' && effect.message.type === type
        ? [effect.message as Extract<EtcdRequest, { type: Type }>]
        : [],
    );
  }

  roles(): EtcdEffect[] {
    return this.effects.filter(({ type }) => ['campaign', 'lead', 'follow', 'step-down'].includes(type));
  }

  /** Answers the look that is awaited as etcd would, if these were all keys, oldest first. */
  see(revision: number, ...members: readonly KeyValue[]): this {
    const { observed, ownRevision, look } = this.state;
    const before = members.filter(({ createRevision }) => Number(createRevision) < Number(ownRevision));
    const found = observed ? [members] : [members.slice(0, 1), before.slice(-1)];
    return this.hear({
      type: 'txn-done',
      id: look ?? -1,
      succeeded: true,
      revision: `${revision}`,
      clusterId,
      found,
    });
  }

  /** Campaigns, and puts its key at this revision, behind these. */
  join(revision: number, ...others: readonly KeyValue[]): this {
    return this.granted()
      .put(revision)
      .see(revision, ...others, key('7', revision));
  }

  granted(): this {
    this.give({ type: 'campaign-requested' });
    const id = this.state.request ?? -1;
    return this.hear({ type: 'granted', id, lease: '7', ttlSeconds: 3, sentMs: this.nowMs });
  }

  put(revision: number): this {
    const id = this.state.request ?? -1;
    return this.hear({
      type: 'txn-done',
      id,
      succeeded: true,
      revision: `${revision}`,
      clusterId,
      found: [[], [key('7', revision)]],
    });
  }

  gone(lease: string, revision: number): this {
    const change = { type: 'delete', key: keyName(lease), revision: `${revision}` } as const;
    return this.hear({ type: 'changed', id: this.state.watch?.id ?? -1, changes: [change] });
  }

  renewed(sentMs: number, ttlSeconds = 3): this {
    return this.hear({ type: 'kept-alive', id: 1, lease: '7', ttlSeconds, sentMs });
  }
}

export const clusterId = '1';
export const keyName = (lease: string): string => `e/${Number(lease).toString(16)}`;
export const key = (lease: string, revision: number, value = `n${lease}`): KeyValue => ({
  key: keyName(lease),
  value: lease === '7' ? 'n1' : value,
  lease,
  createRevision: `${revision}`,
  modRevision: `${revision}`,
});
export const view = (
  id: number,
  revision: number,
  members: readonly KeyValue[],
  succeeded = true,
): EtcdReply => ({
  type: 'txn-done',
  id,
  succeeded,
  revision: `${revision}`,
  clusterId,
  found: [members],
});

/** The guard of a lease of 3 s: 2 per cent and 100 ms. */
export const guardMs = 160;
