import { describe, expect, it } from 'vitest';
import { faulty, metered } from '../src/index.js';
import { eventually, memoryPair, note } from './nodes.js';

describe('a metered transport', () => {
  it('counts what is sent and received, by type and by link', async () => {
    const { a, b, atA, atB } = await memoryPair(metered);
    a.send('b', note('one', 'vote'));
    a.send('b', note('two', 'vote'));
    a.send('c', note('three', 'heartbeat'));
    b.send('a', note('four', 'answer'));
    await eventually(() => expect([...atA.messages, ...atB.messages]).toHaveLength(3));
    expect(a.counts()).toEqual({
      sent: {
        total: 3,
        byType: { vote: 2, heartbeat: 1 },
        byLink: { b: { vote: 2 }, c: { heartbeat: 1 } },
      },
      received: { total: 1, byType: { answer: 1 }, byLink: { b: { answer: 1 } } },
    });
  });

  it('does not change a count that it has given out', async () => {
    const { a } = await memoryPair(metered);
    const before = a.counts();
    a.send('b', note('one'));
    expect(before.sent.total).toBe(0);
    expect(a.counts().sent.total).toBe(1);
  });

  it('passes on links and the end', async () => {
    const { a, b, atA } = await memoryPair(metered);
    await b.stop();
    await eventually(() => expect(atA.events).toEqual(['up b', 'down b']));
    await a.stop();
  });

  it('counts attempts when it is put over faults', async () => {
    const { a } = await memoryPair((base) => metered(faulty(base, { rules: [{ type: 'cut' }] })));
    a.send('b', note('lost'));
    expect(a.counts().sent.total).toBe(1);
  });
});
