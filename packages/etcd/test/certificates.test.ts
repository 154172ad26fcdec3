import { setTimer } from '@hustings/elector/protocol';
import { describe, expect, it } from 'vitest';
import { defaultSettings, etcd, initialState, type KeyValue, step } from '../src/index.js';
import { readValue } from '../src/keys.js';
import { Hand, key } from './hand.js';

const settings = { deathCertificates: true };

/** The key of one process of a node. */
const signed = (lease: string, revision: number, incarnation: string): KeyValue => ({
  ...key(lease, revision),
  value: `n${lease}\t${incarnation}`,
});

const deletions = (hand: Hand) => hand.sent('txn').filter(({ success }) => success[0]?.type === 'delete');

describe('given a candidate behind a leader', () => {
  const waiting = () => new Hand(settings).join(20, signed('3', 10, 'first'));

  it("deletes the leader's key when that process is certified dead, comparing its create revision", () => {
    const hand = waiting().give({ type: 'peer-gone', peer: 'n3', incarnation: 'first' });
    expect(deletions(hand)).toEqual([
      expect.objectContaining({
        compare: [{ key: 'e/3', target: 'create', revision: '10' }],
        success: [{ type: 'delete', key: 'e/3' }],
        failure: [],
      }),
    ]);
    expect(hand.effects.slice(1)).toEqual([setTimer('look', defaultSettings.requestTimeoutMs)]);
  });

  it('has no look to plan where one is under way', () => {
    const hand = waiting().give({ type: 'observation-changed', observed: true });
    hand.give({ type: 'peer-gone', peer: 'n3', incarnation: 'first' });
    expect(hand.effects.map(({ type }) => type)).toEqual(['send']);
  });

  it('deletes the keys of all that have died, each in a request of its own', () => {
    const others = [signed('3', 10, 'first'), signed('4', 11, 'second')];
    const hand = new Hand(settings)
      .give({ type: 'observation-changed', observed: true })
      .join(20, ...others)
      .give({ type: 'peer-gone', peer: 'n4', incarnation: 'second' })
      .give({ type: 'peer-gone', peer: 'n3', incarnation: 'first' });
    expect(deletions(hand).map(({ compare }) => compare[0]?.key)).toEqual(['e/3', 'e/4']);
  });

  it.each([
    ['another process of that node', { type: 'peer-gone', peer: 'n3', incarnation: 'second' } as const],
    ['a closed connection', { type: 'link-down', peer: 'n3' } as const],
  ])('does nothing on account of %s', (_, input) => {
    expect(waiting().give(input).effects).toEqual([]);
  });

  it('deletes it again when the next look still shows it', () => {
    const hand = waiting().give({ type: 'peer-gone', peer: 'n3', incarnation: 'first' });
    hand.give({ type: 'timer-fired', timer: 'look' });
    hand.see(21, signed('3', 10, 'first'), key('7', 20));
    expect(deletions(hand)).toHaveLength(1);
  });

  it('deletes the key of one whose death it knew before it knew the key', () => {
    const hand = new Hand(settings).give({ type: 'peer-gone', peer: 'n3', incarnation: 'first' });
    expect(deletions(hand)).toEqual([]);
    expect(deletions(hand.join(20, signed('3', 10, 'first')))).toHaveLength(1);
  });

  it('does not lead before a look has shown its turn', () => {
    const hand = waiting().give({ type: 'peer-gone', peer: 'n3', incarnation: 'first' });
    expect(hand.state.phase).toBe('waiting');
  });
});

describe('a key', () => {
  it('names the process that put it, where death certificates are wanted', () => {
    const put = (certificates: boolean) => {
      const protocol = etcd({ deathCertificates: certificates });
      const [granting, [, grant]] = step(
        step(protocol.initialState('n1', [], 'n1#4'), { type: 'started' }, 1)[0],
        { type: 'campaign-requested' },
        1,
      );
      expect(grant).toMatchObject({ message: { type: 'grant' } });
      const message = {
        type: 'granted',
        id: granting.request!,
        lease: '7',
        ttlSeconds: 5,
        sentMs: 1,
      } as const;
      const [, effects] = step(granting, { type: 'received', from: 'etcd', message }, 2);
      return effects.flatMap((effect) =>
        effect.type === 'send' && effect.message.type === 'txn' ? effect.message.success : [],
      );
    };
    expect(put(true)).toContainEqual(expect.objectContaining({ type: 'put', value: 'n1\tn1#4' }));
    expect(put(false)).toContainEqual(expect.objectContaining({ type: 'put', value: 'n1' }));
  });

  it.each([
    ['n1', { leaderId: 'n1', incarnation: null, proclaimed: null }],
    ['n1\tn1#4', { leaderId: 'n1', incarnation: 'n1#4', proclaimed: null }],
    ['n1\tn1#4\nhello\tthere', { leaderId: 'n1', incarnation: 'n1#4', proclaimed: 'hello\tthere' }],
    ['n1\nhello\tthere', { leaderId: 'n1', incarnation: null, proclaimed: 'hello\tthere' }],
  ])('with the value %j is read', (value, read) => {
    expect(readValue(value)).toEqual(read);
  });
});

describe('without death certificates', () => {
  it('nothing is remembered of one, and nothing deleted', () => {
    const hand = new Hand().join(20, signed('3', 10, 'first'));
    hand.give({ type: 'peer-gone', peer: 'n3', incarnation: 'first' });
    expect([hand.state.gone, hand.effects]).toEqual([[], []]);
    expect(initialState('n1').incarnation).toBeNull();
  });

  it('nobody but the leader and etcd is assumed to delete its key', () => {
    const [without, withThem] = [etcd(), etcd(settings)].map(({ guarantees }) =>
      guarantees.assumptions.join(';'),
    );
    expect(without).not.toContain('death certificate');
    expect(withThem).toContain('whoever has the death certificate of its process');
  });
});
