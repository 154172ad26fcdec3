/** What each rule does, to the last effect and in its order: what is not listed must not happen. */

import { announce, cancelTimer, followNobody, send, setTimer } from '@hustings/elector/protocol';
import { describe, expect, it } from 'vitest';
import {
  defaultSettings,
  type EtcdAnnouncement,
  type EtcdEffect,
  type EtcdInput,
  type EtcdReply,
  type EtcdRequest,
  initialState,
  step,
} from '../src/index.js';
import { clusterId, guardMs, Hand, key, view } from './hand.js';

const campaign: EtcdInput = { type: 'campaign-requested' };
const resign: EtcdInput = { type: 'resign-requested' };
const ill: EtcdInput = { type: 'health-changed', healthy: false };
const well: EtcdInput = { type: 'health-changed', healthy: true };
const linkDown: EtcdInput = { type: 'link-down', peer: 'etcd' };
const linkUp: EtcdInput = { type: 'link-up', peer: 'etcd' };
const fires = (timer: Extract<EtcdInput, { type: 'timer-fired' }>['timer']): EtcdInput => ({
  type: 'timer-fired',
  timer,
});
const proclaim = (value: string): EtcdInput => ({ type: 'requested', request: { type: 'proclaim', value } });
const failed = (id: number | null, reason: 'lease-not-found' | 'unavailable' | 'refused'): EtcdReply => ({
  ...{ type: 'failed', id: id ?? -1, reason, detail: 'why' },
});

const asks = (message: EtcdRequest): EtcdEffect => send('etcd', message);
const says = (announcement: EtcdAnnouncement): EtcdEffect => announce(announcement);
const patience = (timer: 'request' | 'look' | 'proclaim'): EtcdEffect => setTimer(timer, 1000);
const firstKey = { type: 'range', prefix: 'e/', order: 'oldest', limit: 1 } as const;
const allKeys = { ...firstKey, limit: 0 } as const;
const keyBefore = (createdBefore: string) =>
  ({ type: 'range', prefix: 'e/', order: 'newest', limit: 1, createdBefore }) as const;
const ownKey = { key: 'e/7', target: 'create', revision: '5' } as const;

const granting = () => new Hand().give(campaign);
const joining = () => new Hand().granted();
const waiting = () => new Hand().join(5, key('3', 3), key('4', 4));
const leading = () => new Hand().at(100).join(5);
const leaving = () => waiting().give(resign);

/** Gives an input, and says what the node did. */
const after = (node: Hand, ...inputs: EtcdInput[]): readonly EtcdEffect[] => node.give(...inputs).effects;
const heard = (node: Hand, message: EtcdReply): readonly EtcdEffect[] => node.hear(message).effects;

/** It neither does nor notes anything. */
function expectNothing(node: Hand, give: (node: Hand) => Hand): void {
  const before = node.state;
  give(node);
  expect(node.effects).toEqual([]);
  expect(node.state).toEqual(before);
}

describe('a node that starts', () => {
  it.each(['started', 'restarted'] as const)('looks, and looks again after a third of a lease', (type) => {
    const settings = { ...defaultSettings, name: 'e', ttlSeconds: 3 };
    const input = type === 'started' ? { type } : { type, durable: null };
    expect(step(initialState('n1', settings), input, 1)[1]).toEqual([
      setTimer('audit', 1000),
      asks({ type: 'txn', id: 1, compare: [], success: [firstKey], failure: [firstKey] }),
      patience('look'),
    ]);
  });
});

describe('a message that does not come from etcd', () => {
  it('is not read', () => {
    const node = granting();
    const id = node.state.request ?? -1;
    const message: EtcdReply = { type: 'granted', id, lease: '7', ttlSeconds: 3, sentMs: 1 };
    expectNothing(node, (each) => each.give({ type: 'received', from: 'n2', message }));
  });
});

describe('the end of a lease that is being given up', () => {
  it('is no news: its leader has stopped already', () => {
    expectNothing(leading().give(resign), (each) => each.give({ type: 'lease-expired' }));
  });
});

describe('the way to etcd', () => {
  it('when it is open again, then a candidate asks for its lease and for the election', () => {
    expect(after(granting().give(linkDown), linkUp)).toEqual([
      asks({ type: 'grant', id: 3, ttlSeconds: 3, sentMs: 1 }),
      patience('request'),
      asks({ type: 'txn', id: 4, compare: [], success: [firstKey], failure: [firstKey] }),
      patience('look'),
    ]);
  });

  it('when it is open again, then whoever waits looks and renews, and asks for nothing else', () => {
    const { nextId: id } = waiting().state;
    expect(after(waiting().give(linkDown), linkUp)).toEqual([
      asks({
        ...{ type: 'txn', id, compare: [ownKey] },
        ...{ success: [firstKey, keyBefore('5')], failure: [firstKey] },
      }),
      patience('look'),
      asks({ type: 'keep-alive', id: id + 1, lease: '7', sentMs: 1 }),
      setTimer('keep-alive', 300),
    ]);
  });

  it('when it is open again, then whoever leaves does not renew what it gives back', () => {
    const node = leaving().give(linkDown, linkUp);
    expect(node.sent('revoke')).toHaveLength(1);
    expect(node.sent('keep-alive')).toEqual([]);
  });

  it('when it was never closed, or another is, then nothing is asked for', () => {
    expectNothing(waiting(), (each) => each.give(linkUp));
    expectNothing(waiting().give(linkDown), (each) => each.give({ type: 'link-up', peer: 'n2' }));
    expectNothing(waiting(), (each) => each.give({ type: 'link-down', peer: 'n2' }));
  });
});

describe('a node that becomes unhealthy', () => {
  it('while it asks for a lease, then it asks no more', () => {
    const node = granting();
    expect(after(node, ill)).toEqual([cancelTimer('request'), followNobody]);
    expect(node.state).toMatchObject({ phase: 'following', request: null, standing: true });
  });

  it.each([
    ['joins', joining],
    ['waits', waiting],
  ])('while it %s, then it leaves', (_phase, of) => {
    const node = of();
    const id = node.state.nextId;
    expect(after(node, ill)).toEqual([
      cancelTimer('keep-alive'),
      asks({ type: 'revoke', id, lease: '7' }),
      patience('request'),
      ...(_phase === 'joins' ? [followNobody] : []),
    ]);
    expect(node.state.phase).toBe('leaving');
  });

  it('while it leaves or follows, then there is nothing to do', () => {
    expect(after(leaving(), ill)).toEqual([]);
    expect(after(new Hand(), ill)).toEqual([]);
  });

  it('then it stands again when it is well', () => {
    const node = new Hand().give(ill, campaign);
    expect(node.effects).toEqual([]);
    expect(node.give(well).sent('grant')).toHaveLength(1);
  });
});

describe('an answer', () => {
  it('that a lease was revoked counts only for whoever leaves, and for its last request', () => {
    expectNothing(leaving(), (each) => each.hear({ type: 'revoked', id: 1 }));
    const node = granting();
    expectNothing(node, (each) => each.hear({ type: 'revoked', id: node.state.request ?? -1 }));
  });

  it('to a put that was sent again is out of date', () => {
    const node = joining();
    const late = node.state.request ?? -1;
    node.give(fires('request'));
    expectNothing(node, (each) => each.hear(view(late, 5, [key('7', 5)])));
  });

  it('of a kind that was not asked for says nothing', () => {
    const node = leaving();
    expectNothing(node, (each) => each.hear(view(node.state.request ?? -1, 5, [key('7', 5)])));
    expectNothing(new Hand(), (each) => each.hear(view(99, 5, [key('7', 5)])));
    const joiner = joining();
    const id = joiner.state.request ?? -1;
    expect(heard(joiner, { type: 'granted', id, lease: '9', ttlSeconds: 3, sentMs: 1 })).toEqual([
      asks({ type: 'revoke', id: joiner.state.nextId - 1, lease: '9' }),
    ]);
  });
});

describe('a request that failed', () => {
  it('is sent again soon when etcd may have been away, each by its own timer', () => {
    const again = (timer: 'request' | 'look' | 'proclaim'): EtcdEffect[] => [setTimer(timer, [50, 150])];
    const candidate = granting();
    expect(heard(candidate, failed(candidate.state.request, 'unavailable'))).toEqual(again('request'));
    expect(candidate.state.suspicious).toBe(true);
    const looker = waiting().give(fires('audit'));
    expect(heard(looker, failed(looker.state.look, 'unavailable'))).toEqual(again('look'));
    const leader = leading().give(proclaim('here'));
    expect(heard(leader, failed(leader.state.proclaimRequest, 'unavailable'))).toEqual(again('proclaim'));
  });

  it('and for which nobody waits is no news', () => {
    expectNothing(waiting(), (each) => each.hear(failed(99, 'unavailable')));
    expectNothing(waiting(), (each) => each.hear(failed(99, 'lease-not-found')));
  });

  it('because the lease of a leader is gone ends its leadership', () => {
    const node = leading().give(proclaim('here'));
    expect(heard(node, failed(node.state.proclaimRequest, 'lease-not-found'))).toEqual([
      { type: 'step-down', reason: 'session-lost' },
      cancelTimer('proclaim'),
      says({ type: 'proclaim-failed', value: 'here' }),
      // And no more: its own key, which has gone with the lease, is not taken for that of another.
      cancelTimer('keep-alive'),
      cancelTimer('request'),
    ]);
    expect(node.state).toMatchObject({ phase: 'following', proclaims: [], proclaimRequest: null });
  });

  it('because of a lease that nobody had yet is sent again', () => {
    const node = new Hand().see(4, key('3', 3)).give(campaign);
    expect(heard(node, failed(node.state.request, 'lease-not-found'))).toEqual([
      cancelTimer('keep-alive'),
      cancelTimer('request'),
      asks({ type: 'grant', id: node.state.nextId - 1, ttlSeconds: 3, sentMs: 1 }),
      patience('request'),
    ]);
  });
});

describe('a timer', () => {
  it('of a look that was answered leads to another look, one that was not casts doubt on the watch', () => {
    const lost = waiting();
    lost.hear({ type: 'watch-lost', id: lost.state.watch?.id ?? -1, reason: 'compacted' });
    expect(lost.give(fires('look')).state.suspicious).toBe(false);
    expect(waiting().give(fires('audit'), fires('look')).state.suspicious).toBe(true);
  });

  it('of a look that is awaited does not lead to a second audit', () => {
    const node = waiting().give(fires('audit'));
    expect(after(node, fires('audit'))).toEqual([setTimer('audit', 1000)]);
  });

  it('of a renewal casts doubt on the watch only when the renewal before it went unanswered', () => {
    const node = waiting().give(fires('keep-alive'));
    expect(node.state.suspicious).toBe(false);
    expect(node.give(fires('keep-alive')).state.suspicious).toBe(true);
  });

  it('of a renewal casts no doubt because of a lease that is gone', () => {
    const node = waiting().give(fires('keep-alive')).renewed(1, 0).granted();
    expect(node.give(fires('keep-alive')).state.suspicious).toBe(false);
  });

  it('of a renewal means nothing to a node without a lease', () => {
    expectNothing(new Hand(), (each) => each.give(fires('keep-alive')));
  });

  it('of a request means nothing to a node that waits for its turn', () => {
    expect(after(waiting(), fires('request'))).toEqual([]);
  });
});

describe('a look', () => {
  it('of a node that is observed asks for all keys, and whether its own is there', () => {
    const node = waiting();
    const id = node.state.nextId;
    expect(after(node, { type: 'observation-changed', observed: true })).toEqual([
      asks({ type: 'txn', id, compare: [ownKey], success: [allKeys], failure: [allKeys] }),
      patience('look'),
    ]);
  });

  it('in a race asks for the one key', () => {
    expect(after(new Hand({ succession: 'race' }), fires('audit'), fires('look'))).toEqual([
      asks({ type: 'txn', id: 2, compare: [], success: [{ type: 'get', key: 'e' }], failure: [] }),
      patience('look'),
    ]);
  });

  it('that shows what was known changes neither the watch nor anything else', () => {
    const node = waiting().give(fires('audit'));
    expect(node.see(6, key('3', 3), key('4', 4), key('7', 5)).effects).toEqual([cancelTimer('look')]);
  });
});

describe('a lease', () => {
  const grant = (sentMs: number, lease = '7'): EtcdReply => ({
    ...{ type: 'granted', id: 2, lease, ttlSeconds: 3, sentMs },
  });

  it('that is granted is used at once, and renewed after a third of it since it was asked for', () => {
    const node = new Hand().at(1000).give(campaign).at(1500);
    expect(heard(node, grant(1000))).toEqual([
      setTimer('keep-alive', 500),
      asks({
        ...{ type: 'txn', id: 3, compare: [{ key: 'e/7', target: 'create', revision: '0' }] },
        success: [
          { type: 'put', key: 'e/7', value: 'n1', lease: '7' },
          { type: 'get', key: 'e/7' },
        ],
        failure: [{ type: 'get', key: 'e/7' }],
      }),
      patience('request'),
    ]);
  });

  it('whose grant comes a second time is not given back: it is in use', () => {
    expectNothing(waiting(), (each) => each.hear(grant(1)));
  });

  it('whose grant comes when nobody wants it is given back', () => {
    const node = granting().give(resign);
    expect(heard(node, grant(1))).toEqual([asks({ type: 'revoke', id: 3, lease: '7' })]);
  });

  it('of somebody else is no concern of this node', () => {
    const renewal: EtcdReply = { type: 'kept-alive', id: 1, lease: '9', ttlSeconds: 0, sentMs: 1 };
    expectNothing(waiting(), (each) => each.hear(renewal));
    expectNothing(new Hand(), (each) => each.hear(renewal));
  });

  it('that was renewed in the millisecond of its grant counts as renewed', () => {
    const node = waiting().give(fires('keep-alive'));
    expect(node.state.renewing).toBe(true);
    expect(node.renewed(1).state.renewing).toBe(false);
  });

  it('whose renewal was overtaken by a later one stays as it is', () => {
    expectNothing(waiting().at(1900).renewed(1800), (each) => each.renewed(1100));
  });

  it('is not renewed by whoever leaves, and when it has ended the leaving has, too', () => {
    expectNothing(leaving(), (each) => each.renewed(1));
    const node = leaving().renewed(1, 0);
    expect(node.roles()).toEqual([{ type: 'step-down', reason: 'resigned' }]);
    expect(node.state).toMatchObject({ phase: 'following', session: null, owesStepDown: false });
  });

  it('that has just run out is over for its leader, although the renewal is answered then', () => {
    const runsOutMs = 100 + 3000 - guardMs;
    expect(leading().at(runsOutMs).renewed(1100).roles()).toEqual([
      { type: 'step-down', reason: 'lease-expired' },
    ]);
    const inTime = leading()
      .at(runsOutMs - 1)
      .renewed(1100);
    expect(inTime.roles()).toEqual([{ type: 'lead', token: 5n, validForMs: 1001 }]);
  });

  it('that has run out costs nobody an office who only waits', () => {
    const node = new Hand().join(5, key('3', 3)).at(100_000);
    expect(node.give({ type: 'link-down', peer: 'n3' }).roles()).toEqual([]);
    expect(node.state.phase).toBe('waiting');
  });

  it('that has just run out is not led under', () => {
    const turn = () => waiting().gone('4', 7);
    const runsOutMs = 1 + 3000 - guardMs;
    expect(turn().at(runsOutMs).see(7, key('7', 5)).roles()).toEqual([{ type: 'campaign' }]);
    expect(
      turn()
        .at(runsOutMs - 1)
        .see(7, key('7', 5))
        .roles(),
    ).toMatchObject([{ type: 'lead' }]);
  });
});

describe('a renewal', () => {
  const answered = (node: Hand): readonly EtcdRequest[] => node.renewed(1).sent('txn');

  it('has whoever is first in line look, for it may have been waiting for just that', () => {
    const node = waiting().at(4000).gone('4', 7).see(7, key('7', 5)).renewed(4000);
    expect(node.sent('txn')).toHaveLength(1);
  });

  it('has nobody else look', () => {
    expect(answered(waiting())).toEqual([]);
    expect(answered(new Hand().see(1).granted())).toEqual([]);
    expect(answered(leading())).toEqual([]);
    const racer = new Hand({ succession: 'race' }).granted();
    racer.hear(view(racer.state.request ?? -1, 5, [{ ...key('3', 3), key: 'e' }], false));
    expect(answered(racer)).toEqual([]);
    expect(answered(joining().put(5))).toEqual([]);
  });
});

describe('a node that enters', () => {
  it('and does not find its key under its own lease gives that back and enters again', () => {
    const node = joining();
    expect(heard(node, view(node.state.request ?? -1, 5, [], false))).toEqual([
      cancelTimer('request'),
      cancelTimer('keep-alive'),
      cancelTimer('request'),
      asks({ type: 'revoke', id: 4, lease: '7' }),
      asks({ type: 'grant', id: 5, ttlSeconds: 3, sentMs: 1 }),
      patience('request'),
    ]);
  });
});

describe('a node that resigns', () => {
  it('when it leaves already, then it only owes a step-down', () => {
    const node = leading().give({ type: 'lease-expired' });
    expect(after(node, resign)).toEqual([]);
    expect(node.state).toMatchObject({ phase: 'leaving', owesStepDown: true });
  });

  it('when it was a candidate, then it believes in nobody and says so to nobody', () => {
    const node = granting();
    expect(after(node, resign)).toEqual([{ type: 'step-down', reason: 'resigned' }]);
    expect(node.state).toMatchObject({ phase: 'following', told: 'nobody', owesStepDown: false });
    expect(node.see(1).roles()).toEqual([]);
  });

  it('when it followed somebody, then it follows on', () => {
    const node = leaving();
    expect(heard(node, { type: 'revoked', id: node.state.request ?? -1 })).toEqual([
      { type: 'step-down', reason: 'resigned' },
      cancelTimer('keep-alive'),
      cancelTimer('request'),
    ]);
    expect(node.state.told).toBe('3');
  });

  it('and campaigns again before that is done enters again when it is', () => {
    const node = leaving().give(campaign);
    expect(node.effects).toEqual([]);
    expect(heard(node, { type: 'revoked', id: node.state.request ?? -1 })).toEqual([
      { type: 'step-down', reason: 'resigned' },
      cancelTimer('keep-alive'),
      cancelTimer('request'),
      asks({ type: 'grant', id: node.state.nextId - 1, ttlSeconds: 3, sentMs: 1 }),
      patience('request'),
    ]);
  });

  it('while it leads, then its values are not published any more', () => {
    const node = leading().give(proclaim('one'), proclaim('two'));
    const id = node.state.nextId;
    expect(after(node, resign)).toEqual([
      cancelTimer('keep-alive'),
      asks({ type: 'revoke', id, lease: '7' }),
      patience('request'),
      cancelTimer('proclaim'),
      says({ type: 'proclaim-failed', value: 'one' }),
      says({ type: 'proclaim-failed', value: 'two' }),
    ]);
    expect(node.state).toMatchObject({ proclaims: [], proclaimRequest: null });
  });
});

describe('a leader that is deposed', () => {
  it('steps down, gives back its lease, and does not take its own key for that of another', () => {
    const node = leading();
    const id = node.state.nextId;
    expect(node.gone('7', 6).effects).toEqual([
      { type: 'step-down', reason: 'deposed' },
      cancelTimer('keep-alive'),
      cancelTimer('request'),
      asks({ type: 'revoke', id, lease: '7' }),
    ]);
  });

  it('is not deposed by the going of another key', () => {
    const node = new Hand().join(5, key('3', 3)).gone('3', 6).see(6, key('7', 5));
    expect(node.state.phase).toBe('leading');
    expect(node.gone('9', 7).effects).toEqual([]);
  });
});

describe('a value', () => {
  const published = (node: Hand, revision: number): Hand =>
    node.hear(view(node.state.proclaimRequest ?? -1, revision, []));
  /** etcd has not put it, and shows what is there instead. */
  const refused = (node: Hand, ...found: Parameters<typeof view>[2]): Hand =>
    node.hear(view(node.state.proclaimRequest ?? -1, 9, found, false));
  const sends = (id: number, value: string, revision: string): EtcdEffect[] => [
    asks({
      ...{ type: 'txn', id, compare: [{ key: 'e/7', target: 'mod', revision }] },
      success: [{ type: 'put', key: 'e/7', value: `n1\n${value}`, lease: '7' }],
      failure: [{ type: 'get', key: 'e/7' }],
    }),
    patience('proclaim'),
  ];

  it('of a node that does not lead is not published', () => {
    expect(after(waiting(), proclaim('here'))).toEqual([says({ type: 'proclaim-failed', value: 'here' })]);
  });

  it('is published over the one before it, one at a time', () => {
    const node = leading();
    const id = node.state.nextId;
    expect(after(node, proclaim('one'))).toEqual(sends(id, 'one', '5'));
    expect(after(node, proclaim('two'))).toEqual([]);
    expect(published(node, 8).effects).toEqual([
      cancelTimer('proclaim'),
      says({ type: 'proclaimed', value: 'one' }),
      ...sends(id + 1, 'two', '8'),
    ]);
    expect(published(node, 9).effects).toEqual([
      cancelTimer('proclaim'),
      says({ type: 'proclaimed', value: 'two' }),
    ]);
  });

  it('that goes unanswered is sent again, and casts doubt on the watch', () => {
    const node = leading().give(proclaim('one'));
    const id = node.state.nextId;
    expect(after(node, fires('proclaim'))).toEqual(sends(id, 'one', '5'));
    expect(node.state.suspicious).toBe(true);
  });

  it('whose first attempt had arrived after all is published', () => {
    const node = leading().give(proclaim('one'), fires('proclaim'));
    const own = { ...key('7', 5), value: 'n1\none', modRevision: '8' };
    expect(refused(node, own).effects.slice(0, 2)).toEqual([
      cancelTimer('proclaim'),
      says({ type: 'proclaimed', value: 'one' }),
    ]);
    expect(node.state).toMatchObject({ ownModRevision: '8', proclaimRequest: null });
  });

  it('over which another was written is published over that', () => {
    const node = leading().give(proclaim('one'));
    const id = node.state.nextId;
    const own = { ...key('7', 5), value: 'n1\nanother', modRevision: '8' };
    expect(refused(node, own).effects).toEqual(sends(id, 'one', '8'));
  });

  it('that finds no key of its leader, or a later one, deposes it', () => {
    for (const found of [[], [{ ...key('7', 6), value: 'n1\none' }]]) {
      const node = leading().give(proclaim('one'));
      expect(refused(node, ...found).roles()[0]).toEqual({ type: 'step-down', reason: 'deposed' });
    }
  });
});

describe('events', () => {
  const changed = (node: Hand, ...changes: Extract<EtcdReply, { type: 'changed' }>['changes']): Hand =>
    node.hear({ type: 'changed', id: node.state.watch?.id ?? -1, changes });
  const gone = (name: string, revision: string) => ({ type: 'delete', key: name, revision }) as const;

  it('that come together are heard up to the last', () => {
    const node = new Hand().join(5, key('3', 3));
    changed(node, gone('e/8', '6'), gone('e/9', '8'), gone('e/a', '9'));
    expect(node.state).toMatchObject({ heardUpTo: '9', seen: '9' });
    expect(changed(node, gone('e/3', '9')).sent('txn')).toHaveLength(1);
  });

  it('of a key that was put again are no news to whoever waits for it', () => {
    const node = new Hand().join(5, key('3', 3));
    const put = { ...key('3', 3), type: 'put', value: 'n3\nvalue', revision: '6' } as const;
    expect(changed(node, put).effects).toEqual([
      says({ type: 'value-seen', leaderId: 'n3', token: 3n, value: 'value' }),
    ]);
  });

  it('of a watch that is over have it looked for anew, but not at once', () => {
    const node = waiting();
    const id = node.state.watch?.id ?? -1;
    expectNothing(node, (each) => each.hear({ type: 'watch-lost', id: id + 1, reason: 'compacted' }));
    expect(heard(node, { type: 'watch-lost', id, reason: 'compacted' })).toEqual([
      setTimer('look', [50, 150]),
    ]);
    expect(node.state.watch).toBeNull();
  });

  describe('in a race', () => {
    const other = { ...key('3', 3), key: 'e' };
    const lost = () => {
      const node = new Hand({ succession: 'race' }).granted();
      return node.hear(view(node.state.request ?? -1, 5, [other], false));
    };

    it('of a value that the leader publishes are no reason to run', () => {
      const put = { ...other, type: 'put', value: 'n3\nvalue', revision: '6' } as const;
      expect(changed(lost(), put).effects).toEqual([
        says({ type: 'value-seen', leaderId: 'n3', token: 3n, value: 'value' }),
      ]);
    });

    it('that went missing are made good by a look: whoever finds the key free runs for it', () => {
      const audited = (...found: Parameters<typeof view>[2]) => {
        const node = lost().give(fires('audit'));
        return node.hear(view(node.state.look ?? -1, 7, found));
      };
      expect(audited().sent('txn')).toMatchObject([{ compare: [{ key: 'e', revision: '0' }] }]);
      expect(audited(other).effects).toEqual([cancelTimer('look')]);
    });
  });
});

describe('an etcd that has lost data', () => {
  const detail = (what: string, floor: number): string =>
    `etcd has lost data, or is another etcd: ${what}. This node leads with no token up to ${floor} until it is ` +
    "restarted, or told to by request({ type: 'accept-lower-tokens' }). Whatever checks tokens must forget " +
    'the old ones first.';
  const lost = (what: string, floor: number): EtcdEffect =>
    says({ type: 'data-lost', highestToken: BigInt(floor), detail: detail(what, floor) });
  const follower = () => new Hand().see(40, key('3', 33)).give(fires('audit'));

  it('is told by its revision, and nobody who does not lead steps down', () => {
    expect(follower().see(2).effects).toEqual([
      cancelTimer('look'),
      lost('it is at revision 2 after 40', 40),
      followNobody,
    ]);
  });

  it('is told by its name', () => {
    const node = follower();
    const answer = { ...view(node.state.look ?? -1, 41, [key('3', 33)]), clusterId: '2' } as EtcdReply;
    expect(heard(node, answer)[1]).toEqual(lost(`cluster 2 answers instead of ${clusterId}`, 40));
  });

  it('is told by the token of its leader, once', () => {
    const node = follower().see(90, key('4', 4));
    expect(node.effects).toEqual([
      cancelTimer('look'),
      lost('its leader has token 4 after 33', 40),
      followNobody,
    ]);
    expect(node.give(fires('audit')).see(91, key('4', 4)).effects).toEqual([cancelTimer('look')]);
  });

  it('is told by the token that it gives to this node, once', () => {
    const node = follower().see(41).granted();
    node.hear(view(node.state.request ?? -1, 42, [key('7', 20)])).see(42, key('7', 20));
    expect(node.effects.filter(({ type }) => type === 'announce')).toEqual([
      lost('it gives this node token 20', 42),
    ]);
    expect(node.give(fires('audit')).see(43, key('7', 20)).effects).toEqual([cancelTimer('look')]);
  });

  it('is begun with anew: nothing that was known before counts', () => {
    const node = follower();
    node.hear(view(node.state.look ?? -1, 2, [{ ...key('9', 1), key: 'e/billing/3' }]));
    expect(node.state).toMatchObject({
      seen: '0',
      lookedAt: '0',
      heardUpTo: '0',
      floor: '40',
      crowded: true,
    });
  });

  it('is forgotten when somebody accepts lower tokens, or leads with a higher one', () => {
    const accept: EtcdInput = { type: 'requested', request: { type: 'accept-lower-tokens' } };
    expect(follower().see(2).give(accept).state).toMatchObject({ floor: '0', dataLost: false });
    const higher = follower().see(2).join(41);
    expect(higher.state).toMatchObject({ phase: 'leading', floor: '41', dataLost: false });
  });
});
