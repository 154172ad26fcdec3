import { atMostOneLeader, parseSchedule, tokensGrow } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import type { LeaseProtocol, LeaseRequest } from '../src/index.js';
import {
  type SimulatedStoreDurable,
  type SimulatedStoreSettings,
  type SimulatedStoreState,
  simulatedStore,
} from '../src/simulated.js';
import { broken, electionOn, scheduleOf, seeds } from './stories.js';

const stores: Record<string, Partial<SimulatedStoreSettings>> = {
  'whose clock rules': {},
  'whose tokens are of its clock': { tokens: 'clock' },
  "where the observer's clock rules": { clock: 'observer' },
  'whose leases end with their connections': { endsWithConnection: true },
  'of five servers': { servers: 5 },
};

const stories: Record<string, string> = {
  'settles on one leader': '',
  'replaces a leader that dies': 'at 2000 crash leader',
  'survives the death of all but one':
    'at 2000 crash leader\nat 4000 crash leader\nat 6000 crash leader\nat 8000 crash leader',
  'settles after a long pause of its leader': 'at 2000 pause leader until 6000',
  'replaces a leader that is cut off from the store': 'at 2000 isolate-from-coordinator leader until 6000',
  'settles although messages are lost': 'at 500 loss 0.2 until 5000',
  'settles although messages come twice and out of order':
    'at 0 duplicate 0.3 until 5000\nat 0 reorder until 5000',
  'settles when the store is gone for a while': 'at 2000 coordinator-crash until 5000',
  'settles when a replica takes over that knows all': 'at 2000 coordinator-member-crash',
  'settles when a leader resigns and campaigns again': 'at 2000 graceful leader until 5000',
  'settles when a leader restarts at once': 'at 2000 restart leader\nat 3000 restart leader',
  'settles when clocks run at different speeds': 'at 0 clock-drift n1 1.01\nat 0 clock-drift n2 0.99',
};

describe.each(Object.entries(stores))('an election on a store %s', (_, store) => {
  it.each(Object.entries(stories))('%s', (_name, faults) => {
    for (const seed of seeds) expect(broken(scheduleOf(seed, faults), { store }), `seed ${seed}`).toBeNull();
  });
});

describe('given nodes that are named like what every object has', () => {
  it('then they lead and follow like others', () => {
    for (const seed of seeds) {
      const schedule = scheduleOf(seed, 'at 2000 crash leader until 6000', 'constructor __proto__ toString');
      expect(broken(schedule), `seed ${seed}`).toBeNull();
    }
  });
});

describe('given a leader whose answers take long, and which is then cut off', () => {
  const playAll = (protocol: LeaseProtocol): readonly (string | undefined)[] =>
    Array.from({ length: 40 }, (_, seed) => {
      const schedule = parseSchedule(
        `nodes n1 n2 n3\nseed ${seed}\nlatency 1 3\nrun 9000
         at 3000 slow-link leader 120 until 9000\nat ${4000 + 20 * seed} isolate leader until 9000`,
      );
      return broken(schedule, { protocol, settles: false })?.property;
    });

  it('then it stops in time', () => {
    expect(new Set(playAll(electionOn({})))).toEqual(new Set([undefined]));
  });

  it('then one that counted its lease from the answer, not from the request, would not', () => {
    const protocol = electionOn({});
    const countsFromAnswer: LeaseProtocol = {
      ...protocol,
      step(state, input, nowMs) {
        const isLease = input.type === 'received' && input.message.type === 'renewed';
        const late = isLease ? { ...input, message: { ...input.message, sentMs: nowMs } } : input;
        return protocol.step(state, late, nowMs);
      },
    };
    expect(playAll(countsFromAnswer)).toContain(atMostOneLeader);
  });
});

describe('given a store that says that a lease is lost, and then crashes', () => {
  it('then its former holder leads again', () => {
    const schedule = parseSchedule(`nodes n1\nseed 112632\nlatency 1\nrun 76700
      at 21800 slow-link coordinator 3342.6 until 25400\nat 26700 coordinator-crash until 26700`);
    const protocol = electionOn({}, { ttlMs: 5000, requestTimeoutMs: 1000, marginMs: 100 });
    expect(broken(schedule, { protocol })).toBeNull();
  });

  it('then the lease is not back after its restart', () => {
    const { initialState, step } = simulatedStore();
    const hear = (state: SimulatedStoreState, nowMs: number, message: LeaseRequest) =>
      step(state, { type: 'received', from: 'n1', message }, nowMs);
    const own = { name: 'e', holder: 'n1#p', ttlMs: 1000, sentMs: 0 };
    const [taken] = hear(initialState('store', []), 1, { ...own, type: 'acquire', id: 1, over: null });
    const [, [saved, answer]] = hear(taken, 1001, { ...own, type: 'renew', id: 2, token: '1' });
    expect(answer).toMatchObject({ message: { type: 'lost', token: '1' } });
    const durable = (saved as { durable: SimulatedStoreDurable }).durable;
    const [restarted] = step(initialState('store', []), { type: 'restarted', durable }, 5);
    const again = hear(restarted, 6, { ...own, type: 'acquire', id: 3, over: null })[1].at(-1);
    expect(again).toMatchObject({ message: { type: 'acquired', token: '2' } });
  });
});

describe('given clocks beyond the declared bound', () => {
  const schedules = seeds.map((seed) =>
    parseSchedule(`nodes n1 n2 n3\nseed ${seed}\nlatency 1 3\nrun 9000
      at 0 clock-drift n1 0.5\nat 0 clock-drift n2 0.5\nat 0 clock-drift n3 0.5\nat 0 clock-drift coordinator 1.5
      at ${3000 + 20 * seed} isolate-from-coordinator leader until 9000`),
  );
  const properties = (promisesOne: boolean): readonly (string | undefined)[] => {
    const protocol = electionOn({});
    const guarantees = { ...protocol.guarantees, atMostOneLeader: promisesOne };
    const promising = { ...protocol, guarantees };
    return schedules.map((schedule) => broken(schedule, { protocol: promising, settles: false })?.property);
  };

  it('then two may lead at once', () => {
    expect(properties(true)).toContain(atMostOneLeader);
  });

  it('then the later of them still has the higher token, if neither stops before it leads', () => {
    expect(properties(false)).not.toContain(tokensGrow);
  });
});
