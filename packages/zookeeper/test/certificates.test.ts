import { describe, expect, it } from 'vitest';
import { zookeeper } from '../src/index.js';
import { created, listed, other, own, pinged, type Subject, session } from './subject.js';

/** Second in the queue, behind the process `first` of n9. */
function waiting(data = 'n9\tfirst', deathCertificates = true): Subject {
  const subject = listed(created(3, { deathCertificates }), own(1, 3), other(2));
  return subject.hear({ type: 'got', id: subject.asked('get').id, data, czxid: 72, owner: 'abc' });
}

const dead = (incarnation: string) => ({ type: 'peer-gone', peer: 'n9', incarnation }) as const;

describe('given a candidate behind a leader', () => {
  it("deletes the leader's znode when that process is certified dead, and waits for nothing", () => {
    const subject = waiting();
    const { awaited, nextId } = subject.state;
    subject.give(dead('first'));
    expect(subject.asked('delete')).toMatchObject({ session, path: `/hustings/${other(2)}` });
    expect(subject.state).toMatchObject({ awaited, nextId: nextId + 1 });
  });

  it.each([
    ['another process of that node', dead('second')],
    ['a closed connection', { type: 'link-down', peer: 'n9' } as const],
  ])('deletes nothing on account of %s', (_, input) => {
    expect(waiting().give(input).sent).toEqual([]);
  });

  it('deletes nothing of a leader that does not name its process', () => {
    expect(waiting('n9').give(dead('first')).sent).toEqual([]);
  });

  it('deletes nothing while it is not connected', () => {
    const subject = waiting().give({ type: 'link-down', peer: 'zookeeper' });
    expect(subject.give(dead('first')).sent).toEqual([]);
  });

  it('deletes it again with the next ping that finds it there', () => {
    const subject = waiting().give(dead('first')).after(2000);
    expect(pinged(subject, 'prove').sent).toEqual(['delete']);
  });

  it('deletes the znode of one whose death it knew before', () => {
    const subject = listed(created(3, { deathCertificates: true }), own(1, 3), other(2));
    const { effects } = subject;
    subject.give(dead('first'));
    expect(subject.sent).toEqual([]);
    subject.effects = effects;
    const { id } = subject.asked('get');
    subject.hear({ type: 'got', id, data: 'n9\tfirst', czxid: 72, owner: 'abc' });
    expect(subject.sent).toContain('delete');
  });

  it('follows it by its name, without that of its process', () => {
    expect(waiting().did('follow')).toEqual([{ type: 'follow', leaderId: 'n9', token: 72n }]);
  });
});

describe('a znode', () => {
  const dataOf = (deathCertificates: boolean): string => {
    const { initialState, step } = zookeeper({ deathCertificates });
    let [state] = step(initialState('n1', [], 'n1#4'), { type: 'started' }, 1);
    const message = { type: 'connected', id: 1, session, sessionTimeoutMs: 6000 } as const;
    [state] = step(state, { type: 'received', from: 'zookeeper', message }, 2);
    const [, effects] = step(state, { type: 'campaign-requested' }, 3);
    return effects
      .flatMap((effect) =>
        effect.type === 'send' && effect.message.type === 'create' ? [effect.message.data] : [],
      )
      .join();
  };

  it('names the process that created it, where death certificates are wanted', () => {
    expect([dataOf(true), dataOf(false)]).toEqual(['n1\tn1#4', 'n1']);
  });
});

describe('without death certificates', () => {
  it('nothing is remembered of one, and nothing deleted', () => {
    const subject = waiting('n9\tfirst', false).give(dead('first'));
    expect([subject.state.gone, subject.effects]).toEqual([[], []]);
  });

  it('nobody but the leader and ZooKeeper is assumed to delete its znode', () => {
    const assumptions = (deathCertificates: boolean): string =>
      zookeeper({ deathCertificates }).guarantees.assumptions.join(';');
    expect(assumptions(false)).not.toContain('death certificate');
    expect(assumptions(true)).toContain('whoever has the death certificate of its process');
  });
});
