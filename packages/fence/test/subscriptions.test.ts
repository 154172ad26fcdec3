import { describe, expect, it } from 'vitest';
import { Subscriptions } from '../src/clients.js';

describe('subscriptions', () => {
  const counting = () => {
    const count = { ended: 0 };
    const end = () => {
      count.ended += 1;
    };
    return { count, end };
  };

  it('end once, however often they are told to', async () => {
    const { count, end } = counting();
    const subscriptions = new Subscriptions();
    const stop = await subscriptions.add(Promise.resolve(end));
    stop();
    stop();
    subscriptions.close();
    expect(count.ended).toBe(1);
  });

  it('end when all are closed, also one that is opened later', async () => {
    const [early, late] = [counting(), counting()];
    const subscriptions = new Subscriptions();
    await subscriptions.add(Promise.resolve(early.end));
    const opening = subscriptions.add(new Promise((resolve) => setTimeout(resolve, 1, late.end)));
    subscriptions.close();
    await opening;
    expect([early.count.ended, late.count.ended]).toEqual([1, 1]);
  });
});
