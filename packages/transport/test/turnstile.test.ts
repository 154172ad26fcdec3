import { describe, expect, it } from 'vitest';
import { Turnstile } from '../src/turnstile.js';
import { eventually } from './nodes.js';

describe('given a crowd at the turnstile', () => {
  it('lets everyone through in the order in which they came, with turns for others in between', async () => {
    const order: (number | 'another')[] = [];
    const turnstile = new Turnstile();
    for (let guest = 0; guest < 9; guest += 1) turnstile.enter(() => order.push(guest));
    const immediate = () => {
      order.push('another');
      if (order.length < 20) setImmediate(immediate);
    };
    setImmediate(immediate);
    await eventually(() => expect(order).toContain(8));
    expect(order.filter((each) => each !== 'another')).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(order.slice(order.indexOf(3), order.indexOf(4))).toContain('another');
    expect(order.slice(order.indexOf(7), order.indexOf(8))).toContain('another');
  });

  it('lets nobody through inside the call of somebody else', () => {
    let through = false;
    new Turnstile().enter(() => {
      through = true;
    });
    expect(through).toBe(false);
  });

  it('turns again for whoever comes later', async () => {
    const order: string[] = [];
    const turnstile = new Turnstile();
    turnstile.enter(() => order.push('first'));
    await eventually(() => expect(order).toEqual(['first']));
    turnstile.enter(() => order.push('second'));
    await eventually(() => expect(order).toEqual(['first', 'second']));
  });
});
