import { InvalidOptionError } from '@hustings/elector';
import { describe, expect, it, vi } from 'vitest';
import { type FaultRule, type FaultyTransport, faulty, type Transport } from '../src/index.js';
import { MemoryNetwork } from '../src/memory.js';
import { eventually, memoryPair, type Note, note, Recorder } from './nodes.js';

const numbers = Array.from({ length: 20 }, (_, index) => String(index));
const fromA = numbers.map((number) => `a: ${number}`);

function pair(rules: readonly FaultRule[], random: () => number = Math.random) {
  return memoryPair((base) => faulty(base, { rules, random }));
}

function sendNumbers(transport: Transport<Note>, to = 'b'): void {
  for (const number of numbers) transport.send(to, note(number));
}

/** Every other draw is below one half. */
function alternating(): () => number {
  let draws = 0;
  return () => (draws++ % 2 === 0 ? 0.25 : 0.75);
}

describe('a faulty transport', () => {
  it('without rules changes nothing', async () => {
    const { a, atB } = await pair([]);
    sendNumbers(a);
    await eventually(() => expect(atB.messages).toEqual(fromA));
  });

  it('cut one way still hears, and its link stays up', async () => {
    const { a, b, atA, atB } = await pair([{ type: 'cut', from: 'a' }]);
    a.send('b', note('lost'));
    b.send('a', note('heard'));
    await eventually(() => expect(atA.events).toEqual(['up b', 'b: heard']));
    expect(atB.events).toEqual(['up a']);
  });

  it('cut both ways hears nothing either, until the rule is removed', async () => {
    const { a, b, atA, atB } = await pair([]);
    const heal = a.addRule({ type: 'cut', from: 'a', to: 'b', both: true });
    a.send('b', note('lost'));
    b.send('a', note('lost'));
    await new Promise((resolve) => setImmediate(resolve));
    heal();
    a.send('b', note('heard'));
    b.send('a', note('heard'));
    await eventually(() => expect(atB.messages).toEqual(['a: heard']));
    await eventually(() => expect(atA.messages).toEqual(['b: heard']));
  });

  it('leaves alone the links that a rule does not name', async () => {
    const { a, atB } = await pair([{ type: 'cut', from: 'a', to: 'c', both: true }]);
    sendNumbers(a);
    await eventually(() => expect(atB.messages).toEqual(fromA));
  });

  it('loses the share that was asked for', async () => {
    const { a, atB } = await pair([{ type: 'loss', probability: 0.5 }], alternating());
    sendNumbers(a);
    await eventually(() => expect(atB.messages).toEqual(fromA.filter((_, index) => index % 2 === 1)));
  });

  it('duplicates the share that was asked for', async () => {
    const { a, atB } = await pair([{ type: 'duplicate', probability: 0.5 }], alternating());
    a.send('b', note('twice'));
    a.send('b', note('once'));
    await eventually(() => expect(atB.messages).toEqual(['a: twice', 'a: twice', 'a: once']));
  });

  it('delays without changing the order, even when the delay ends', async () => {
    const { a, atB } = await pair([{ type: 'delay', delayMs: [1, 20] }]);
    const startMs = performance.now();
    sendNumbers(a);
    a.setRules([]);
    a.send('b', note('last'));
    await eventually(() => expect(atB.messages).toEqual([...fromA, 'a: last']));
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(1);
  });

  it('lets later messages overtake those that it holds back', async () => {
    const rule: FaultRule = { type: 'reorder', probability: 1, delayMs: [5, 5] };
    const { a, atB } = await pair([rule]);
    a.send('b', note('first'));
    a.setRules([]);
    a.send('b', note('second'));
    await eventually(() => expect(atB.messages).toEqual(['a: second', 'a: first']));
  });

  it('loses what it holds when the link goes down', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const { a, b, atA } = await pair([{ type: 'delay', delayMs: [50, 50] }]);
      b.send('a', note('held'));
      a.send('b', note('held'));
      await b.stop();
      await new Promise((resolve) => setImmediate(resolve));
      expect(vi.getTimerCount()).toBe(0);
      expect(atA.events).toEqual(['up b', 'down b']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('loses what was sent while nobody was there, though somebody comes while it is held', async () => {
    const network = new MemoryNetwork<Note>();
    const a = faulty(network.transport('a', ['b']), { rules: [{ type: 'delay', delayMs: [20, 20] }] });
    await a.start(new Recorder());
    a.send('b', note('to nobody'));
    const [b, atB] = [network.transport('b', ['a']), new Recorder()];
    await b.start(atB);
    a.send('b', note('to b'));
    await eventually(() => expect(atB.messages).toEqual(['a: to b']));
  });

  it('gives what it held to the process that it was meant for, and says by which it was sent', async () => {
    const { a, b, atA, atB } = await pair([{ type: 'delay', delayMs: [1, 5] }]);
    const [fromA, fromB] = [vi.spyOn(atB, 'received'), vi.spyOn(atA, 'received')];
    a.send('b', note('to another'), 'another process');
    a.send('b', note('to b'), b.incarnation);
    b.send('a', note('to a'), a.incarnation);
    await eventually(() => expect(fromA.mock.calls).toEqual([['a', note('to b'), a.incarnation]]));
    await eventually(() => expect(fromB.mock.calls).toEqual([['b', note('to a'), b.incarnation]]));
  });

  it('holds nothing once it has stopped', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const { a } = await pair([{ type: 'delay', delayMs: [50, 50] }]);
      a.send('b', note('held'));
      await a.stop();
      a.send('b', note('late'));
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each<FaultRule>([
    { type: 'loss', probability: 1.5 },
    { type: 'duplicate', probability: Number.NaN },
    { type: 'delay', delayMs: [5, 1] },
    { type: 'reorder', probability: 1, delayMs: [-1, 1] },
  ])('refuses the rule %j, and keeps those it had', async (rule) => {
    const { a, atB }: { a: FaultyTransport<Note>; atB: { messages: string[] } } = await pair([]);
    expect(() => a.addRule(rule)).toThrow(InvalidOptionError);
    a.send('b', note('heard'));
    await eventually(() => expect(atB.messages).toEqual(['a: heard']));
  });
});
