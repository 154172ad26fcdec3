/** A test for each sentence of the source. Roll call has none; what follows are the rules of its README. */

import { describe, expect, it } from 'vitest';
import { initialState, type RollCallState, step } from '../src/index.js';

const [standing] = step(initialState('n2', ['n1', 'n3']), { type: 'campaign-requested' });
const decide = (state: RollCallState) => step(state, { type: 'timer-fired', timer: 'decide' });
const hear = (state: RollCallState, from: string, type: 'standing' | 'leading' | 'gone', epoch: number) =>
  step(state, { type: 'received', from, message: { type, epoch } });

describe('given a node whose application asks to lead', () => {
  it('says so to everyone, and waits for others to say the same', () => {
    const [, effects] = step(initialState('n2', ['n1', 'n3']), { type: 'campaign-requested' });
    expect(effects).toEqual([
      { type: 'send', to: 'n1', message: { type: 'standing', epoch: 0 } },
      { type: 'send', to: 'n3', message: { type: 'standing', epoch: 0 } },
      { type: 'set-timer', timer: 'decide', delayMs: [50, 50] },
    ]);
  });

  it('leads when nobody stronger stands, in a new epoch that is saved before anybody hears of it', () => {
    const [leader, effects] = decide(hear(standing, 'n1', 'standing', 0)[0]);
    expect(leader).toMatchObject({ leaderId: 'n2', epoch: 1 });
    expect(effects).toEqual([
      { type: 'campaign' },
      { type: 'save', durable: { epoch: 1 } },
      { type: 'send', to: 'n1', message: { type: 'leading', epoch: 1 } },
      { type: 'send', to: 'n3', message: { type: 'leading', epoch: 1 } },
      { type: 'lead', token: 1n },
    ]);
  });

  it('does not lead while a stronger node stands', () => {
    const [waiting] = hear(standing, 'n3', 'standing', 0);
    expect(decide(waiting)).toEqual([waiting, []]);
  });

  it('waits anew when that node is gone', () => {
    const [waiting] = hear(standing, 'n3', 'standing', 0);
    const [alone, effects] = hear(waiting, 'n3', 'gone', 0);
    expect(effects).toEqual([{ type: 'set-timer', timer: 'decide', delayMs: [50, 50] }]);
    expect(decide(alone)[0].leaderId).toBe('n2');
  });
});

describe('given a node that follows', () => {
  const [follower, effects] = hear(standing, 'n3', 'leading', 4);

  it('has saved the epoch first', () => {
    expect(effects).toEqual([
      { type: 'save', durable: { epoch: 4 } },
      { type: 'cancel-timer', timer: 'decide' },
      { type: 'follow', leaderId: 'n3', token: 4n },
    ]);
  });

  it('does not believe an older leader, nor a weaker one of the same epoch', () => {
    expect(hear(follower, 'n1', 'leading', 3)).toEqual([follower, []]);
    expect(hear(follower, 'n1', 'leading', 4)).toEqual([follower, []]);
  });

  it('believes a newer one', () => {
    expect(hear(follower, 'n1', 'leading', 5)[0]).toMatchObject({ leaderId: 'n1', epoch: 5 });
  });

  it('follows nobody when the connection to its leader closes', () => {
    const [left, after] = step(follower, { type: 'link-down', peer: 'n3' });
    expect(left.leaderId).toBeNull();
    expect(after).toContainEqual({ type: 'follow', leaderId: null, token: null });
  });
});

describe('given a leader', () => {
  const [leader] = decide(standing);

  it('steps down before it follows a newer one', () => {
    const [former, effects] = hear(leader, 'n1', 'leading', 2);
    expect(former).toMatchObject({ leaderId: 'n1', standing: false });
    expect(effects.map(({ type }) => type)).toEqual([
      'step-down',
      'cancel-timer',
      'send',
      'send',
      'save',
      'cancel-timer',
      'follow',
    ]);
  });

  it('leads on when an older one speaks', () => {
    expect(hear(leader, 'n1', 'leading', 1)).toEqual([leader, []]);
  });

  it('introduces itself to a peer that comes up', () => {
    const [, effects] = step(leader, { type: 'link-up', peer: 'n3' });
    expect(effects).toContainEqual({ type: 'send', to: 'n3', message: { type: 'leading', epoch: 1 } });
  });

  it('tells everyone when it resigns', () => {
    const [former, effects] = step(leader, { type: 'resign-requested' });
    expect(former).toMatchObject({ leaderId: null, standing: false });
    expect(effects[0]).toEqual({ type: 'step-down', reason: 'resigned' });
    expect(effects).toContainEqual({ type: 'send', to: 'n1', message: { type: 'gone', epoch: 1 } });
  });

  it('steps down when it is unhealthy, and a well one does not', () => {
    const [, effects] = step(leader, { type: 'health-changed', healthy: false });
    expect(effects[0]).toEqual({ type: 'step-down', reason: 'unhealthy' });
    expect(step(leader, { type: 'health-changed', healthy: true })[1]).toEqual([]);
  });
});
