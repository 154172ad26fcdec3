/**
 * A test per rule: the leader election of "ZooKeeper Recipes and Solutions" in the form of Apache Curator's
 * LeaderLatch, and what we add to it.
 */

import { describe, expect, it } from 'vitest';
import {
  inOrder,
  namesOf,
  protectedName,
  sequenceOf,
  type ZooKeeperEffect,
  type ZooKeeperInput,
  type ZooKeeperReply,
} from '../src/index.js';
import {
  connected,
  created,
  leading,
  listed,
  other,
  own,
  pinged,
  type Subject,
  session,
  timeoutMs,
  waiting,
} from './subject.js';

describe('names', () => {
  it('are those of Curator: _c_, a UUID, -latch- and ten digits', () => {
    expect(own(1, 7)).toMatch(/^_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-latch-0000000007$/);
  });

  it('tell by whom they were created, whatever the attempt', () => {
    expect(namesOf(session, [own(1, 7), other(8), own(2, 9)])).toEqual([own(1, 7), own(2, 9)]);
    expect(namesOf('10000550a4e0001', [own(1, 7)])).toEqual([]);
  });

  it('are ordered by the text after the last latch-', () => {
    const strange = '_c_latch-9-latch-0000000002';
    expect(inOrder([own(1, 10), strange, other(1), 'lock-0000000000'])).toEqual([
      other(1),
      strange,
      own(1, 10),
    ]);
    expect(sequenceOf(strange)).toBe('0000000002');
  });
});

describe('given a node that starts', () => {
  it('then it asks for a session, and observes without a znode', () => {
    const subject = connected();
    expect(subject.sent).toEqual(['ping', 'children']);
  });

  it('when its application stands, then it creates an ephemeral sequential znode with its id as data', () => {
    const request = connected().give({ type: 'campaign-requested' }).asked('create');
    expect(request).toMatchObject({ path: `/hustings/${protectedName(session, 1)}`, data: 'n1' });
  });

  it('when the path is missing, then it creates the parents and goes on', () => {
    const subject = connected().give({ type: 'campaign-requested' });
    subject.hear({ type: 'failed', id: subject.asked('create').id, reason: 'no-node', detail: '' });
    expect(subject.asked('ensure').path).toBe('/hustings');
    listed(subject.hear({ type: 'done', id: subject.asked('ensure').id }));
    expect(subject.sent).toContain('create');
  });

  it('when ZooKeeper refuses, then it says so and does not hurry', () => {
    const subject = connected().give({ type: 'campaign-requested' });
    subject.hear({ type: 'failed', id: subject.asked('create').id, reason: 'refused', detail: 'no auth' });
    expect(subject.did('announce')).toEqual([
      { type: 'announce', announcement: { type: 'refused', detail: 'no auth' } },
    ]);
    expect(subject.sent).toEqual([]);
  });
});

describe('given a candidate whose znode is created', () => {
  it('when it is the first, then it leads with the zxid as token', () => {
    expect(leading().did('lead')).toMatchObject([{ token: 73n }]);
  });

  it('when it is not in the list, then it does not lead, but creates another', () => {
    const subject = listed(created(3), other(4));
    expect(subject.did('lead')).toEqual([]);
    expect(subject.asked('create').path).toBe(`/hustings/${protectedName(session, 2)}`);
  });

  it('when it is not the first, then it watches exactly the znode before its own', () => {
    const request = listed(created(3), own(1, 3), other(1), other(2), other(4)).asked('get');
    expect(request).toMatchObject({ path: `/hustings/${other(2)}`, watch: true });
  });

  it('when the znode before it is gone by then, then it lists again', () => {
    const subject = listed(created(3), own(1, 3), other(2));
    subject.hear({ type: 'failed', id: subject.asked('get').id, reason: 'no-node', detail: '' });
    expect(subject.sent).toEqual(['children']);
  });

  it('then it follows whoever is first, by the id in its data', () => {
    expect(waiting().did('follow')).toEqual([{ type: 'follow', leaderId: 'n9', token: 72n }]);
  });

  it('when the leader has no id, then it follows the znode by its name', () => {
    const subject = listed(created(3), own(1, 3), other(2));
    subject.hear({ type: 'got', id: subject.asked('get').id, data: '', czxid: 72, owner: 'abc' });
    expect(subject.did('follow')).toMatchObject([{ leaderId: other(2) }]);
  });
});

describe('given a candidate that waits behind the leader', () => {
  const deleted: ZooKeeperReply = { type: 'node-deleted', session, path: `/hustings/${other(2)}` };

  it('when that znode is deleted, then it campaigns and lists again', () => {
    const subject = waiting().hear(deleted);
    expect(subject.did('campaign')).toHaveLength(1);
    expect(subject.sent).toEqual(['children']);
  });

  it('when another has taken that place, for the middle one died, then it does not lead', () => {
    const subject = listed(waiting().hear(deleted), own(1, 3), other(1));
    expect(subject.did('lead')).toEqual([]);
    expect(subject.asked('get').path).toBe(`/hustings/${other(1)}`);
  });

  it('when a ping finds the leader gone, then it lists again, for the event went missing', () => {
    const subject = waiting().after(1560).give({ type: 'timer-fired', timer: 'ping' });
    expect(subject.asked('prove').path).toBe(`/hustings/${other(2)}`);
    subject.hear({ type: 'proven', id: subject.asked('prove').id, exists: false });
    expect(subject.sent).toEqual(['children']);
  });

  it('when a ping is not answered, then it pings again before it gives the connection up', () => {
    const subject = waiting().after(1560).give({ type: 'timer-fired', timer: 'ping' });
    for (let pings = 0; pings < 3; pings += 1) {
      expect(subject.after(390).give({ type: 'timer-fired', timer: 'ping' }).sent).toEqual(['prove']);
    }
    expect(subject.after(390).give({ type: 'timer-fired', timer: 'ping' }).sent).toEqual(['connect']);
  });

  it('when its session has expired, then it steps down and asks for a new one', () => {
    const subject = waiting().hear({ type: 'expired', session });
    expect(subject.did('step-down')).toEqual([{ type: 'step-down', reason: 'session-lost' }]);
    expect(subject.asked('connect').session).toBeNull();
  });

  it('when another session expires, then it takes no notice', () => {
    const subject = waiting();
    expect(subject.hear({ type: 'expired', session: 'abc' }).effects).toEqual([]);
  });
});

describe('given a candidate whose turn comes', () => {
  const deleted: ZooKeeperReply = { type: 'node-deleted', session, path: `/hustings/${other(2)}` };
  const guard = 2 * 0.01 * timeoutMs + 50;
  /** Two are before it, so its pings are reads, which prove nothing. */
  const third = (): Subject => {
    const subject = listed(created(3), own(1, 3), other(1), other(2));
    subject.hear({ type: 'got', id: subject.asked('get').id, data: 'n8', czxid: 72, owner: 'abc' });
    return subject.hear({ type: 'got', id: subject.asked('get').id, data: 'n9', czxid: 71, owner: 'abd' });
  };

  it('while it is next, pings by writes, so that its session is proven', () => {
    const subject = waiting();
    for (let pings = 0; pings < 4; pings += 1) pinged(subject.after(1560), 'prove');
    listed(subject.hear(deleted), own(1, 3));
    expect(subject.did('lead')).toMatchObject([{ token: 73n, validForMs: timeoutMs - guard - 1560 }]);
  });

  it('while others are before it, pings by reads, and then confirms by one write what they have shown', () => {
    const subject = third();
    for (let pings = 0; pings < 4; pings += 1) pinged(subject.after(1560), 'ping');
    listed(subject.hear(deleted), own(1, 3));
    expect([subject.did('lead'), subject.sent]).toEqual([[], ['confirm']]);
    subject.hear({ type: 'confirmed', id: subject.asked('confirm').id, exists: true });
    // The ping before the last: the last was sent just now, and may not have been reported yet.
    expect(subject.did('lead')).toMatchObject([{ validForMs: timeoutMs - guard - 1560 }]);
  });

  it('does not take a ping for reported that was answered only just now, however early it was sent', () => {
    const subject = third();
    for (let pings = 0; pings < 3; pings += 1) pinged(subject.after(1560), 'ping');
    subject.after(1560).give({ type: 'timer-fired', timer: 'ping' });
    const { id } = subject.asked('ping');
    subject.after(1550).hear({ type: 'pong', id, exists: true });
    listed(subject.hear(deleted), own(1, 3));
    subject.hear({ type: 'confirmed', id: subject.asked('confirm').id, exists: true });
    // It counts from the ping before that, which was answered at once.
    expect(subject.did('lead')).toMatchObject([{ validForMs: timeoutMs - guard - 1560 - 1550 }]);
  });

  it('when its znode has vanished by then, then it does not lead, but lists again', () => {
    const subject = third();
    for (let pings = 0; pings < 4; pings += 1) pinged(subject.after(1560), 'ping');
    listed(subject.hear(deleted), own(1, 3));
    subject.hear({ type: 'confirmed', id: subject.asked('confirm').id, exists: false });
    expect(subject.did('lead')).toEqual([]);
    expect(subject.sent).toEqual(['children']);
  });

  it('when its session has just moved, then it confirms by one write that the ensemble was asked about it', () => {
    const subject = waiting().after(5700).hear({ type: 'disconnected', session });
    const { id } = subject.asked('connect');
    subject.after(100).hear({ type: 'connected', id, session, sessionTimeoutMs: timeoutMs });
    listed(subject.after(10), own(1, 3));
    subject.after(10).hear({ type: 'confirmed', id: subject.asked('confirm').id, exists: true });
    expect(subject.did('lead')).toMatchObject([{ validForMs: timeoutMs - guard - 120 }]);
  });

  it('when even that proves too little, for it sought a connection for long, then it waits for the next ping', () => {
    const subject = waiting().after(1000).hear({ type: 'disconnected', session });
    subject.after(5700).give({ type: 'timer-fired', timer: 'request' });
    const { id } = subject.asked('connect');
    subject.hear({ type: 'connected', id, session, sessionTimeoutMs: timeoutMs });
    const ping = subject.asked('prove');
    listed(subject, own(1, 3));
    const confirm = subject.asked('confirm');
    subject.hear({ type: 'proven', id: ping.id, exists: true });
    subject.hear({ type: 'confirmed', id: confirm.id, exists: true });
    expect([subject.did('lead'), subject.sent]).toEqual([[], []]);
    listed(pinged(subject.after(2400), 'prove'), own(1, 3));
    expect(subject.did('lead')).toMatchObject([{ validForMs: timeoutMs - guard - 2400 }]);
  });

  it('and it leads, then it takes no news of the former leader for news of its own znode', () => {
    const subject = waiting().after(1560).give({ type: 'timer-fired', timer: 'ping' });
    const { id } = subject.asked('prove');
    listed(subject.hear(deleted), own(1, 3));
    subject.hear({ type: 'proven', id, exists: false });
    expect(subject.did('step-down')).toEqual([]);
    expect(subject.did('lead')).toHaveLength(1);
  });
});

describe('given a request that is not answered in time', () => {
  it('then a look at the queue is repeated, for the pings tell whether the connection lives', () => {
    expect(connected().give({ type: 'timer-fired', timer: 'request' }).sent).toEqual(['children']);
  });

  it('then another member is tried with a write, for this one may have lost touch with its leader', () => {
    const subject = connected().give({ type: 'campaign-requested' });
    expect(subject.give({ type: 'timer-fired', timer: 'request' }).sent).toEqual(['connect']);
  });
});

describe('given a create whose answer was lost', () => {
  function ambiguous(): Subject {
    const subject = connected().give({ type: 'campaign-requested' });
    subject.hear({ type: 'failed', id: subject.asked('create').id, reason: 'connection-loss', detail: '' });
    subject.give({ type: 'timer-fired', timer: 'request' });
    const { id } = subject.asked('connect');
    return subject.hear({ type: 'connected', id, session, sessionTimeoutMs: timeoutMs });
  }

  it('then it looks for its own name before it creates again', () => {
    expect(ambiguous().sent).toEqual(['ping', 'children']);
  });

  it('when the name is there under its own session, then it takes that place', () => {
    const subject = listed(ambiguous(), own(1, 5));
    subject.hear({ type: 'got', id: subject.asked('get').id, data: 'n1', czxid: 75, owner: session });
    expect(subject.did('lead')).toMatchObject([{ token: 75n }]);
  });

  it('when it is there under another session, then it deletes it', () => {
    const subject = listed(ambiguous(), own(1, 5));
    subject.hear({ type: 'got', id: subject.asked('get').id, data: 'n1', czxid: 75, owner: 'abc' });
    expect(subject.asked('delete').path).toBe(`/hustings/${own(1, 5)}`);
  });

  it('when it is not there, then it creates it again, under the same name', () => {
    const subject = listed(ambiguous(), other(2));
    expect(subject.asked('create').path).toBe(`/hustings/${protectedName(session, 1)}`);
  });
});

describe('given a leader', () => {
  const pingDue: ZooKeeperInput = { type: 'timer-fired', timer: 'ping' };
  const guard = 2 * 0.01 * timeoutMs + 50;

  it('counts from when its session was asked for', () => {
    expect(leading().did('lead')).toMatchObject([{ validForMs: timeoutMs - guard }]);
  });

  it('proves its znode by a write, and then counts from the ping before that one', () => {
    const subject = leading().after(1560).give(pingDue);
    subject.after(40).hear({ type: 'proven', id: subject.asked('prove').id, exists: true });
    // The ping before it was sent 1600 ms ago; whatever was heard then has been relayed.
    expect(subject.did('lead')).toMatchObject([{ validForMs: timeoutMs - guard - 1600 }]);
  });

  it('steps down when its znode is gone', () => {
    const subject = leading().after(1560).give(pingDue);
    subject.hear({ type: 'proven', id: subject.asked('prove').id, exists: false });
    expect(subject.did('step-down')).toEqual([{ type: 'step-down', reason: 'deposed' }]);
  });

  it('watches its own znode, and steps down as soon as it is told that it is gone', () => {
    const path = `/hustings/${own(1, 3)}`;
    const subject = leading();
    expect(subject.effects[0]).toMatchObject({ type: 'lead' });
    const { id } = subject.asked('get');
    expect(subject.asked('get')).toMatchObject({ path, watch: true });
    subject.hear({ type: 'got', id, data: 'n1', czxid: 73, owner: session });
    expect(subject.hear({ type: 'node-deleted', session, path: `/hustings/${other(2)}` }).effects).toEqual(
      [],
    );
    subject.hear({ type: 'node-deleted', session, path });
    expect(subject.did('step-down')).toEqual([{ type: 'step-down', reason: 'deposed' }]);
  });

  it('steps down when there is nothing of its own to watch', () => {
    const subject = leading();
    subject.hear({ type: 'failed', id: subject.asked('get').id, reason: 'no-node', detail: '' });
    expect(subject.did('step-down')).toEqual([{ type: 'step-down', reason: 'deposed' }]);
  });

  it('that may not watch its znode says so, and relies on its pings', () => {
    const subject = leading();
    subject.hear({ type: 'failed', id: subject.asked('get').id, reason: 'refused', detail: 'no' });
    expect(subject.effects).toEqual([
      { type: 'announce', announcement: { type: 'refused', detail: 'no' } },
      { type: 'cancel-timer', timer: 'request' },
    ]);
  });

  it('asks for the watch again when no answer comes, and over each new connection', () => {
    const subject = leading().give({ type: 'timer-fired', timer: 'request' });
    expect(subject.sent).toEqual(['get']);
    subject.hear({ type: 'disconnected', session });
    subject.hear({
      type: 'connected',
      id: subject.asked('connect').id,
      session,
      sessionTimeoutMs: timeoutMs,
    });
    expect(subject.sent).toEqual(['prove', 'get']);
  });

  it('goes on leading when it is disconnected, and asks for the way back', () => {
    const subject = leading().hear({ type: 'disconnected', session });
    expect(subject.did('step-down')).toEqual([]);
    expect(subject.asked('connect').session).toBe(session);
  });

  it('takes no answer from an earlier connection for a proof', () => {
    const subject = leading().after(1560).give(pingDue);
    const { id } = subject.asked('prove');
    subject.hear({ type: 'disconnected', session });
    expect(subject.hear({ type: 'proven', id, exists: true }).did('lead')).toEqual([]);
  });

  it('steps down when its session has expired', () => {
    const subject = leading().hear({ type: 'expired', session });
    expect(subject.did('step-down')).toEqual([{ type: 'step-down', reason: 'session-lost' }]);
  });

  it('whose connection is lost finds another, and a write over that proves when it was sought', () => {
    const subject = leading().after(3000).hear({ type: 'disconnected', session });
    const first = subject.asked('connect');
    subject.after(1000).give({ type: 'timer-fired', timer: 'request' });
    subject.hear({ type: 'connected', id: first.id, session, sessionTimeoutMs: timeoutMs });
    expect(subject.sent).toEqual([]);
    const { id } = subject.after(100).give({ type: 'timer-fired', timer: 'request' }).asked('connect');
    subject.hear({ type: 'connected', id, session, sessionTimeoutMs: timeoutMs });
    expect(subject.did('lead')).toEqual([]);
    subject.after(5).hear({ type: 'proven', id: subject.asked('prove').id, exists: true });
    expect(subject.did('lead')).toMatchObject([{ validForMs: timeoutMs - guard - 1105 }]);
  });

  it('gives up its place when its lease has run out, and never takes it again', () => {
    const subject = leading().give({ type: 'lease-expired' });
    expect(subject.effects[0]).toEqual({ type: 'step-down', reason: 'lease-expired' });
    expect(subject.asked('delete').path).toBe(`/hustings/${own(1, 3)}`);
    const { id } = subject.asked('delete');
    subject.give({ type: 'campaign-requested' });
    listed(subject.hear({ type: 'done', id }), other(4));
    expect(subject.asked('create').path).toBe(`/hustings/${protectedName(session, 2)}`);
  });

  it('stops before it resigns, and has resigned when the deletion is acknowledged', () => {
    const subject = leading().give({ type: 'resign-requested' });
    expect(subject.effects[0]).toEqual({ type: 'step-down', reason: 'deposed' });
    subject.hear({ type: 'done', id: subject.asked('delete').id });
    expect(subject.did('step-down')).toEqual([{ type: 'step-down', reason: 'resigned' }]);
  });

  it('has not resigned while the deletion is not acknowledged, and tries again', () => {
    const subject = leading().give({ type: 'resign-requested' });
    subject.give({ type: 'timer-fired', timer: 'request' });
    expect(subject.did('step-down')).toEqual([]);
    const { id } = subject.asked('connect');
    subject.hear({ type: 'connected', id, session, sessionTimeoutMs: timeoutMs });
    listed(subject, own(1, 3), other(4));
    subject.hear({ type: 'done', id: subject.asked('delete').id });
    expect(subject.did('step-down')).toEqual([{ type: 'step-down', reason: 'resigned' }]);
  });

  it('has resigned when its session is over', () => {
    const subject = leading().give({ type: 'resign-requested' }).hear({ type: 'expired', session });
    expect(subject.did('step-down')).toEqual([{ type: 'step-down', reason: 'resigned' }]);
  });
});

describe('given a node that does not stand', () => {
  it('then it watches whoever leads', () => {
    const request = listed(connected(), other(2), other(4)).asked('get');
    expect(request).toMatchObject({ path: `/hustings/${other(2)}`, watch: true });
  });

  it('when nobody leads, then it watches for somebody to come', () => {
    const subject = listed(connected());
    expect(subject.asked('children').watch).toBe(true);
    listed(subject);
    subject.hear({ type: 'children-changed', session, path: '/hustings' });
    expect(subject.asked('children').watch).toBe(false);
  });

  it('then it deletes what an earlier attempt of its own has left behind', () => {
    expect(listed(connected(), own(1, 3), other(4)).asked('delete').path).toBe(`/hustings/${own(1, 3)}`);
  });

  it('answers resign-requested with one step-down at once', () => {
    const subject = connected().give({ type: 'resign-requested' });
    expect(subject.did('step-down')).toEqual([{ type: 'step-down', reason: 'resigned' }]);
  });
});

describe('given a node that falls ill', () => {
  it('gives up leadership, and stands again when it is asked to', () => {
    const subject = leading().give({ type: 'health-changed', healthy: false });
    expect(subject.effects[0]).toEqual({ type: 'step-down', reason: 'unhealthy' });
    expect(subject.sent).toEqual(['delete']);
  });

  it('leaves the queue, and enters it again when it is well', () => {
    const subject = waiting().give({ type: 'health-changed', healthy: false });
    listed(subject.hear({ type: 'done', id: subject.asked('delete').id }), other(2));
    expect(subject.sent).toEqual([]);
    subject.give({ type: 'health-changed', healthy: true });
    listed(subject, other(2));
    expect(subject.asked('create').path).toBe(`/hustings/${protectedName(session, 2)}`);
  });
});

describe('given what belongs to something else', () => {
  it('then an answer to a list that was asked for again does not count, and neither does its failure', () => {
    const subject = created(3);
    const { id } = subject.asked('children');
    subject.give({ type: 'timer-fired', timer: 'request' });
    expect(subject.asked('children').id).not.toBe(id);
    const { effects } = subject;
    expect(subject.hear({ type: 'listed', id, names: [own(1, 3)] }).effects).toEqual([]);
    expect(subject.hear({ type: 'failed', id, reason: 'connection-loss', detail: '' }).effects).toEqual([]);
    subject.effects = effects;
    expect(listed(subject, own(1, 3), other(4)).did('lead')).toHaveLength(1);
  });

  it('then what is told to another session is not heard', () => {
    const path = `/hustings/${other(2)}`;
    expect(waiting().hear({ type: 'node-deleted', session: 'abc', path }).effects).toEqual([]);
    expect(waiting().hear({ type: 'children-changed', session: 'abc', path }).effects).toEqual([]);
    expect(waiting().hear({ type: 'disconnected', session: 'abc' }).effects).toEqual([]);
    expect(waiting().hear({ type: 'node-deleted', session, path }).sent).toEqual(['children']);
    expect(waiting().hear({ type: 'disconnected', session }).sent).toEqual(['connect']);
  });
});

describe('given a ZooKeeper that has lost its data', () => {
  const told = (subject: Subject): ZooKeeperEffect[] =>
    subject.effects.filter(
      (effect) => effect.type === 'announce' && effect.announcement.type === 'data-lost',
    );

  /** Its session has expired, and it stands again with one that creates its znode at this zxid. */
  function again(subject: Subject, czxid: number): Subject {
    subject.hear({ type: 'expired', session });
    const { id } = subject.asked('connect');
    subject.hear({ type: 'connected', id, session, sessionTimeoutMs: timeoutMs });
    subject.give({ type: 'campaign-requested' });
    const request = subject.asked('create');
    return subject.hear({ type: 'created', id: request.id, path: `${request.path}0000000000`, czxid });
  }

  it('when a znode is created at a lower zxid than one that was known, then a former leader says so', () => {
    expect(told(again(leading(), 5))).toMatchObject([{ announcement: { highestToken: 73n } }]);
    expect(told(again(leading(), 73))).toHaveLength(1);
    expect(told(again(leading(), 74))).toEqual([]);
  });

  it('when its turn comes with that one, then it waits, and its place with it', () => {
    const subject = listed(again(leading(), 5), own(1, 0));
    expect(subject.did('lead')).toEqual([]);
    expect(subject.state.own).toMatchObject({ czxid: 5 });
    expect(told(subject)).toEqual([]);
  });

  it('when it is told to accept lower tokens, then it looks, and leads', () => {
    const subject = listed(again(leading(), 5), own(1, 0));
    subject.give({ type: 'requested', request: { type: 'accept-lower-tokens' } });
    expect(listed(subject, own(1, 0)).did('lead')).toMatchObject([{ token: 5n }]);
  });

  it('when its turn comes with a token above all that it has seen, then it leads unasked', () => {
    expect(listed(again(leading(), 74), own(1, 0)).did('lead')).toMatchObject([{ token: 74n }]);
  });

  /** Another node leads with this token, as far as this one is shown. */
  function follows(subject: Subject, name: string, czxid: number): Subject {
    listed(subject, name);
    return subject.hear({ type: 'got', id: subject.asked('get').id, data: 'n9', czxid, owner: 'abc' });
  }

  it('when a leader has a lower token than the last, then a follower says so once, and follows nobody', () => {
    const subject = follows(connected(), other(5), 50);
    expect(subject.did('follow')).toMatchObject([{ leaderId: 'n9', token: 50n }]);
    subject.hear({ type: 'node-deleted', session, path: `/hustings/${other(5)}` });
    follows(subject, other(1), 4);
    expect(told(subject)).toMatchObject([{ announcement: { highestToken: 50n } }]);
    expect(subject.did('follow')).toEqual([]);
    subject.hear({ type: 'node-deleted', session, path: `/hustings/${other(1)}` });
    expect(told(follows(subject, other(2), 6))).toEqual([]);
  });
});
