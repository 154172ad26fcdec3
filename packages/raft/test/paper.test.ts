/**
 * A test per rule: D. Ongaro and J. Ousterhout, "In Search of an Understandable Consensus Algorithm (Extended
 * Version)", 2014 (§), and D. Ongaro, "Consensus: Bridging Theory and Practice", 2014 (thesis §).
 */

import { describe, expect, it } from 'vitest';
import type { RaftRequest } from '../src/index.js';
import { leaseMs } from '../src/state.js';
import {
  accepted,
  append,
  data,
  elected,
  fires,
  five,
  grant,
  hears,
  heartbeat,
  Node,
  noOp,
  preGrant,
  preRefuse,
  refuse,
  rejected,
  requestPreVote,
  requestVote,
  staleTerm,
  standing,
  three,
} from './nodes.js';

const node = (id = 'n1', members: readonly string[] = three) => new Node(id, members, { preVote: false });
const asks = (request: RaftRequest) => ({ type: 'requested', request }) as const;

describe('§5.1 terms', () => {
  it('a node that hears of a later term takes it over', () => {
    const { state } = node().after(hears('n2', heartbeat(7)));
    expect(state).toMatchObject({ currentTerm: 7, votedFor: null });
  });

  it('a candidate that hears of a later term becomes a follower, and goes on standing', () => {
    const { state } = node().after(standing, fires('election'), hears('n2', refuse(5)));
    expect(state).toMatchObject({ role: 'follower', currentTerm: 5, standing: true });
  });

  it('a leader that hears of a later term steps down before anything else', () => {
    const leader = elected().after([10_001, hears('n2', staleTerm(9))]);
    expect(leader.state).toMatchObject({ role: 'follower', currentTerm: 9, standing: false });
    expect(leader.effects[0]).toEqual({ type: 'step-down', reason: 'deposed' });
  });

  it('a message of an earlier term is refused with the later one', () => {
    const follower = node().after(hears('n2', heartbeat(3)), hears('n3', append(2, [0, 0], [data(1, 2)])));
    expect(follower.did('send')).toEqual([{ type: 'send', to: 'n3', message: staleTerm(3) }]);
    expect(follower.state.log.entries).toEqual([]);
  });

  it('an answer of an earlier term counts for nothing', () => {
    const leader = elected(five).after([10_001, hears('n2', accepted(0, 1))] as const, [
      10_001,
      hears('n3', accepted(0, 1)),
    ]);
    expect(leader.state.commitIndex).toBe(0);
    expect(leader.did('lead')).toEqual([]);
  });

  it('a term and a vote are on disk before anybody hears of them', () => {
    const candidate = node().after(standing, fires('election'));
    expect(candidate.types().indexOf('save')).toBeLessThan(candidate.types().indexOf('send'));
    expect(candidate.did('save')).toMatchObject([{ durable: { currentTerm: 1, votedFor: 'n1' } }]);
    const voter = node('n2').after(hears('n1', requestVote(1)));
    expect(voter.types().indexOf('save')).toBeLessThan(voter.types().indexOf('send'));
    expect(voter.did('save')).toMatchObject([{ durable: { currentTerm: 1, votedFor: 'n1' } }]);
  });

  it('a vote in a term that is known already is on disk before anybody hears of it', () => {
    const voter = node('n3').after(hears('n2', refuse(5)), hears('n1', requestVote(5)));
    expect(voter.did('save')).toMatchObject([{ durable: { currentTerm: 5, votedFor: 'n1' } }]);
    expect(voter.types().indexOf('save')).toBeLessThan(voter.types().indexOf('send'));
  });

  it('whoever speaks in a later term is followed at once if it speaks as a leader', () => {
    const snapshot = { ...node().state.log.snapshot, index: 1, term: 1 };
    for (const message of [
      heartbeat(9),
      append(9, [0, 0], []),
      { type: 'snapshot', term: 9, sentMs: 0, snapshot } as const,
    ]) {
      const follower = node().after(hears('n3', heartbeat(1)), hears('n2', message));
      expect(follower.state, message.type).toMatchObject({ currentTerm: 9, leaderId: 'n2' });
      expect(follower.did('follow'), message.type).toEqual([{ type: 'follow', leaderId: 'n2', token: 9n }]);
    }
  });

  it('whoever merely answers from a later term is not followed', () => {
    for (const message of [staleTerm(9), refuse(9), accepted(9, 0), preRefuse(9)]) {
      expect(node().after(hears('n2', message)).state, message.type).toMatchObject({
        currentTerm: 9,
        leaderId: null,
      });
    }
  });

  it('nothing is written when nothing durable changed', () => {
    const follower = node().after(hears('n2', heartbeat(1)), hears('n2', heartbeat(1)));
    expect(follower.did('save')).toEqual([]);
  });
});

describe('§5.2 leader election', () => {
  it('every node begins as a follower', () => expect(node().state.role).toBe('follower'));

  it('a follower stays one for as long as it hears a leader', () => {
    const follower = node().after(standing, hears('n2', heartbeat(1)), hears('n2', heartbeat(1)));
    expect(follower.state).toMatchObject({ role: 'follower', leaderId: 'n2' });
    expect(follower.effects).toContainEqual({ type: 'set-timer', timer: 'election', delayMs: [150, 300] });
  });

  it('a follower that hears nothing begins an election: a new term, a vote for itself, a request to all', () => {
    const candidate = node('n1', five).after(standing, fires('election'));
    expect(candidate.state).toMatchObject({ role: 'candidate', currentTerm: 1, votedFor: 'n1' });
    expect(candidate.sent('vote-request')).toEqual(['n2', 'n3', 'n4', 'n5']);
  });

  it('a follower that was not asked to lead does not, but no longer believes in the leader', () => {
    const follower = node().after(hears('n2', heartbeat(1)), fires('election'));
    expect(follower.state).toMatchObject({ role: 'follower', currentTerm: 1, leaderId: null });
    expect(follower.effects).toContainEqual({ type: 'follow', leaderId: null, token: null });
  });

  it('a node that does not lead always waits for the next election timeout, be there a leader or not', () => {
    const alone = node().after(fires('election'));
    expect(alone.effects).toEqual([{ type: 'set-timer', timer: 'election', delayMs: [150, 300] }]);
  });

  it('a candidate wins with the votes of a majority', () => {
    const candidate = node('n1', five).after(standing, fires('election'), hears('n2', grant(1)));
    expect(candidate.state.role).toBe('candidate');
    expect(candidate.after(hears('n3', grant(1))).state).toMatchObject({ role: 'leader', leaderId: 'n1' });
  });

  it('one voter counts once, however often its vote arrives', () => {
    const candidate = node('n1', five).after(standing, fires('election'));
    candidate.after(hears('n2', grant(1)), hears('n2', grant(1)), hears('n2', grant(1)));
    expect(candidate.state.role).toBe('candidate');
  });

  it('votes of an earlier election do not count', () => {
    const candidate = node().after(standing, fires('election'), fires('election'), hears('n2', grant(1)));
    expect(candidate.state).toMatchObject({ role: 'candidate', currentTerm: 2 });
  });

  it('a candidate that has withdrawn is not elected by votes that come late', () => {
    const former = node().after(standing, fires('election'), { type: 'resign-requested' });
    former.after(hears('n2', grant(1)), hears('n3', grant(1)));
    expect(former.state).toMatchObject({ role: 'follower', currentTerm: 1, standing: false });
  });

  it('a vote is given once in a term, first come first served', () => {
    const voter = node('n3').after(hears('n1', requestVote(1)));
    expect(voter.message('vote-reply')).toEqual(grant(1));
    expect(voter.after(hears('n2', requestVote(1))).message('vote-reply')).toMatchObject({ granted: false });
  });

  it('a request of an earlier term is refused, also by a voter that has not voted', () => {
    const voter = node('n3').after(hears('n2', refuse(5)), hears('n1', requestVote(4, 9, 4)));
    expect(voter.message('vote-reply')).toEqual(refuse(5));
    expect(voter.state.votedFor).toBeNull();
  });

  it('a candidate that asks again is told the same again', () => {
    const voter = node('n3').after(hears('n1', requestVote(1)), hears('n1', requestVote(1)));
    expect(voter.message('vote-reply')).toMatchObject({ granted: true });
  });

  it('a vote given before a crash is still given after it', () => {
    const voter = node('n3').after(hears('n1', requestVote(1)));
    const [save] = voter.did('save');
    const again = new Node('n3', three);
    again.after({ type: 'restarted', durable: save?.type === 'save' ? save.durable : (null as never) });
    expect(again.after(hears('n2', requestVote(1))).message('vote-reply')).toMatchObject({ granted: false });
  });

  it('whoever votes waits a whole election timeout for the winner', () => {
    const voter = node('n3').after(hears('n1', requestVote(1)));
    expect(voter.effects).toContainEqual({ type: 'set-timer', timer: 'election', delayMs: [150, 300] });
    expect(voter.after(hears('n2', requestVote(1))).did('set-timer')).toEqual([]);
  });

  it('a candidate that hears the leader of its term follows it', () => {
    const candidate = node().after(standing, fires('election'), hears('n2', heartbeat(1)));
    expect(candidate.state).toMatchObject({ role: 'follower', leaderId: 'n2', standing: true });
    expect(candidate.effects).toContainEqual({ type: 'follow', leaderId: 'n2', token: 1n });
  });

  it('a candidate that hears a leader of an earlier term goes on', () => {
    const candidate = node().after(standing, fires('election'), fires('election'), hears('n2', heartbeat(1)));
    expect(candidate.state).toMatchObject({ role: 'candidate', currentTerm: 2 });
  });

  it('an undecided election is followed by another, in a new term', () => {
    const candidate = node().after(standing, fires('election'), fires('election'));
    expect(candidate.state).toMatchObject({ role: 'candidate', currentTerm: 2 });
    expect(candidate.state.votes).toEqual(['n1']);
  });

  it('whether an application watches makes no difference: heartbeats tell everyone who leads', () => {
    const follower = node().after(hears('n2', heartbeat(1)));
    const { state } = follower;
    expect(follower.after({ type: 'observation-changed', observed: true }).state).toBe(state);
    expect(follower.effects).toEqual([]);
  });

  it('timeouts are drawn from a range, by the driver', () => {
    expect(node().effects).toEqual([{ type: 'set-timer', timer: 'election', delayMs: [150, 300] }]);
  });

  it('a new leader says at once that it leads, and keeps saying so', () => {
    const leader = elected();
    expect(leader.sent('append')).toEqual(['n2', 'n3']);
    expect(leader.effects).toContainEqual({ type: 'set-timer', timer: 'heartbeat', delayMs: [50, 50] });
    leader.after([10_010, hears('n2', accepted(1, 1))], [10_010, hears('n3', accepted(1, 1))]);
    leader.after([10_050, fires('heartbeat')]);
    expect(leader.sent('heartbeat')).toEqual(['n2', 'n3']);
  });

  it('whoever takes office waits for no election, and whoever leaves it has no more of its timers', () => {
    const cancelled = (node: Node) =>
      node.effects.flatMap((effect) => (effect.type === 'cancel-timer' ? [effect.timer] : []));
    expect(cancelled(elected())).toEqual(['election']);
    const left = elected().after([10_100, { type: 'lease-expired' }]);
    expect(cancelled(left)).toEqual(['heartbeat', 'quorum', 'transfer']);
    expect(left.did('set-timer')).toMatchObject([{ timer: 'election' }]);
  });

  it('a timer that comes up along with what has just cancelled it does nothing', () => {
    const leader = elected();
    const { state } = leader;
    expect(leader.after([10_001, fires('election')]).state).toBe(state);
    expect(leader.effects).toEqual([]);
    const former = node('n1', ['n1']).after(standing, fires('election'), { type: 'lease-expired' });
    for (const timer of ['heartbeat', 'quorum', 'transfer'] as const) {
      expect(former.after(standing, fires(timer)).effects, timer).toEqual([]);
    }
  });

  it('a node alone elects itself, and holds a lease that it renews', () => {
    const alone = node('n1', ['n1']).after(standing, [500, fires('election')]);
    expect(alone.state.role).toBe('leader');
    expect(alone.did('lead')).toHaveLength(1);
    expect(alone.after([550, fires('heartbeat')]).did('lead')).toHaveLength(1);
  });
});

describe('§5.3 log replication', () => {
  it('a leader appends what is proposed, and saves it while it sends it to all (thesis §10.2.1)', () => {
    const leader = elected().after([10_001, asks({ type: 'propose', id: 'a', data: 'x' })]);
    expect(leader.state.log.entries.at(-1)).toEqual({ index: 2, term: 1, type: 'data', data: 'x' });
    expect(leader.sent('append')).toEqual(['n2', 'n3']);
    expect(leader.types()).toEqual(['announce', 'send', 'send', 'save']);
    expect(leader.announced).toContainEqual({ type: 'accepted', id: 'a', index: 2, term: 1 });
  });

  it('a node that does not lead refuses proposals, and says who leads', () => {
    const follower = node().after(hears('n2', heartbeat(1)), asks({ type: 'propose', id: 'a', data: 'x' }));
    expect(follower.announced).toEqual([{ type: 'refused', id: 'a', reason: 'not-leader', leaderId: 'n2' }]);
  });

  it('a follower takes over entries that follow a matching one, and saves them before it says so', () => {
    const follower = node().after(hears('n2', append(1, [0, 0], [noOp(1, 1), data(2, 1)])));
    expect(follower.state.log.entries).toEqual([noOp(1, 1), data(2, 1)]);
    expect(follower.message('append-reply')).toMatchObject({ accepted: true, index: 2 });
    expect(follower.types().indexOf('save')).toBeLessThan(follower.types().indexOf('send'));
  });

  it('a follower refuses entries after one that it lacks, and says where to try', () => {
    const follower = node().after(hears('n2', append(1, [0, 0], [noOp(1, 1)])));
    follower.after(hears('n2', append(1, [5, 1], [data(6, 1)])));
    expect(follower.message('append-reply')).toMatchObject({ accepted: false, index: 2 });
    expect(follower.state.log.entries).toEqual([noOp(1, 1)]);
  });

  it('a follower refuses entries after one of another term, and skips that whole term', () => {
    const entries = [noOp(1, 1), data(2, 2), data(3, 2), data(4, 2)];
    const follower = node().after(hears('n2', append(2, [0, 0], entries)));
    follower.after(hears('n3', append(4, [4, 3], [data(5, 4)])));
    expect(follower.message('append-reply')).toMatchObject({ accepted: false, index: 2 });
  });

  it('an entry that conflicts is deleted with all that follow it', () => {
    const follower = node().after(hears('n2', append(1, [0, 0], [noOp(1, 1), data(2, 1), data(3, 1)])));
    follower.after(hears('n3', append(2, [1, 1], [noOp(2, 2)])));
    expect(follower.state.log.entries).toEqual([noOp(1, 1), noOp(2, 2)]);
  });

  it('an old, shorter message does not shorten a log that agrees with it', () => {
    const follower = node().after(hears('n2', append(1, [0, 0], [noOp(1, 1), data(2, 1), data(3, 1)])));
    follower.after(hears('n2', append(1, [0, 0], [noOp(1, 1)])));
    expect(follower.state.log.entries).toHaveLength(3);
    expect(follower.message('append-reply')).toMatchObject({ accepted: true, index: 1 });
  });

  it('a leader goes back to where a follower says, and sends from there', () => {
    const history = hears('n2', append(1, [0, 0], [noOp(1, 1), data(2, 1), data(3, 1)]));
    const leader = elected(three, {}, history).after([10_001, hears('n3', rejected(2, 2))]);
    expect(leader.message('append')).toMatchObject({ previousIndex: 1, previousTerm: 1 });
    expect(leader.message('append')?.entries.map(({ index }) => index)).toEqual([2, 3, 4]);
  });

  it('a leader goes back also on a clock that shows less than nothing', () => {
    const leader = node().after(standing, [-10_000, fires('election')], [-9990, hears('n2', grant(1))]);
    leader.after([-9980, hears('n3', rejected(1, 1, -9990))]);
    expect(leader.message('append')).toMatchObject({ previousIndex: 0 });
  });

  it('a leader never goes back behind what a follower has stored', () => {
    const leader = elected().after(
      [10_001, hears('n2', accepted(1, 1))],
      [10_002, hears('n2', rejected(1, 1))],
    );
    const { n2 } = leader.state.followers;
    expect(n2).toMatchObject({ matchIndex: 1, nextIndex: 2 });
    expect(leader.sent('append')).toEqual([]);
  });

  it('a leader that went back does not send again what the follower has stored after all', () => {
    const history = hears('n2', append(1, [0, 0], [noOp(1, 1), data(2, 1), data(3, 1)]));
    const leader = elected(three, { maxEntriesPerAppend: 1 }, history);
    leader.after([10_001, hears('n3', rejected(2, 2))]);
    expect(leader.message('append')?.entries).toMatchObject([{ index: 2 }]);
    expect(leader.after([10_002, hears('n3', accepted(2, 4))]).sent('append')).toEqual([]);
  });

  it('entries go in portions, and the next follows the acknowledgement of the last', () => {
    const entries = [noOp(1, 1), data(2, 1), data(3, 1), data(4, 1)];
    const leader = elected(three, { maxEntriesPerAppend: 2 }, hears('n2', append(1, [0, 0], entries)));
    leader.after([10_001, hears('n3', rejected(2, 1))]);
    expect(leader.message('append')?.entries).toHaveLength(2);
    leader.after([10_002, hears('n3', accepted(2, 2))]);
    expect(leader.message('append')).toMatchObject({ previousIndex: 2 });
  });

  it('a leader commits what a majority has stored, and announces it in order', () => {
    const leader = elected(five).after([10_001, asks({ type: 'propose', id: 'a', data: 'x' })]);
    leader.after([10_002, hears('n2', accepted(1, 2))]);
    expect(leader.state.commitIndex).toBe(0);
    leader.after([10_003, hears('n3', accepted(1, 2))]);
    expect(leader.state.commitIndex).toBe(2);
    expect(leader.announced).toEqual([
      { type: 'term-begun', index: 1, term: 1 },
      { type: 'committed', index: 2, term: 1, data: 'x' },
    ]);
  });

  it('a follower commits what the leader has, as far as it knows that they agree', () => {
    const follower = node().after(hears('n2', append(1, [0, 0], [noOp(1, 1), data(2, 1), data(3, 1)])));
    follower.after(hears('n2', heartbeat(1, 1, 1, 3)));
    expect(follower.state.commitIndex).toBe(1);
    follower.after(hears('n2', heartbeat(1, 3, 1, 3)));
    expect(follower.announced).toEqual([
      { type: 'committed', index: 2, term: 1, data: '2/1' },
      { type: 'committed', index: 3, term: 1, data: '3/1' },
    ]);
  });

  it('a follower announces nothing beyond what is committed', () => {
    const entries = [noOp(1, 1), data(2, 1), data(3, 1), data(4, 1)];
    const follower = node().after(hears('n2', append(1, [0, 0], entries, 2)));
    follower.after(hears('n2', heartbeat(1, 4, 1, 3)));
    expect(follower.announced).toEqual([{ type: 'committed', index: 3, term: 1, data: '3/1' }]);
  });

  it('an entry is on disk before it is announced', () => {
    const alone = node('n1', ['n1']).after(standing, fires('election'));
    alone.after(asks({ type: 'propose', id: 'a', data: 'x' }));
    expect(alone.types().indexOf('save')).toBeLessThan(alone.types().lastIndexOf('announce'));
    expect(alone.announced.at(-1)).toMatchObject({ type: 'committed', data: 'x' });
  });

  it('an entry is on disk before it is announced, also where nothing else waits for the disk', () => {
    const alone = new Node('n1', ['n1'], { lease: false }).after(standing, fires('election'));
    alone.after(asks({ type: 'propose', id: 'a', data: 'x' }));
    expect(alone.types()).toEqual(['announce', 'save', 'announce']);
  });

  it('a leader that knows less takes back nothing that is committed', () => {
    const entries = [noOp(1, 1), data(2, 1), data(3, 1)];
    const follower = node().after(hears('n2', append(1, [0, 0], entries, 3)));
    follower.after(hears('n2', heartbeat(1, 3, 1, 1)));
    expect(follower.state.commitIndex).toBe(3);
  });
});

describe('§5.4.1 election restriction', () => {
  const voter = () => node('n3').after(hears('n2', append(2, [0, 0], [noOp(1, 1), data(2, 2)])));

  it('a voter refuses a log that ends in an earlier term, however long it is', () => {
    expect(
      voter()
        .after(hears('n1', requestVote(3, 9, 1)))
        .message('vote-reply'),
    ).toMatchObject({ granted: false });
  });

  it('a voter refuses a shorter log that ends in the same term', () => {
    expect(
      voter()
        .after(hears('n1', requestVote(3, 1, 2)))
        .message('vote-reply'),
    ).toMatchObject({ granted: false });
  });

  it('a voter accepts a log as long as its own, and one that ends in a later term', () => {
    expect(
      voter()
        .after(hears('n1', requestVote(3, 2, 2)))
        .message('vote-reply'),
    ).toMatchObject({ granted: true });
    expect(
      voter()
        .after(hears('n1', requestVote(4, 1, 3)))
        .message('vote-reply'),
    ).toMatchObject({ granted: true });
  });

  it('a voter that refuses takes over the term all the same', () => {
    expect(voter().after(hears('n1', requestVote(8, 1, 1))).state).toMatchObject({
      currentTerm: 8,
      votedFor: null,
    });
  });
});

describe('§5.4.2 entries of earlier terms', () => {
  it('are not committed by counting', () => {
    const leader = elected(three, {}, hears('n2', append(1, [0, 0], [noOp(1, 1), data(2, 1)])));
    leader.after([10_001, hears('n2', accepted(2, 2))]);
    expect(leader.state.commitIndex).toBe(0);
  });

  it('are committed along with one of the current term', () => {
    const leader = elected(three, {}, hears('n2', append(1, [0, 0], [noOp(1, 1), data(2, 1)])));
    leader.after([10_001, hears('n2', accepted(2, 3))]);
    expect(leader.state.commitIndex).toBe(3);
  });

  it('are followed by a no-op as soon as a leader is elected (§8)', () => {
    const leader = elected(three, {}, hears('n2', append(4, [0, 0], [noOp(1, 4)])));
    expect(leader.state.log.entries.at(-1)).toEqual(noOp(2, 5));
  });
});

describe('§7 log compaction', () => {
  const history = [noOp(1, 1), data(2, 1), data(3, 1)];

  it('what the application has taken a snapshot of leaves the log', () => {
    const follower = node().after(hears('n2', append(1, [0, 0], history, 3)));
    follower.after(asks({ type: 'snapshot', index: 2, data: 'state' }));
    expect(follower.state.log.snapshot).toMatchObject({ index: 2, term: 1, data: 'state' });
    expect(follower.state.log.entries).toEqual([data(3, 1)]);
    expect(follower.types()).toEqual(['save']);
  });

  it('what is not committed stays', () => {
    const follower = node().after(hears('n2', append(1, [0, 0], history, 2)));
    const { log } = follower.state;
    expect(follower.after(asks({ type: 'snapshot', index: 3, data: 'state' })).state.log).toBe(log);
  });

  it('what is in a snapshot already stays as it is', () => {
    const follower = node().after(hears('n2', append(1, [0, 0], history, 3)));
    follower.after(asks({ type: 'snapshot', index: 2, data: 'state' }));
    const { state } = follower;
    expect(follower.after(asks({ type: 'snapshot', index: 2, data: 'again' })).state).toBe(state);
    expect(follower.after(asks({ type: 'snapshot', index: 1, data: 'again' })).state).toBe(state);
    expect(follower.effects).toEqual([]);
  });

  it('a follower that needs what is gone is sent the snapshot', () => {
    const leader = elected(three, {}, hears('n2', append(1, [0, 0], history, 3)));
    leader.after(
      [10_001, hears('n2', accepted(2, 4))],
      [10_002, asks({ type: 'snapshot', index: 3, data: 's' })],
    );
    leader.after([10_003, hears('n3', rejected(2, 1))]);
    expect(leader.message('snapshot')?.snapshot).toMatchObject({ index: 3, data: 's' });
    leader.after([10_004, hears('n3', accepted(2, 3))]);
    expect(leader.message('append')?.entries).toEqual([noOp(4, 2)]);
  });

  it('a follower that lacks the last entry of the snapshot is sent it as well', () => {
    const leader = elected(three, {}, hears('n2', append(1, [0, 0], history, 3)));
    leader.after([10_001, asks({ type: 'snapshot', index: 3, data: 's' })]);
    expect(leader.after([10_002, hears('n3', rejected(2, 3))]).sent('snapshot')).toEqual(['n3']);
  });

  const snapshot = { index: 3, term: 1, membership: { voters: ['n1', 'n2'], learners: ['n3'] }, data: 's' };
  const install = (term: number) => hears('n2', { type: 'snapshot', term, sentMs: 0, snapshot } as const);

  it('a follower begins anew from a snapshot, its membership included', () => {
    const follower = node().after(hears('n3', append(1, [0, 0], [noOp(1, 1)])), install(2));
    expect(follower.state).toMatchObject({ commitIndex: 3, membership: snapshot.membership });
    expect(follower.state.log).toEqual({ snapshot, entries: [] });
    expect(follower.announced).toEqual([{ type: 'restored', index: 3, term: 1, data: 's' }]);
    expect(follower.types().indexOf('save')).toBeLessThan(follower.types().indexOf('send'));
  });

  it('entries after the last one of the snapshot are kept where they agree', () => {
    const follower = node().after(hears('n2', append(1, [0, 0], [...history, data(4, 1)])), install(1));
    expect(follower.state.log.entries).toEqual([data(4, 1)]);
  });

  it('a snapshot of what is committed already changes nothing', () => {
    const follower = node().after(hears('n2', append(1, [0, 0], history, 3)));
    const { log } = follower.state;
    expect(follower.after(install(1)).state.log).toBe(log);
    expect(follower.message('append-reply')).toMatchObject({ accepted: true, index: 3 });
  });

  it('a snapshot of an earlier term is refused', () => {
    const follower = node().after(hears('n3', heartbeat(5)), install(1));
    expect(follower.did('send')).toEqual([{ type: 'send', to: 'n2', message: staleTerm(5) }]);
    expect(follower.state.log.snapshot.index).toBe(0);
  });

  it('a node that restarts begins from its snapshot, and tells the application', () => {
    const restarted = node().after({
      type: 'restarted',
      durable: { currentTerm: 2, votedFor: null, snapshot, entries: [data(4, 2)] },
    });
    expect(restarted.state).toMatchObject({ commitIndex: 3, membership: snapshot.membership });
    expect(restarted.announced).toEqual([{ type: 'restored', index: 3, term: 1, data: 's' }]);
  });

  it('a log that grows long asks for a snapshot, once', () => {
    const follower = new Node('n1', three, { snapshotThreshold: 3 });
    follower.after(hears('n2', append(1, [0, 0], history, 3)));
    expect(follower.announced).toContainEqual({ type: 'snapshot-wanted', index: 3 });
    follower.after(hears('n2', append(1, [3, 1], [data(4, 1)], 4)));
    expect(follower.announced).not.toContainEqual(expect.objectContaining({ type: 'snapshot-wanted' }));
  });

  it('a log counts its length anew from each snapshot', () => {
    const follower = new Node('n1', three, { snapshotThreshold: 3 });
    follower.after(
      hears('n2', append(1, [0, 0], history, 2)),
      asks({ type: 'snapshot', index: 2, data: 's' }),
    );
    follower.after(hears('n2', append(1, [3, 1], [data(4, 1), data(5, 1)], 4)));
    expect(follower.announced).not.toContainEqual(expect.objectContaining({ type: 'snapshot-wanted' }));
    follower.after(hears('n2', heartbeat(1, 5, 1, 5)));
    expect(follower.announced).toContainEqual({ type: 'snapshot-wanted', index: 5 });
  });

  it('a log without data needs no snapshot of anybody, and stays short by itself', () => {
    const follower = new Node('n1', three, { snapshotThreshold: 3 });
    follower.after(hears('n2', append(3, [0, 0], [noOp(1, 1), noOp(2, 2), noOp(3, 3)], 3)));
    expect(follower.state.log).toMatchObject({ snapshot: { index: 3, term: 3, data: null }, entries: [] });
  });

  it('data that is not committed yet does not keep a log from staying short by itself', () => {
    const follower = new Node('n1', three, { snapshotThreshold: 3 });
    follower.after(hears('n2', append(3, [0, 0], [noOp(1, 1), noOp(2, 2), noOp(3, 3)], 3)));
    follower.after(hears('n2', append(6, [3, 3], [noOp(4, 4), noOp(5, 5), noOp(6, 6), data(7, 6)], 6)));
    expect(follower.state.log).toMatchObject({ snapshot: { index: 6, term: 6 }, entries: [data(7, 6)] });
  });
});

describe('thesis §3.10 leadership transfer', () => {
  const caughtUp = () =>
    elected().after(
      [10_010, hears('n2', accepted(1, 1, 10_000))],
      [10_011, hears('n3', accepted(1, 1, 10_000))],
    );

  it('a leader that resigns steps down, and then tells its successor', () => {
    const leader = caughtUp().after([10_020, { type: 'resign-requested', to: 'n2' }]);
    expect(leader.types().filter((type) => type !== 'cancel-timer' && type !== 'set-timer')).toEqual([
      'step-down',
      'send',
    ]);
    expect(leader.sent('timeout-now')).toEqual(['n2']);
    expect(leader.state).toMatchObject({ role: 'follower', standing: false });
  });

  it('a successor that lacks entries is brought up to date first', () => {
    const leader = caughtUp().after([10_015, asks({ type: 'propose', id: 'a', data: 'x' })]);
    leader.after([10_020, { type: 'resign-requested', to: 'n2' }]);
    expect(leader.types()).toEqual(['set-timer']);
    leader.after([10_030, hears('n2', accepted(1, 2, 10_015))]);
    expect(leader.did('step-down')).toEqual([{ type: 'step-down', reason: 'resigned' }]);
    expect(leader.sent('timeout-now')).toEqual(['n2']);
  });

  it('meanwhile nothing more is accepted, and the lease is not renewed', () => {
    const leader = caughtUp().after([10_015, asks({ type: 'propose', id: 'a', data: 'x' })]);
    leader.after([10_020, { type: 'resign-requested', to: 'n2' }]);
    leader.after([10_021, asks({ type: 'propose', id: 'b', data: 'y' })]);
    expect(leader.announced).toEqual([{ type: 'refused', id: 'b', reason: 'resigning', leaderId: 'n1' }]);
    expect(leader.after([10_030, hears('n3', accepted(1, 2, 10_015))]).did('lead')).toEqual([]);
    expect(leader.after([10_050, fires('heartbeat')]).types()).toEqual(['send', 'send', 'set-timer']);
  });

  it('a successor that does not catch up within an election timeout is not waited for', () => {
    const leader = caughtUp().after([10_015, asks({ type: 'propose', id: 'a', data: 'x' })]);
    leader.after([10_020, { type: 'resign-requested', to: 'n2' }]);
    expect(leader.effects).toContainEqual({ type: 'set-timer', timer: 'transfer', delayMs: [150, 150] });
    leader.after([10_170, fires('transfer')]);
    expect(leader.did('step-down')).toEqual([{ type: 'step-down', reason: 'resigned' }]);
    expect(leader.sent('timeout-now')).toEqual([]);
  });

  it('a transfer that is done cancels its timer, which would end the next office', () => {
    const leader = caughtUp().after([10_015, asks({ type: 'propose', id: 'a', data: 'x' })]);
    leader.after([10_020, { type: 'resign-requested', to: 'n2' }]);
    leader.after([10_030, hears('n2', accepted(1, 2, 10_015))]);
    expect(leader.did('cancel-timer')).toContainEqual({ type: 'cancel-timer', timer: 'transfer' });
    expect(leader.state.successor).toBeNull();
  });

  it('whatever ends the wait, the resignation is answered once, and as one', () => {
    const leader = caughtUp().after([10_015, asks({ type: 'propose', id: 'a', data: 'x' })]);
    leader.after([10_020, { type: 'resign-requested', to: 'n2' }], [10_100, { type: 'lease-expired' }]);
    expect(leader.did('step-down')).toEqual([{ type: 'step-down', reason: 'resigned' }]);
    expect(leader.after([10_170, fires('transfer')]).effects).toEqual([]);
  });

  it('without a name, the leader picks somebody who is up to date and would take over', () => {
    const leader = elected(five);
    leader.after([10_010, hears('n2', accepted(1, 1, 10_000, false))]);
    leader.after([10_010, hears('n3', accepted(1, 1, 10_000, true))]);
    leader.after([10_010, hears('n4', rejected(1, 1, 10_000))]);
    expect(leader.after([10_020, { type: 'resign-requested' }]).sent('timeout-now')).toEqual(['n3']);
  });

  it('without anybody who would take over, the leader just steps down', () => {
    const leader = elected().after([10_010, hears('n2', accepted(1, 1, 10_000, false))]);
    leader.after([10_020, { type: 'resign-requested' }]);
    expect(leader.did('step-down')).toHaveLength(1);
    expect(leader.did('send')).toEqual([]);
  });

  it('a leader that is asked to lead while it waits for its successor resigns first, and stands again', () => {
    const leader = caughtUp().after([10_015, asks({ type: 'propose', id: 'a', data: 'x' })]);
    leader.after([10_020, { type: 'resign-requested', to: 'n2' }], [10_030, standing]);
    expect(leader.did('step-down')).toEqual([{ type: 'step-down', reason: 'resigned' }]);
    expect(leader.state).toMatchObject({ role: 'follower', standing: true, successor: null });
  });

  it('a follower that no longer wants to lead goes on following its leader', () => {
    const follower = node().after(standing, hears('n2', heartbeat(1)), { type: 'resign-requested' });
    expect(follower.effects).toEqual([{ type: 'step-down', reason: 'resigned' }]);
    expect(follower.state).toMatchObject({ leaderId: 'n2', standing: false });
  });

  it('the successor begins an election at once, without asking beforehand', () => {
    const heir = new Node('n2', three).after(standing, hears('n1', heartbeat(1)));
    heir.after(hears('n1', { type: 'timeout-now', term: 1 }));
    expect(heir.state).toMatchObject({ role: 'candidate', currentTerm: 2, boundSinceMs: null });
    expect(heir.message('vote-request')).toMatchObject({ transfer: true });
  });

  it('a node that does not stand, and one that follows another, does not', () => {
    const idle = new Node('n2', three).after(hears('n1', heartbeat(1)));
    expect(idle.after(hears('n1', { type: 'timeout-now', term: 1 })).state.role).toBe('follower');
    const loyal = new Node('n2', three).after(standing, hears('n3', heartbeat(2)));
    expect(loyal.after(hears('n1', { type: 'timeout-now', term: 1 })).state.role).toBe('follower');
  });

  it('a TimeoutNow of an earlier term starts nothing, be it from the leader that is followed now', () => {
    const heir = new Node('n2', three).after(standing, hears('n1', heartbeat(3)));
    const { state } = heir;
    expect(heir.after(hears('n1', { type: 'timeout-now', term: 1 })).state).toBe(state);
  });

  it('voters that are bound to the leader which stepped down vote for its successor all the same', () => {
    const voter = node('n3').after([1000, hears('n1', heartbeat(1))]);
    voter.after([1001, hears('n2', requestVote(2, 0, 0, true))]);
    expect(voter.message('vote-reply')).toMatchObject({ granted: true });
  });

  it('a second attempt of the successor asks like anybody else', () => {
    const heir = node('n2').after(
      standing,
      hears('n1', heartbeat(1)),
      hears('n1', { type: 'timeout-now', term: 1 }),
    );
    expect(heir.after(fires('election')).message('vote-request')).toMatchObject({ transfer: false });
  });

  it('an unhealthy leader hands over, and does not stand while it is unhealthy', () => {
    const leader = caughtUp().after([10_020, { type: 'health-changed', healthy: false }]);
    expect(leader.did('step-down')).toEqual([{ type: 'step-down', reason: 'unhealthy' }]);
    expect(leader.sent('timeout-now')).toHaveLength(1);
    leader.after(standing, fires('election'));
    expect(leader.state.role).toBe('follower');
    leader.after({ type: 'health-changed', healthy: true }, fires('election'));
    expect(leader.state.role).toBe('candidate');
  });

  it('a leader that says again that it is healthy goes on', () => {
    const leader = caughtUp().after([10_020, { type: 'health-changed', healthy: true }]);
    expect(leader.state.role).toBe('leader');
    expect(leader.effects).toEqual([]);
  });

  it('an unhealthy follower goes on following, and an unhealthy candidate withdraws', () => {
    const follower = node().after(standing, hears('n2', heartbeat(1)));
    follower.after({ type: 'health-changed', healthy: false });
    expect(follower.state).toMatchObject({ leaderId: 'n2', standing: true });
    expect(follower.effects).toEqual([]);
    const candidate = node().after(standing, fires('election'), { type: 'health-changed', healthy: false });
    expect(candidate.state).toMatchObject({ role: 'follower', standing: true });
    expect(candidate.after(hears('n2', grant(1)), fires('election')).state.currentTerm).toBe(1);
  });

  it('an unhealthy leader waits for nobody, and hands over to nobody who lacks entries', () => {
    const behind = caughtUp().after([10_015, asks({ type: 'propose', id: 'a', data: 'x' })]);
    for (const leader of [behind, elected()]) {
      leader.after([10_020, { type: 'health-changed', healthy: false }]);
      expect(leader.did('step-down')).toEqual([{ type: 'step-down', reason: 'unhealthy' }]);
      expect(leader.sent('timeout-now')).toEqual([]);
    }
  });
});

describe('thesis §4 membership changes (§6)', () => {
  const begun = (members: readonly string[] = three) => {
    const leader = elected(members);
    for (const member of members.slice(1)) leader.after([10_010, hears(member, accepted(1, 1, 10_000))]);
    return leader;
  };

  it('§4.1 a change takes effect as soon as it is in the log', () => {
    const leader = begun().after([10_020, asks({ type: 'add-learner', id: 'm', node: 'n4' })]);
    expect(leader.state.membership).toEqual({ voters: ['n1', 'n2', 'n3'], learners: ['n4'] });
    expect(leader.sent('append')).toEqual(['n2', 'n3', 'n4']);
  });

  it('§4.1 a change that is overwritten is undone', () => {
    const change = {
      index: 2,
      term: 1,
      type: 'membership',
      membership: { voters: ['n1'], learners: [] },
    } as const;
    const follower = node().after(hears('n2', append(1, [0, 0], [noOp(1, 1), change])));
    expect(follower.state.membership.voters).toEqual(['n1']);
    follower.after(hears('n3', append(2, [1, 1], [noOp(2, 2)])));
    expect(follower.state.membership.voters).toEqual(['n1', 'n2', 'n3']);
  });

  it('§4.1 a node that does not lead refuses changes, and says who leads', () => {
    const follower = node().after(hears('n2', heartbeat(1)), asks({ type: 'remove', id: 'r', node: 'n3' }));
    expect(follower.announced).toEqual([{ type: 'refused', id: 'r', reason: 'not-leader', leaderId: 'n2' }]);
  });

  it('§4.1 one change at a time', () => {
    const leader = begun().after([10_020, asks({ type: 'add-learner', id: 'm', node: 'n4' })]);
    leader.after([10_021, asks({ type: 'remove', id: 'r', node: 'n3' })]);
    expect(leader.announced).toMatchObject([{ type: 'refused', id: 'r', reason: 'change-pending' }]);
  });

  it('§4.1 no change before this term has committed an entry', () => {
    const leader = elected().after([10_001, asks({ type: 'remove', id: 'r', node: 'n3' })]);
    expect(leader.announced).toMatchObject([{ type: 'refused', reason: 'term-not-begun' }]);
  });

  it('§4.2.1 a learner receives the log but counts neither for commitment nor for votes', () => {
    const leader = begun(['n1', 'n2', 'n3']).after([
      10_020,
      asks({ type: 'add-learner', id: 'm', node: 'n4' }),
    ]);
    leader.after([10_021, hears('n4', accepted(1, 2, 10_020))]);
    expect(leader.state.commitIndex).toBe(1);
    const candidate = leader.fork().after([10_030, hears('n2', refuse(5))], standing, fires('election'));
    expect(candidate.sent('vote-request')).toEqual(['n2', 'n3']);
    expect(candidate.after(hears('n4', grant(6))).state.role).toBe('candidate');
  });

  it('§4.2.1 a learner becomes a voter once it has caught up, and not before', () => {
    const leader = begun().after([10_020, asks({ type: 'add-learner', id: 'm', node: 'n4' })]);
    leader.after([10_021, hears('n2', accepted(1, 2, 10_020))]);
    leader.after([10_022, asks({ type: 'promote', id: 'p', node: 'n4' })]);
    expect(leader.announced).toMatchObject([{ type: 'refused', reason: 'not-caught-up' }]);
    leader.after([10_023, hears('n4', accepted(1, 2, 10_020))]);
    leader.after([10_024, asks({ type: 'promote', id: 'p', node: 'n4' })]);
    expect(leader.state.membership).toEqual({ voters: ['n1', 'n2', 'n3', 'n4'], learners: [] });
  });

  it('§4.2.1 a learner does not campaign', () => {
    const learner = new Node('n4', ['n1', 'n2', 'n3', 'n4'], { voters: ['n1', 'n2', 'n3'] });
    expect(learner.after(standing, fires('election')).state).toMatchObject({
      role: 'follower',
      currentTerm: 0,
    });
  });

  it('§4.2.1 a learner votes when asked: it may be a voter and not know it yet', () => {
    const learner = new Node('n4', ['n1', 'n2', 'n3', 'n4'], { voters: ['n1', 'n2', 'n3'] });
    expect(learner.after(hears('n1', requestVote(1))).message('vote-reply')).toMatchObject({ granted: true });
  });

  it('§4.2.2 a leader that is removed commits that without counting itself, and then hands over', () => {
    const leader = begun().after([10_020, asks({ type: 'remove', id: 'r', node: 'n1' })]);
    leader.after([10_021, hears('n2', accepted(1, 2, 10_020))]);
    expect(leader.state).toMatchObject({ role: 'leader', commitIndex: 1 });
    leader.after([10_022, hears('n3', accepted(1, 2, 10_020))]);
    expect(leader.state).toMatchObject({ role: 'follower', commitIndex: 2 });
    expect(leader.did('step-down')).toEqual([{ type: 'step-down', reason: 'deposed' }]);
    expect(leader.sent('timeout-now')).toHaveLength(1);
  });

  it('§4.2.2 a node whose removal may not be committed still campaigns, but does not count its own vote', () => {
    const leader = begun().after([10_020, asks({ type: 'remove', id: 'r', node: 'n1' })]);
    leader.after([10_030, { type: 'lease-expired' }], standing, fires('election'), hears('n2', grant(2)));
    expect(leader.state.role).toBe('candidate');
    expect(leader.after(hears('n3', grant(2))).state.role).toBe('leader');
    expect(leader.types()).toEqual(['cancel-timer', 'set-timer', 'set-timer', 'send', 'send', 'save']);
  });

  it('§4.2.3 a node that was removed does not campaign once it knows', () => {
    const leader = begun().after([10_020, asks({ type: 'remove', id: 'r', node: 'n1' })]);
    leader.after(
      [10_021, hears('n2', accepted(1, 2, 10_020))],
      [10_022, hears('n3', accepted(1, 2, 10_020))],
    );
    expect(leader.after(standing, fires('election')).state.role).toBe('follower');
  });

  it('§4.2.3 a node that was removed is served until that is committed, so that it knows', () => {
    const leader = begun().after([10_020, asks({ type: 'remove', id: 'r', node: 'n3' })]);
    expect(leader.sent('append')).toEqual(['n2', 'n3']);
    leader.after([10_021, hears('n2', accepted(1, 2, 10_020))]);
    expect(Object.keys(leader.state.followers)).toEqual(['n2']);
  });

  it('§4.2.3 a node that was removed is served on while only entries before that are committed', () => {
    const leader = begun().after(
      [10_015, asks({ type: 'propose', id: 'a', data: 'x' })],
      [10_020, asks({ type: 'remove', id: 'r', node: 'n3' })],
    );
    leader.after([10_021, hears('n2', accepted(1, 2, 10_015))]);
    expect(leader.announced).toMatchObject([{ type: 'committed', index: 2 }]);
    expect(leader.types()).toEqual(['lead', 'announce']);
    expect(Object.keys(leader.state.followers)).toEqual(['n2', 'n3']);
  });

  it('a change that changes nothing, and one that would leave nobody, is refused', () => {
    const leader = begun().after([10_020, asks({ type: 'add-learner', id: 'm', node: 'n2' })]);
    expect(leader.announced).toMatchObject([{ reason: 'no-change' }]);
    leader.after([10_020, asks({ type: 'promote', id: 'm', node: 'n2' })]);
    expect(leader.announced).toMatchObject([{ reason: 'no-change' }]);
    leader.after([10_020, asks({ type: 'remove', id: 'm', node: 'n9' })]);
    expect(leader.announced).toMatchObject([{ reason: 'no-change' }]);
    const alone = node('n1', ['n1']).after(standing, fires('election'));
    alone.after(asks({ type: 'remove', id: 'm', node: 'n1' }));
    expect(alone.announced).toMatchObject([{ reason: 'last-voter' }]);
  });
});

describe('thesis §4.2.3 leader stickiness', () => {
  it('a voter that has just heard a leader takes no notice of candidates, not even of their term', () => {
    const voter = node('n3').after([1000, hears('n1', heartbeat(1))]);
    const { state } = voter;
    voter.after([1099, hears('n2', requestVote(5, 9, 9))]);
    expect(voter.state).toBe(state);
    expect(voter.effects).toEqual([]);
  });

  it('a candidate that hears the leader of its own term is bound to it like any voter', () => {
    const loser = node('n3').after(standing, [1000, fires('election')], [1010, hears('n1', heartbeat(1))]);
    const { state } = loser;
    expect(loser.after([1100, hears('n2', requestVote(2, 9, 9))]).state).toBe(state);
    expect(loser.effects).toEqual([]);
  });

  it('a voter that has never heard any votes at once, whatever its clock says', () => {
    expect(
      node('n3')
        .after([1, hears('n1', requestVote(1))])
        .message('vote-reply'),
    ).toEqual(grant(1));
  });

  it('a voter that has heard none for the least election timeout votes', () => {
    const voter = node('n3').after([1000, hears('n1', heartbeat(1))]);
    expect(voter.after([1149, hears('n2', requestVote(5, 9, 9))]).effects).toEqual([]);
    voter.after([1150, hears('n2', requestVote(5, 9, 9))]);
    expect(voter.message('vote-reply')).toEqual(grant(5));
  });

  it('a later term, heard of elsewhere, does not set a voter free', () => {
    const voter = node('n3').after([1000, hears('n1', heartbeat(1))], [1010, hears('n2', refuse(5))]);
    expect(voter.state.currentTerm).toBe(5);
    expect(voter.after([1020, hears('n2', requestVote(5, 9, 9))]).effects).toEqual([]);
  });

  it('a leader with a valid lease takes no notice of candidates', () => {
    const leader = elected().after([10_010, hears('n2', accepted(1, 1, 10_000))]);
    expect(leader.after([10_090, hears('n3', requestVote(5, 9, 9))]).state.role).toBe('leader');
  });

  it('a leader without a lease gives way to a later term', () => {
    const leader = elected();
    expect(leader.state).toMatchObject({ role: 'leader', leaseUntilMs: null });
    expect(leader.after([10_149, hears('n3', requestVote(5, 9, 9))]).state).toMatchObject({
      role: 'follower',
      votedFor: 'n3',
    });
  });

  it('a voter is not bound by its vote: whoever is elected has to be heard first', () => {
    const voter = node('n3').after([1000, hears('n1', requestVote(1))], [1001, hears('n2', requestVote(2))]);
    expect(voter.message('vote-reply')).toEqual(grant(2));
  });

  it('a node whose timer comes up while it is bound does not campaign, and waits until it is free', () => {
    const early = node('n1').after(standing, [1000, hears('n3', heartbeat(1))], [1149.5, fires('election')]);
    expect(early.state).toMatchObject({ role: 'follower', currentTerm: 1, leaderId: 'n3' });
    // A whole millisecond, not the last bit of a float: a timer that comes up early must not do so for ever.
    expect(early.effects).toEqual([{ type: 'set-timer', timer: 'election', delayMs: [1, 1] }]);
    expect(early.after([1150, fires('election')]).state).toMatchObject({ role: 'candidate', currentTerm: 2 });
  });

  it('a voter that votes for nobody is bound to nobody', () => {
    const voter = node('n3').after([1000, hears('n1', append(3, [0, 0], [noOp(1, 3)]))]);
    voter.after([1150, hears('n2', requestVote(4))]);
    expect(voter.message('vote-reply')).toMatchObject({ granted: false });
    expect(voter.after([1151, hears('n1', requestVote(5, 1, 3))]).message('vote-reply')).toMatchObject({
      granted: true,
    });
  });

  it('a node that restarts may have forgotten a leader, and votes for nobody at first', () => {
    const durable = { currentTerm: 1, votedFor: null, ...node().state.log };
    const voter = node('n3').after([5000, { type: 'restarted', durable }]);
    expect(voter.after([5149, hears('n2', requestVote(2))]).did('send')).toEqual([]);
    expect(voter.after([5150, hears('n2', requestVote(2))]).message('vote-reply')).toEqual(grant(2));
  });
});

describe('thesis §6.2 check-quorum', () => {
  it('a leader that no majority has answered for an election timeout steps down', () => {
    const leader = elected(five).after([10_050, hears('n2', accepted(1, 1))], [10_150, fires('quorum')]);
    expect(leader.did('step-down')).toEqual([{ type: 'step-down', reason: 'quorum-lost' }]);
  });

  it('a new leader sets a time at which to ask itself who has answered', () => {
    const period = { type: 'set-timer', timer: 'quorum', delayMs: [150, 150] };
    expect(elected().effects).toContainEqual(period);
    const answered = elected().after([10_050, hears('n2', accepted(1, 1))], [10_150, fires('quorum')]);
    expect(answered.effects).toEqual([period]);
  });

  it('a leader that a majority answers goes on, and asks itself again', () => {
    const leader = elected(five).after(
      [10_050, hears('n2', accepted(1, 1))],
      [10_050, hears('n3', accepted(1, 1))],
    );
    leader.after([10_150, fires('quorum')]);
    expect(leader.state.role).toBe('leader');
    expect(leader.after([10_300, fires('quorum')]).did('step-down')).toHaveLength(1);
  });

  it('can be switched off', () => {
    const leader = elected(three, { checkQuorum: false });
    expect(leader.did('set-timer')).toMatchObject([{ timer: 'heartbeat' }]);
    expect(leader.types()).toEqual(['cancel-timer', 'set-timer', 'send', 'send', 'save']);
  });
});

describe('thesis §6.4.1 the lease', () => {
  const leads = (node: Node, sinceMs: number, nowMs: number) =>
    expect(node.did('lead')).toEqual([
      { type: 'lead', token: 1n, validForMs: sinceMs + leaseMs(node.state.settings) - nowMs },
    ]);

  it('Leadership begins when a majority has answered the first entry, and counts from when that was sent', () => {
    const leader = elected(five);
    expect(leader.state).toMatchObject({ role: 'leader', leaseUntilMs: null });
    expect(leader.did('lead')).toEqual([]);
    expect(leader.after([10_020, hears('n2', accepted(1, 1, 10_000))]).did('lead')).toEqual([]);
    leads(leader.after([10_030, hears('n3', accepted(1, 1, 10_000))]), 10_000, 10_030);
  });

  it('Leadership does not begin at the very moment at which it would end, but with the next answers', () => {
    const leader = elected();
    const endMs = 10_000 + leaseMs(leader.state.settings);
    expect(leader.after([endMs, hears('n2', accepted(1, 1, 10_000))]).did('lead')).toEqual([]);
    leads(leader.after([endMs + 1, hears('n2', accepted(1, 1, endMs))]), endMs, endMs + 1);
  });

  it('Leadership begins, and is renewed, on a clock that shows less than nothing', () => {
    const leader = new Node('n1', five, { preVote: false }).after(standing, [-10_000, fires('election')]);
    leader.after([-9990, hears('n2', grant(1))], [-9990, hears('n3', grant(1))]);
    leader.after([-9980, hears('n2', accepted(1, 1, -9990))]);
    leads(leader.after([-9980, hears('n3', accepted(1, 1, -9990))]), -9990, -9980);
    leader.after([-9930, hears('n4', accepted(1, 1, -9950))]);
    leads(leader.after([-9930, hears('n5', accepted(1, 1, -9950))]), -9950, -9930);
  });

  it('Leadership of a voter alone begins when its first entry is on disk', () => {
    const alone = node('n1', ['n1']).after(standing, fires('election'));
    expect(alone.did('lead')).toHaveLength(1);
    expect(alone.types().indexOf('lead')).toBeGreaterThan(alone.types().indexOf('save'));
  });

  it('a majority that answers renews it, from when it was asked', () => {
    const leader = elected(five).after([10_070, hears('n2', accepted(1, 1, 10_050))]);
    expect(leader.did('lead')).toEqual([]);
    leads(leader.after([10_080, hears('n3', accepted(1, 1, 10_050))]), 10_050, 10_080);
  });

  it('the lease is shorter than voters are bound by what two clocks may drift apart', () => {
    const { settings } = node().state;
    expect(leaseMs(settings)).toBeCloseTo(150 * (0.99 / 1.01));
  });

  it('a refusal for want of entries renews it, too: whoever refuses so has heard the leader', () => {
    const leader = elected().after([10_060, hears('n2', rejected(1, 1, 10_050))]);
    expect(leader.did('lead')).toHaveLength(1);
  });

  it('an old answer does not renew it, nor does it shorten it', () => {
    const leader = elected().after([10_060, hears('n2', accepted(1, 1, 10_050))]);
    const { leaseUntilMs } = leader.state;
    leader.after([10_061, hears('n3', accepted(1, 1, 10_000))]);
    expect(leader.did('lead')).toEqual([]);
    expect(leader.state.leaseUntilMs).toBe(leaseUntilMs);
  });

  it('an old answer does not make a follower look silent that has answered since', () => {
    const leader = elected().after([10_060, hears('n2', accepted(1, 1, 10_050))]);
    leader.after([10_061, hears('n2', accepted(1, 1, 10_000))]);
    expect(leader.after([10_150, { type: 'resign-requested' }]).sent('timeout-now')).toEqual(['n2']);
  });

  it('an answer that comes after the lease would have run out renews nothing', () => {
    const leader = elected().after([10_200, hears('n2', accepted(1, 1, 10_050))]);
    expect(leader.did('lead')).toEqual([]);
  });

  it('a lease that runs out ends the office', () => {
    const leader = elected().after(
      [10_010, hears('n2', accepted(1, 1, 10_000))],
      [10_147, { type: 'lease-expired' }],
    );
    expect(leader.state).toMatchObject({ role: 'follower', leaderId: null });
    expect(leader.did('step-down')).toEqual([{ type: 'step-down', reason: 'lease-expired' }]);
  });

  it('a lease that runs out when the office is over already ends nothing', () => {
    const former = elected().after([10_010, hears('n2', heartbeat(2))]);
    const { state } = former;
    expect(former.after([10_147, { type: 'lease-expired' }]).state).toBe(state);
    expect(former.effects).toEqual([]);
  });
});

describe('a closed connection to the leader', () => {
  it('proves nothing: the leader may be alive, and whoever was bound to it is bound still', () => {
    const follower = new Node('n1', five).after(standing, [1000, hears('n2', heartbeat(1))]);
    const { state } = follower;
    expect(follower.after([1010, { type: 'link-down', peer: 'n2' }]).effects).toEqual([]);
    expect(follower.state).toBe(state);
  });
});

describe('thesis §9.6 pre-vote', () => {
  const preCandidate = () => new Node('n1', five).after(standing, fires('election'));

  it('a node asks whether it could win, before it begins a term', () => {
    const asking = preCandidate();
    expect(asking.state).toMatchObject({ role: 'pre-candidate', currentTerm: 0, votedFor: null });
    expect(asking.sent('pre-vote-request')).toEqual(['n2', 'n3', 'n4', 'n5']);
    expect(asking.message('pre-vote-request')).toMatchObject({ term: 1 });
    expect(asking.did('save')).toEqual([]);
  });

  it('a majority of pre-votes begins the term', () => {
    const asking = preCandidate().after(hears('n2', preGrant(1)));
    expect(asking.state.role).toBe('pre-candidate');
    asking.after(hears('n3', preGrant(1)));
    expect(asking.state).toMatchObject({ role: 'candidate', currentTerm: 1 });
    expect(asking.state.votes).toEqual(['n1']);
  });

  it('a pre-vote is no vote', () => {
    const asking = preCandidate().after(hears('n2', grant(0)), hears('n3', grant(0)), hears('n4', grant(1)));
    expect(asking.state.role).not.toBe('leader');
    expect(asking.state.role).not.toBe('candidate');
  });

  it('a pre-vote counts only for the term that was asked about', () => {
    const asking = new Node('n1', three).after(standing, fires('election'), hears('n3', preRefuse(6)));
    asking.after(fires('election'), hears('n2', preGrant(1)));
    expect(asking.state).toMatchObject({ role: 'pre-candidate', currentTerm: 6 });
    expect(asking.after(hears('n2', preGrant(7))).state).toMatchObject({ role: 'candidate', currentTerm: 7 });
  });

  it('pre-votes that come after the leader was heard again begin nothing', () => {
    const asking = new Node('n1', three).after(standing, hears('n2', heartbeat(1)), fires('election'));
    const { state } = asking.after(hears('n2', heartbeat(1)));
    expect(asking.after(hears('n2', preGrant(2)), hears('n3', preGrant(2))).state).toBe(state);
  });

  it('granting a pre-vote changes nothing, so any number may be granted', () => {
    const voter = node('n3');
    const { state } = voter;
    expect(voter.after(hears('n1', requestPreVote(1))).message('pre-vote-reply')).toMatchObject({
      granted: true,
    });
    expect(voter.after(hears('n2', requestPreVote(1))).message('pre-vote-reply')).toMatchObject({
      granted: true,
    });
    expect(voter.state).toBe(state);
  });

  it('a voter that hears a leader does not answer', () => {
    const voter = node('n3').after([1000, hears('n1', heartbeat(1))]);
    expect(voter.after([1149, hears('n2', requestPreVote(9, 9, 9))]).effects).toEqual([]);
    const { state } = voter;
    voter.after([1150, hears('n2', requestPreVote(9, 9, 9))]);
    expect(voter.message('pre-vote-reply')).toEqual(preGrant(9));
    expect(voter.state).toBe(state);
  });

  it('a voter refuses a log that lacks something, and a term that is not new', () => {
    const voter = node('n3').after(hears('n1', append(3, [0, 0], [noOp(1, 3)])));
    voter.after(hears('n2', requestPreVote(4, 0, 0)));
    expect(voter.message('pre-vote-reply')).toEqual(preRefuse(3));
    voter.after(hears('n2', requestPreVote(3, 1, 3)));
    expect(voter.message('pre-vote-reply')).toMatchObject({ granted: false });
  });

  it('a refusal in a later term teaches the term', () => {
    const asking = preCandidate().after(hears('n2', preRefuse(6)));
    expect(asking.state).toMatchObject({ role: 'follower', currentTerm: 6 });
  });

  it('a node that cannot reach a majority never raises its term', () => {
    const asking = preCandidate().after(fires('election'), fires('election'), fires('election'));
    expect(asking.state.currentTerm).toBe(0);
  });
});

describe('priorities', () => {
  it('a node of low priority waits longer, but not for ever', () => {
    const patient = new Node('n1', three, { priorities: { n1: 0 } });
    expect(patient.effects).toEqual([{ type: 'set-timer', timer: 'election', delayMs: [300, 450] }]);
    expect(patient.after(standing, fires('election')).state.role).toBe('pre-candidate');
  });

  it('of two that are equally up to date, the one of higher priority is the successor', () => {
    const leader = elected(three, { priorities: { n3: 0.5 } });
    leader.after(
      [10_010, hears('n2', accepted(1, 1, 10_000))],
      [10_010, hears('n3', accepted(1, 1, 10_000))],
    );
    expect(leader.after([10_020, { type: 'resign-requested' }]).sent('timeout-now')).toEqual(['n2']);
  });
});
