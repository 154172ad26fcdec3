/**
 * Stores that do not keep what they have acknowledged, or whose clocks jump: two lead, and what is left is that tokens
 * tell them apart. Shown, not argued.
 */

import {
  type AnyProtocol,
  parseSchedule,
  type Recording,
  record,
  type Schedule,
  Simulation,
} from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { invariants, type LeaseRequest, type LeaseState, type LeaseView } from '../src/index.js';
import { type SimulatedStoreRequest, type SimulatedStoreSettings, simulatedStore } from '../src/simulated.js';
import { broken, electionOn, seeds } from './stories.js';

type Facts = Recording<LeaseState>['facts'];

/** The leader is cut off from the store, and then the store forgets. */
function play(seed: number, store: Partial<SimulatedStoreSettings>): Facts {
  const schedule = parseSchedule(
    `nodes n1 n2 n3\nseed ${seed}\nlatency 1 3\nrun 6000
     at ${2000 + 10 * seed} isolate-from-coordinator leader until 5000
     at ${2001 + 10 * seed} coordinator-member-crash`,
  );
  const failLeader: SimulatedStoreRequest = { type: 'forget-last-writes' };
  const subject = {
    protocol: electionOn(store) as AnyProtocol<LeaseState>,
    invariants,
    timing: { detectionMs: 1000, maxDelayMs: 45, settleMs: 10_000 },
    services: [{ id: 'store', machine: simulatedStore(store), failLeader }],
  };
  return record(subject, schedule, { writer: { everyMs: 20, workMs: 1 } }).facts;
}

/** Pairs of tenures that overlap: two led at once. */
const overlaps = ({ tenures }: Facts): number =>
  tenures.filter(({ beganMs }, index) =>
    tenures.some((other, before) => before < index && (other.endedMs ?? beganMs + 1) > beganMs),
  ).length;

const growing = ({ tenures }: Facts): boolean =>
  tenures.every(({ token }, index) => index === 0 || token > tenures[index - 1]!.token);

describe('given a replica that takes over and has missed the lease', () => {
  const forgetful: Partial<SimulatedStoreSettings> = { replicaLagMs: 60_000, tokens: 'clock' };

  it('then two lead at once', () => {
    for (const seed of seeds)
      expect({ seed, overlaps: overlaps(play(seed, forgetful)) }).toEqual({ seed, overlaps: 1 });
  });

  it('then tokens grow all the same, because they are of the clock', () => {
    for (const seed of seeds)
      expect({ seed, grows: growing(play(seed, forgetful)) }).toEqual({ seed, grows: true });
  });

  it('then a fenced resource takes nothing of the first once the second has written', () => {
    for (const seed of seeds) {
      const stale = play(seed, forgetful).writes.filter((write) => write.stale);
      // A resource without a fence takes every one of them.
      expect(stale.length, `seed ${seed}`).toBeGreaterThan(10);
      const isFenced = (from: number) => stale.slice(from).every(({ refusal }) => refusal !== null);
      // The first of them may come before the second leader has written anything: then nobody can know.
      expect({ seed, isFenced: isFenced(1) }).toEqual({ seed, isFenced: true });
    }
  });

  it('when tokens are of a counter that is forgotten with the lease, then whoever saw the old one refuses', () => {
    for (const seed of seeds) {
      const facts = play(seed, { ...forgetful, tokens: 'counter' });
      expect({ seed, overlaps: overlaps(facts) }).toEqual({ seed, overlaps: 0 });
      expect({ seed, grows: growing(facts) }).toEqual({ seed, grows: true });
    }
  });

  it('when the replica has missed nothing, then one leads', () => {
    for (const seed of seeds) {
      expect({ seed, overlaps: overlaps(play(seed, { tokens: 'clock' })) }).toEqual({ seed, overlaps: 0 });
    }
  });
});

describe('given a replica that takes over and has missed that the leader resigned', () => {
  const play = (resignsMs: number, tokens: 'counter' | 'clock') =>
    broken(
      parseSchedule(`nodes n1\nlatency 1\nrun 6000
        at ${resignsMs} graceful n1 until ${resignsMs + 3}\nat ${resignsMs + 2} coordinator-member-crash`),
      { store: { tokens, replicaLagMs: 10 }, failLeader: { type: 'forget-last-writes' } },
    );

  it.each(['counter', 'clock'] as const)('then it leads again, with the next token of a %s', (tokens) => {
    for (const seed of seeds) expect(play(2000 + 10 * seed, tokens), `seed ${seed}`).toBeNull();
  });
});

describe('given a replica that takes over and has missed that the leader resigned, and has led again', () => {
  const schedules = [
    'nodes n1\nlatency 1\nrun 6000\nat 800 graceful n1 until 803\nat 820 coordinator-member-crash',
    // What `npm run search -- --algorithm lease --variant redis-replica` has found with seed 164, shrunk.
    `nodes n1\nseed 164\nlatency 0.6 9.1\nrun 10030
      at 6 restart coordinator\nat 0 graceful n1 until 0\nat 30 coordinator-member-crash`,
  ].map(parseSchedule);
  const play = (schedule: Schedule, type: 'forget-last-writes' | 'fail-over', replicaLagMs: number) =>
    broken(schedule, { store: { tokens: 'clock', replicaLagMs }, failLeader: { type } });

  it.each(['forget-last-writes', 'fail-over'] as const)(
    'then it leads again, with a new token: %s',
    (type) => {
      for (const schedule of schedules)
        for (const lagMs of [25, 1000, 60_000]) expect(play(schedule, type, lagMs), `${lagMs} ms`).toBeNull();
    },
  );
});

describe("given a store by the observer's clock that has forgotten a lease", () => {
  const acquire = (node: string, over: string | null): LeaseRequest => ({
    ...{ type: 'acquire', id: 1, name: 'e', holder: `${node}#p`, ttlMs: 1000, over, sentMs: 0 },
  });

  it.each([
    [{ type: 'forget-last-writes' }, { replicaLagMs: 100 }],
    [{ type: 'forget-server', server: 0 }, {}],
  ] as const)('then no version of it comes back: %o', (request, settings) => {
    const store = simulatedStore({ clock: 'observer', ...settings });
    let state = store.initialState('store', []);
    const ask = (node: string, over: string | null): unknown => {
      const [after, effects] = store.step(
        state,
        { type: 'received', from: node, message: acquire(node, over) },
        1,
      );
      state = after;
      return effects.find((effect) => effect.type === 'send')?.message;
    };
    expect(ask('n1', null)).toMatchObject({ type: 'acquired' });
    const { version } = ask('n2', null) as LeaseView;
    [state] = store.step(state, { type: 'requested', request }, 1);
    expect(ask('n2', null)).toMatchObject({ type: 'acquired' });
    expect(ask('n3', version)).toMatchObject({ type: 'held', holder: 'n2#p' });
  });
});

/** Five servers, and what befalls them once somebody leads: how many lead at the most at one moment? */
function mostLeaders(
  seed: number,
  before: readonly SimulatedStoreRequest[],
  after: readonly SimulatedStoreRequest[],
): number {
  let most = 0;
  const store = { servers: 5 };
  const simulation: Simulation<LeaseState> = new Simulation<LeaseState>({
    protocol: electionOn(store) as AnyProtocol<LeaseState>,
    ...{ nodes: ['n1', 'n2', 'n3'], seed, network: { latencyMs: [1, 3] } },
    services: [{ id: 'store', machine: simulatedStore(store) }],
    observers: [
      {
        changed() {
          most = Math.max(most, simulation.nodes.filter(({ leading }) => leading).length);
        },
      },
    ],
  });
  const ask = (requests: readonly SimulatedStoreRequest[]): void => {
    for (const request of requests) simulation.give('store', { type: 'requested', request });
  };
  ask(before);
  simulation.runUntil(2000);
  simulation.inject({ type: 'isolate-from-coordinator', node: 'leader' });
  ask(after);
  simulation.runUntil(5000);
  return most;
}

const server = (type: 'stop-server' | 'start-server' | 'forget-server', ...numbers: readonly number[]) =>
  numbers.map((number): SimulatedStoreRequest => ({ type, server: number }));
const jump = (...numbers: readonly number[]) =>
  numbers.map((number): SimulatedStoreRequest => ({ type: 'step-clock', server: number, byMs: 10_000 }));

describe('given five servers of which a majority decides', () => {
  const most = (before: readonly SimulatedStoreRequest[], after: readonly SimulatedStoreRequest[]) =>
    new Set(seeds.map((seed) => mostLeaders(seed, before, after)));

  it('when two of them fail, then one leads', () => {
    expect(most([], server('stop-server', 0, 1))).toEqual(new Set([1]));
  });

  it('when two forget, then one leads', () => {
    expect(most([], server('forget-server', 0, 1))).toEqual(new Set([1]));
  });

  it('when one of a bare majority forgets and two that were away come back, then two lead', () => {
    const comeBack = [...server('forget-server', 2), ...server('start-server', 0, 1)];
    expect(most(server('stop-server', 0, 1), comeBack)).toEqual(new Set([2]));
  });

  it('when the clocks of a majority jump, then two lead', () => {
    expect(most([], jump(0, 1, 2))).toEqual(new Set([2]));
  });

  it('when those of two jump, then one leads', () => {
    expect(most([], jump(0, 1))).toEqual(new Set([1]));
  });
});
