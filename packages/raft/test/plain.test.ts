/** Raft as the paper has it: what its leases and bindings add is undone, and what that costs is seen. */

import { parseSchedule, run } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { invariants, plainSettings, raft } from '../src/index.js';
import {
  elected,
  fires,
  grant,
  hears,
  heartbeat,
  Node,
  refuse,
  requestVote,
  standing,
  three,
} from './nodes.js';

const plain = (id = 'n1') => new Node(id, three, plainSettings);

describe('a plain voter', () => {
  it('votes for a candidate of a later term although it has just heard a leader', () => {
    const voter = plain('n3').after([1000, hears('n1', heartbeat(1))], [1001, hears('n2', requestVote(2))]);
    expect(voter.message('vote-reply')).toEqual(grant(2));
  });

  it('votes at once after a restart, but not twice in a term', () => {
    const durable = { currentTerm: 1, votedFor: 'n1', ...plain().state.log };
    const voter = plain('n3').after([5000, { type: 'restarted', durable }]);
    expect(voter.after([5001, hears('n2', requestVote(1))]).message('vote-reply')).toEqual(refuse(1));
    expect(voter.after([5002, hears('n2', requestVote(2))]).message('vote-reply')).toEqual(grant(2));
  });
});

describe('a plain leader', () => {
  const leader = () => elected(three, plainSettings);

  it('leads from its election on, for as long as it hears of no later term', () => {
    expect(leader().did('lead')).toEqual([{ type: 'lead', token: 1n }]);
    expect(leader().state.leaseUntilMs).toBeNull();
    expect(leader().did('set-timer')).toMatchObject([{ timer: 'heartbeat' }]);
  });

  it('says no more of it when it is answered, or answered by nobody', () => {
    const reigning = leader().after([99_000, fires('heartbeat')]);
    expect(reigning.did('lead')).toEqual([]);
    expect(reigning.state.role).toBe('leader');
  });

  it('steps down for a candidate of a later term', () => {
    const deposed = leader().after([10_001, hears('n2', requestVote(2, 1, 1))]);
    expect(deposed.did('step-down')).toEqual([{ type: 'step-down', reason: 'deposed' }]);
    expect(deposed.message('vote-reply')).toEqual(grant(2));
  });

  it('holds no Leadership if it takes the term on behalf of another, or is being removed', () => {
    const caretaker = plain().after(hears('n2', requestVote(1)));
    expect(caretaker.state.caretaker).toBe(false);
    const lagging = plain().after(
      hears('n2', {
        ...heartbeat(1),
        type: 'append',
        entries: [{ index: 1, term: 1, type: 'no-op' }],
      } as never),
    );
    lagging.after(hears('n3', requestVote(2)), fires('election'), hears('n2', grant(3)));
    expect(lagging.state).toMatchObject({ role: 'leader', caretaker: true });
    expect(lagging.did('lead')).toEqual([]);
  });
});

describe('plain Raft', () => {
  const schedule = parseSchedule(
    'nodes n1 n2 n3 n4 n5\nlatency 1 5\nseed 3\nrun 3000\nat 1000 isolate leader until 2500',
  );

  it('declares that two may lead at once, and that they may not in one term', () => {
    const { variant, guarantees } = raft(plainSettings);
    expect(variant).toBe('plain');
    expect(guarantees).toMatchObject({ atMostOneLeader: false, monotonicTokens: false, leased: false });
    expect(guarantees.assumptions.join()).toContain('a term has at most one leader');
  });

  it('has two leaders, of two terms, where the first is cut off', () => {
    const { violation } = run(raft(plainSettings), schedule, {
      invariants,
      promised: { atMostOneLeader: true },
    });
    expect(violation?.property).toBe('at most one leader at a time');
  });

  it('has one where leases are held, and in either case one in a term', () => {
    expect(run(raft(), schedule, { invariants, promised: { atMostOneLeader: true } }).violation).toBeNull();
    expect(run(raft(plainSettings), schedule, { invariants, settles: true }).violation).toBeNull();
  });
});

describe('a candidate that steps down', () => {
  it('keeps the timer that runs: only a leader, or a vote, sets it anew (Figure 2)', () => {
    const candidate = () => new Node('n1', three, { preVote: false }).after(standing, fires('election'));
    expect(
      candidate()
        .after(hears('n2', refuse(5)))
        .did('set-timer'),
    ).toEqual([]);
    expect(
      candidate()
        .after(hears('n2', heartbeat(5)))
        .did('set-timer'),
    ).toHaveLength(1);
    expect(
      candidate()
        .after(hears('n2', requestVote(5)))
        .did('set-timer'),
    ).toHaveLength(1);
  });
});
