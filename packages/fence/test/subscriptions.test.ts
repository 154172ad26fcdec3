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
    const stop = await subscriptions.add({ ready: Promise.resolve(), end });
    stop();
    stop();
    subscriptions.close();
    expect(count.ended).toBe(1);
  });

  it('end when all are closed, also one that does not listen yet, and one that comes later', async () => {
    const [early, slow, late] = [counting(), counting(), counting()];
    const subscriptions = new Subscriptions();
    await subscriptions.add({ ready: Promise.resolve(), end: early.end });
    void subscriptions.add({ ready: new Promise(() => {}), end: slow.end });
    subscriptions.close();
    await subscriptions.add({ ready: Promise.resolve(), end: late.end });
    expect([early, slow, late].map(({ count }) => count.ended)).toEqual([1, 1, 1]);
  });

  it('end where they cannot listen', async () => {
    const { count, end } = counting();
    const adding = new Subscriptions().add({ ready: Promise.reject(new Error('No right.')), end });
    await expect(adding).rejects.toThrow('No right.');
    expect(count.ended).toBe(1);
  });
});
