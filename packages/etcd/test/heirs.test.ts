import { InvalidOptionError } from '@hustings/elector';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  beatMs,
  defaultSettings,
  type EtcdMessage,
  type EtcdSettings,
  etcd,
  type HeirMessage,
  heirGuardMs,
  initialState,
} from '../src/index.js';
import { clusterId, Hand, key } from './hand.js';

/** A wait of 500 ms: a heartbeat every 100 ms, and a guard of 9.9 + 1. */
const heirWaitMs = 500;
const settings: EtcdSettings = { ...defaultSettings, name: 'e', ttlSeconds: 3, marginMs: 0, heirWaitMs };
const waitMs = heirWaitMs - heirGuardMs(settings);

class Peer extends Hand {
  constructor(changes: Partial<EtcdSettings> = {}) {
    super({ ...settings, ...changes });
    this.state = initialState('n1', { ...settings, ...changes }, ['n3', 'n8', 'n9']);
    this.give({ type: 'started' });
  }

  told(from: string, message: HeirMessage): this {
    return this.give({ type: 'received', from, message });
  }

  said<Type extends HeirMessage['type']>(
    type: Type,
  ): { to: string; message: Extract<HeirMessage, { type: Type }> }[] {
    return this.effects.flatMap((effect) =>
      effect.type === 'send' && effect.message.type === type
        ? [{ to: effect.to, message: effect.message as Extract<HeirMessage, { type: Type }> }]
        : [],
    );
  }

  /** When its Leadership ends, if this step has said so. */
  get leadsUntilMs(): number | undefined {
    const lead = this.effects.findLast((effect) => effect.type === 'lead');
    return lead?.type === 'lead' ? this.nowMs + (lead.validForMs ?? Number.POSITIVE_INFINITY) : undefined;
  }

  announcements(): string[] {
    return this.effects.flatMap((effect) =>
      effect.type === 'announce' ? [(effect.announcement as { type: string }).type] : [],
    );
  }

  timer(name: string): readonly [number, number] | undefined {
    const set = this.effects.findLast((effect) => effect.type === 'set-timer' && effect.timer === name);
    return set?.type === 'set-timer' ? set.delayMs : undefined;
  }
}

const leader = { key: 'e/7', revision: '5' };
const candidacyOf = (lease: string) => ({ key: `e/${lease}`, revision: lease });
const volunteer = (lease: string, of = leader): HeirMessage => ({
  type: 'volunteer',
  leader: of,
  heir: candidacyOf(lease),
});

/** Leads since 100, with a lease from then. */
const leading = (changes: Partial<EtcdSettings> = {}) => new Peer(changes).at(100).join(5);
/** Has offered to n8 at 200. */
const offering = () => leading().at(200).told('n8', volunteer('8'));
const beat = (node: Peer, atMs: number): Peer => node.at(atMs).give({ type: 'timer-fired', timer: 'offer' });
const newest = (node: Peer): number => node.state.offer?.heartbeats.at(-1)?.id ?? -1;
const promise = (node: Peer, id: number, of = leader): Peer =>
  node.told('n8', { type: 'promise', id, leader: of });
/** Has heard nothing from n8, and is asking etcd since 410. */
const withdrawing = () => beat(beat(offering(), 300), 410);
const answered = (node: Peer, modRevision: number, succeeded = true): Peer =>
  node.hear({
    ...{ type: 'txn-done', id: node.state.offer?.withdrawal ?? -1, succeeded },
    ...{ revision: `${modRevision}`, clusterId },
    found: [[{ ...key('7', 5), modRevision: `${modRevision}` }]],
  });

describe('given a leader', () => {
  it('when it takes office, then it tells the others, who look who is before them now', () => {
    expect(
      leading()
        .said('in-office')
        .map(({ to }) => to),
    ).toEqual(['n3', 'n8', 'n9']);
    const waiting = new Peer().join(5, key('3', 3), key('4', 4));
    expect(waiting.told('n3', { type: 'in-office' }).sent('txn')).toHaveLength(1);
    expect(leading().told('n3', { type: 'in-office' }).effects).toEqual([]);
  });

  it('when nobody volunteers, then it offers nothing, and its lease alone bounds it', () => {
    const node = leading();
    expect(node.leadsUntilMs).toBe(100 + 3000 - 60);
    expect(beat(node, 300).effects).toEqual([]);
  });

  it('when the next in line volunteers, then it offers, and its time is bounded before the first heartbeat', () => {
    const node = offering();
    expect(node.leadsUntilMs).toBeCloseTo(200 + waitMs);
    expect(node.said('offer')).toEqual([
      {
        to: 'n8',
        message: {
          ...{ type: 'offer', id: newest(node), leader, modRevision: '5' },
          ...{ heir: candidacyOf('8'), waitMs: heirWaitMs },
        },
      },
    ]);
    const order = node.effects.map(({ type }) => type);
    expect(order.indexOf('lead')).toBeLessThan(order.indexOf('send'));
    expect(node.timer('offer')).toEqual([100, 100]);
  });

  it('when somebody volunteers to another leadership, then it offers nothing', () => {
    expect(leading().told('n8', volunteer('8', { key: 'e/7', revision: '4' })).effects).toEqual([]);
    expect(leading().told('n8', volunteer('8', { key: 'e/6', revision: '5' })).effects).toEqual([]);
  });

  it('when it has no heirs by its settings, then it offers nothing', () => {
    expect(leading({ heirWaitMs: 0 }).told('n8', volunteer('8')).effects).toEqual([]);
  });

  it('when a second volunteers, then it keeps its heir: one for each mod revision', () => {
    expect(offering().told('n9', volunteer('9')).effects).toEqual([]);
  });
});

describe('given a leader that has offered', () => {
  it('when its heir answers, then its time counts from before the heartbeat that was answered was written', () => {
    const node = offering();
    const first = newest(node);
    const second = newest(beat(node, 300));
    expect(promise(node.at(310), second).leadsUntilMs).toBeCloseTo(300 + waitMs);
    // Overtaken by the answer to the second.
    expect(promise(node.at(320), first).leadsUntilMs ?? 0).toBeLessThanOrEqual(300 + waitMs + 1e-6);
  });

  it('when an answer to the first heartbeat comes after the second was written, then it counts for the first', () => {
    const node = offering();
    const first = newest(node);
    expect(promise(beat(node, 300).at(310), first).leadsUntilMs).toBeCloseTo(200 + waitMs);
  });

  it('when an answer is for another leadership, or for no heartbeat of its, then it counts for nothing', () => {
    const node = offering();
    expect(promise(node.at(250), newest(node), { key: 'e/7', revision: '4' }).effects).toEqual([]);
    expect(promise(node, 999).effects).toEqual([]);
  });

  it('when its heir answers after the deadline, then it has ended all the same', () => {
    const node = beat(offering(), 300);
    promise(node.at(201 + waitMs), newest(node));
    expect(node.roles()).toMatchObject([{ type: 'step-down', reason: 'lease-expired' }]);
    expect(node.sent('revoke')).toMatchObject([{ lease: '7' }]);
    expect(node.state.phase).toBe('leaving');
  });

  it('when its lease would end before the wait of its heir does, then its lease bounds it', () => {
    const node = leading().at(2900).told('n8', volunteer('8'));
    expect(node.leadsUntilMs).toBe(3040);
  });

  it('when its heir has not answered for two heartbeats, then it asks etcd, and is bound until etcd has answered', () => {
    const node = beat(offering(), 300);
    expect(node.sent('txn')).toEqual([]);
    beat(node, 410);
    expect(node.sent('txn')).toMatchObject([
      {
        compare: [
          { key: 'e/7', target: 'mod', revision: '5' },
          { key: 'e/7', target: 'create', revision: '5' },
        ],
        success: [
          { type: 'touch', key: 'e/7' },
          { type: 'get', key: 'e/7' },
        ],
        failure: [{ type: 'get', key: 'e/7' }],
      },
    ]);
    expect(node.said('offer')).toHaveLength(1);
    expect(node.leadsUntilMs).toBeUndefined();
  });

  it('when the link to its heir is down, then it asks etcd at once; to another node, then not', () => {
    expect(offering().give({ type: 'link-down', peer: 'n8' }).sent('txn')).toHaveLength(1);
    expect(offering().give({ type: 'link-down', peer: 'n9' }).effects).toEqual([]);
  });

  it('when etcd does not answer, then it asks again with the next heartbeat', () => {
    expect(beat(withdrawing(), 510).sent('txn')).toHaveLength(1);
  });

  it('when etcd shows its key written since, then it is free, and offers to whoever volunteers next', () => {
    const node = answered(withdrawing().at(420), 9);
    expect(node.leadsUntilMs).toBe(3040);
    expect(node.effects).toContainEqual({ type: 'cancel-timer', timer: 'offer' });
    node.at(500).told('n9', volunteer('9'));
    expect(node.said('offer')).toMatchObject([{ to: 'n9', message: { modRevision: '9' } }]);
  });

  it('when etcd shows its key as it was, then it stays bound', () => {
    expect(answered(withdrawing().at(420), 5, false).leadsUntilMs).toBeUndefined();
  });

  it('when etcd shows its key gone, then it has been deposed', () => {
    const node = withdrawing().at(420);
    const id = node.state.offer?.withdrawal ?? -1;
    node.hear({ type: 'txn-done', id, succeeded: false, revision: '9', clusterId, found: [[]] });
    expect(node.roles()).toEqual([{ type: 'step-down', reason: 'deposed' }]);
  });

  it('when etcd answers after the deadline, then it has ended all the same', () => {
    const node = answered(withdrawing().at(201 + waitMs), 9);
    expect(node.roles()).toMatchObject([{ type: 'step-down', reason: 'lease-expired' }]);
    expect(node.leadsUntilMs).toBeUndefined();
  });

  it('when a late answer shows what it knows, then an offer that was made since stands', () => {
    const node = answered(withdrawing().at(420), 9).at(500).told('n9', volunteer('9'));
    answered(node.at(510), 9, false);
    expect(node.state.offer).toMatchObject({ modRevision: '9', heir: { node: 'n9' } });
  });

  it('when it publishes a value, then its heir has an offer under the new mod revision at once', () => {
    const node = offering()
      .at(250)
      .give({ type: 'requested', request: { type: 'proclaim', value: 'v' } });
    const id = node.state.proclaimRequest ?? -1;
    node.at(260).hear({ type: 'txn-done', id, succeeded: true, revision: '9', clusterId, found: [[]] });
    expect(node.said('offer')).toMatchObject([{ to: 'n8', message: { modRevision: '9' } }]);
    expect(node.leadsUntilMs).toBeCloseTo(260 + waitMs);
  });

  it('when it resigns, then it offers no more', () => {
    const node = offering().give({ type: 'resign-requested' });
    expect(node.state.offer).toBeNull();
    expect(beat(node, 300).effects).toEqual([]);
  });
});

describe('given the next in line', () => {
  const waiting = (changes: Partial<EtcdSettings> = {}) =>
    new Peer(changes).at(100).join(5, { ...key('3', 3), value: 'n3' });
  const offer = (node: Peer, id: number, modRevision = 4, of = candidacyOf('3')): Peer =>
    node.told('n3', {
      ...{ type: 'offer', id, leader: of, modRevision: `${modRevision}` },
      ...{ heir: leader, waitMs: heirWaitMs },
    });
  const promised = () => offer(waiting().at(200), 1);
  const wait = (node: Peer, atMs: number): Peer =>
    node.at(atMs).give({ type: 'timer-fired', timer: 'inherit' });
  const inherited = (node: Peer, succeeded: boolean, ...found: ReturnType<typeof key>[]): Peer =>
    node.hear({
      ...{ type: 'txn-done', id: node.state.inheritance ?? -1, succeeded },
      ...{ revision: '9', clusterId, found: [found] },
    });

  it('then it volunteers, and again as long as it has no offer', () => {
    const node = waiting();
    const expected = [
      { to: 'n3', message: { type: 'volunteer', leader: candidacyOf('3'), heir: leader } as EtcdMessage },
    ];
    expect(node.said('volunteer')).toEqual(expected);
    expect(node.timer('inherit')).toEqual([500, 500]);
    expect(wait(node, 600).said('volunteer')).toEqual(expected);
    expect(node.give({ type: 'link-up', peer: 'n3' }).said('volunteer')).toEqual(expected);
  });

  it('then it volunteers to no stranger, such as a candidate of the Go client', () => {
    expect(new Peer().join(5, { ...key('3', 3), value: 'go' }).said('volunteer')).toEqual([]);
  });

  it('unlike one that is not the next, or has no heirs by its settings', () => {
    expect(new Peer().join(5, key('3', 3), key('4', 4)).said('volunteer')).toEqual([]);
    expect(waiting({ heirWaitMs: 0 }).said('volunteer')).toEqual([]);
  });

  it('when it is offered, then it promises, and waits', () => {
    const node = promised();
    expect(node.said('promise')).toEqual([
      { to: 'n3', message: { type: 'promise', id: 1, leader: candidacyOf('3') } },
    ]);
    expect(node.timer('inherit')).toEqual([500, 500]);
  });

  it('when it is offered again, then it waits anew', () => {
    const node = offer(promised().at(600), 2);
    expect(wait(node, 700).sent('txn')).toEqual([]);
    expect(node.timer('inherit')).toEqual([400, 400]);
  });

  it('when an offer is older than its promise, or for another candidacy, then it promises nothing', () => {
    expect(offer(promised(), 2, 3).effects).toEqual([]);
    expect(offer(promised(), 2, 9, { key: 'e/2', revision: '2' }).effects).toEqual([]);
    const node = waiting();
    const stale = { key: 'e/7', revision: '4' };
    const message: HeirMessage = {
      ...{ type: 'offer', id: 1, leader: candidacyOf('3'), modRevision: '4' },
      ...{ heir: stale, waitMs: heirWaitMs },
    };
    expect(node.told('n3', message).effects).toEqual([]);
  });

  it("when it has waited, then it deletes the leader's key as it was promised, and looks, in one", () => {
    expect(wait(promised(), 700).sent('txn')).toMatchObject([
      {
        compare: [
          { key: 'e/3', target: 'mod', revision: '4' },
          { key: 'e/7', target: 'create', revision: '5' },
        ],
        success: [{ type: 'delete', key: 'e/3' }, { type: 'range', order: 'oldest' }, { type: 'range' }],
        failure: [{ type: 'get', key: 'e/7' }, { type: 'range' }, { type: 'range' }],
      },
    ]);
  });

  it('when its own lease may have ended, then it deletes nothing until it has renewed it', () => {
    const node = promised();
    offer(node.at(2700), 2);
    expect(wait(node, 3200).sent('txn')).toEqual([]);
    node.renewed(3190);
    expect(wait(node, 3300).sent('txn')).toHaveLength(1);
  });

  it('when that has shown its own key to be the oldest, then it leads', () => {
    const node = inherited(wait(promised(), 700).at(710), true, key('7', 5));
    expect(node.roles()).toMatchObject([{ type: 'lead', token: 5n }]);
  });

  it('when that has shown another before it, or its own key gone, then it does not lead', () => {
    const behind = inherited(wait(promised(), 700).at(710), true, key('4', 4), key('7', 5));
    expect(behind.roles().map(({ type }) => type)).not.toContain('lead');
    const gone = inherited(wait(promised(), 700).at(710), false, key('8', 8));
    expect(gone.roles().map(({ type }) => type)).not.toContain('lead');
    expect(gone.sent('grant')).toHaveLength(1);
  });

  it('when the leader has written its key since, then it goes on waiting, and volunteers', () => {
    const kept = { ...key('3', 3), modRevision: '8', value: 'n3' };
    const node = inherited(wait(promised(), 700).at(710), false, kept, key('7', 5));
    expect(node.state).toMatchObject({ phase: 'waiting', promise: null });
    expect(node.said('volunteer')).toHaveLength(1);
  });

  it('when an ordinary look is answered meanwhile, then its promise stands', () => {
    const node = promised().give({ type: 'observation-changed', observed: true });
    const { promise: given } = node.state;
    node.at(700).see(9, { ...key('3', 3), value: 'n3' }, key('7', 5));
    expect(node.state.promise).toEqual(given);
  });

  it('when etcd does not answer, then it asks again', () => {
    expect(wait(wait(promised(), 700), 1700).sent('txn')).toHaveLength(1);
  });
});

describe('given a leader that is hardly in time', () => {
  it('when its heir answers late, then it says so, but not all the time', () => {
    const node = beat(offering(), 300);
    promise(node.at(620), newest(node));
    expect(node.announcements()).toEqual(['heirs-strained']);
    promise(beat(node, 640).at(750), newest(node));
    expect(node.announcements()).toEqual([]);
  });

  it('when etcd answers slowly, then it says so; when it does not, then not', () => {
    expect(leading().at(1300).renewed(1150).announcements()).toEqual(['heirs-strained']);
    expect(leading().at(1300).renewed(1290).announcements()).toEqual([]);
    expect(leading({ heirWaitMs: 0 }).at(1300).renewed(1150).announcements()).toEqual([]);
  });

  it('unlike one that is answered soon', () => {
    const node = offering();
    expect(promise(node.at(220), newest(node)).announcements()).toEqual([]);
  });
});

describe('the settings of heirs', () => {
  it('must leave the heir a wait that ends before the lease does', () => {
    expect(() => etcd({ ttlSeconds: 1, heirWaitMs: 900 })).toThrow(/heirWaitMs \(900\) must be less than/);
    expect(etcd({ ttlSeconds: 1, heirWaitMs: 500 }).variant).toBe('heirs');
  });

  it('must not leave the leader less than the clocks may differ by', () => {
    expect(() => etcd({ driftBound: 0.15, heirWaitMs: 1000 })).toThrow(/driftBound/);
  });

  it('must be of a queue, in which somebody is the next', () => {
    expect(() => etcd({ succession: 'race', heirWaitMs: 1000 })).toThrow(/succession: 'queue'/);
  });

  it('must not be so short that no leader could stay in office', () => {
    expect(() => etcd({ heirWaitMs: 50 })).toThrow(InvalidOptionError);
    expect(() => etcd({ heirWaitMs: Number.NaN })).toThrow(InvalidOptionError);
  });

  it('leave a guard that covers a slow leader and a fast heir', () => {
    const drift = fc.double({ min: 0, max: 0.1, noNaN: true });
    const property = fc.property(drift, fc.integer({ min: 100, max: 60_000 }), (driftBound, wait) => {
      const guarded = wait - heirGuardMs({ ...settings, driftBound, heirWaitMs: wait });
      // In real time: a slow clock measures less than passes, a fast one more.
      expect(guarded / (1 - driftBound)).toBeLessThan(wait / (1 + driftBound));
    });
    fc.assert(property);
    expect(beatMs(settings)).toBe(100);
  });
});
