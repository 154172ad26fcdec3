import { describe, expect, it } from 'vitest';
import { raft } from '../src/index.js';
import { fires, hears, heartbeat, type Input, Node, standing, three } from './nodes.js';

const settings = { deathCertificates: true };
const linkUp = (peer: string, incarnation: string): Input => ({ type: 'link-up', peer, incarnation });
const gone = (peer: string, incarnation: string): Input => ({ type: 'peer-gone', peer, incarnation });

/** n1 follows n3, its process `first`, and has just heard from it. */
const bound = (id: string = 'n1', others: Partial<typeof settings> = {}): Node =>
  new Node(id, three, { ...settings, ...others }).after(
    [0, standing],
    [0, linkUp('n3', 'first')],
    [1000, hears('n3', heartbeat(1))],
  );

const request = (dead?: { peer: string; incarnation: string }) =>
  ({
    type: 'vote-request',
    term: 2,
    lastIndex: 0,
    lastTerm: 0,
    transfer: false,
    ...(dead && { gone: dead }),
  }) as const;

describe('given a voter that is bound to a leader', () => {
  it('is free at once when that very process is certified dead', () => {
    const voter = bound().after([1001, gone('n3', 'first')]);
    expect(voter.state.leaderId).toBeNull();
    expect(voter.did('follow')).toEqual([{ type: 'follow', leaderId: null, token: null }]);
    voter.after([1002, hears('n2', request())]);
    expect(voter.state.votedFor).toBe('n2');
  });

  it.each([
    ['another process of that node', gone('n3', 'second')],
    ['another node', gone('n2', 'first')],
    ['a closed connection', { type: 'link-down', peer: 'n3' } as const],
  ])('stays bound by %s', (_, input) => {
    const voter = bound().after([1001, input]);
    expect(voter.state.leaderId).toBe('n3');
    voter.after([1002, hears('n2', request())]);
    expect(voter.state.votedFor).toBeNull();
  });

  it('is not freed by any certificate where nobody has said that they may be believed', () => {
    const voter = bound('n1', { deathCertificates: false }).after([1001, gone('n3', 'first')]);
    expect(voter.state.leaderId).toBe('n3');
    voter.after([1002, hears('n2', request({ peer: 'n3', incarnation: 'first' }))]);
    expect(voter.state.votedFor).toBeNull();
  });

  it('is freed by a certificate that a candidate shows', () => {
    const voter = bound().after([1001, hears('n2', request({ peer: 'n3', incarnation: 'first' }))]);
    expect(voter.state.votedFor).toBe('n2');
  });

  it('is not freed by one of another process', () => {
    const voter = bound().after([1001, hears('n2', request({ peer: 'n3', incarnation: 'second' }))]);
    expect(voter.state.votedFor).toBeNull();
  });

  it('stays bound to the present process of a node whose former one is certified dead late', () => {
    const voter = bound()
      .after([1001, linkUp('n3', 'second')], [1002, hears('n3', heartbeat(2))])
      .after([1003, gone('n3', 'first')]);
    expect(voter.state.boundTo).toEqual({ peer: 'n3', incarnation: 'second' });
    expect(voter.after([1004, hears('n2', { ...request(), term: 3 })]).state.votedFor).toBeNull();
  });

  it('stays bound to one whose name it does not know, though it knew that of the former', () => {
    const voter = bound()
      .after([1001, { type: 'link-up', peer: 'n3' }], [1002, hears('n3', heartbeat(2))])
      .after([1003, gone('n3', 'first')]);
    expect(voter.state.leaderId).toBe('n3');
    expect(voter.after([1004, hears('n2', { ...request(), term: 3 })]).state.votedFor).toBeNull();
  });

  it('is bound to a process that it does not know by name until its time is over', () => {
    const voter = new Node('n1', three, settings).after(
      [0, standing],
      [0, { type: 'link-up', peer: 'n3' }],
      [1000, hears('n3', heartbeat(1))],
    );
    expect(voter.state).toMatchObject({ lives: {}, boundTo: null });
    voter.after([1001, gone('n3', 'first')], [1002, hears('n2', request())]);
    expect(voter.state.votedFor).toBeNull();
  });
});

describe('given a voter that has restarted', () => {
  it('waits, whoever is certified dead', () => {
    const durable = {
      currentTerm: 1,
      votedFor: null,
      snapshot: new Node('n1', three).state.log.snapshot,
      entries: [],
    };
    const voter = new Node('n1', three, settings).after(
      [1000, { type: 'restarted', durable }],
      [1000, linkUp('n3', 'second')],
      [1001, gone('n3', 'first')],
      [1002, hears('n2', request({ peer: 'n3', incarnation: 'first' }))],
    );
    expect(voter.state.votedFor).toBeNull();
  });
});

describe('given those whom a death has freed', () => {
  const electionTimer = (delayMs: number) => [
    { type: 'set-timer', timer: 'election', delayMs: [delayMs, delayMs] },
  ];

  it('the first of the membership stands at once, the next a heartbeat later', () => {
    expect(
      bound('n1')
        .after([1001, gone('n3', 'first')])
        .did('set-timer'),
    ).toEqual(electionTimer(0));
    expect(
      bound('n2')
        .after([1001, gone('n3', 'first')])
        .did('set-timer'),
    ).toEqual(electionTimer(50));
  });

  it('nobody waits for the turn of the dead', () => {
    const voter = new Node('n2', three, settings).after(
      [0, standing],
      [0, linkUp('n1', 'first')],
      [1000, hears('n1', heartbeat(1))],
      [1001, gone('n1', 'first')],
    );
    expect(voter.did('set-timer')).toEqual(electionTimer(0));
  });

  it('one that asks for pre-votes already asks again in its turn, and has nobody left to forget', () => {
    const asking = bound('n2').after([9000, fires('election')]);
    expect(asking.state.role).toBe('pre-candidate');
    expect(asking.after([9001, gone('n3', 'first')]).effects).toEqual(electionTimer(50));
  });

  it('one that has begun a term goes on with it', () => {
    const candidate = bound('n2').after(
      [9000, fires('election')],
      [9001, hears('n1', { type: 'pre-vote-reply', term: 2, granted: true })],
    );
    expect(candidate.state.role).toBe('candidate');
    expect(candidate.after([9002, gone('n3', 'first')]).effects).toEqual([]);
  });

  it('they show the certificate with what they ask', () => {
    const candidate = bound().after([1001, gone('n3', 'first')], [1001, fires('election')]);
    expect(candidate.message('pre-vote-request')?.gone).toEqual({ peer: 'n3', incarnation: 'first' });
    candidate.after([1002, hears('n2', { type: 'pre-vote-reply', term: 2, granted: true })]);
    expect(candidate.message('vote-request')?.gone).toEqual({ peer: 'n3', incarnation: 'first' });
  });

  it('a candidate that has come to follow another leader meanwhile honours that', () => {
    const voter = bound().after([1001, gone('n3', 'first')], [1002, hears('n2', heartbeat(2))]);
    voter.after([1003, fires('election')]);
    expect(voter.state.role).toBe('follower');
    expect(voter.state.certificate).toBeNull();
  });
});

describe('without death certificates', () => {
  it('a voter that hears of one stays bound', () => {
    const voter = new Node('n1', three).after([0, linkUp('n3', 'first')], [1000, hears('n3', heartbeat(1))]);
    expect(voter.after([1001, gone('n3', 'first')]).state).toMatchObject({ leaderId: 'n3', lives: {} });
  });

  it('nothing is assumed of addresses, and with them it is', () => {
    const assumesListener = ({ guarantees: { assumptions } }: ReturnType<typeof raft>) =>
      assumptions.some((assumption) => assumption.includes('own listener'));
    expect([assumesListener(raft()), assumesListener(raft(settings))]).toEqual([false, true]);
  });
});

describe('a certificate on the wire', () => {
  const { decodeMessage } = raft(settings);

  it('is read as it was written', () => {
    const message = request({ peer: 'n3', incarnation: 'first' });
    expect(decodeMessage(JSON.parse(JSON.stringify(message)))).toEqual(message);
  });

  it.each([{ gone: 'n3' }, { gone: { peer: 'n3' } }, { gone: null }])(
    'is refused when malformed: %j',
    (bad) => {
      expect(() => decodeMessage({ ...request(), ...bad })).toThrow();
    },
  );
});
