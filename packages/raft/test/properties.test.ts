/** What is true of every step, whatever happens: checked on every step of simulated runs with all faults. */

import { believe, type RoleEffect, undecided } from '@hustings/elector/protocol';
import {
  type AnyProtocol,
  defaultSwarm,
  judge,
  type Random,
  type Subject,
  scheduleOfSeed,
  type Workload,
} from '@hustings/simulator';
import { describeProtocol, type Walk } from '@hustings/testkit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeMessage,
  invariants,
  type RaftProtocol,
  type RaftRequest,
  type RaftState,
  type RaftTimer,
  raft,
} from '../src/index.js';
import { durableOf } from '../src/messages.js';
import type { RaftEffect, RaftInput, RaftTransition, RaftTypes } from '../src/transition.js';

type Check = (before: RaftState, input: RaftInput, nowMs: number, transition: RaftTransition) => void;

const protocol = raft({ snapshotThreshold: 8, maxEntriesPerAppend: 3 });
const timers: readonly RaftTimer[] = ['election', 'heartbeat', 'quorum', 'transfer'];
const timing = { detectionMs: 300, maxDelayMs: 24, settleMs: 1800 };

/** Every node is asked for anything that an application can ask for, again and again. */
const workload: Workload<RaftState> = {
  requests(simulation, random, untilMs) {
    for (let atMs = 20; atMs < untilMs; atMs += 20) {
      simulation.at(atMs, () => {
        for (const { id, state } of simulation.nodes) {
          simulation.give(id, { type: 'requested', request: drawRequest(state, random) });
        }
      });
    }
  },
};

function drawRequest({ commitIndex, membership }: RaftState, random: Random): RaftRequest {
  const node = random.pick(membership.voters);
  const index = commitIndex;
  return random.pick<RaftRequest>([
    { type: 'propose', id: 'p', data: 'anything' },
    { type: 'propose', id: 'p', data: 'something else' },
    { type: 'snapshot', index, data: `through ${index}` },
    { type: random.pick(['remove', 'add-learner', 'promote'] as const), id: 'm', node },
  ]);
}

/** Runs a few seeds with a check at every step. */
function atEveryStep(seeds: number, check: Check): void {
  const watched: RaftProtocol = {
    ...protocol,
    step(state, input, nowMs) {
      const transition = protocol.step(state, input, nowMs);
      check(state, input, nowMs, transition);
      return transition;
    },
  };
  // Nobody puts back who was removed, so nothing need come true in the end.
  const subject: Subject<RaftState> = {
    protocol: watched as AnyProtocol<RaftState>,
    ...{ invariants, timing, workload, restless: true },
  };
  for (let seed = 5000; seed < 5000 + seeds; seed += 1) {
    const { faults, ...schedule } = scheduleOfSeed(subject, defaultSwarm, seed);
    const asked = { ...schedule, faults, workload: { untilMs: 1500, kinds: ['requests'] } };
    expect(judge(subject, asked).violation, `seed ${seed}`).toBeNull();
  }
}

/** The oracle of the runs watches over what each step means to the driver. */
const walk: Walk<RaftTypes> = (show) =>
  atEveryStep(8, (before, input, nowMs, [after, effects]) =>
    show({ protocol, before, input, nowMs, after, effects, events: [], armed: null }),
  );

describeProtocol({ name: 'a Raft node in a simulated run', invariants, timers, walk });

describe('every step', () => {
  it('has saved what it is before it tells anybody anything', () => {
    const saved = new WeakMap<object, string>();
    const speaks = (effect: RaftEffect): boolean =>
      effect.type === 'follow' ||
      (effect.type === 'send' && effect.message.type !== 'append') ||
      (effect.type === 'announce' && effect.announcement.type !== 'accepted');
    const voteOf = (durable: string): unknown => {
      const { currentTerm, votedFor } = JSON.parse(durable);
      return { currentTerm, votedFor };
    };
    atEveryStep(20, (before, input, _nowMs, [after, effects]) => {
      const initially =
        input.type === 'restarted'
          ? JSON.stringify(input.durable)
          : (saved.get(before) ?? JSON.stringify(durableOf(before)));
      let onDisk = initially;
      for (const effect of effects) {
        if (effect.type === 'save') onDisk = JSON.stringify(effect.durable);
        // A leader leads, and sends entries, while it saves them, but in a term that is on disk.
        else if (effect.type === 'send' || effect.type === 'lead') {
          expect(voteOf(onDisk)).toEqual(voteOf(JSON.stringify(durableOf(after))));
        }
        if (speaks(effect)) expect(onDisk).toBe(JSON.stringify(durableOf(after)));
      }
      saved.set(after, onDisk);
      expect(onDisk).toBe(JSON.stringify(durableOf(after)));
    });
  });

  it('keeps its contract with the driver', () => {
    const leading = new WeakMap<RaftState, boolean>();
    atEveryStep(30, (before, input, _nowMs, [after, effects]) => {
      // The driver ends a lease that has run out before it says so.
      let leads = (leading.get(before) ?? false) && input.type !== 'lease-expired';
      for (const effect of effects) {
        if (effect.type === 'campaign' || effect.type === 'follow') expect(leads, effect.type).toBe(false);
        if (effect.type === 'lead') {
          expect(before.standing || input.type === 'campaign-requested').toBe(true);
          expect(effect.validForMs).toBeGreaterThan(0);
          leads = true;
        }
        if (effect.type === 'step-down') leads = false;
      }
      if (after.role !== 'leader') expect(leads).toBe(false);
      if (effects.some(({ type }) => type === 'step-down')) {
        expect(after.standing).toBe(input.type === 'campaign-requested');
      }
      leading.set(after, leads);
    });
  });

  it('answers a resignation with exactly one step-down, now or later', () => {
    let unanswered = 0;
    atEveryStep(30, (before, input, _nowMs, [after, effects]) => {
      const answers = effects.filter(
        (effect) => effect.type === 'step-down' && effect.reason === 'resigned',
      ).length;
      const asked = input.type === 'resign-requested' || before.successor !== null;
      expect(answers).toBe(asked && after.successor === null ? 1 : 0);
      unanswered += Number(after.successor !== null);
    });
    expect(unanswered).toBeGreaterThan(0);
  });

  it('leads in its belief exactly while it holds a lease', () => {
    const beliefs = new WeakMap<RaftState, ReturnType<typeof believe>>();
    const isRole = (effect: RaftEffect): effect is RoleEffect =>
      ['campaign', 'lead', 'follow', 'step-down'].includes(effect.type);
    atEveryStep(10, (before, _input, _nowMs, [after, effects]) => {
      let belief = beliefs.get(before) ?? undecided;
      for (const effect of effects.filter(isRole)) belief = believe(after.id, belief, effect);
      expect(belief.role === 'leader').toBe(after.role === 'leader' && after.leaseUntilMs !== null);
      if (after.role === 'follower') expect(belief.leaderId).toBe(after.leaderId);
      beliefs.set(after, belief);
    });
  });
});

describe('whatever bytes arrive', () => {
  it('are a message or are refused as malformed', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        try {
          decodeMessage(value);
        } catch (error) {
          expect(error).toMatchObject({ code: 'HUSTINGS_MALFORMED' });
        }
      }),
    );
  });

  it('are refused when a field is missing or of another type', () => {
    const message = {
      type: 'append',
      term: 1,
      sentMs: 0,
      previousIndex: 0,
      previousTerm: 0,
      commitIndex: 0,
      entries: [{ index: 1, term: 1, type: 'data', data: null }],
    };
    expect(decodeMessage(message)).toEqual(message);
    for (const field of Object.keys(message)) {
      expect(() => decodeMessage({ ...message, [field]: undefined }), field).toThrow(/must|is not/);
    }
    const gap = { ...message, entries: [{ index: 7, term: 1, type: 'no-op' }] };
    expect(() => decodeMessage(gap)).toThrow('Entry 7 stands where entry 1 should.');
    const late = { ...message, entries: [{ index: 1, term: 2, type: 'no-op' }] };
    expect(() => decodeMessage(late)).toThrow("Entry 1 is of term 2, later than its leader's 1.");
  });
});

describe('settings under which no leader could stay in office', () => {
  it('are refused with a sentence that says why', () => {
    expect(() => raft({ heartbeatMs: 0 })).toThrow("option 'heartbeatMs' must be a number above 0, not 0");
    expect(() => raft({ electionTimeoutMs: [300, 150] })).toThrow('range [min, max]');
    expect(() => raft({ heartbeatMs: 200 })).toThrow('must start well above heartbeatMs');
    expect(() => raft({ maxDriftRate: 1 })).toThrow('maxDriftRate');
    expect(() => raft({ priorities: { n1: 2 } })).toThrow('priorities');
    expect(() => raft({ snapshotThreshold: 0.5 })).toThrow('snapshotThreshold');
    expect(() => raft({ voters: [] })).toThrow('voters');
  });
});
