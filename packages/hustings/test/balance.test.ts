import { memoryLeaseStore } from '@hustings/testkit';
import { until } from '@hustings/testkit/check';
import { InvalidOptionError } from 'hustings';
import { balance } from 'hustings/balance';
import { leaseSession } from 'hustings/lease';
import { describe, expect, it, vi } from 'vitest';

const patienceMs = 30_000;

describe('given work that throws', () => {
  it('then it is heard of, and the node stands for that election again', async () => {
    const session = leaseSession({ id: 'n1', store: memoryLeaseStore(), logger: false });
    const heard: unknown[] = [];
    let begun = 0;
    const spread = balance({
      ...{ names: ['a'], seats: 1, calmMs: 50 },
      elector: (election) => session.elector(election),
      async work() {
        begun += 1;
        throw new Error(`broken ${begun}`);
      },
      onError: (name, error) => heard.push(`${name}: ${(error as Error).message}`),
    });
    await until('it has failed again', patienceMs, () => heard.length >= 2);
    await spread.stop();
    await session.stop();
    expect(heard.slice(0, 2)).toEqual(['a: broken 1', 'a: broken 2']);
  });
});

describe('given a balance that is stopped at once', () => {
  it('then nobody hears of errors that are none', async () => {
    const session = leaseSession({ id: 'n1', store: memoryLeaseStore(), logger: false });
    const heard: unknown[] = [];
    const spread = balance({
      ...{ names: ['a'], seats: 2 },
      elector: (election) => session.elector(election),
      work: async () => {},
      onError: (_name, error) => heard.push(error),
    });
    await spread.stop();
    await session.stop();
    expect(heard).toEqual([]);
  });
});

describe('given an elector that cannot start', () => {
  it('then it is heard of, and a listener that fails breaks nothing', async () => {
    const session = leaseSession({ id: 'n1', store: memoryLeaseStore(), logger: false });
    const heard = new Set<string>();
    const spread = balance({
      ...{ names: ['a', 'b'], seats: 1, calmMs: 50 },
      elector(election) {
        const elector = session.elector(election);
        if (election === 'a') void elector.stop();
        return elector;
      },
      work: async () => {},
      onError(name) {
        heard.add(name);
        throw new Error('the log is full');
      },
    });
    await until('it leads what it can', patienceMs, () => spread.led().includes('b') && heard.has('a'));
    await spread.stop();
    await session.stop();
    expect([...heard]).toEqual(['a']);
  });
});

describe('given something that cannot be spread', () => {
  const open = () => {
    const session = leaseSession({ id: 'n1', store: memoryLeaseStore(), logger: false });
    const starts = ['seat-1', 'a', 'b'].map((name) => vi.spyOn(session.elector(name), 'start'));
    return { session, hasBegun: () => starts.some(({ mock }) => mock.calls.length > 0) };
  };
  const options = { names: ['a', 'b'], seats: 1, work: async () => {} };

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, undefined as never])(
    'such as an election that weighs %s, then that is refused and nothing begins',
    async (given) => {
      const { session, hasBegun } = open();
      const weight = (name: string) => (name === 'b' ? given : 1);
      const refused = () => balance({ ...options, elector: (name) => session.elector(name), weight });
      expect(refused).toThrow(InvalidOptionError);
      expect(refused).toThrow(`option 'weight' gives ${given} for 'b'`);
      expect(hasBegun()).toBe(false);
      await session.stop();
    },
  );

  it('such as an election that has no elector, then nothing begins', async () => {
    const { session, hasBegun } = open();
    const elector = (name: string) => {
      if (name === 'b') throw new Error('no such election');
      return session.elector(name);
    };
    expect(() => balance({ ...options, elector })).toThrow('no such election');
    expect(hasBegun()).toBe(false);
    await session.stop();
  });
});
