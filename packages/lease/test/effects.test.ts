/** What each rule does, to the last effect and in its order: what is not listed must not happen. */

import { announce, cancelTimer, followNobody, send, setTimer } from '@hustings/elector/protocol';
import { describe, expect, it } from 'vitest';
import {
  defaultSettings,
  initialState,
  type LeaseEffect,
  type LeaseInput,
  type LeaseReply,
  type LeaseRequest,
  type LeaseSettings,
  type StoreTraits,
  step,
} from '../src/index.js';
import { Hand, traits, view } from './hand.js';

const resign: LeaseInput = { type: 'resign-requested' };
const ill: LeaseInput = { type: 'health-changed', healthy: false };
const well: LeaseInput = { type: 'health-changed', healthy: true };
const expired: LeaseInput = { type: 'lease-expired' };
const accept: LeaseInput = { type: 'requested', request: { type: 'accept-lower-tokens' } };
const link = (type: 'link-up' | 'link-down', peer = 'store'): LeaseInput => ({ type, peer });

const { requestTimeoutMs, retryMs } = defaultSettings;
// Of a lease of 3 s: it is renewed after a third, and the guard is 2 per cent and 100 ms.
const renewalMs = 1000;
const leadsForMs = 3000 - 160;

const toStore = (message: LeaseRequest): LeaseEffect => send('store', message);
const asks = (message: LeaseRequest): LeaseEffect[] => [
  toStore(message),
  setTimer('request', requestTimeoutMs),
];
const acquire = (id: number, sentMs: number, over: string | null = null): LeaseEffect[] =>
  asks({ type: 'acquire', id, name: 'e', holder: 'n1#p', ttlMs: 3000, over, sentMs });
const renewalOf = (id: number, token: string, sentMs: number): LeaseRequest => ({
  ...{ type: 'renew', id, name: 'e', holder: 'n1#p', token, ttlMs: 3000, sentMs },
});
const release = (id: number, token: string): LeaseEffect[] =>
  asks({ type: 'release', id, name: 'e', holder: 'n1#p', token });
const read = (id: number): LeaseRequest => ({ type: 'read', id, name: 'e' });
const looks = (id: number): LeaseEffect[] => [toStore(read(id)), setTimer('look', renewalMs)];
const watches = (id: number): LeaseEffect => toStore({ type: 'watch', id, name: 'e' });
const leads = (token: bigint, validForMs: number): LeaseEffect => ({ type: 'lead', token, validForMs });
const follows = (leaderId: string, token: bigint): LeaseEffect => ({ type: 'follow', leaderId, token });
const stepsDown = (reason: 'resigned' | 'session-lost' | 'deposed'): LeaseEffect => ({
  ...{ type: 'step-down', reason },
});
const resigned = stepsDown('resigned');
const campaigns: LeaseEffect = { type: 'campaign' };
const forgets = [cancelTimer('renew'), cancelTimer('request')];

const failed = (id: number | null, reason: 'refused' | 'unavailable' = 'unavailable'): LeaseReply => ({
  ...{ type: 'failed', id: id ?? -1, reason, detail: 'why' },
});
const lost = (token: string): LeaseReply => ({ type: 'lost', id: 99, token });

const after = (node: Hand, ...inputs: readonly LeaseInput[]): readonly LeaseEffect[] =>
  node.give(...inputs).effects;
const heard = (node: Hand, message: LeaseReply): readonly LeaseEffect[] => node.hear(message).effects;
const released = (node: Hand): readonly LeaseEffect[] =>
  heard(node, { type: 'released', id: node.state.request ?? -1 });
/** The number of the next request. */
const nextId = (node: Hand): number => node.state.nextId;

/** Has looked, and found the lease free. */
const idle = (settings: Partial<LeaseSettings> = {}): Hand => new Hand(settings).found(null);
/** Has asked for the lease, and not been answered. */
const asking = (): Hand => idle().stands();
/** Waits for the lease of n2, which has token 7 and is due at 2002. */
const waiting = (settings: Partial<LeaseSettings> = {}): Hand => idle(settings).stands().held();
/** Leads with token 5. */
const leading = (): Hand => idle().leads();
/** It was given token 6 after 7, and has the lease without leading. */
const refusing = (store: Partial<StoreTraits> = {}): Hand =>
  waiting({ store: { ...traits, ...store } })
    .hinted()
    .acquired(6);
/** Gives its lease back, and has not been answered. */
const leaving = (): Hand => leading().give(ill);
/** Its lease has come too late to lead with, and it has asked for more time. */
const late = (): Hand => asking().at(2900).acquired(5, 1);

const observers: Partial<LeaseSettings> = { store: { ...traits, clock: 'observer' } };

/** It neither does nor notes anything. */
function expectNothing(node: Hand, give: (node: Hand) => Hand): void {
  const before = node.state;
  give(node);
  expect(node.effects).toEqual([]);
  expect(node.state).toEqual(before);
}

describe('a node that starts', () => {
  it.each(['started', 'restarted'] as const)('asks for hints, and who leads, be it %s', (type) => {
    const state = initialState('n1', { ...defaultSettings, store: traits, name: 'e', ttlMs: 3000 }, 'p');
    const input: LeaseInput = type === 'started' ? { type } : { type, durable: null };
    expect(step(state, input, 1)[1]).toEqual([watches(1), ...looks(2)]);
  });
});

describe('what does not concern a node is not heard', () => {
  it('such as links to others', () => {
    expectNothing(waiting(), (node) => node.give(link('link-down', 'n2')));
    const silent = waiting().give(link('link-down'));
    expectNothing(silent, (node) => node.give(link('link-up', 'n2')));
  });

  it('such as the end of a lease that it has given up', () => {
    expectNothing(leading().give(resign), (node) => node.give(expired));
    expectNothing(waiting(), (node) => node.give(expired));
  });

  it('such as answers that it does not wait for', () => {
    for (const each of [idle, asking, waiting, leading, refusing, leaving]) {
      expectNothing(each(), (node) => node.hear({ type: 'held', id: 99, ...view({ token: '9' }) }));
      expectNothing(each(), (node) => node.hear({ type: 'found', id: 99, lease: view({ token: '9' }) }));
      expectNothing(each(), (node) => node.hear({ type: 'found', id: 99, lease: null }));
      expectNothing(each(), (node) => node.hear({ type: 'released', id: 99 }));
      expectNothing(each(), (node) => node.hear({ type: 'watching', id: node.state.watch ?? -1 }));
      expectNothing(each(), (node) => node.hear(failed(99)));
      expectNothing(each(), (node) => node.hear(lost('99')));
    }
  });

  it('such as answers to another question than the one it asked', () => {
    const request = (node: Hand): number => node.state.request ?? -1;
    for (const each of [leaving, () => asking().give(resign)]) expectNothing(each(), (node) => node.held());
    for (const lease of [null, view({ holder: 'n1#p' })])
      expectNothing(asking(), (node) => node.hear({ type: 'found', id: request(node), lease }));
    expectNothing(asking(), (node) => node.hear({ type: 'released', id: request(node) }));
  });

  it('such as an earlier answer, where it has the lease or has asked again', () => {
    expectNothing(leading(), (node) => node.acquired(5, 1, 3));
    expectNothing(refusing(), (node) => node.acquired(6, 1, 3));
    expectNothing(waiting().hinted(), (node) => node.acquired(5, 1, 3));
  });

  it('such as timers that have nothing to do any more', () => {
    expectNothing(waiting(), (node) => node.at(2002).fire('renew'));
    expectNothing(waiting().fire('look').found(null), (node) => node.at(2002).fire('due'));
    expectNothing(waiting().hinted(), (node) => node.at(2002).fire('due'));
  });

  it('such as hints, where nobody observes', () => {
    expectNothing(idle(), (node) => node.hinted());
    expectNothing(refusing(), (node) => node.hinted());
    expectNothing(leaving(), (node) => node.hinted());
  });
});

describe('a store that does not answer', () => {
  it('is asked again', () => {
    const node = asking();
    const id = nextId(node);
    expect(after(node.at(1001), { type: 'timer-fired', timer: 'request' })).toEqual(acquire(id, 1001));
    expect(node.state).toMatchObject({ suspicious: true, other: null });
  });

  it('is asked soon when a request has failed, whatever it was', () => {
    const node = asking();
    expect(heard(node, failed(node.state.request))).toEqual([setTimer('request', retryMs)]);
    const looking = new Hand();
    expect(heard(looking, failed(looking.state.look))).toEqual([setTimer('look', retryMs)]);
    const renewing = leading().fire('renew');
    expect(heard(renewing, failed(renewing.state.renewal))).toEqual([setTimer('renew', retryMs)]);
    for (const { state } of [node, looking, renewing]) expect(state.suspicious).toBe(true);
  });

  it('is asked after a while when it has refused, and a person is told', () => {
    const node = asking();
    expect(heard(node, failed(node.state.request, 'refused'))).toEqual([
      announce({ type: 'refused', reason: 'refused', detail: 'why' }),
      setTimer('request', requestTimeoutMs),
    ]);
  });

  it('is asked for hints again with its next answer, and who leads', () => {
    const node = asking().at(1001).fire('request');
    const id = nextId(node);
    expect(node.held().effects).toEqual([
      ...[cancelTimer('request'), follows('n2', 7n), setTimer('due', 2001)],
      ...[watches(id), ...looks(id + 1)],
    ]);
    expect(node.state.suspicious).toBe(false);
  });

  it('is asked for hints only, where it is being asked who leads', () => {
    const node = new Hand().fire('look');
    const id = nextId(node);
    expect(heard(node, { type: 'watching', id: 1 })).toEqual([watches(id)]);
  });

  it('is asked for hints again after a look or a renewal that went unanswered, and not after others', () => {
    expect(idle().fire('look').state.suspicious).toBe(false);
    expect(new Hand().fire('look').state.suspicious).toBe(true);
    const node = leading().at(1001).fire('renew');
    expect(node.state.suspicious).toBe(false);
    expect(node.at(1301).fire('renew').state.suspicious).toBe(true);
    const id = nextId(node);
    expect(node.renewed(1301).effects).toEqual([
      ...[leads(5n, leadsForMs), setTimer('renew', renewalMs)],
      ...[watches(id), ...looks(id + 1)],
    ]);
  });

  it('leaves whoever leads believed in until the lease is due, and not longer', () => {
    const node = waiting().at(500).hinted();
    expect(node.at(2001).fire('request').roles()).toEqual([]);
    expect(node.state.other?.isOver).toBe(false);
    expect(node.at(2002).fire('request').roles()).toEqual([campaigns]);
    expect(node.state.other?.isOver).toBe(true);
  });
});

describe('the link to the store', () => {
  const reopened = (node: Hand): readonly LeaseEffect[] => after(node, link('link-down'), link('link-up'));

  it('when it comes up, then a node that does not wait for an answer looks', () => {
    for (const node of [idle(), waiting()]) {
      const id = nextId(node);
      expect(reopened(node)).toEqual([watches(id), ...looks(id + 1)]);
    }
  });

  it('when it comes up, then whoever has the lease renews it', () => {
    const leader = leading();
    const first = nextId(leader);
    expect(reopened(leader)).toEqual([
      ...[watches(first), ...looks(first + 1)],
      ...[toStore(renewalOf(first + 2, '5', 1)), setTimer('renew', 300)],
    ]);
    const refuser = refusing();
    const id = nextId(refuser);
    expect(reopened(refuser)).toEqual([
      ...[watches(id), toStore(renewalOf(id + 1, '6', 1)), setTimer('renew', 300)],
    ]);
  });

  it('when it comes up, then whoever waits for an answer asks again, and for nothing else', () => {
    const candidate = asking();
    const first = nextId(candidate);
    expect(reopened(candidate)).toEqual([...acquire(first, 1), watches(first + 1)]);
    const leaver = leaving();
    const id = nextId(leaver);
    expect(reopened(leaver)).toEqual([...release(id, '5'), watches(id + 1)]);
  });
});

describe('a node that begins to lead', () => {
  it('has no more questions, and renews after a third of the lease', () => {
    const node = asking();
    expect(node.acquired(5).effects).toEqual([
      ...[cancelTimer('request'), cancelTimer('due')],
      ...[leads(5n, leadsForMs), setTimer('renew', renewalMs)],
    ]);
    expect(node.state).toMatchObject({
      ...{ phase: 'leading', told: 'leading', request: null, other: null },
      ...{ own: { token: '5', validForMs: 3000, sentMs: 1 }, floor: '5', formerOwn: '5' },
    });
  });

  it('does so only with time to lead in, and else asks for more', () => {
    const node = asking().at(1 + leadsForMs - 1);
    expect(node.acquired(5, 1).roles()).toEqual([leads(5n, 1)]);
    const tooLate = asking().at(1 + leadsForMs);
    const id = nextId(tooLate);
    expect(tooLate.acquired(5, 1).effects).toEqual(asks(renewalOf(id, '5', 1 + leadsForMs)));
    expect(tooLate.state).toMatchObject({ phase: 'acquiring', request: id, own: { token: '5' } });
  });

  it('takes whichever answer gives it more time', () => {
    const node = late().at(3901).fire('request').at(4000);
    const sentMs = 2900;
    node.hear({ type: 'renewed', id: 4, token: '5', validForMs: 3000, sentMs });
    expect(node.effects.slice(0, 4)).toEqual([
      ...[cancelTimer('request'), cancelTimer('due')],
      ...[leads(5n, leadsForMs - 1100), setTimer('renew', 0)],
    ]);
  });

  it('forgets that the store has lost data', () => {
    const node = waiting().fire('look').found({ holder: 'n3#r', token: '6' });
    expect(node.state.dataLost).toBe(true);
    expect(node.hinted().acquired(8).state).toMatchObject({ phase: 'leading', dataLost: false });
  });
});

describe('a leader', () => {
  it('gets no time from a renewal that is answered too late', () => {
    const renewed = (ms: number): Hand => leading().at(1001).fire('renew').at(ms).renewed(1001);
    expect(renewed(1001 + leadsForMs - 1).effects).toEqual([leads(5n, 1), setTimer('renew', 0)]);
    expect(renewed(1001 + leadsForMs).effects).toEqual([setTimer('renew', 0)]);
    expect(renewed(1001 + leadsForMs + 9).effects).toEqual([setTimer('renew', 0)]);
    expect(renewed(1001 + leadsForMs + 9).state).toMatchObject({ phase: 'leading', renewal: null });
  });

  it('counts a renewal that was sent in the same millisecond', () => {
    const node = leading().fire('renew').renewed(1);
    expect(node.effects).toEqual([leads(5n, leadsForMs), setTimer('renew', renewalMs)]);
    expect(node.state.renewal).toBeNull();
  });

  it('stops when another has the lease, though under its own token', () => {
    const node = leading().hinted().found({ holder: 'n2#q', token: '5' });
    expect(node.effects).toEqual([stepsDown('deposed'), ...forgets]);
  });

  it('that has lost its lease has nothing, and does not stand before it is asked to', () => {
    const node = leading().fire('renew');
    expect(heard(node, lost('5'))).toEqual([stepsDown('session-lost'), ...forgets]);
    expect(node.state).toMatchObject({
      ...{ phase: 'following', standing: false, told: 'nobody' },
      ...{ own: null, request: null, renewal: null },
    });
    expect(after(node, well)).toEqual([]);
  });

  it('whose time is over does not stand before it is asked to', () => {
    expect(released(leading().give(expired))).toEqual(forgets);
  });
});

describe('a node that waits', () => {
  it('asks again when a lease comes that it did not wait for any more', () => {
    const node = waiting();
    const id = nextId(node);
    expect(node.at(9).acquired(8, 1, 3).effects).toEqual(acquire(id, 9));
  });

  it('asks again when the lease is its own, and knows of no other any more', () => {
    const node = waiting().fire('look');
    const id = nextId(node);
    expect(node.found({ holder: 'n1#p', token: '8' }).effects).toEqual([campaigns, ...acquire(id, 1)]);
    expect(node.state.other).toBeNull();
  });

  it('waits for a lease that is held in its own name, and may lead with its token', () => {
    const node = asking().held({ holder: 'n1#p', token: '8' });
    expect(node.effects).toEqual([cancelTimer('request'), setTimer('due', 2001)]);
    expect(node.hinted().acquired(8).roles()).toEqual([leads(8n, leadsForMs)]);
  });

  it('waits for whoever has a lease without a token', () => {
    const node = asking().held({ token: null });
    expect(node.effects).toEqual([
      ...[cancelTimer('request'), { type: 'follow', leaderId: 'n2', token: null }, setTimer('due', 2001)],
    ]);
    expect(node.state.floor).toBe('0');
  });

  it('asks at once for a version that has stood still for long enough, and who only watches does not', () => {
    const dueMs = 2000 + 2 * 0.01 * 2000 + 100;
    const node = waiting(observers).fire('look').found({ version: 'v1' });
    expect(node.effects).toEqual([setTimer('due', dueMs)]);
    expect(node.at(9000).fire('look').found({ version: 'v1' }).effects).toEqual([
      campaigns,
      setTimer('due', 0),
    ]);
    const id = nextId(node);
    expect(node.fire('due').effects).toEqual(acquire(id, 9000, 'v1'));
    const watcher = new Hand(observers).found({ version: 'v1' });
    expect(watcher.effects).toEqual([follows('n2', 7n), setTimer('due', dueMs)]);
    expect(watcher.at(9000).fire('look').found({ version: 'v1' }).effects).toEqual([followNobody]);
  });
});

describe('a node that only watches', () => {
  it('believes in nobody, and waits for nothing, when the lease is free', () => {
    const node = new Hand().found({}).fire('look');
    expect(node.found(null).effects).toEqual([followNobody, cancelTimer('due')]);
  });

  it('cannot give back a lease whose token is not known', () => {
    const node = new Hand().found({ holder: 'n1#p', token: null });
    expect(node.effects).toEqual([]);
    expect(node.state).toMatchObject({ phase: 'following', own: null, look: null });
  });
});

describe('a node that has the lease, or asks for it, or gives it back', () => {
  it('does not look who leads, but will when that is over', () => {
    for (const node of [leading(), refusing(), asking(), leaving()]) {
      expect(node.fire('look').effects).toEqual([setTimer('look', renewalMs)]);
    }
  });
});

describe('a node that falls ill', () => {
  it('gives back a lease that it does not lead with, and is no candidate any more', () => {
    const node = refusing();
    const id = nextId(node);
    expect(after(node, ill)).toEqual([cancelTimer('renew'), ...release(id, '6'), followNobody]);
  });

  it('has nothing to do where it does not stand, or leaves already', () => {
    for (const node of [idle(), leading().give(resign)]) {
      expect(after(node, ill)).toEqual([]);
      expect(node.state.healthy).toBe(false);
    }
  });
});

describe('a node that resigns', () => {
  it('follows on whom it followed', () => {
    for (const node of [new Hand().found({}), waiting()]) {
      expect(after(node, resign)).toEqual([resigned]);
      expect(node.state).toMatchObject({ phase: 'following', standing: false, owesStepDown: false });
    }
  });

  it('while it gives its lease back already, then it waits for that', () => {
    const node = leaving();
    expect(after(node, resign)).toEqual([]);
    expect(released(node)).toEqual([...forgets, resigned]);
  });

  it('while a renewal is on its way, then it has resigned when it hears that the lease is lost', () => {
    const node = leading().fire('renew').give(resign);
    expect(heard(node, lost('5'))).toEqual([...forgets, resigned]);
    expect(node.state.phase).toBe('following');
  });

  it('gives back a later lease that comes meanwhile, and not the same one twice', () => {
    const node = asking().fire('request').give(resign).acquired(5, 1, 3);
    expectNothing(node, (leaver) => leaver.acquired(5, 1, 4));
    const id = nextId(node);
    expect(node.acquired(6, 1, 4).effects).toEqual([cancelTimer('renew'), ...release(id, '6')]);
  });

  it('while its answer is still to come, then it reads what it has, and has resigned if no token is known', () => {
    const node = asking();
    const id = nextId(node);
    expect(after(node, resign)).toEqual([cancelTimer('renew'), ...asks(read(id))]);
    const lease = view({ holder: 'n1#p', token: null });
    expect(heard(node, { type: 'found', id, lease })).toEqual([...forgets, resigned]);
  });
});

describe('a node that is told to accept lower tokens', () => {
  it('looks, and forgets every token', () => {
    for (const node of [waiting().fire('look').found({ holder: 'n3#r', token: '6' }), leading()]) {
      const id = nextId(node);
      expect(after(node, accept)).toEqual(looks(id));
      expect(node.state).toMatchObject({ floor: '0', formerOwn: '0', dataLost: false });
    }
  });

  it('leads with what it has', () => {
    expect(after(refusing().at(101), accept)).toEqual([
      ...[cancelTimer('request'), cancelTimer('due')],
      ...[leads(6n, leadsForMs - 100), setTimer('renew', renewalMs - 100)],
    ]);
  });

  it('asks for more time where too little is left', () => {
    const node = refusing().at(9000);
    const id = nextId(node);
    expect(after(node, accept)).toEqual(asks(renewalOf(id, '6', 9000)));
    expect(node.state).toMatchObject({ phase: 'acquiring', request: id });
  });

  it('gives back what it was giving back', () => {
    const node = leaving();
    expect(after(node, accept)).toEqual([]);
    expect(node.state.phase).toBe('leaving');
  });
});

describe('a store that has lost data', () => {
  const lostData = (what: string, floor: number, cure = ''): LeaseEffect => {
    const detail =
      `The store has lost data, or is another store: ${what}. This node leads with no token up to ${floor} until it ` +
      `is restarted, or told to by request({ type: 'accept-lower-tokens' }). ${cure}Whatever checks tokens must ` +
      'forget the old ones first.';
    return announce({ type: 'data-lost', highestToken: BigInt(floor), detail });
  };

  it('is told by the token that it gives, once, and the lease is kept', () => {
    const node = refusing();
    expect(node.effects).toEqual([
      ...[cancelTimer('request'), cancelTimer('due'), setTimer('renew', renewalMs)],
      ...[lostData('it gives this node token 6 after 7', 7), campaigns],
    ]);
    expect(node.state).toMatchObject({ phase: 'refusing', request: null, own: { token: '6', sentMs: 1 } });
    expect(node.at(1001).fire('renew').renewed(1001, '6').effects).toEqual([
      ...[cancelTimer('request'), cancelTimer('due'), setTimer('renew', renewalMs)],
    ]);
    expect(node.state).toMatchObject({ renewal: null, own: { token: '6', sentMs: 1001 } });
  });

  it('is told that its clock is waited for, where tokens are of that', () => {
    const cure = "It asks for another one until the store's clock has passed that. ";
    expect(refusing({ tokens: 'clock' }).effects).toContainEqual(
      lostData('it gives this node token 6 after 7', 7, cure),
    );
  });

  it('is told by the token of its leader', () => {
    const node = waiting().fire('look').found({ holder: 'n3#r', token: '6' });
    expect(node.effects).toEqual([
      ...[lostData('its leader has token 6 after 7', 7), campaigns, setTimer('due', 2001)],
    ]);
    expect(node.state).toMatchObject({ floor: '7', dataLost: true });
  });

  it('has its leaders believed in again when one has a higher token', () => {
    const node = waiting().fire('look').found({ holder: 'n3#r', token: '6' });
    expect(node.fire('look').found({ holder: 'n3#r', token: '8' }).roles()).toEqual([follows('n3', 8n)]);
    expect(node.state).toMatchObject({ floor: '8', dataLost: false });
  });

  it('gives a token of this process to another: then it is not given back, but refused', () => {
    const node = leading().hear(lost('5')).stands().held({ token: '8' });
    expect(node.state).toMatchObject({ floor: '8', formerOwn: '5' });
    node.fire('look').found({ holder: 'n3#r', token: '5' });
    expect(node.state).toMatchObject({ floor: '8', formerOwn: '0' });
    expect(node.hinted().acquired(5).state.phase).toBe('refusing');
  });

  it('gives a token of this process once more: then it is given back, and only once', () => {
    const node = leading().hear(lost('5')).stands();
    const id = nextId(node);
    expect(node.acquired(5).effects).toEqual([cancelTimer('renew'), ...release(id, '5')]);
    expect(node.state.formerOwn).toBe('0');
  });
});

describe('a death certificate', () => {
  const death: LeaseInput = { type: 'peer-gone', peer: 'n2', incarnation: 'q' };
  const certified: Partial<LeaseSettings> = { deathCertificates: true };
  const releases = (id: number): LeaseEffect =>
    toStore({ type: 'release', id, name: 'e', holder: 'n2#q', token: '7' });

  it('releases the lease of the dead, and has the node look soon, unless it does already', () => {
    const node = waiting(certified);
    const id = nextId(node);
    expect(after(node, death)).toEqual([releases(id), setTimer('look', requestTimeoutMs)]);
    const looking = waiting(certified).fire('look');
    const next = nextId(looking);
    expect(after(looking, death)).toEqual([releases(next)]);
  });

  it('of whoever has no lease releases nothing', () => {
    expect(after(idle(certified), death)).toEqual([]);
  });
});
