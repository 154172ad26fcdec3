/**
 * A test per rule of the election. The rules are those of a lease as Gray and Cheriton describe it (Leases: an efficient
 * fault-tolerant mechanism, 1989), of fencing tokens, and of `leaderelection` in Kubernetes' client-go where the
 * observer's clock rules.
 */

import { InvalidOptionError } from '@hustings/elector';
import { describe, expect, it } from 'vitest';
import { type LeaseSettings, lease } from '../src/index.js';
import { Hand, traits, view } from './hand.js';

const observers: Partial<LeaseSettings> = { store: { ...traits, clock: 'observer' } };

// The guard of a lease of 3 s: 2 per cent and 100 ms.
const guardMs = 160;

describe('given a process that starts', () => {
  it('then it asks for hints, and who leads', () => {
    const { effects } = new Hand();
    const types = effects.flatMap((effect) => (effect.type === 'send' ? [effect.message.type] : []));
    expect(types).toEqual(['watch', 'read']);
  });

  it('then its name is that of its node and of its process, which must be known', () => {
    const protocol = lease(traits);
    expect(protocol.initialState('n1', [], 'p').holder).toBe('n1#p');
    expect(() => protocol.initialState('n1', [])).toThrow(InvalidOptionError);
  });
});

describe('given a node that campaigns', () => {
  it('then it asks for the lease under its own name, and is a candidate', () => {
    const node = new Hand().at(50).stands();
    expect(node.sent('acquire')).toEqual([
      {
        ...{ type: 'acquire', id: node.state.request, name: 'e', holder: 'n1#p' },
        ...{ ttlMs: 3000, over: null, sentMs: 50 },
      },
    ]);
    expect(node.roles()).toEqual([{ type: 'campaign' }]);
  });

  it('then it leads when it has the lease, with the token that the store gave', () => {
    const node = new Hand().at(100).leads(5);
    expect(node.roles()).toEqual([{ type: 'lead', token: 5n, validForMs: 3000 - guardMs }]);
  });

  it('then its lease counts from when it asked, not from when it was answered', () => {
    const node = new Hand().at(100).stands().at(600).acquired(5, 100);
    expect(node.roles()).toEqual([{ type: 'lead', token: 5n, validForMs: 3000 - guardMs - 500 }]);
  });

  it('then a lease that was answered too late is renewed before it leads', () => {
    const node = new Hand().at(100).stands().at(2950).acquired(5, 100);
    expect(node.roles()).toEqual([]);
    expect(node.sent('renew')).toMatchObject([{ token: '5', holder: 'n1#p', sentMs: 2950 }]);
    node.at(2960).hear({
      ...{ type: 'renewed', id: node.state.request ?? -1, token: '5', validForMs: 3000, sentMs: 2950 },
    });
    expect(node.roles()).toEqual([{ type: 'lead', token: 5n, validForMs: 3000 - guardMs - 10 }]);
  });

  it('then a lease that was lost before it led is asked for again', () => {
    const node = new Hand().at(100).stands().at(2950).acquired(5, 100);
    node.hear({ type: 'lost', id: node.state.request ?? -1, token: '5' });
    expect(node.sent('acquire')).toHaveLength(1);
  });

  it('then an answer to another process of this node gives it nothing', () => {
    const node = new Hand().stands();
    const id = node.state.request ?? -1;
    node.hear({ type: 'acquired', id, holder: 'n1#former', token: '5', validForMs: 3000, sentMs: 1 });
    expect(node.state.phase).toBe('acquiring');
    expect(node.effects).toEqual([]);
  });

  it('then it asks again when no answer comes, and the answer to the first question no longer counts', () => {
    const node = new Hand().stands();
    const first = node.state.request ?? -1;
    node.at(1001).fire('request');
    expect(node.sent('acquire')).toMatchObject([{ sentMs: 1001 }]);
    node.acquired(5, 1, first);
    expect(node.state.phase).toBe('acquiring');
    node.acquired(5, 1001);
    expect(node.state.phase).toBe('leading');
  });
});

describe('given another has the lease', () => {
  it('then it follows that one, and asks again when the lease is due', () => {
    const node = new Hand().at(10).stands().held({ expiresInMs: 2000 });
    expect(node.roles()).toEqual([{ type: 'follow', leaderId: 'n2', token: 7n }]);
    expect(node.timer('due')).toEqual([2001, 2001]);
    node.at(2011).fire('due');
    expect(node.sent('acquire')).toMatchObject([{ over: null }]);
  });

  it('then it does not ask before, though a timer of its own is early', () => {
    const node = new Hand().at(10).stands().held({ expiresInMs: 2000 }).at(2000).fire('due');
    expect(node.sent('acquire')).toEqual([]);
    expect(node.timer('due')).toEqual([11, 11]);
  });

  it('then it looks as often as leases are renewed, and a renewal puts the end off', () => {
    const node = new Hand().at(10).stands().held({ expiresInMs: 1000 });
    expect(node.at(500).fire('look').sent('read')).toHaveLength(1);
    node.at(510).found({ expiresInMs: 2900 });
    expect(node.timer('due')).toEqual([2901, 2901]);
  });

  it('then it asks at once when a look finds the lease free', () => {
    const node = new Hand().stands().held().fire('look').found(null);
    expect(node.sent('acquire')).toHaveLength(1);
  });

  it('then it asks at once when a hint comes', () => {
    expect(new Hand().stands().held().hinted().sent('acquire')).toHaveLength(1);
  });

  it('then a hint that comes while it asks makes it ask again', () => {
    const node = new Hand().stands().hinted();
    expect(node.effects).toEqual([]);
    expect(node.held().sent('acquire')).toHaveLength(1);
    expect(node.held().sent('acquire')).toEqual([]);
  });

  it('then a hint to an earlier watch is none', () => {
    const node = new Hand().stands().held();
    node.hear({ type: 'changed', id: 99 });
    expect(node.effects).toEqual([]);
  });

  it('then it believes in that one no longer than the lease was known to last, when no answer comes', () => {
    const node = new Hand().at(10).stands().held({ expiresInMs: 2000 }).at(2011).fire('due');
    expect(node.roles()).toEqual([]);
    node.at(3011).fire('request');
    expect(node.roles()).toEqual([{ type: 'campaign' }]);
  });

  it('then a lease that turns out to be its own is asked for again, for the answer was lost', () => {
    const node = new Hand().stands().held().fire('look').found({ holder: 'n1#p', token: '8' });
    expect(node.sent('acquire')).toHaveLength(1);
  });

  it('then a holder whom the store cannot name is waited for, and nobody is believed in', () => {
    const node = new Hand().stands().held({ holder: null, token: null, expiresInMs: 40 });
    expect(node.roles()).toEqual([]);
    expect(node.timer('due')).toEqual([41, 41]);
  });
});

describe("given that the observer's clock rules", () => {
  const dueMs = 10 + 2000 + 2 * 0.01 * 2000 + 100;

  it('then the lease is taken over from a version that stood still for its time and the guard', () => {
    const node = new Hand(observers).at(10).stands().held({ version: 'v1' });
    expect(node.timer('due')).toEqual([dueMs - 10, dueMs - 10]);
    expect(
      node
        .at(dueMs - 1)
        .fire('due')
        .sent('acquire'),
    ).toEqual([]);
    expect(node.at(dueMs).fire('due').sent('acquire')).toMatchObject([{ over: 'v1' }]);
  });

  it('then a look that finds the same version does not put that off', () => {
    const node = new Hand(observers).at(10).stands().held({ version: 'v1' });
    node.at(1000).fire('look').found({ version: 'v1' });
    expect(node.timer('due')).toEqual([dueMs - 1000, dueMs - 1000]);
  });

  it('then another version begins anew', () => {
    const node = new Hand(observers).at(10).stands().held({ version: 'v1' });
    node.at(1000).fire('look').found({ version: 'v2' });
    expect(node.timer('due')).toEqual([dueMs - 10, dueMs - 10]);
    expect(node.at(dueMs).fire('due').sent('acquire')).toEqual([]);
  });

  it('then the same question is asked again when no answer comes', () => {
    const node = new Hand(observers).at(10).stands().held({ version: 'v1' }).at(dueMs).fire('due');
    expect(node.fire('request').sent('acquire')).toMatchObject([{ over: 'v1' }]);
  });

  it('then a hint does not take over anything', () => {
    const node = new Hand(observers).stands().held({ version: 'v1' }).hinted();
    expect(node.sent('acquire')).toMatchObject([{ over: null }]);
  });

  it('then who only watches stops believing in a version that stands still', () => {
    const node = new Hand(observers).at(10).found({ version: 'v1' });
    expect(node.roles()).toEqual([{ type: 'follow', leaderId: 'n2', token: 7n }]);
    node.at(dueMs).fire('due').found({ version: 'v1' });
    expect(node.roles()).toEqual([{ type: 'follow', leaderId: null, token: null }]);
    expect(node.timer('due')).toBeUndefined();
  });
});

describe('given a leader', () => {
  it('then it renews after a third of the lease, and counts from when it asked', () => {
    const node = new Hand().at(100).leads(5);
    expect(node.timer('renew')).toEqual([1000, 1000]);
    expect(node.at(1100).fire('renew').sent('renew')).toMatchObject([{ token: '5', sentMs: 1100 }]);
    expect(node.timer('renew')).toEqual([300, 300]);
    node.at(1300).renewed(1100);
    expect(node.roles()).toEqual([{ type: 'lead', token: 5n, validForMs: 3000 - guardMs - 200 }]);
    expect(node.timer('renew')).toEqual([800, 800]);
  });

  it('then a renewal that is answered out of order does not shorten anything', () => {
    const node = new Hand().at(100).leads(5).at(1100).fire('renew').at(1400).fire('renew').renewed(1400);
    expect(node.at(1500).renewed(1100).effects).toEqual([]);
  });

  it('then a renewal of another token is none of its business', () => {
    expect(new Hand().leads(5).fire('renew').renewed(1, '4').effects).toEqual([]);
  });

  it('then it stops at once when the store says that the lease is lost', () => {
    const node = new Hand().leads(5).fire('renew');
    node.hear({ type: 'lost', id: node.state.renewal ?? -1, token: '5' });
    expect(node.roles()).toEqual([{ type: 'step-down', reason: 'session-lost' }]);
    expect(node.state.phase).toBe('following');
  });

  it('then it does not stop when a lease is lost that it had before', () => {
    const node = new Hand().leads(5).hear({ type: 'lost', id: 99, token: '4' });
    expect(node.state.phase).toBe('leading');
  });

  it('then a hint makes it look, and it stops when another has the lease, or nobody', () => {
    for (const lease of [{ holder: 'n2#q', token: '6' }, { holder: 'n1#p', token: '6' }, null]) {
      const node = new Hand().leads(5).hinted();
      expect(node.sent('read')).toHaveLength(1);
      node.found(lease);
      expect(node.roles()).toEqual([{ type: 'step-down', reason: 'deposed' }]);
    }
  });

  it('then it leads on when it has the lease, or nobody can tell', () => {
    for (const lease of [
      { holder: 'n1#p', token: '5' },
      { holder: null, token: null },
    ]) {
      const node = new Hand().leads(5).hinted().found(lease);
      expect([node.state.phase, node.roles()]).toEqual(['leading', []]);
    }
  });

  it('then it gives the lease back when its time is over, and stands again only when that is acknowledged', () => {
    const node = new Hand().leads(5).at(2841).give({ type: 'lease-expired' });
    expect(node.roles()).toEqual([{ type: 'step-down', reason: 'lease-expired' }]);
    expect(node.sent('release')).toMatchObject([{ holder: 'n1#p', token: '5' }]);
    expect(node.give({ type: 'campaign-requested' }).effects).toEqual([]);
    node.hear({ type: 'released', id: node.state.request ?? -1 });
    expect(node.sent('acquire')).toHaveLength(1);
  });

  it('then a refusal of the store is told to a person, and nothing is hurried', () => {
    const node = new Hand().leads(5).fire('renew');
    node.hear({ type: 'failed', id: node.state.renewal ?? -1, reason: 'refused', detail: 'No right.' });
    expect(node.announced()).toEqual([{ type: 'refused', reason: 'refused', detail: 'No right.' }]);
    expect(node.timer('renew')).toEqual([1000, 1000]);
  });

  it('then a call that failed is tried again soon, and nobody is told', () => {
    const node = new Hand().leads(5).fire('renew');
    node.hear({ type: 'failed', id: node.state.renewal ?? -1, reason: 'unavailable', detail: '' });
    expect(node.announced()).toEqual([]);
    expect(node.timer('renew')).toEqual([50, 150]);
  });
});

describe('given a node that resigns', () => {
  it('when it leads, then it releases, and has resigned when that is acknowledged', () => {
    const node = new Hand().leads(5).give({ type: 'resign-requested' });
    expect(node.sent('release')).toMatchObject([{ token: '5' }]);
    expect(node.roles()).toEqual([]);
    node.hear({ type: 'released', id: node.state.request ?? -1 });
    expect(node.roles()).toEqual([{ type: 'step-down', reason: 'resigned' }]);
  });

  it('when no answer comes, then it releases again, and only the last answer counts', () => {
    const node = new Hand().leads(5).give({ type: 'resign-requested' });
    const first = node.state.request ?? -1;
    expect(node.fire('request').sent('release')).toHaveLength(1);
    expect(node.hear({ type: 'released', id: first }).roles()).toEqual([]);
  });

  it('when it waits, then it has resigned at once', () => {
    const node = new Hand().stands().held().give({ type: 'resign-requested' });
    expect(node.roles()).toEqual([{ type: 'step-down', reason: 'resigned' }]);
    expect(node.sent('release')).toEqual([]);
  });

  it('when its answer is still to come, then it looks first, and releases what it finds', () => {
    const node = new Hand().stands().give({ type: 'resign-requested' });
    expect(node.sent('release')).toEqual([]);
    const [read] = node.sent('read');
    node.hear({ type: 'found', id: read?.id ?? -1, lease: view({ holder: 'n1#p', token: '5' }) });
    expect(node.sent('release')).toMatchObject([{ token: '5' }]);
    node.hear({ type: 'released', id: node.state.request ?? -1 });
    expect(node.roles()).toEqual([{ type: 'step-down', reason: 'resigned' }]);
  });

  it('when its answer is still to come and it has nothing, then it has resigned', () => {
    for (const lease of [null, view({})]) {
      const node = new Hand().stands().give({ type: 'resign-requested' });
      node.hear({ type: 'found', id: node.state.request ?? -1, lease });
      expect(node.roles()).toEqual([{ type: 'step-down', reason: 'resigned' }]);
    }
  });

  it('when a lease comes that nobody waits for any more, then it is given back', () => {
    const node = new Hand().stands().held().give({ type: 'resign-requested' }).acquired(8, 1, 3);
    expect(node.sent('release')).toMatchObject([{ token: '8' }]);
    expect(node.roles()).toEqual([]);
  });

  it('when it is looked at and turns out to have a lease, then that is given back', () => {
    const node = new Hand().fire('look').found({ holder: 'n1#p', token: '8' });
    expect(node.sent('release')).toMatchObject([{ token: '8' }]);
  });

  it('when it is asked to campaign before that is acknowledged, then it resigns first', () => {
    const node = new Hand().leads(5).give({ type: 'resign-requested' }, { type: 'campaign-requested' });
    node.hear({ type: 'released', id: node.state.request ?? -1 });
    expect(node.roles()).toEqual([{ type: 'step-down', reason: 'resigned' }, { type: 'campaign' }]);
    expect(node.sent('acquire')).toHaveLength(1);
  });

  it('when it never stood, then it has resigned at once', () => {
    expect(new Hand().give({ type: 'resign-requested' }).roles()).toEqual([
      { type: 'step-down', reason: 'resigned' },
    ]);
  });
});

describe('given a node that is not well', () => {
  it('when it leads, then it stops and gives the lease back', () => {
    const node = new Hand().leads(5).give({ type: 'health-changed', healthy: false });
    expect(node.roles()).toEqual([{ type: 'step-down', reason: 'unhealthy' }]);
    expect(node.sent('release')).toHaveLength(1);
  });

  it('when it waits or asks, then it no longer does, until it is well', () => {
    const waiting = new Hand().stands().held().give({ type: 'health-changed', healthy: false });
    expect(waiting.state.phase).toBe('following');
    expect(waiting.give({ type: 'health-changed', healthy: true }).sent('acquire')).toHaveLength(1);
    const asking = new Hand().stands().give({ type: 'health-changed', healthy: false });
    expect(asking.state.phase).toBe('leaving');
  });
});

describe('given a token at or below one that was seen', () => {
  const low = () => new Hand().stands().held({ token: '7' }).at(2100).fire('due').acquired(7);

  it('then it is not led with, and a person is told what to do', () => {
    const node = low();
    expect(node.roles()).toEqual([{ type: 'campaign' }]);
    expect(node.announced()).toMatchObject([
      { type: 'data-lost', highestToken: 7n, detail: expect.stringContaining('accept-lower-tokens') },
    ]);
  });

  it('then the lease is kept, so that nobody leads, and nobody is told twice', () => {
    const node = low();
    expect(node.at(3100).fire('renew').sent('renew')).toHaveLength(1);
    expect(node.renewed(3100, '7').announced()).toEqual([]);
    expect(node.state.phase).toBe('refusing');
  });

  it('when lower tokens are accepted, then it leads', () => {
    const node = low().give({ type: 'requested', request: { type: 'accept-lower-tokens' } });
    expect(node.roles()).toMatchObject([{ type: 'lead', token: 7n }]);
  });

  it('when it resigns, then the lease is given back', () => {
    expect(low().give({ type: 'resign-requested' }).sent('release')).toMatchObject([{ token: '7' }]);
  });

  it('when another leads with a lower one, then it is not believed in', () => {
    const node = new Hand().stands().held({ token: '7' }).fire('look').found({ holder: 'n3#r', token: '6' });
    expect(node.roles()).toEqual([{ type: 'campaign' }]);
    expect(node.announced()).toMatchObject([{ type: 'data-lost', highestToken: 7n }]);
  });

  it('when another leads with a higher one, then it is', () => {
    const node = new Hand().stands().held({ token: '7' }).fire('look').found({ holder: 'n3#r', token: '10' });
    expect(node.roles()).toEqual([{ type: 'follow', leaderId: 'n3', token: 10n }]);
    expect(node.announced()).toEqual([]);
  });
});

describe('given the token again that it has led with, and has lost', () => {
  // Such as from a replica that has missed the release.
  const again = () => new Hand().leads(5).hear({ type: 'lost', id: 9, token: '5' }).leads(5);

  it('then it is given back, and the next one is led with', () => {
    const node = again();
    expect(node.roles()).toEqual([]);
    expect(node.sent('release')).toMatchObject([{ holder: 'n1#p', token: '5' }]);
    node.hear({ type: 'released', id: node.state.request ?? -1 });
    expect(node.sent('acquire')).toHaveLength(1);
    expect(node.acquired(6).roles()).toMatchObject([{ type: 'lead', token: 6n }]);
    expect(node.announced()).toEqual([]);
  });

  it('when it comes once more, then the store has lost data, and a person is told', () => {
    const node = again();
    node.hear({ type: 'released', id: node.state.request ?? -1 }).acquired(5);
    expect(node.state.phase).toBe('refusing');
    expect(node.announced()).toMatchObject([{ type: 'data-lost', highestToken: 5n }]);
  });

  it('when another was seen to have it since, then it is refused at once', () => {
    const node = new Hand().leads(5).hear({ type: 'lost', id: 9, token: '5' });
    node.stands().held({ token: '5' }).at(2100).fire('due').acquired(5);
    expect(node.state.phase).toBe('refusing');
  });

  it('when it has led with a higher one since, then it is given back all the same', () => {
    const node = new Hand().leads(5).hear({ type: 'lost', id: 9, token: '5' });
    node.leads(8).hear({ type: 'lost', id: 9, token: '8' }).leads(5);
    expect(node.sent('release')).toMatchObject([{ holder: 'n1#p', token: '5' }]);
    node.hear({ type: 'released', id: node.state.request ?? -1 });
    expect(node.acquired(9).roles()).toMatchObject([{ type: 'lead', token: 9n }]);
  });

  it('when another has led with a higher one since, then it is given back all the same', () => {
    const node = new Hand().leads(5).hear({ type: 'lost', id: 9, token: '5' });
    node.stands().held({ token: '8' }).at(2100).fire('due').acquired(5);
    expect(node.sent('release')).toMatchObject([{ holder: 'n1#p', token: '5' }]);
    node.hear({ type: 'released', id: node.state.request ?? -1 });
    expect(node.acquired(9).roles()).toMatchObject([{ type: 'lead', token: 9n }]);
  });
});

describe('given the token again of a lease that it has had and not led with', () => {
  // Another may have led since then, and may not have been seen.
  const givesBack = (node: Hand): void => {
    expect(node.acquired(5).roles()).toEqual([]);
    expect(node.sent('release')).toMatchObject([{ holder: 'n1#p', token: '5' }]);
  };

  it('when it was given back, then it is given back again', () => {
    const node = new Hand().stands().give({ type: 'resign-requested' }).acquired(5);
    givesBack(node.hear({ type: 'released', id: node.state.request ?? -1 }).stands());
  });

  it('when it was lost, then it is given back', () => {
    const node = new Hand().at(100).stands().at(2950).acquired(5, 100);
    givesBack(node.hear({ type: 'lost', id: node.state.request ?? -1, token: '5' }));
  });
});

describe('given a token at or below one that was seen, of a store whose tokens are of its clock', () => {
  const low = () =>
    new Hand({ store: { ...traits, tokens: 'clock' } })
      .stands()
      .held({ token: '7' })
      .at(2100)
      .fire('due')
      .acquired(6);

  it('then it is not led with, and a person is told', () => {
    const node = low();
    expect(node.roles()).toEqual([{ type: 'campaign' }]);
    expect(node.announced()).toMatchObject([{ type: 'data-lost', highestToken: 7n }]);
  });

  it('when a third of the lease has passed, then it is given back, for the clock goes on', () => {
    const node = low();
    expect(node.timer('renew')).toEqual([1000, 1000]);
    expect(node.at(3100).fire('renew').sent('release')).toMatchObject([{ token: '6' }]);
    expect(node.sent('renew')).toEqual([]);
    node.hear({ type: 'released', id: node.state.request ?? -1 });
    expect(node.acquired(8).roles()).toMatchObject([{ type: 'lead', token: 8n }]);
  });

  it('when the next one is too low as well, then it waits as long again, and nobody is told twice', () => {
    const node = low().at(3100).fire('renew');
    node.hear({ type: 'released', id: node.state.request ?? -1 }).acquired(7);
    expect(node.state.phase).toBe('refusing');
    expect(node.announced()).toEqual([]);
    expect(node.timer('renew')).toEqual([1000, 1000]);
  });
});

describe('given a store that went silent', () => {
  it('when it answers again, then hints are asked for again, and it is looked who leads', () => {
    const node = new Hand().stands().held().give({ type: 'link-down', peer: 'store' });
    expect(node.effects).toEqual([]);
    node.give({ type: 'link-up', peer: 'store' });
    expect(node.sent('watch')).toHaveLength(1);
    expect(node.sent('read')).toHaveLength(1);
  });

  it('when the way to it is open again, then a leader renews at once', () => {
    const node = new Hand().leads(5).give({ type: 'link-down', peer: 'store' });
    expect(node.give({ type: 'link-up', peer: 'store' }).sent('renew')).toHaveLength(1);
  });

  it('when nothing went unanswered, then a link that comes up changes nothing', () => {
    expect(new Hand().leads(5).give({ type: 'link-up', peer: 'store' }).effects).toEqual([]);
  });

  it('when another node goes, then that is nothing', () => {
    expect(new Hand().give({ type: 'link-down', peer: 'n2' }).state.suspicious).toBe(false);
  });
});

describe('given a node that does not stand', () => {
  it('then it looks who leads, and asks for nothing', () => {
    const node = new Hand().found({});
    expect(node.roles()).toEqual([{ type: 'follow', leaderId: 'n2', token: 7n }]);
    expect(node.at(2100).fire('due').sent('acquire')).toEqual([]);
    expect(node.sent('read')).toHaveLength(1);
  });

  it('then a hint concerns it only while somebody observes', () => {
    const node = new Hand().found({});
    expect(node.hinted().sent('read')).toEqual([]);
    node.give({ type: 'observation-changed', observed: true }).found({});
    expect(node.hinted().sent('read')).toHaveLength(1);
  });

  it('then nobody leads when a look finds the lease free', () => {
    const node = new Hand().found({}).fire('look').found(null);
    expect(node.roles()).toEqual([{ type: 'follow', leaderId: null, token: null }]);
  });

  it('then only the answer to its last look counts', () => {
    const node = new Hand();
    const first = node.state.look ?? -1;
    node.fire('look').hear({ type: 'found', id: first, lease: view({}) });
    expect(node.roles()).toEqual([]);
  });

  it('then what others than the store say is nothing', () => {
    const node = new Hand();
    const message = { type: 'found', id: node.state.look ?? -1, lease: view({}) } as const;
    expect(node.give({ type: 'received', from: 'n2', message }).effects).toEqual([]);
  });
});
