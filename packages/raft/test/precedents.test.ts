/** What went wrong in other implementations, or in this one, and must not again. Each says where it comes from. */

import { describe, expect, it } from 'vitest';
import type { RaftMessage } from '../src/index.js';
import { maxTermJump } from '../src/step.js';
import { between, Network } from './network.js';
import {
  append,
  fires,
  hears,
  heartbeat,
  Node,
  preRefuse,
  refuse,
  requestPreVote,
  requestVote,
  staleTerm,
  three,
} from './nodes.js';

describe('a heartbeat of a former life of the leader (two valid Leaderships at once, found by attack)', () => {
  /** n1 led for long, then restarted, and leads again; its clock began anew. A heartbeat of before is still on its way. */
  const reelected = () => {
    const network = new Network(three).wait(500_000).elect('n1');
    network.give('n1', fires('heartbeat'));
    const stalled = network.take(between('n1', 'n3'));
    network.deliver().restart('n1').elect('n1').deliver();
    expect(network.node('n1').state).toMatchObject({ role: 'leader', currentTerm: 2 });
    return network.put(stalled);
  };

  it('is refused by a follower in the next term, and that refusal renews no lease', () => {
    const network = reelected().wait(10);
    const { leaseUntilMs } = network.node('n1').state;
    expect(network.deliver(between('n1', 'n3')).inFlight).toHaveLength(1);
    network.deliver();
    expect(network.node('n1').did('lead')).toEqual([]);
    expect(network.node('n1').state.leaseUntilMs).toBe(leaseUntilMs);
  });

  it('does not let the leader go on for ever when it is cut off', () => {
    const network = reelected().deliver().cutOff('n1').wait(200);
    expect(network.beat('n1').node('n1').did('lead')).toEqual([]);
  });

  it('is no proof of life, nor of what is stored', () => {
    const network = reelected();
    const { n3 } = network.node('n1').state.followers;
    expect(network.deliver().node('n1').state.followers).toMatchObject({ n3 });
  });

  it('is told apart from an answer to this life, which renews the lease', () => {
    const network = reelected().deliver().wait(50);
    const { leaseUntilMs } = network.node('n1').state;
    network.beat('n1');
    expect(network.node('n1').state.leaseUntilMs).toBeGreaterThan(leaseUntilMs!);
  });

  it('teaches a leader that was succeeded while it was away that it leads no longer', () => {
    const network = new Network(three).elect('n1').cutOff('n1').elect('n2').heal();
    network.give('n1', fires('heartbeat')).deliver(between('n1', 'n2')).deliver(between('n2', 'n1'));
    expect(network.node('n1').state).toMatchObject({ role: 'follower', currentTerm: 2, leaderId: null });
    expect(network.node('n1').did('step-down')).toHaveLength(1);
    expect(network.leaders).toEqual(['n2']);
  });
});

describe('a term that nobody can have reached (one message ended all elections, found by attack)', () => {
  const messagesOf = (term: number): RaftMessage[] => [
    requestVote(term, 9, 1),
    requestVote(term, 9, 1, true),
    requestPreVote(term, 9, 1),
    refuse(term),
    preRefuse(term),
    heartbeat(term),
    append(term, [0, 0], []),
    staleTerm(term),
    { type: 'timeout-now', term },
  ];

  it('is not taken over from any message, and the leader stays in office', () => {
    for (const message of messagesOf(Number.MAX_SAFE_INTEGER)) {
      const network = new Network(three).elect('n1');
      for (const id of ['n1', 'n3']) network.give(id, hears('n2', message));
      expect(network.deliver().node('n3').state, message.type).toMatchObject({ currentTerm: 1 });
      expect(network.leaders, message.type).toEqual(['n1']);
    }
  });

  it('does not keep anybody from being elected', () => {
    const network = new Network(three).elect('n1');
    for (const id of three) network.give(id, hears('n2', staleTerm(Number.MAX_SAFE_INTEGER)));
    expect(network.cutOff('n1').elect('n2').node('n2').state).toMatchObject({
      role: 'leader',
      currentTerm: 2,
    });
  });

  it('is farther than a node gets that holds elections alone for a year, which is heard', () => {
    const yearOfElections = (365 * 86_400_000) / 10;
    const network = new Network(three).elect('n1').wait(1000);
    network.give('n3', hears('n2', requestVote(yearOfElections, 9, 1)));
    expect(network.node('n3').state).toMatchObject({ currentTerm: yearOfElections, votedFor: 'n2' });
  });

  it('begins one beyond the limit', () => {
    const follower = () => new Node('n1', three).after(hears('n2', heartbeat(7)));
    expect(follower().after(hears('n2', heartbeat(7 + maxTermJump))).state.currentTerm).toBe(7 + maxTermJump);
    expect(follower().after(hears('n2', heartbeat(8 + maxTermJump))).state.currentTerm).toBe(7);
  });
});
