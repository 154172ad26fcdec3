/**
 * A test per rule of the election: those of etcd's own client for Go (package `client/v3/concurrency`,
 * `Election`), and what we add to them.
 */

import { describe, expect, it } from 'vitest';
import type { EtcdEffect, EtcdReply, KeyValue } from '../src/index.js';
import { clusterId, guardMs, Hand, key, keyName, view } from './hand.js';

describe('given a node that campaigns', () => {
  it('then it asks for a lease, and when it has one puts a key named after it, unless that is there', () => {
    const node = new Hand().give({ type: 'campaign-requested' });
    expect(node.sent('grant')).toMatchObject([{ ttlSeconds: 3 }]);
    const id = node.state.request ?? -1;
    node.hear({ type: 'granted', id, lease: '255', ttlSeconds: 3, sentMs: 1 });
    expect(node.sent('txn')).toMatchObject([
      {
        compare: [{ key: 'e/ff', target: 'create', revision: '0' }],
        success: [
          { type: 'put', key: 'e/ff', value: 'n1', lease: '255' },
          { type: 'get', key: 'e/ff' },
        ],
        failure: [{ type: 'get', key: 'e/ff' }],
      },
    ]);
  });

  it('then it leads when its key is the oldest, with the create revision as its token', () => {
    const node = new Hand().at(100).join(5);
    expect(node.roles()).toEqual([{ type: 'lead', token: 5n, validForMs: 3000 - guardMs }]);
  });

  it('then it does not lead while an older key is there, and follows whoever has the oldest', () => {
    const node = new Hand().join(5, key('3', 3), key('4', 4));
    expect(node.roles()).toEqual([{ type: 'follow', leaderId: 'n3', token: 3n }]);
    expect(node.state.phase).toBe('waiting');
  });

  it('then a put whose answer is lost is sent again, and the key that it finds is its own', () => {
    const node = new Hand().granted().give({ type: 'timer-fired', timer: 'request' });
    const id = node.state.request ?? -1;
    expect(node.sent('txn')).toHaveLength(1);
    node.hear({ type: 'txn-done', id, succeeded: false, revision: '6', clusterId, found: [[key('7', 5)]] });
    expect(node.state.ownRevision).toBe('5');
    expect(node.see(6, key('7', 5)).roles()).toMatchObject([{ type: 'lead', token: 5n }]);
  });

  it('then its lease is given back when its key has gone: leases would pile up, and puts may be on their way', () => {
    expect(new Hand().join(5).gone('7', 6).sent('revoke')).toMatchObject([{ lease: '7' }]);
    const waiting = new Hand().join(5, key('3', 3), key('4', 4)).gone('4', 8);
    waiting.hear(view(waiting.state.look ?? -1, 8, [key('3', 3)], false));
    expect(waiting.sent('revoke')).toMatchObject([{ lease: '7' }]);
  });

  it('then a lease that etcd has ended is not given back', () => {
    expect(new Hand().join(5).renewed(1, 0).sent('revoke')).toEqual([]);
    expect(new Hand().join(5, key('3', 3)).renewed(1, 0).sent('revoke')).toEqual([]);
  });

  it('then a lease that arrives after it has asked again is given back', () => {
    const node = new Hand().give({ type: 'campaign-requested' });
    const late = node.state.request ?? -1;
    node.give({ type: 'timer-fired', timer: 'request' });
    node.hear({ type: 'granted', id: late, lease: '9', ttlSeconds: 3, sentMs: 1 });
    expect(node.sent('revoke')).toMatchObject([{ lease: '9' }]);
  });

  it('then a lease that an earlier process of this node had asked for is given back, whatever its number', () => {
    const node = new Hand().at(5000).give({ type: 'campaign-requested' });
    // The clock of that process stood elsewhere: to count from its reading would be to lead for too long.
    node.hear({ type: 'granted', id: node.state.request ?? -1, lease: '9', ttlSeconds: 3, sentMs: 90_000 });
    expect(node.sent('revoke')).toMatchObject([{ lease: '9' }]);
    expect(node.state).toMatchObject({ phase: 'granting', session: null });
  });

  it('then a refusal is announced, and asked again', () => {
    const node = new Hand().give({ type: 'campaign-requested' });
    node.hear({ type: 'failed', id: node.state.request ?? -1, reason: 'refused', detail: 'no' });
    expect(node.effects).toEqual([
      { type: 'announce', announcement: { type: 'refused', reason: 'refused', detail: 'no' } },
      { type: 'set-timer', timer: 'request', delayMs: [1000, 1000] },
    ]);
  });
});

describe('given a node that waits behind two others', () => {
  const waiting = () => new Hand().join(5, key('3', 3), key('4', 4));

  it('then it watches the one just before it and nobody else', () => {
    expect(waiting().sent('watch')).toMatchObject([{ key: 'e/4', prefix: false, fromRevision: '6' }]);
  });

  it('when the leader goes, then it is not told, and finds out when it next looks', () => {
    const node = waiting().give({ type: 'timer-fired', timer: 'audit' });
    expect(node.effects).toContainEqual({ type: 'set-timer', timer: 'audit', delayMs: [1000, 1000] });
    expect(node.sent('audit')).toMatchObject([
      {
        success: [
          { type: 'range', prefix: 'e/', order: 'oldest', limit: 1 },
          { type: 'range', prefix: 'e/', order: 'newest', limit: 1, createdBefore: '5' },
        ],
      },
    ]);
    node.see(6, key('4', 4), key('7', 5));
    expect(node.roles()).toEqual([{ type: 'follow', leaderId: 'n4', token: 4n }]);
    expect(node.sent('watch')).toEqual([]);
  });

  it('when the one before it goes, then it looks again: the one in the middle has died, not the leader', () => {
    const node = waiting().gone('4', 6);
    expect(node.roles()).toEqual([]);
    expect(node.sent('txn')).toMatchObject([{ compare: [{ key: 'e/7', target: 'create', revision: '5' }] }]);
    node.see(6, key('3', 3), key('7', 5));
    expect(node.roles()).toEqual([]);
    expect(node.state.phase).toBe('waiting');
    expect(node.sent('watch')).toMatchObject([{ key: 'e/3', prefix: false, fromRevision: '7' }]);
    expect(node.sent('cancel-watch')).toHaveLength(1);
  });

  it('when all before it have gone, then it looks, and leads if it finds itself first', () => {
    const node = waiting().gone('4', 7);
    expect(node.roles()).toEqual([]);
    expect(node.see(7, key('7', 5)).roles()).toMatchObject([{ type: 'lead', token: 5n }]);
  });

  it('when its own key has gone as well, then it does not lead but joins again', () => {
    const node = waiting().gone('4', 8);
    node.hear(view(node.state.look ?? -1, 8, [], false));
    expect(node.roles()).toEqual([{ type: 'campaign' }]);
    expect(node.sent('grant')).toHaveLength(1);
  });

  it('when the one before it only publishes a value, then it asks for nothing', () => {
    const node = waiting();
    const put = { ...key('4', 4), type: 'put', value: 'n4\nvalue', revision: '6' } as const;
    node.hear({ type: 'changed', id: node.state.watch?.id ?? -1, changes: [put] });
    expect(node.effects).toEqual([]);
  });

  it('when its lease is gone, then it joins again with another', () => {
    const node = waiting().renewed(1, 0);
    expect(node.sent('grant')).toHaveLength(1);
    expect(node.state).toMatchObject({ phase: 'granting', session: null, standing: true });
  });

  it('when its lease is too old to lead under, then it renews it first', () => {
    const node = waiting().at(4000).gone('4', 7).see(7, key('7', 5));
    expect(node.roles()).toEqual([{ type: 'campaign' }]);
    expect(node.sent('keep-alive')).toHaveLength(1);
    node.renewed(4000).see(7, key('7', 5));
    expect(node.roles()).toMatchObject([{ type: 'lead', validForMs: 3000 - guardMs }]);
  });

  it('when an event overtakes the answer to a look, then the answer is out of date', () => {
    const node = waiting();
    node.give({ type: 'timer-fired', timer: 'audit' });
    const id = node.state.look ?? -1;
    node.gone('4', 9);
    node.hear({
      type: 'audited',
      id,
      succeeded: true,
      revision: '8',
      clusterId,
      found: [[key('3', 3)], [key('4', 4)]],
    });
    expect(node.roles()).toEqual([]);
    expect(node.sent('txn')).toHaveLength(1);
  });

  it('when its watch is lost, then it looks and watches from there on', () => {
    const node = waiting();
    node.hear({ type: 'watch-lost', id: node.state.watch?.id ?? -1, reason: 'compacted' });
    node.give({ type: 'timer-fired', timer: 'look' }).see(20, key('3', 3), key('4', 4), key('7', 5));
    expect(node.sent('watch')).toMatchObject([{ key: 'e/4', prefix: false, fromRevision: '21' }]);
  });

  it('when something went unanswered, then the next answer has it look, and watch anew from there on', () => {
    const node = waiting().give({ type: 'link-down', peer: 'etcd' }).renewed(1);
    expect(node.sent('txn')).toHaveLength(1);
    node.see(20, key('3', 3), key('4', 4), key('7', 5));
    expect(node.sent('watch')).toMatchObject([{ key: 'e/4', prefix: false, fromRevision: '21' }]);
  });

  it('when it resigns, then its lease is revoked, and only when that is done has it stepped down', () => {
    const node = waiting().give({ type: 'resign-requested' });
    expect(node.roles()).toEqual([]);
    expect(node.sent('revoke')).toMatchObject([{ lease: '7' }]);
    node.hear({ type: 'revoked', id: node.state.request ?? -1 });
    expect(node.roles()).toEqual([{ type: 'step-down', reason: 'resigned' }]);
  });
});

describe('given the next in line', () => {
  const next = () => new Hand().join(5, key('3', 3));

  it('then it watches the leader, and nobody else', () => {
    expect(next().sent('watch')).toMatchObject([{ key: 'e/3', prefix: false, fromRevision: '6' }]);
  });

  it('when the leader goes, then it looks, and leads if its own key is there and the first', () => {
    const node = next().gone('3', 6);
    expect(node.roles()).toEqual([{ type: 'campaign' }]);
    expect(node.sent('txn')).toHaveLength(1);
    expect(node.see(6, key('7', 5)).roles()).toMatchObject([{ type: 'lead', token: 5n }]);
  });

  it('when the leader goes while a look is on its way, then it waits for the answer', () => {
    const node = next().give({ type: 'timer-fired', timer: 'audit' }).gone('3', 6);
    expect(node.sent('txn')).toEqual([]);
    expect(node.see(6, key('7', 5)).roles()).toMatchObject([{ type: 'lead', token: 5n }]);
  });

  it('when its own key has gone with the leader, then it does not lead, but joins again', () => {
    const node = next().gone('3', 7);
    node.hear(view(node.state.look ?? -1, 7, [], false));
    expect(node.roles().map(({ type }) => type)).not.toContain('lead');
    expect(node.sent('grant')).toHaveLength(1);
  });

  it('when an event of a watch comes that was replaced, then it does not count', () => {
    const node = next();
    const replaced = node.state.watch?.id ?? -1;
    node.give({ type: 'link-down', peer: 'etcd' }).renewed(1).see(6, key('3', 3), key('7', 5));
    expect(node.state.watch?.id).not.toBe(replaced);
    const change = { type: 'delete', key: keyName('3'), revision: '7' } as const;
    expect(node.hear({ type: 'changed', id: replaced, changes: [change] }).effects).toEqual([]);
    expect(node.gone('3', 7).sent('txn')).toHaveLength(1);
  });

  it('when it leads, then it watches its own key and nothing else', () => {
    const node = next().gone('3', 6).see(6, key('7', 5));
    expect(node.sent('watch')).toMatchObject([{ key: 'e/7', prefix: false, fromRevision: '7' }]);
    expect(node.sent('cancel-watch')).toHaveLength(1);
  });
});

describe('given a node that waits behind two others and is observed', () => {
  const all = [key('3', 3), key('4', 4), key('7', 5)];
  const observed = () =>
    new Hand()
      .join(5, key('3', 3), key('4', 4))
      .give({ type: 'observation-changed', observed: true })
      .see(5, ...all);

  it('then it watches the whole election instead of its predecessor', () => {
    const node = observed();
    expect(node.sent('watch')).toMatchObject([{ key: 'e/', prefix: true, fromRevision: '6' }]);
    expect(node.sent('cancel-watch')).toHaveLength(1);
  });

  it('when the leader goes, then it follows the next at once, and asks for nothing', () => {
    const node = observed().gone('3', 6);
    expect(node.roles()).toEqual([{ type: 'follow', leaderId: 'n4', token: 4n }]);
    expect(node.effects.filter(({ type }) => type === 'send')).toEqual([]);
  });

  it('when all before it have gone, then it looks, and leads', () => {
    const node = observed().gone('3', 6).gone('4', 7);
    expect(node.roles()).toEqual([{ type: 'campaign' }]);
    expect(node.see(7, key('7', 5)).roles()).toMatchObject([{ type: 'lead', token: 5n }]);
  });

  it('when others come and go behind it, then it asks for nothing', () => {
    expect(observed().gone('9', 6).sent('txn')).toEqual([]);
  });

  it('when an event comes that is older than one it has heard, then it looks', () => {
    const node = observed().gone('9', 10).gone('3', 8);
    expect(node.roles()).toEqual([]);
    expect(node.sent('txn')).toHaveLength(1);
  });

  it('when an event comes a second time, then it looks, and an event that its look has shown says nothing', () => {
    const node = observed().gone('9', 10).gone('9', 10);
    expect(node.sent('txn')).toHaveLength(1);
    expect(node.see(12, ...all).gone('3', 12).effects).toEqual([]);
  });

  it('when its own key goes, then it looks, and joins again', () => {
    const node = observed().gone('7', 6);
    node.hear(view(node.state.look ?? -1, 6, [key('3', 3), key('4', 4)], false));
    expect(node.sent('grant')).toHaveLength(1);
  });

  it('when the last observer has gone, then it watches its predecessor again and nothing else', () => {
    const node = observed()
      .give({ type: 'observation-changed', observed: false })
      .see(9, ...all);
    expect(node.sent('watch')).toMatchObject([{ key: 'e/4', prefix: false, fromRevision: '10' }]);
    expect(node.sent('cancel-watch')).toHaveLength(1);
    expect(node.roles()).toEqual([]);
  });
});

describe('given a leader', () => {
  const leading = () => new Hand().at(100).join(5);

  it('then it renews its lease after a third of it', () => {
    const node = leading().at(1100).renewed(1100);
    expect(node.effects).toContainEqual({ type: 'set-timer', timer: 'keep-alive', delayMs: [1000, 1000] });
    node.at(2100).give({ type: 'timer-fired', timer: 'keep-alive' });
    expect(node.sent('keep-alive')).toMatchObject([{ lease: '7', sentMs: 2100 }]);
  });

  it('then it watches its own key, and nobody else', () => {
    expect(leading().sent('watch')).toMatchObject([{ key: 'e/7', prefix: false, fromRevision: '6' }]);
  });

  it('then its deadline counts from when the renewal was sent, not from when it was answered', () => {
    const node = leading().at(1900).renewed(1100);
    expect(node.roles()).toEqual([{ type: 'lead', token: 5n, validForMs: 3000 - guardMs - 800 }]);
  });

  it('then a renewal that goes unanswered is tried again, several times before the lease ends', () => {
    const node = leading().at(1100).give({ type: 'timer-fired', timer: 'keep-alive' });
    expect(node.effects).toContainEqual({
      type: 'set-timer',
      timer: 'keep-alive',
      delayMs: [300, 300],
    });
  });

  it('then an answer to an earlier renewal does not shorten the lease', () => {
    const node = leading().at(1900).renewed(1800).renewed(1100);
    expect(node.roles()).toEqual([]);
    expect(node.state.session?.renewedMs).toBe(1800);
  });

  it('then what the server granted counts, not what was asked for', () => {
    expect(leading().at(1100).renewed(1100, 5).roles()).toMatchObject([{ validForMs: 5000 - 200 }]);
  });

  it('when the server has ended its lease, then it steps down before anything else', () => {
    const node = leading().renewed(100, 0);
    expect(node.roles()[0]).toEqual({ type: 'step-down', reason: 'session-lost' });
    expect(node.state).toMatchObject({ phase: 'following', standing: false });
  });

  it('when somebody deletes its key, then it steps down', () => {
    const node = leading().gone('7', 6);
    expect(node.roles()[0]).toEqual({ type: 'step-down', reason: 'deposed' });
  });

  it('when a look does not find its key, then it steps down, whoever leads now', () => {
    for (const others of [[], [key('9', 6)]]) {
      const node = leading().give({ type: 'timer-fired', timer: 'audit' });
      node.hear(view(node.state.look ?? -1, 7, others, false));
      expect(node.roles()[0]).toEqual({ type: 'step-down', reason: 'deposed' });
    }
  });

  it('when a look finds its key, then it leads on', () => {
    const node = leading().give({ type: 'timer-fired', timer: 'audit' }).see(7, key('7', 5), key('9', 6));
    expect(node.roles()).toEqual([]);
    expect(node.state.phase).toBe('leading');
  });

  it('when its lease runs out, then it steps down and gives its lease back as soon as it can', () => {
    const node = leading().give({ type: 'lease-expired' });
    expect(node.roles()).toEqual([{ type: 'step-down', reason: 'lease-expired' }]);
    expect(node.sent('revoke')).toMatchObject([{ lease: '7' }]);
    node.give({ type: 'timer-fired', timer: 'request' });
    expect(node.sent('revoke')).toHaveLength(1);
  });

  it('when it campaigns again meanwhile, then it joins only after its old key is gone', () => {
    const node = leading().give({ type: 'lease-expired' }, { type: 'campaign-requested' });
    expect(node.sent('grant')).toEqual([]);
    node.hear({ type: 'failed', id: node.state.request ?? -1, reason: 'lease-not-found', detail: '' });
    expect(node.sent('grant')).toHaveLength(1);
  });

  it('when it becomes unhealthy, then it makes way', () => {
    const node = leading().give({ type: 'health-changed', healthy: false });
    expect(node.roles()).toEqual([{ type: 'step-down', reason: 'unhealthy' }]);
    expect(node.sent('revoke')).toHaveLength(1);
  });

  it('when it resigns and the answer is lost, then it asks again and steps down once', () => {
    const node = leading().give({ type: 'resign-requested' });
    const lost = node.state.request ?? -1;
    node.give({ type: 'timer-fired', timer: 'request' });
    expect(node.sent('revoke')).toHaveLength(1);
    node.hear({ type: 'failed', id: node.state.request ?? -1, reason: 'lease-not-found', detail: '' });
    expect(node.roles()[0]).toEqual({ type: 'step-down', reason: 'resigned' });
    expect(node.hear({ type: 'revoked', id: lost }).roles()).toEqual([]);
  });

  it('when it proclaims, then the value follows its id, and is put only over the last', () => {
    const node = leading().give({ type: 'requested', request: { type: 'proclaim', value: 'here' } });
    expect(node.sent('txn')).toMatchObject([
      {
        compare: [{ key: 'e/7', target: 'mod', revision: '5' }],
        success: [{ type: 'put', key: 'e/7', value: 'n1\nhere', lease: '7' }],
      },
    ]);
    node.hear(view(node.state.proclaimRequest ?? -1, 6, []));
    expect(node.effects).toContainEqual({
      type: 'announce',
      announcement: { type: 'proclaimed', value: 'here' },
    });
  });
});

describe('given a node that does not campaign', () => {
  it('then it puts no key, watches nothing, and follows whoever leads', () => {
    const node = new Hand().see(4, key('3', 3, 'leader\nproclaimed'));
    expect(node.roles()).toEqual([{ type: 'follow', leaderId: 'leader', token: 3n }]);
    expect(node.effects).toContainEqual({
      type: 'announce',
      announcement: { type: 'value-seen', leaderId: 'leader', token: 3n, value: 'proclaimed' },
    });
    expect(node.effects.filter(({ type }) => type === 'send')).toEqual([]);
  });

  it('then it finds out that nobody leads when it next looks', () => {
    const node = new Hand().see(4, key('3', 3)).give({ type: 'timer-fired', timer: 'audit' });
    expect(node.sent('audit')).toHaveLength(1);
    expect(node.see(5).roles()).toEqual([{ type: 'follow', leaderId: null, token: null }]);
  });

  it('when somebody observes it, then it is told of that at once', () => {
    const node = new Hand().see(4, key('3', 3)).give({ type: 'observation-changed', observed: true });
    node.see(4, key('3', 3));
    expect(node.sent('watch')).toMatchObject([{ key: 'e/', prefix: true, fromRevision: '5' }]);
    expect(node.gone('3', 5).roles()).toEqual([{ type: 'follow', leaderId: null, token: null }]);
  });

  it('then resign is answered at once, with nothing sent', () => {
    const node = new Hand().give({ type: 'resign-requested' });
    expect(node.effects).toEqual([{ type: 'step-down', reason: 'resigned' }]);
  });
});

describe('given keys below the election that are no candidates of it', () => {
  const stranger = (name: string, revision: number, lease = '9'): KeyValue => ({
    ...key('9', revision),
    key: name,
    lease,
  });

  it('when a look is shown one of another election, then it asks for all, and passes over it', () => {
    const node = new Hand().granted().put(5).see(5, stranger('e/billing/3', 2), key('7', 5));
    expect(node.roles()).toEqual([]);
    expect(node.sent('txn')).toMatchObject([{ success: [{ type: 'range', prefix: 'e/', limit: 0 }] }]);
    const found = [[stranger('e/billing/3', 2), key('7', 5)]];
    node.hear({
      type: 'txn-done',
      id: node.state.look ?? -1,
      succeeded: true,
      revision: '5',
      clusterId,
      found,
    });
    expect(node.roles()).toMatchObject([{ type: 'lead', token: 5n }]);
  });

  it('when they have gone, then it asks for as little as before', () => {
    const node = new Hand().see(4, stranger('e/billing/3', 2));
    node.hear(view(node.state.look ?? -1, 5, []));
    expect(node.give({ type: 'timer-fired', timer: 'audit' }).sent('audit')).toMatchObject([
      { success: [{ limit: 1 }] },
    ]);
  });

  it('when such a key comes or goes, then it is no news', () => {
    const node = new Hand().join(5, key('3', 3)).give({ type: 'observation-changed', observed: true });
    node.see(5, key('3', 3), key('7', 5));
    const put = { ...stranger('e/billing/3', 6), type: 'put', revision: '6' } as const;
    const gone = { type: 'delete', key: 'e/billing/3', revision: '7' } as const;
    expect(
      node.hear({ type: 'changed', id: node.state.watch?.id ?? -1, changes: [put, gone] }).effects,
    ).toEqual([]);
  });

  it('when a key without a lease is first, then it is waited for, and that is announced once', () => {
    const node = new Hand().join(5, stranger('e/abc', 3, '0'));
    const blocked = { type: 'announce', announcement: { type: 'blocked', key: 'e/abc' } };
    expect(node.effects.filter(({ type }) => type === 'announce')).toMatchObject([blocked]);
    expect(node.state.phase).toBe('waiting');
    node.give({ type: 'timer-fired', timer: 'audit' }).see(6, stranger('e/abc', 3, '0'), key('7', 5));
    expect(node.effects.filter(({ type }) => type === 'announce')).toEqual([]);
  });
});

describe('given an etcd that has lost its data', () => {
  const told = (node: Hand): EtcdEffect[] =>
    node.effects.filter((effect) => effect.type === 'announce' && effect.announcement.type === 'data-lost');
  const audited = (node: Hand) => node.give({ type: 'timer-fired', timer: 'audit' });

  it('when a look finds an earlier revision than was known before it, then a leader says so and stops', () => {
    const node = audited(new Hand().join(5));
    node.hear(view(node.state.look ?? -1, 4, [key('7', 5)]));
    expect(told(node)).toMatchObject([{ announcement: { highestToken: 5n } }]);
    expect(node.roles()[0]).toEqual({ type: 'step-down', reason: 'deposed' });
  });

  it('when another cluster answers, then a leader says so and stops', () => {
    const node = audited(new Hand().join(5));
    node.hear({ ...view(node.state.look ?? -1, 9, [key('7', 5)]), clusterId: '2' } as EtcdReply);
    expect(told(node)).toHaveLength(1);
    expect(node.roles()[0]).toEqual({ type: 'step-down', reason: 'deposed' });
  });

  it('when the answer was overtaken by what came since the look, then nobody says so', () => {
    const node = audited(new Hand().join(5, key('3', 3), key('4', 4))).gone('4', 9);
    node.see(8, key('3', 3), key('4', 4), key('7', 5));
    expect(told(node)).toEqual([]);
  });

  it('when a leader has a lower token than the last, then a follower says so once, and follows nobody', () => {
    const node = audited(new Hand().see(40, key('3', 33))).see(90, key('4', 4));
    expect(told(node)).toMatchObject([{ announcement: { highestToken: 40n } }]);
    expect(node.roles()).toEqual([{ type: 'follow', leaderId: null, token: null }]);
    expect(told(audited(node).see(91, key('4', 4)))).toEqual([]);
  });

  const refusing = () =>
    audited(new Hand().see(40, key('3', 33)))
      .see(2)
      .join(3);

  it('when it is the turn of one that has seen a higher token, then it waits, and its place with it', () => {
    const node = refusing();
    expect(node.roles().map(({ type }) => type)).not.toContain('lead');
    expect(node.state).toMatchObject({ phase: 'waiting', ownRevision: '3' });
    expect(audited(node).see(4, key('7', 3)).roles()).toEqual([]);
  });

  it('when it is told to accept lower tokens, then it looks, and leads', () => {
    const node = refusing().give({ type: 'requested', request: { type: 'accept-lower-tokens' } });
    expect(node.see(4, key('7', 3)).roles()).toMatchObject([{ type: 'lead', token: 3n }]);
  });

  it('when its turn comes with a token above all that it has seen, then it leads unasked', () => {
    const node = audited(new Hand().see(40, key('3', 33)))
      .see(2)
      .join(41);
    expect(node.roles()).toMatchObject([{ type: 'lead', token: 41n }]);
  });
});

describe('given a race for one key', () => {
  const racing = () => new Hand({ succession: 'race' }).granted();

  it('then whoever puts it leads', () => {
    const node = racing();
    expect(node.sent('txn')).toMatchObject([{ compare: [{ key: 'e', target: 'create', revision: '0' }] }]);
    const own = { ...key('7', 5), key: 'e' };
    node.hear({ ...view(node.state.request ?? -1, 5, [own]) });
    expect(node.roles()).toMatchObject([{ type: 'lead', token: 5n }]);
  });

  it('then the others wait, and run again when it goes', () => {
    const node = racing();
    const other = { ...key('3', 3), key: 'e' };
    node.hear(view(node.state.request ?? -1, 5, [other], false));
    expect(node.roles()).toEqual([{ type: 'follow', leaderId: 'n3', token: 3n }]);
    expect(node.sent('watch')).toMatchObject([{ key: 'e', prefix: false, fromRevision: '6' }]);
    const id = node.state.watch?.id ?? -1;
    node.hear({ type: 'changed', id, changes: [{ type: 'delete', key: 'e', revision: '6' }] });
    expect(node.roles()).toEqual([{ type: 'campaign' }]);
    expect(node.sent('txn')).toHaveLength(1);
  });
});
