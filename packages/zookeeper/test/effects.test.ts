/** What each rule does, to the last effect and in its order: what is not listed must not happen. */

import { announce, cancelTimer, followNobody, send, setTimer } from '@hustings/elector/protocol';
import { describe, expect, it } from 'vitest';
import {
  defaultSettings,
  initialState,
  protectedName,
  step,
  type ZooKeeperAnnouncement,
  type ZooKeeperEffect,
  type ZooKeeperInput,
  type ZooKeeperReply,
  type ZooKeeperRequest,
} from '../src/index.js';
import {
  connected,
  created,
  leading,
  listed,
  other,
  own,
  pinged,
  Subject,
  session,
  timeoutMs,
  waiting,
} from './subject.js';

const campaign: ZooKeeperInput = { type: 'campaign-requested' };
const resign: ZooKeeperInput = { type: 'resign-requested' };
const ill: ZooKeeperInput = { type: 'health-changed', healthy: false };
const well: ZooKeeperInput = { type: 'health-changed', healthy: true };
const accept: ZooKeeperInput = { type: 'requested', request: { type: 'accept-lower-tokens' } };
const fires = (timer: 'ping' | 'request'): ZooKeeperInput => ({ type: 'timer-fired', timer });
const link = (type: 'link-up' | 'link-down', peer: string): ZooKeeperInput => ({ type, peer });

const path = '/hustings';
const { requestTimeoutMs, retryMs } = defaultSettings;
const guardMs = 2 * 0.01 * timeoutMs + 50;

const asks = (message: ZooKeeperRequest): ZooKeeperEffect[] => [
  send('zookeeper', message),
  setTimer('request', requestTimeoutMs),
];
const says = (announcement: ZooKeeperAnnouncement): ZooKeeperEffect => announce(announcement);
const children = (id: number, watch = false): ZooKeeperRequest => ({
  ...{ type: 'children', id, session, path, watch },
});
const deleteOf = (id: number, name: string): ZooKeeperRequest => ({
  ...{ type: 'delete', id, session, path: `${path}/${name}` },
});
const getOf = (id: number, name: string, watch: boolean): ZooKeeperRequest => ({
  ...{ type: 'get', id, session, path: `${path}/${name}`, watch },
});
const deleted = (name: string): ZooKeeperReply => ({
  ...{ type: 'node-deleted', session, path: `${path}/${name}` },
});
const failed = (
  id: number | undefined,
  reason: 'no-node' | 'refused' | 'connection-loss',
): ZooKeeperReply => ({
  ...{ type: 'failed', id: id ?? -1, reason, detail: 'why' },
});

const after = (subject: Subject, input: ZooKeeperInput): readonly ZooKeeperEffect[] =>
  subject.give(input).effects;
const heard = (subject: Subject, message: ZooKeeperReply): readonly ZooKeeperEffect[] =>
  subject.hear(message).effects;
/** The number of the next request. */
const nextId = (subject: Subject): number => subject.state.nextId;
const awaitedId = (subject: Subject): number => subject.state.awaited?.id ?? -1;
const done = (subject: Subject): readonly ZooKeeperEffect[] =>
  heard(subject, { type: 'done', id: awaitedId(subject) });
const reconnected = (subject: Subject, id: string = session): Subject =>
  subject.hear({
    ...{ type: 'connected', id: awaitedId(subject), session: id, sessionTimeoutMs: timeoutMs },
  });

/** It has asked for a znode, and not been answered. */
const creating = (): Subject => connected().give(campaign);
/** Its request has failed in a way that says nothing, and it has yet to connect again. */
const adrift = (subject: Subject): Subject =>
  subject.hear(failed(subject.state.awaited?.id, 'connection-loss'));

/** It neither does nor notes anything. */
function expectNothing(subject: Subject, give: (subject: Subject) => Subject): void {
  const before = subject.state;
  give(subject);
  expect(subject.effects).toEqual([]);
  expect(subject.state).toEqual(before);
}

describe('a node that starts', () => {
  it.each(['started', 'restarted'] as const)('asks for a session, be it %s', (type) => {
    const input = type === 'started' ? { type } : { type, durable: null };
    const { sessionTimeoutMs } = defaultSettings;
    expect(step(initialState('n1'), input, 1)[1]).toEqual(
      asks({ type: 'connect', id: 1, session: null, sessionTimeoutMs }),
    );
  });

  it('takes no part before it has a session', () => {
    const subject = new Subject().give({ type: 'started' });
    expect(after(subject, campaign)).toEqual([{ type: 'campaign' }]);
    expect(after(subject, ill)).toEqual([followNobody]);
    expect(subject.state.awaited?.what).toBe('connect');
  });
});

describe('what does not concern a node', () => {
  it('is not heard: messages of others, links to others, observers', () => {
    const message = deleted(other(2));
    expectNothing(waiting(), (each) => each.give({ type: 'received', from: 'n2', message }));
    expectNothing(waiting(), (each) => each.give(link('link-down', 'n2')));
    const lost = waiting().give(link('link-down', 'zookeeper'));
    expectNothing(lost, (each) => each.give(link('link-up', 'n2')));
    expectNothing(waiting(), (each) => each.give({ type: 'observation-changed', observed: true }));
  });

  it('is not heard: the end of a lease that has been given up', () => {
    expectNothing(leading().give(resign), (each) => each.give({ type: 'lease-expired' }));
  });

  it('is not heard: an answer to a ping that was never sent', () => {
    const subject = waiting().after(1560).give(fires('ping'));
    expectNothing(subject, (each) => each.hear({ type: 'proven', id: 99, exists: true }));
  });
});

describe('the link to ZooKeeper', () => {
  it('when it goes down, then the way back is asked for, and again when it is up', () => {
    const subject = waiting();
    const id = nextId(subject);
    const connect = { type: 'connect', session, sessionTimeoutMs: defaultSettings.sessionTimeoutMs } as const;
    expect(after(subject, link('link-down', 'zookeeper'))).toEqual(asks({ ...connect, id }));
    expect(subject.state).toMatchObject({
      connected: false,
      pings: [],
      awaited: { what: 'connect', name: '' },
    });
    expect(after(subject, link('link-up', 'zookeeper'))).toEqual(asks({ ...connect, id: id + 1 }));
  });

  it('when it comes up and nothing was lost, then nothing is asked for', () => {
    expectNothing(waiting(), (each) => each.give(link('link-up', 'zookeeper')));
  });

  it('when it is back, then pings begin anew, and the queue is looked at', () => {
    const subject = waiting().give(link('link-down', 'zookeeper'));
    const id = nextId(subject);
    expect(reconnected(subject).effects).toEqual([
      cancelTimer('request'),
      send('zookeeper', { type: 'prove', id, session, path: `${path}/${other(2)}` }),
      setTimer('ping', 390),
      ...asks(children(id + 1)),
    ]);
    expect(subject.state.pings).toEqual([{ id, sentMs: 1000, name: other(2) }]);
  });

  it('while it is down, then no ping is sent, nothing listed, and nobody enters', () => {
    const lost = waiting().give(link('link-down', 'zookeeper'));
    expectNothing(lost, (each) => each.give(fires('ping')));
    expect(adrift(waiting().hear(deleted(other(2)))).give(accept).effects).toEqual([]);
    expect(after(adrift(connected()), campaign)).toEqual([{ type: 'campaign' }]);
  });
});

describe('a session', () => {
  it('that was replaced by another is over: whoever led in it steps down, and enters with the new one', () => {
    const subject = leading().hear({ type: 'disconnected', session });
    const id = nextId(subject);
    expect(reconnected(subject, 'abc').effects).toEqual([
      cancelTimer('ping'),
      cancelTimer('request'),
      { type: 'step-down', reason: 'session-lost' },
      cancelTimer('request'),
      send('zookeeper', { type: 'ping', id, session: 'abc', path }),
      setTimer('ping', 390),
      ...asks({ type: 'children', id: id + 1, session: 'abc', path, watch: false }),
    ]);
    expect(subject.state).toMatchObject({ leading: false, own: null, leader: null, session: { id: 'abc' } });
  });

  it('that expires costs an observer nothing but a new one', () => {
    const subject = listed(connected());
    const id = nextId(subject);
    const { sessionTimeoutMs } = defaultSettings;
    expect(heard(subject, { type: 'expired', session })).toEqual([
      cancelTimer('ping'),
      cancelTimer('request'),
      ...asks({ type: 'connect', id, session: null, sessionTimeoutMs }),
    ]);
  });

  it('that expires takes the own znode, and not what is known of the leader', () => {
    const subject = waiting().hear({ type: 'expired', session });
    expect(subject.state).toMatchObject({ own: null, leader: { leaderId: 'n9' }, told: '72' });
    expect(leading().hear({ type: 'expired', session }).state).toMatchObject({ own: null, leader: null });
  });

  it('that was there before counts from when it was last heard of, not from now', () => {
    const subject = new Subject().give({ type: 'started' });
    const { id } = subject.asked('connect');
    subject.hear({ type: 'connected', id, session, sessionTimeoutMs: timeoutMs, agoMs: 300 });
    expect(subject.state.session).toMatchObject({ provenMs: 700, answered: [{ sentMs: 700 }] });
  });

  it('keeps no more answers than it needs', () => {
    const subject = waiting();
    for (let pings = 0; pings < 20; pings += 1) pinged(subject.after(1560), 'prove');
    expect(subject.state.session?.answered).toHaveLength(8);
  });
});

describe('a ping', () => {
  const answer = (subject: Subject, id: number, exists: boolean): readonly ZooKeeperEffect[] =>
    heard(subject, { type: 'pong', id, exists });

  it('that is answered leads to the next after a while, and to no more', () => {
    const subject = waiting().after(1560).give(fires('ping'));
    const { id } = subject.asked('prove');
    expect(heard(subject, { type: 'proven', id, exists: true })).toEqual([setTimer('ping', 1560)]);
  });

  it('that was sent again is known by its own number', () => {
    const subject = waiting().after(1560).give(fires('ping')).after(390).give(fires('ping'));
    const { id } = subject.asked('prove');
    expect(heard(subject, { type: 'proven', id, exists: true })).toEqual([setTimer('ping', 1560)]);
  });

  it('has whoever knows of no leader look, unless it does already', () => {
    const idle = listed(listed(connected())).after(1560).give(fires('ping'));
    const id = nextId(idle);
    expect(answer(idle, idle.asked('ping').id, true)).toEqual([
      setTimer('ping', 1560),
      ...asks(children(id)),
    ]);
    const looking = listed(connected(), other(2)).after(1560).give(fires('ping'));
    expect(answer(looking, looking.asked('ping').id, false)).toEqual([setTimer('ping', 1560)]);
  });

  it('of a leader that is answered after its lease has run out gives it no time', () => {
    const late = (ms: number): Subject => {
      const subject = leading().after(1560).give(fires('ping'));
      return subject.after(ms).hear({ type: 'proven', id: subject.asked('prove').id, exists: true });
    };
    const leftMs = timeoutMs - guardMs - 1560;
    expect(late(leftMs - 1).did('lead')).toMatchObject([{ validForMs: 1 }]);
    expect(late(leftMs).effects).toEqual([setTimer('ping', 1560)]);
    expect(late(leftMs + 9).effects).toEqual([setTimer('ping', 1560)]);
    expect(late(leftMs + 9).state.leading).toBe(true);
  });
});

describe('a candidate whose turn comes', () => {
  /** Its session was proven when it began; its last ping was answered this long after. */
  const turn = (ms: number): Subject => {
    const subject = waiting().after(ms).give(fires('ping'));
    subject.hear({ type: 'proven', id: subject.asked('prove').id, exists: true });
    return listed(subject.hear(deleted(other(2))), own(1, 3));
  };
  // The next ping goes out after 1560 ms, and again after 390 ms.
  const latestMs = timeoutMs - guardMs - 1560 - 390;

  it('leads if its lease lasts until the next ping can be answered', () => {
    const subject = turn(latestMs);
    expect(subject.did('lead')).toEqual([{ type: 'lead', token: 73n, validForMs: 1560 + 390 }]);
    expect(subject.state).toMatchObject({
      ...{ leading: true, told: 'leading', floor: 73, dataLost: false },
      leader: { name: own(1, 3), leaderId: 'n1', czxid: 73 },
    });
  });

  it('asks for a proof if it does not', () => {
    const subject = turn(latestMs + 1);
    const id = awaitedId(subject);
    expect(subject.effects).toEqual(asks({ type: 'confirm', id, session, path: `${path}/${own(1, 3)}` }));
    expect(subject.state.awaited).toMatchObject({ what: 'confirm', name: own(1, 3) });
  });

  it('remembers what the proof has shown', () => {
    const subject = turn(latestMs + 1);
    const before = subject.state.session?.answered ?? [];
    subject.after(1).hear({ type: 'confirmed', id: awaitedId(subject), exists: true });
    expect(subject.state.session?.answered).toHaveLength(before.length + 1);
  });
});

describe('a node that enters', () => {
  it('is sure of its znode when that is created', () => {
    expect(creating().state.session?.unsure).toBe(true);
    expect(created(3).state.session?.unsure).toBe(false);
  });

  it('is sure that there is none when it was refused, and only of what it tried to create', () => {
    const refused = creating();
    expect(heard(refused, failed(awaitedId(refused), 'refused'))).toEqual([
      says({ type: 'refused', detail: 'why' }),
      setTimer('request', requestTimeoutMs),
    ]);
    expect(refused.state.session?.unsure).toBe(false);
    expect(adrift(creating()).state.session?.unsure).toBe(true);
    const looking = reconnected(adrift(creating()).give(fires('request')));
    expect(looking.hear(failed(awaitedId(looking), 'refused')).state.session?.unsure).toBe(true);
  });

  it('is sure after it has listed the queue', () => {
    const subject = listed(reconnected(adrift(creating()).give(fires('request'))), own(1, 5));
    expect(subject.state.session?.unsure).toBe(false);
  });

  it('tries again soon when the connection was lost, and forgets its pings', () => {
    const subject = creating().give(fires('ping'));
    expect(heard(subject, failed(awaitedId(subject), 'connection-loss'))).toEqual([
      setTimer('request', retryMs),
    ]);
    expect(subject.state).toMatchObject({ connected: false, pings: [], awaited: null });
  });

  it('makes the path when it is missing, and knows of no queue until then', () => {
    const subject = waiting().hear(deleted(other(2)));
    const id = nextId(subject);
    expect(heard(subject, failed(awaitedId(subject), 'no-node'))).toEqual(
      asks({ type: 'ensure', id, session, path }),
    );
    expect(subject.state).toMatchObject({ queue: [], watching: null, awaited: { what: 'ensure', name: '' } });
    expect(done(subject)).toEqual(asks(children(id + 1)));
  });

  it('takes the znode that it was told of, and deletes another of the same attempt', () => {
    const subject = created(5);
    const id = nextId(subject);
    expect(listed(subject, own(1, 3), own(1, 5)).effects).toEqual(asks(deleteOf(id, own(1, 3))));
  });

  it('deletes what an earlier attempt has left, and does not take its place', () => {
    const subject = leading().give({ type: 'lease-expired' }).give(campaign);
    done(subject);
    const id = nextId(subject);
    expect(listed(subject, own(1, 4)).effects).toEqual(asks(deleteOf(id, own(1, 4))));
  });

  it('looks again when the znode that it would inspect is gone', () => {
    const subject = listed(reconnected(adrift(creating()).give(fires('request'))), own(1, 5));
    const id = nextId(subject);
    expect(subject.state.awaited?.what).toBe('inspect');
    expect(heard(subject, failed(awaitedId(subject), 'no-node'))).toEqual(asks(children(id)));
  });
});

describe('a node that waits', () => {
  it('watches the one before it, and then asks who leads', () => {
    const subject = listed(created(3), own(1, 3), other(1), other(2));
    const id = nextId(subject);
    const got: ZooKeeperReply = {
      ...{ type: 'got', id: awaitedId(subject), data: 'n8', czxid: 72, owner: 'abc' },
    };
    expect(heard(subject, got)).toEqual(asks(getOf(id, other(1), false)));
    expect(subject.state).toMatchObject({ seen: 73, watching: other(2), awaited: { what: 'leader' } });
  });

  it('in a herd watches the first', () => {
    const subject = listed(created(3, { succession: 'herd' }), own(1, 3), other(1), other(2));
    expect(subject.asked('get')).toMatchObject({ path: `${path}/${other(1)}`, watch: true });
  });

  it('does not list again while a list is on its way', () => {
    const subject = waiting().hear(deleted(other(2)));
    expect(heard(subject, deleted(other(2)))).toEqual([]);
  });

  it('watches again a znode that was said to be gone and is still listed', () => {
    const subject = waiting().hear(deleted(other(2)));
    const id = nextId(subject);
    expect(listed(subject, own(1, 3), other(2)).effects).toEqual(asks(getOf(id, other(2), true)));
  });
});

describe('a leader', () => {
  it('does not look at the queue, whatever it is told', () => {
    expect(after(leading(), accept)).toEqual([]);
    expect(after(leading(), well)).toEqual([]);
    const watching = leading();
    watching.hear({ type: 'got', id: awaitedId(watching), data: 'n1', czxid: 73, owner: session });
    expect(after(watching, accept)).toEqual([]);
    expect(after(watching, well)).toEqual([]);
  });
});

describe('a node that is told to accept lower tokens', () => {
  it('looks, unless it waits for something else', () => {
    const subject = waiting();
    const id = nextId(subject);
    expect(after(subject, accept)).toEqual(asks(children(id)));
    expect(subject.state).toMatchObject({ floor: 0, dataLost: false });
    expect(after(creating(), accept)).toEqual([]);
  });
});

describe('a node that falls ill', () => {
  it('leaves if it stands, and does nothing if it does not', () => {
    const subject = waiting();
    const id = nextId(subject);
    expect(after(subject, ill)).toEqual(asks(deleteOf(id, own(1, 3))));
    expect(after(listed(connected()), ill)).toEqual([]);
    expect(after(listed(connected(), other(2)), ill)).toEqual([]);
  });
});

describe('a node that resigns', () => {
  const resigned: ZooKeeperEffect = { type: 'step-down', reason: 'resigned' };

  it('while its znode is being created, then it waits to hear whether there is one, and deletes it', () => {
    const subject = creating();
    expect(after(subject, resign)).toEqual([]);
    expect(subject.state).toMatchObject({ owesStepDown: true, awaited: { what: 'create' } });
    const created = { path: `${path}/${own(1, 3)}`, czxid: 73 };
    const id = nextId(subject);
    expect(heard(subject, { type: 'created', id: awaitedId(subject), ...created })).toEqual(
      asks(children(id)),
    );
    expect(subject.state.own).toBeNull();
    expect(listed(subject, own(1, 3)).effects).toEqual(asks(deleteOf(id + 1, own(1, 3))));
    expect(done(subject)[0]).toEqual(resigned);
  });

  it('while its znode is being created behind a leader, then it knows that leader on', () => {
    const subject = listed(connected(), other(2));
    subject.hear({ type: 'got', id: awaitedId(subject), data: 'n9', czxid: 60, owner: 'abc' });
    subject.give(campaign).give(resign);
    subject.hear({ type: 'created', id: awaitedId(subject), path: `${path}/${own(1, 3)}`, czxid: 73 });
    expect(subject.state).toMatchObject({ own: null, leader: { leaderId: 'n9' } });
  });

  it('while it is not known whether its znode was created, then the list will tell', () => {
    const subject = reconnected(adrift(creating()).give(fires('request')));
    const id = nextId(subject);
    expect(after(subject, resign)).toEqual(asks(children(id)));
    expect(listed(subject).effects[0]).toEqual(resigned);
  });

  it('while its znode is being deleted, then it waits for that', () => {
    const subject = waiting().give(ill);
    expect(after(subject, resign)).toEqual([]);
    expect(done(subject)[0]).toEqual(resigned);
  });

  it('while it is cut off, then it sends nothing, and leaves when it is back', () => {
    const subject = waiting().give(link('link-down', 'zookeeper'));
    expect(after(subject, resign)).toEqual([]);
    expect(subject.state).toMatchObject({ awaited: { what: 'connect' }, own: null, owesStepDown: true });
    reconnected(subject);
    const id = nextId(subject);
    expect(listed(subject, other(2), own(1, 3)).effects).toEqual(asks(deleteOf(id, own(1, 3))));
  });

  it('and whose znode is gone already has resigned', () => {
    const subject = waiting().give(resign);
    expect(heard(subject, failed(awaitedId(subject), 'no-node'))[0]).toEqual(resigned);
  });

  it('then it follows on whom it followed, and says no more of that', () => {
    const subject = waiting().give(resign);
    const id = nextId(subject);
    expect(done(subject)).toEqual([resigned, ...asks(children(id))]);
    expect(subject.state.told).toBe('72');
  });

  it('and campaigns again before that is done stands when it is', () => {
    const subject = waiting().give(resign).give(campaign);
    const id = nextId(subject);
    expect(done(subject)).toEqual([resigned, ...asks(children(id))]);
    expect(subject.state.standing).toBe(true);
  });

  it('as an observer looks again if it was looking, and else has nothing to do', () => {
    const looking = connected();
    const id = nextId(looking);
    expect(after(looking, resign)).toEqual([resigned, ...asks(children(id))]);
    const adriftOne = adrift(connected());
    expect(after(adriftOne, resign)).toEqual([resigned]);
  });
});

describe('a ZooKeeper that has lost data', () => {
  const lost = (what: string, floor: number): ZooKeeperEffect => {
    const detail =
      `ZooKeeper has lost data, or is another ensemble: ${what}. This node leads with no token up to ${floor} ` +
      "until it is restarted, or told to by request({ type: 'accept-lower-tokens' }). Whatever checks tokens " +
      'must forget the old ones first.';
    return says({ type: 'data-lost', highestToken: BigInt(floor), detail });
  };
  /** A node that does not stand, and is shown a leader with this token. */
  const shown = (subject: Subject, name: string, czxid: number): Subject => {
    listed(subject, name);
    return subject.hear({ type: 'got', id: awaitedId(subject), data: 'n9', czxid, owner: 'abc' });
  };
  const epochTwo = 2 * 2 ** 32 + 26;

  it('is told by the zxid of a new znode, and from then on it counts from there', () => {
    const subject = shown(connected(), other(2), epochTwo).give(campaign);
    const id = awaitedId(subject);
    expect(heard(subject, { type: 'created', id, path: `${path}/${own(1, 3)}`, czxid: 5 })[0]).toEqual(
      lost('it created a znode at zxid 0x5 of epoch 0 after zxid 0x20000001a of epoch 2', epochTwo),
    );
    expect(subject.state).toMatchObject({ seen: 5, floor: epochTwo, dataLost: true });
  });

  it('is told by the token of its leader, once, and counts up to the highest zxid that was seen', () => {
    const subject = shown(connected(), other(2), 60);
    subject
      .give(campaign)
      .hear({ type: 'created', id: awaitedId(subject), path: `${path}/${own(1, 3)}`, czxid: 73 });
    subject.give(resign);
    listed(subject.hear({ type: 'done', id: awaitedId(subject) }), other(4));
    subject.hear({ type: 'got', id: awaitedId(subject), data: 'n9', czxid: 40, owner: 'abc' });
    expect(subject.effects[0]).toEqual(
      lost('its leader has token zxid 0x28 of epoch 0 after zxid 0x3c of epoch 0', 73),
    );
    subject.hear(deleted(other(4)));
    shown(subject, other(5), 41);
    expect(subject.effects).toEqual([cancelTimer('request')]);
  });

  it('is told by a znode of its own that has a lower token, once', () => {
    const subject = shown(connected(), other(2), 80).hear(deleted(other(2)));
    adrift(listed(subject, other(9)).give(campaign)).give(fires('request'));
    listed(reconnected(subject), own(1, 5));
    subject.hear({ type: 'got', id: awaitedId(subject), data: 'n1', czxid: 75, owner: session });
    expect(subject.effects).toEqual([lost('it gives this node token 75', 80), cancelTimer('request')]);
    const { id } = subject.give(accept).asked('children');
    expect(heard(subject, { type: 'listed', id, names: [own(1, 5)] })[0]).toMatchObject({ type: 'lead' });
  });

  it('gives no token that was seen before, not even the same one', () => {
    const subject = leading().hear({ type: 'expired', session });
    reconnected(subject).give(campaign);
    subject.hear({ type: 'created', id: awaitedId(subject), path: `${path}/${own(1, 0)}`, czxid: 73 });
    listed(subject, own(1, 0));
    expect(subject.effects).toEqual([cancelTimer('request')]);
    expect(subject.state.leading).toBe(false);
  });

  it('is forgotten by whoever leads with a higher token', () => {
    const subject = shown(connected(), other(2), 80).hear(deleted(other(2)));
    shown(subject, other(1), 4);
    expect(subject.state.dataLost).toBe(true);
    subject.hear(deleted(other(1)));
    listed(subject).give(campaign);
    subject.hear({ type: 'created', id: awaitedId(subject), path: `${path}/${own(1, 0)}`, czxid: 81 });
    expect(listed(subject, own(1, 0)).state).toMatchObject({ leading: true, floor: 81, dataLost: false });
  });
});

describe('the name of an attempt', () => {
  it('is another after a znode was given up', () => {
    const subject = leading().give({ type: 'lease-expired' }).give(campaign);
    done(subject);
    expect(listed(subject).asked('create').path).toBe(`${path}/${protectedName(session, 2)}`);
  });
});
