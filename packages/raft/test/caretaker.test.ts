import { Simulation } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { raft } from '../src/index.js';
import { fires, hears, heartbeat, Node, staleTerm, standing } from './nodes.js';

const members = ['n1', 'n2', 'n3'];
const noOp = (index: number, term: number) => ({ index, term, type: 'no-op' as const });

/** n2 has an entry that n1 lacks, and has not been asked to lead. */
const informed = () =>
  new Node('n2', members).after(
    hears('n3', {
      type: 'append',
      term: 1,
      sentMs: 0,
      previousIndex: 0,
      previousTerm: 0,
      commitIndex: 1,
      entries: [noOp(1, 1)],
    }),
  );
const stalePreVote = hears('n1', { type: 'pre-vote-request', term: 2, lastIndex: 0, lastTerm: 0 });

describe('given a node that does not stand, and has an entry that a candidate lacks', () => {
  const asked = informed().after(stalePreVote);

  it('refuses the vote, and becomes a caretaker', () => {
    expect(asked.message('pre-vote-reply')).toMatchObject({ granted: false });
    expect(asked.state.caretaker).toBe(true);
  });

  it('is one no longer when it hears its leader again, be it the same', () => {
    const reassured = asked.fork().after(hears('n3', heartbeat(1, 1, 1)));
    expect(reassured.state).toMatchObject({ leaderId: 'n3', caretaker: false });
    expect(reassured.after(fires('election')).sent('pre-vote-request')).toEqual([]);
  });

  it('is one no longer when it hears another leader', () => {
    const relieved = asked.fork().after(hears('n1', heartbeat(2)));
    expect(relieved.state).toMatchObject({ leaderId: 'n1', caretaker: false });
    const asking = asked.fork().after(fires('election'), hears('n3', heartbeat(1, 1, 1)));
    expect(asking.state).toMatchObject({ role: 'follower', leaderId: 'n3', caretaker: false });
  });

  it('stays one when it merely hears of a later term', () => {
    const later = asked.fork().after(hears('n1', staleTerm(5)));
    expect(later.state).toMatchObject({ currentTerm: 5, leaderId: null, caretaker: true });
    expect(later.after(fires('election')).sent('pre-vote-request')).toEqual(['n1', 'n3']);
  });

  describe('when nobody leads for an election timeout', () => {
    const running = asked.fork().after(fires('election'));
    it('then it asks for pre-votes', () => expect(running.sent('pre-vote-request')).toEqual(['n1', 'n3']));
    it('then it does not tell its application that it campaigns', () =>
      expect(running.did('campaign')).toEqual([]));
    it('then it tells its application once that nobody leads', () => {
      expect(running.types()).toEqual(['follow', 'send', 'send', 'set-timer']);
      expect(running.effects).toContainEqual({ type: 'follow', leaderId: null, token: null });
      expect(running.fork().after(fires('election')).types()).toEqual(['send', 'send', 'set-timer']);
    });

    describe('and it is elected', () => {
      const elected = running
        .fork()
        .after(hears('n1', { type: 'pre-vote-reply', term: 2, granted: true }))
        .after(hears('n1', { type: 'vote-reply', term: 2, granted: true }));
      const reply = (index: number, available: boolean) =>
        hears('n1', {
          type: 'append-reply',
          term: 2,
          sentMs: elected.nowMs,
          accepted: true,
          index,
          available,
        });

      it('then it holds the term, and no Leadership however many answer', () => {
        expect(elected.state.role).toBe('leader');
        const answered = elected.fork().after([elected.nowMs + 1, reply(2, false)]);
        expect(answered.did('lead')).toEqual([]);
      });

      it('then it hands over as soon as the candidate has every entry', () => {
        const relieved = elected.fork().after([elected.nowMs + 1, reply(2, true)]);
        expect(relieved.sent('timeout-now')).toEqual(['n1']);
        expect(relieved.state).toMatchObject({ role: 'follower', caretaker: false });
      });

      it('then it does not hand over while the candidate lacks one', () => {
        const waiting = elected.fork().after([elected.nowMs + 1, reply(1, true)]);
        expect(waiting.sent('timeout-now')).toEqual([]);
      });

      it('then it goes back into the ranks when nobody wants to lead any more', () => {
        const done = elected.fork().after(fires('quorum'));
        expect(done.state).toMatchObject({ role: 'follower', caretaker: false });
        expect(done.types()).toEqual(['cancel-timer', 'cancel-timer', 'cancel-timer', 'set-timer']);
      });

      it('then it answers a request to resign with one step-down', () => {
        const resigned = elected.fork().after({ type: 'resign-requested' });
        expect(resigned.did('step-down')).toEqual([{ type: 'step-down', reason: 'resigned' }]);
      });
    });
  });
});

describe('given a node that stands, and has an entry that a candidate lacks', () => {
  it('is no caretaker: it campaigns for itself', () => {
    const asked = informed().after(standing).after(stalePreVote);
    expect(asked.state.caretaker).toBe(false);
    expect(asked.after(fires('election')).did('campaign')).toHaveLength(1);
  });
});

describe('given a cluster in which the only candidate has missed what the others committed', () => {
  it('is led by that candidate all the same', () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const simulation = new Simulation({ protocol: raft(), nodes: members, seed });
      simulation.runUntil(1000);
      const [candidate, ...others] = simulation.nodes.filter((node) => node !== simulation.leader);
      const heal = simulation.inject({ type: 'isolate', node: candidate!.id });
      simulation.runUntil(2000);
      // Nobody else wants to lead from here on, and each has entries that the candidate lacks.
      for (const node of [...others, simulation.leader!])
        simulation.inject({ type: 'graceful', node: node.id });
      simulation.runUntil(3000);
      heal();
      simulation.runUntil(6000);
      expect(simulation.leader?.id, `seed ${seed}`).toBe(candidate!.id);
    }
  });
});
