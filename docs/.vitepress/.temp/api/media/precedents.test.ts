/**
 * What others have tested, or have got wrong: etcd-io/raft and its issues, hashicorp/raft, the thesis, and attacks on
 * this implementation. Each says where it comes from.
 */

import { describe, expect, it } from 'vitest';
import type { RaftMessage } from '../src/index.js';
import { maxTermJump } from '../src/step.js';
import { between, type Letter, Network, ofType } from './network.js';
import {
  append,
  fires,
  five,
  hears,
  heartbeat,
  Node,
  noOp,
  preRefuse,
  refuse,
  requestPreVote,
  requestVote,
  staleTerm,
  standing,
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
    const beyond = follower().after(hears('n2', heartbeat(8 + maxTermJump)));
    expect(beyond.state.currentTerm).toBe(7);
    expect(beyond.effects).toEqual([]);
  });
});

const four = ['n1', 'n2', 'n3', 'n4'];
const election = fires('election');
const indicesOf = (letters: readonly Letter[]) =>
  letters.flatMap(({ message }) =>
    message.type === 'append' ? message.entries.map(({ index }) => index) : [],
  );

describe('elections', () => {
  it('end well where a node that fell behind in terms returns as the leader dies (etcd #8243)', () => {
    const network = new Network(three).elect('n1').cutOff('n3').elect('n2').elect('n1');
    expect(network.node('n3').state.currentTerm).toBe(1);
    network.heal().cutOff('n1').wait(1000).give('n3', standing, election).deliver();
    expect(network.node('n3').state).toMatchObject({ role: 'follower', currentTerm: 3 });
    expect(network.elect('n2').node('n2').state).toMatchObject({ role: 'leader', currentTerm: 4 });
  });

  it('end well where a node of a later term has a shorter log, and the leader dies (etcd #8501)', () => {
    const network = new Network(three).elect('n1').cutOff('n3').propose('n1', 'a').deliver();
    network
      .give('n3', hears('n1', staleTerm(9)))
      .heal()
      .cutOff('n1');
    network.elect('n2');
    expect(network.node('n2').state).toMatchObject({ role: 'follower', currentTerm: 9 });
    expect(network.elect('n2').node('n2').state).toMatchObject({ role: 'leader', currentTerm: 10 });
  });

  it('without pre-votes waste no term where a voter is bound by its vote (a livelock of this one)', () => {
    const network = new Network(three, { preVote: false }).wait(1000);
    // n1 has what n2 lacks, so that n2 asks in vain, while n1 is bound by its vote for n3, which has died.
    network.give('n1', standing, hears('n3', append(1, [0, 0], [noOp(1, 1)])));
    network
      .wait(1000)
      .give('n1', hears('n3', requestVote(2, 1, 1)))
      .wait(50);
    network.give('n2', standing, hears('n3', staleTerm(2)), election).deliver(between('n2', 'n1'));
    expect(network.node('n1').state).toMatchObject({ currentTerm: 3, votedFor: null });
    network.take();
    expect(network.wait(1000).give('n1', election).deliver().leaders).toEqual(['n1']);
    expect(network.node('n1').state.currentTerm).toBe(4);
  });

  it('without pre-votes do not depose a leader whose lease runs, however slow its links', () => {
    const network = new Network(three, { preVote: false }).elect('n1');
    const { leaseUntilMs } = network.node('n1').state;
    const leader = network.node('n1');
    for (let atMs = leader.nowMs; atMs < leaseUntilMs!; atMs += 1) {
      leader.after([atMs, hears('n3', requestVote(9, 9, 9))]);
      expect(leader.state).toMatchObject({ role: 'leader', currentTerm: 1 });
    }
    expect(leader.after([leaseUntilMs!, hears('n3', requestVote(9, 9, 9))]).state.votedFor).toBe('n3');
  });
});

describe('a removed node', () => {
  const quiet = (network: Network, id: string) => {
    network.wait(1000).give(id, standing, election);
    return network.take(({ from }) => from === id).length === 0;
  };

  it('hears that its removal is committed, and does not campaign (this one: 40 requests a second, for ever)', () => {
    const network = new Network(three).elect('n1').change('n1', 'remove', 'n3').deliver();
    expect(network.node('n3').state).toMatchObject({ commitIndex: 2, membershipIndex: 2 });
    expect(quiet(network, 'n3')).toBe(true);
  });

  it('hears it when it asks, where the last message was lost', () => {
    const network = new Network(three).elect('n1').change('n1', 'remove', 'n3');
    network.deliver(between('n1', 'n3')).deliver(between('n1', 'n2')).deliver(between('n3', 'n1'));
    network.deliver(between('n2', 'n1')).take();
    expect(quiet(network, 'n3')).toBe(false);
    network.give('n3', election).deliver();
    expect(network.node('n3').state).toMatchObject({ role: 'follower', leaderId: 'n1', commitIndex: 2 });
    expect(quiet(network, 'n3')).toBe(true);
    expect(network.leaders).toEqual(['n1']);
  });

  it('is told what it lacks, and nothing that it has', () => {
    const network = new Network(three).elect('n1').change('n1', 'remove', 'n3').deliver();
    const told = (lastIndex: number) =>
      network.give('n1', hears('n3', requestPreVote(2, lastIndex, 1))).take()[0]?.message;
    expect(told(2)).toMatchObject({ type: 'heartbeat', previousIndex: 2, commitIndex: 2 });
    expect(told(1)).toMatchObject({ type: 'append', previousIndex: 1, entries: [{ index: 2 }] });
  });

  it('hears it when it asks, where it has forgotten', () => {
    const network = new Network(three).elect('n1').give('n2', standing).beat('n1');
    network.change('n1', 'remove', 'n1').deliver();
    expect(network.leaders).toEqual(['n2']);
    expect(network.node('n1').state.commitIndex).toBe(2);
    network.restart('n1').wait(1000).give('n1', standing, election).deliver();
    expect(network.node('n1').state.leaderId).toBe('n2');
    expect(quiet(network, 'n1')).toBe(true);
  });

  it('is told nothing that would depose the leader', () => {
    const network = new Network(three).elect('n1').change('n1', 'remove', 'n3').deliver();
    network
      .restart('n3')
      .give('n3', standing, hears('n2', staleTerm(9)))
      .wait(1000)
      .beat('n1');
    expect(network.give('n3', election).inFlight.filter(ofType('pre-vote-request'))).toHaveLength(2);
    expect(network.deliver().node('n1').state).toMatchObject({ role: 'leader', currentTerm: 1 });
  });

  it('holds no Leadership even if it has to win a term, because nobody knows that it was removed', () => {
    const network = new Network(five).elect('n1').change('n1', 'remove', 'n5');
    network.deliver(ofType('append')).take();
    for (const id of ['n2', 'n3', 'n4']) network.give(id, standing);
    network.cutOff('n1').wait(1000).give('n5', standing, election);
    const led: unknown[] = [];
    for (let letters = 0; letters < 200 && network.inFlight.length > 0; letters += 1) {
      const [next] = network.inFlight;
      network.deliver((letter) => letter === next);
      if (next!.to === 'n5') led.push(...network.node('n5').did('lead'));
    }
    expect(led).toEqual([]);
    expect(network.node('n5').state).toMatchObject({ role: 'follower', currentTerm: 2 });
    expect(network.leaders).not.toContain('n5');
    expect(network.leaders).toHaveLength(2); // n1, which is cut off, and whom n5 handed over to.
  });

  it('goes on leading until its removal is committed, if it leads (thesis §4.2.2)', () => {
    const network = new Network(three).elect('n1').give('n2', standing).beat('n1');
    network.change('n1', 'remove', 'n1').take(between('n1', 'n3'));
    network.wait(50).give('n1', fires('heartbeat')).deliver(between('n1', 'n2')).deliver(between('n1', 'n3'));
    network.deliver(between('n2', 'n1')).deliver(between('n3', 'n1'));
    expect(network.node('n1').did('lead')).toHaveLength(1);
    expect(network.deliver().leaders).toEqual(['n2']);
  });
});

describe('changes of membership', () => {
  it('of two leaders never have majorities that miss each other (the correction of 2015, one add and one remove)', () => {
    const network = new Network(five, { voters: four })
      .elect('n1')
      .change('n1', 'add-learner', 'n5')
      .deliver();
    network.beat('n1').change('n1', 'promote', 'n5').take();
    expect(network.node('n1').state.membership.voters).toEqual(five);
    network.cutOff('n1', 'n5').wait(1000).give('n2', standing, election);
    network.deliver(({ message }) => message.type !== 'append');
    network.change('n2', 'remove', 'n1');
    expect(network.node('n2').announced).toMatchObject([{ type: 'refused', reason: 'term-not-begun' }]);
    network.deliver().change('n2', 'remove', 'n1').deliver();
    expect(network.node('n2').state).toMatchObject({
      commitIndex: 4,
      membership: { voters: ['n2', 'n3', 'n4'] },
    });
    // n1, n5 and either of the others would be a majority of the five that n1 believes in.
    network
      .heal()
      .cutOff('n2')
      .wait(1000)
      .give('n1', { type: 'lease-expired' }, standing, election)
      .deliver();
    expect(network.wait(1000).give('n1', election).deliver().leaders).toEqual(['n2']);
  });

  it('are undone where they were only in the log of a leader that crashed', () => {
    const network = new Network(three).elect('n1').change('n1', 'remove', 'n3');
    network.take();
    network.restart('n1').elect('n2').beat('n2');
    expect(network.node('n1').state.membership.voters).toEqual(three);
    expect(network.node('n1').state.commitIndex).toBe(2);
  });

  it('are carried on where a majority has them, though the leader crashed', () => {
    const network = new Network(three).elect('n1').change('n1', 'remove', 'n3').deliver(between('n1', 'n2'));
    network.take();
    network.restart('n1').elect('n2').beat('n2');
    for (const id of ['n1', 'n2']) {
      expect(network.node(id).state).toMatchObject({ commitIndex: 3, membership: { voters: ['n1', 'n2'] } });
    }
  });

  it('do not promote a learner that has everything but is dead (thesis §4.2.1)', () => {
    const network = new Network(['n1', 'n2'], { voters: ['n1'] }).elect('n1');
    network.change('n1', 'add-learner', 'n2').deliver().cutOff('n2').wait(10_000);
    network.change('n1', 'promote', 'n2');
    expect(network.node('n1').announced).toMatchObject([{ type: 'refused', reason: 'silent' }]);
    network.heal().beat('n1').change('n1', 'promote', 'n2').deliver();
    expect(network.node('n1').state).toMatchObject({ membership: { voters: ['n1', 'n2'] }, commitIndex: 3 });
  });

  it('two within one lease elect nobody while it runs, though none that it rests on votes any more', () => {
    const network = new Network(four, { voters: three }).elect('n1').give('n3', standing);
    network.change('n1', 'add-learner', 'n4').deliver().beat('n1').wait(20);
    network.beat('n1').cutOff('n2').change('n1', 'promote', 'n4').deliver().wait(20);
    network.change('n1', 'remove', 'n2').deliver();
    const leader = network.node('n1').state;
    expect(leader).toMatchObject({ membership: { voters: ['n1', 'n3', 'n4'] }, role: 'leader' });
    expect(leader.membershipIndex).toBe(leader.commitIndex);
    network.cutOff('n1');
    const started = network.nowMs - network.node('n1').nowMs;
    while (network.node('n3').state.role !== 'leader') {
      network.wait(1).give('n3', election).deliver();
      expect(network.nowMs).toBeLessThan(started + leader.leaseUntilMs! + 1000);
    }
    expect(network.nowMs).toBeGreaterThan(started + leader.leaseUntilMs!);
  });
});

describe('leadership transfer', () => {
  const resigns = (to?: string) =>
    ({ type: 'resign-requested', ...(to === undefined ? {} : { to }) }) as const;
  /** n1 leads, and the others would take over. */
  const led = () => new Network(three).give('n2', standing).give('n3', standing).elect('n1').beat('n1');

  it('waits for a laggard that needs a snapshot (etcd TestLeaderTransferAfterSnapshot)', () => {
    const network = led().cutOff('n3').propose('n1', 'a', 'b').deliver();
    network.ask('n1', { type: 'snapshot', index: 3, data: 'ab' }).heal();
    network.give('n1', fires('heartbeat')).deliver(between('n1', 'n3')).deliver(between('n3', 'n1'));
    expect(network.give('n1', resigns('n3')).node('n1').did('step-down')).toEqual([]);
    expect(network.deliver().leaders).toEqual(['n3']);
    expect(network.node('n3').state.log.snapshot).toMatchObject({ index: 3, data: 'ab' });
  });

  it('is over when somebody else is elected meanwhile (etcd TestLeaderTransferReceiveHigherTermVote)', () => {
    const network = led().propose('n1', 'a').deliver(between('n1', 'n2'));
    network.take();
    network.give('n1', resigns('n3'));
    expect(network.node('n1').state.successor).toBe('n3');
    network.cutOff('n1').elect('n2').heal().give('n2', fires('heartbeat')).deliver(between('n2', 'n1'));
    expect(network.node('n1').did('step-down')).toEqual([{ type: 'step-down', reason: 'resigned' }]);
    expect(network.leaders).toEqual(['n2']);
  });

  it('survives a heartbeat of the old leader on its way (canonical/raft #203, RATIS-1796)', () => {
    const network = led().give('n1', fires('heartbeat'));
    const late = network.take(between('n1', 'n3'));
    network.deliver().give('n1', resigns('n3')).deliver(ofType('timeout-now')).put(late);
    network.deliver(between('n1', 'n3'));
    expect(network.node('n3').state).toMatchObject({ role: 'candidate', currentTerm: 2 });
    expect(network.deliver().leaders).toEqual(['n3']);
  });

  it('reaches a successor that has just lost patience (thesis §3.10)', () => {
    const network = led().give('n1', resigns('n3')).wait(200).give('n3', election);
    expect(network.node('n3').state.role).toBe('pre-candidate');
    network.take(ofType('pre-vote-request'));
    expect(network.deliver().leaders).toEqual(['n3']);
  });

  it('reaches a successor that has restarted meanwhile', () => {
    const network = led().give('n1', resigns('n3')).restart('n3').give('n3', standing);
    expect(network.deliver().leaders).toEqual(['n3']);
  });

  it('to a node that does not stand goes to one that does', () => {
    const network = new Network(three).give('n2', standing).elect('n1').beat('n1').give('n1', resigns('n3'));
    expect(network.take().map(({ to, message }) => [to, message.type])).toEqual([['n2', 'timeout-now']]);
  });

  it('to a node that does not stand waits for one that does, and lacks an entry', () => {
    const network = new Network(three).give('n2', standing).elect('n1').beat('n1').propose('n1', 'a');
    expect(network.give('n1', resigns('n3')).node('n1').state.successor).toBe('n2');
    expect(network.deliver().leaders).toEqual(['n2']);
  });

  it('to a node that is being removed goes to one that is not', () => {
    const network = led().change('n1', 'remove', 'n3').deliver(between('n1', 'n3'));
    network.deliver(between('n3', 'n1')).give('n1', resigns('n3'));
    expect(network.node('n1').state.successor).toBe('n2');
  });

  it('to a node that turns out not to stand goes to one that does', () => {
    const network = new Network(three).give('n2', standing).wait(1000).give('n1', standing, election);
    network.deliver(({ message }) => message.type !== 'append').give('n1', resigns('n3'));
    expect(network.node('n1').state.successor).toBe('n3');
    expect(network.deliver().leaders).toEqual(['n2']);
  });

  it('to a learner, a stranger, a silent node or the leader itself goes to a voter that answers', () => {
    for (const to of ['n4', 'n9', 'n3', 'n1']) {
      const network = new Network(four, { voters: three }).give('n2', standing).give('n3', standing);
      network.elect('n1').change('n1', 'add-learner', 'n4').deliver().cutOff('n3').wait(150).beat('n1');
      expect(network.give('n1', resigns(to)).deliver().leaders, to).toEqual(['n2']);
    }
  });

  it('to nobody who is fit just ends the office', () => {
    const network = new Network(three).elect('n1').beat('n1').give('n1', resigns('n2'));
    expect(network.node('n1').did('step-down')).toEqual([{ type: 'step-down', reason: 'resigned' }]);
    expect(network.inFlight).toEqual([]);
  });

  it('stands when a second one is asked for while it waits', () => {
    const network = led().propose('n1', 'a');
    network.give('n1', resigns('n3'), resigns('n2'));
    expect(network.node('n1').effects).toEqual([]);
    expect(network.deliver().leaders).toEqual(['n3']);
  });
});

describe('replication', () => {
  it('sends a former leader with one stray entry that one again, not its whole term', () => {
    const values = Array.from({ length: 30 }, (_, index) => `${index}`);
    const network = new Network(three)
      .elect('n1')
      .propose('n1', ...values)
      .deliver()
      .beat('n1');
    network.cutOff('n1').propose('n1', 'stray').deliver().elect('n2').propose('n2', 'a', 'b').deliver();
    const before = network.sent.length;
    network.heal().beat('n2');
    expect(network.node('n1').state.log).toEqual(network.node('n2').state.log);
    const resent = indicesOf(network.sent.slice(before).filter(between('n2', 'n1')));
    expect(resent).toEqual([33, 34, 32, 33, 34]);
  });

  it('keeps at most so many messages on their way to a follower that does not answer', () => {
    const network = new Network(three, { maxAppendsInFlight: 4 }).elect('n1').beat('n1');
    network.propose('n1', 'a', 'b', 'c', 'd', 'e', 'f').wait(50).give('n1', fires('heartbeat'));
    expect(network.inFlight.filter(between('n1', 'n3', 'append'))).toHaveLength(4);
    expect(network.inFlight.filter(between('n1', 'n3', 'heartbeat'))).toHaveLength(3);
    network.take(between('n1', 'n3'));
    network.deliver().wait(50).beat('n1');
    expect(network.node('n3').state.log).toEqual(network.node('n1').state.log);
  });

  it('sends one more for each that is answered, and none for a heartbeat', () => {
    const network = new Network(three, { maxAppendsInFlight: 2 }).elect('n1').give('n1', fires('heartbeat'));
    network.deliver(between('n1', 'n3')).propose('n1', 'a', 'b', 'c', 'd');
    const before = network.sent.length;
    network.deliver(between('n3', 'n1'));
    expect(network.sent.slice(before)).toEqual([]);
    const [first] = network.take(between('n1', 'n3', 'append'));
    network
      .put([first!])
      .deliver((letter) => letter === first)
      .deliver(between('n3', 'n1'));
    expect(indicesOf(network.inFlight.filter(between('n1', 'n3')))).toEqual([4, 5]);
    network.propose('n1', 'e');
    expect(indicesOf(network.inFlight.filter(between('n1', 'n3')))).toEqual([4, 5]);
  });

  it('goes on when only the answers were lost', () => {
    const network = new Network(three, { maxAppendsInFlight: 2 }).elect('n1').beat('n1');
    network.propose('n1', 'a', 'b', 'c').deliver(between('n1', 'n3')).take(between('n3', 'n1'));
    network.wait(50).beat('n1').beat('n1');
    expect(network.node('n1').state.followers).toMatchObject({ n3: { inFlight: 0, matchIndex: 4 } });
  });

  it('refuses what is proposed while too much awaits its commitment', () => {
    const network = new Network(four, { voters: three, maxUncommittedEntries: 2 })
      .elect('n1')
      .cutOff('n2', 'n3');
    network.propose('n1', 'a', 'b');
    expect(network.node('n1').announced).toMatchObject([{ type: 'accepted' }]);
    network.propose('n1', 'c');
    expect(network.node('n1').announced).toMatchObject([{ type: 'refused', reason: 'too-many-uncommitted' }]);
    network.change('n1', 'add-learner', 'n4'); // It may be the cure.
    expect(network.node('n1').announced).toMatchObject([{ type: 'accepted', index: 4 }]);
    network.deliver().heal().beat('n1').propose('n1', 'c');
    expect(network.node('n1').announced).toMatchObject([{ type: 'accepted', index: 5 }]);
  });

  /** n3 needs a snapshot, and three heartbeats are on their way to it. */
  const behind = () => {
    const network = new Network(three).elect('n1').cutOff('n3').propose('n1', 'a', 'b').deliver();
    network.ask('n1', { type: 'snapshot', index: 3, data: 'ab' }).heal();
    for (let beat = 0; beat < 3; beat += 1) network.wait(10).give('n1', fires('heartbeat'));
    return network.wait(10);
  };
  const snapshots = between('n1', 'n3', 'snapshot');

  it('sends a snapshot once, however many heartbeats were refused before it left', () => {
    const network = behind()
      .deliver(between('n1', 'n3', 'heartbeat'))
      .deliver(between('n3', 'n1'));
    expect(network.inFlight.filter(snapshots)).toHaveLength(1);
    expect(network.deliver().node('n3').state.commitIndex).toBe(3);
  });

  it('sends a snapshot again when a heartbeat that came after it is refused', () => {
    const network = behind()
      .deliver(between('n1', 'n3', 'heartbeat'))
      .deliver(between('n3', 'n1'));
    network.take(snapshots);
    network
      .wait(10)
      .give('n1', fires('heartbeat'))
      .deliver(between('n1', 'n3', 'heartbeat'));
    expect(network.deliver(between('n3', 'n1')).inFlight.filter(snapshots)).toHaveLength(1);
  });

  it('survives entries that overtake the snapshot which they follow', () => {
    const network = behind()
      .deliver(between('n1', 'n3', 'heartbeat'))
      .deliver(between('n3', 'n1'));
    network.propose('n1', 'c');
    network.deliver(between('n1', 'n3', 'append'));
    expect(network.node('n3').state.log.entries).toHaveLength(1);
    expect(network.deliver().beat('n1').node('n3').state.log).toEqual(network.node('n1').state.log);
  });
});
