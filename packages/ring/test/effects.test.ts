/** What each rule does, to the last effect and in its order: what is not listed must not happen. */

import type { NodeId } from '@hustings/elector';
import {
  cancelTimer,
  type Effect,
  followNobody,
  type Input,
  send,
  setTimer,
} from '@hustings/elector/protocol';
import { describe, expect, it } from 'vitest';
import {
  defaultSettings,
  initialState,
  type RingMessage,
  type RingState,
  type RingTypes,
  step,
} from '../src/index.js';

type RingInput = Input<RingTypes>;
type RingEffect = Effect<RingTypes>;
type Circulating = Extract<RingMessage, { members: unknown }>;

const campaign: RingInput = { type: 'campaign-requested' };
const resign: RingInput = { type: 'resign-requested' };
const ill: RingInput = { type: 'health-changed', healthy: false };
const well: RingInput = { type: 'health-changed', healthy: true };
const fires = (timer: RingTypes['timer']): RingInput => ({ type: 'timer-fired', timer });
const linkUp = (peer: NodeId): RingInput => ({ type: 'link-up', peer });
const linkDown = (peer: NodeId): RingInput => ({ type: 'link-down', peer });
const hears = (from: NodeId, message: RingMessage): RingInput => ({ type: 'received', from, message });
const heartbeat = (from: NodeId, epoch: number): RingInput => hears(from, { type: 'heartbeat', epoch });
const superseded = (epoch: number): RingInput => hears('n1', { type: 'superseded', epoch });
const resigned = (from: NodeId, epoch: number): RingInput => hears(from, { type: 'resigned', epoch });

const election = (
  epoch: number,
  members: readonly NodeId[],
  hop: number,
  candidates = members,
): Circulating => ({
  ...{ type: 'election', epoch, members, candidates, hop },
});
const coordinator = (
  leaderId: NodeId,
  epoch: number,
  members: readonly NodeId[],
  hop: number,
): Circulating => ({
  ...{ type: 'coordinator', leaderId, epoch, members, hop },
});
/** The last member hands it over. */
const passed = (message: Circulating): RingInput => hears(message.members.at(-1)!, message);

/** A node of the ring n1, n2, n3, n4 after these inputs. */
function node(id: NodeId, ...inputs: RingInput[]): RingState {
  const peers = ['n4', 'n2', 'n1', 'n3'].filter((peer) => peer !== id);
  const first = initialState(id, peers);
  return [{ type: 'started' } as const, ...inputs].reduce((state, input) => step(state, input)[0], first);
}

const awaitLeader = setTimer('leader', [200, 300]);
/** One round longer: an announcement has yet to reach the leader. */
const awaitElected = setTimer('leader', [600, 700]);
const awaitAck = setTimer('hop', 100);
const awaitOutcome = setTimer('election', [800, 1200]);
const ack = (to: NodeId, hop: number): RingEffect => send(to, { type: 'ack', hop });
const save = (epoch: number): RingEffect => ({ type: 'save', durable: { epoch } });
const toAll = (type: 'heartbeat' | 'resigned', epoch: number): RingEffect[] =>
  ['n3', 'n4', 'n1'].map((peer) => send(peer, { type, epoch }));
const calls = (message: Circulating, to = 'n3', ...more: RingEffect[]): RingEffect[] => [
  cancelTimer('leader'),
  { type: 'campaign' },
  setTimer('election', 400),
  send(to, message),
  ...more,
];
const follows = (leaderId: NodeId, epoch: number, patience: RingEffect = awaitLeader): RingEffect[] => [
  cancelTimer('election'),
  { type: 'follow', leaderId, token: BigInt(epoch) },
  patience,
];
const stepsDown = (reason: 'resigned' | 'deposed' | 'unhealthy'): RingEffect[] => [
  { type: 'step-down', reason },
  cancelTimer('heartbeat'),
  awaitLeader,
];

const vacant = node('n2');
const follower = node('n2', heartbeat('n4', 1), campaign);
const bystander = node('n2', heartbeat('n4', 1));
const candidate = node('n2', campaign);
const participant = step(follower, passed(election(1, ['n1'], 5)))[0];
const leader = node('n2', campaign, passed(coordinator('n2', 4, ['n1'], 5)));

describe('coming up', () => {
  it('waits for a leader', () => {
    expect(step(vacant, { type: 'started' })).toEqual([vacant, [awaitLeader]]);
  });

  it('waits for a leader again after a restart, and listens', () => {
    const [restarted, effects] = step(vacant, { type: 'restarted', durable: { epoch: 7 } });
    expect([restarted, effects]).toEqual([{ ...vacant, listening: true, epoch: 7 }, [awaitLeader]]);
    expect(step(restarted, campaign)).toEqual([{ ...restarted, standing: true }, []]);
    expect(step(restarted, fires('leader'))).toEqual([
      { ...restarted, listening: false },
      [cancelTimer('leader')],
    ]);
  });
});

describe('calling an election', () => {
  const own = election(0, ['n2'], 1);

  it('hands a list to the neighbour, and waits for it to take and to return it', () => {
    const [state, effects] = step(vacant, campaign);
    expect(effects).toEqual(calls(own, 'n3', awaitAck));
    expect(state).toEqual({
      ...vacant,
      ...{ standing: true, role: 'candidate', participant: true, contender: true },
      ...{ hops: 1, handed: [{ to: 'n3', message: own }] },
    });
  });

  it('is not for those who follow, take part, hold one, lead or are ill', () => {
    expect(step(bystander, campaign)).toEqual([follower, []]);
    expect(step(candidate, campaign)).toEqual([candidate, []]);
    expect(step(leader, campaign)).toEqual([leader, []]);
    const taking = node('n2', passed(election(0, ['n1'], 5)));
    expect(step(taking, campaign)).toEqual([{ ...taking, standing: true }, []]);
    const patient = node('n2', ill);
    expect(step(patient, campaign)).toEqual([{ ...patient, standing: true }, []]);
  });

  it('again, when the list did not come back, still passes over who was silent', () => {
    const silent = step(candidate, fires('hop'))[0];
    const [state, effects] = step(silent, fires('election'));
    expect(effects).toEqual(calls(election(0, ['n2'], 3), 'n4'));
    expect(state.silent).toEqual(['n3']);
  });

  it('anew gives everyone another chance', () => {
    const settled = node(
      'n2',
      campaign,
      fires('hop'),
      hears('n4', { type: 'ack', hop: 2 }),
      heartbeat('n4', 1),
    );
    expect(settled.silent).toEqual(['n3']);
    const [state, effects] = step(settled, fires('leader'));
    expect(effects).toEqual(calls(election(1, ['n2'], 3), 'n3', awaitAck));
    expect(state.silent).toEqual([]);
  });
});

describe('an election that comes by', () => {
  it('is acknowledged, signed and passed on, and its outcome awaited', () => {
    const [state, effects] = step(follower, passed(election(1, ['n1'], 5)));
    const signed = election(1, ['n1', 'n2'], 1);
    expect(effects).toEqual([ack('n1', 5), awaitOutcome, send('n3', signed), awaitAck]);
    const handed = [{ to: 'n3', message: signed }];
    expect(state).toEqual({ ...follower, participant: true, contender: true, hops: 1, handed });
  });

  it('is passed on unsigned by who does not stand, and that is so for the rest of it', () => {
    const [state, effects] = step(bystander, passed(election(1, ['n1'], 5)));
    expect(effects).toContainEqual(send('n3', election(1, ['n1', 'n2'], 1, ['n1'])));
    expect(state).toMatchObject({ participant: true, contender: false });
  });

  it('gives everyone another chance who was silent in the last one', () => {
    const [state] = step({ ...follower, silent: ['n3'] }, passed(election(1, ['n1'], 5)));
    expect(state.silent).toEqual([]);
  });

  it('and a second one share a timer each', () => {
    const [state, effects] = step(participant, passed(election(1, ['n4', 'n1'], 6)));
    expect(effects).toEqual([ack('n1', 6), send('n3', election(1, ['n4', 'n1', 'n2'], 2))]);
    expect(state.handed.map(({ message }) => message.hop)).toEqual([1, 2]);
  });

  it('carries the highest epoch that anybody on it knows', () => {
    const knowing = node('n2', superseded(6));
    const [, effects] = step(knowing, passed(election(2, ['n1'], 5)));
    expect(effects).toContainEqual(send('n3', election(6, ['n1', 'n2'], 1, ['n1'])));
  });

  it('readmits whoever has passed it on', () => {
    const cutOff = step(follower, linkDown('n1'))[0];
    const [state] = step({ ...cutOff, silent: ['n4'] }, hears('n3', election(1, ['n4', 'n1', 'n3'], 5)));
    expect(state).toMatchObject({ unreachable: [], silent: [] });
  });

  it('ends at a leader, which tells the one who called it', () => {
    const called = step(leader, passed(election(4, ['n4', 'n1'], 5)));
    expect(called).toEqual([leader, [ack('n1', 5), send('n4', { type: 'heartbeat', epoch: 4 })]]);
  });

  it('ends at a leader without a word when it was the leader’s own', () => {
    expect(step(leader, passed(election(4, ['n2', 'n1'], 5)))).toEqual([leader, [ack('n1', 5)]]);
    expect(step(leader, hears('n1', election(4, [], 5)))).toEqual([leader, [ack('n1', 5)]]);
  });

  it('ends when it has been overtaken by a leader, and not while there is none', () => {
    expect(step(follower, passed(election(0, ['n1'], 5)))).toEqual([follower, [ack('n1', 5)]]);
    const left = step(follower, superseded(2))[0];
    expect(step(left, passed(election(0, ['n1'], 5)))[1]).toContainEqual(
      send('n3', election(2, ['n1', 'n2'], 1)),
    );
  });

  it('ends at a candidate, if it was started before it in the ring, and goes on if after it', () => {
    expect(step(candidate, passed(election(0, ['n1'], 5)))).toEqual([candidate, [ack('n1', 5)]]);
    for (const starter of ['n3', 'n4']) {
      const [, effects] = step(candidate, passed(election(0, [starter, 'n1'], 5)));
      expect(effects).toEqual([ack('n1', 5), send('n3', election(0, [starter, 'n1', 'n2'], 2))]);
    }
    expect(step(candidate, hears('n1', election(0, [], 5)))).toEqual([candidate, [ack('n1', 5)]]);
  });
});

describe('an election that has come back', () => {
  it('elects the strongest on it, who is announced in a new epoch', () => {
    const [state, effects] = step(candidate, passed(election(0, ['n2', 'n3', 'n4', 'n1'], 5)));
    const announcement = coordinator('n4', 1, ['n2'], 2);
    expect(effects).toEqual([
      ack('n1', 5),
      save(1),
      ...follows('n4', 1, awaitElected),
      send('n3', announcement),
    ]);
    expect(state).toMatchObject({ role: 'follower', participant: false, leaderId: 'n4', epoch: 1 });
  });

  it('elects who called it, which leads once the epoch is saved', () => {
    const [state, effects] = step(candidate, passed(election(0, ['n2', 'n3', 'n1'], 5, ['n2', 'n1'])));
    expect(effects).toEqual([
      ack('n1', 5),
      save(1),
      cancelTimer('leader'),
      cancelTimer('election'),
      send('n3', coordinator('n2', 1, ['n2'], 2)),
      { type: 'lead', token: 1n },
      setTimer('heartbeat', 50),
    ]);
    expect(state).toMatchObject({ role: 'leader', participant: false, leaderId: 'n2', epoch: 1 });
  });

  it('does not elect who is passed over', () => {
    const cutOff = step(candidate, linkDown('n4'))[0];
    const [, effects] = step(cutOff, hears('n1', election(0, ['n2', 'n3', 'n1'], 5, ['n2', 'n3', 'n4'])));
    expect(effects).toContainEqual(send('n3', coordinator('n3', 1, ['n2'], 2)));
  });

  it('elects nobody when nobody on it is left: whoever stands begins anew, and others wait', () => {
    const cutOff = node('n2', passed(election(0, ['n1'], 5)), linkDown('n1'));
    const empty = hears('n4', election(0, ['n1', 'n2', 'n3', 'n4'], 6, ['n1']));
    expect(step(cutOff, empty)).toEqual([
      { ...cutOff, participant: false },
      [ack('n4', 6), cancelTimer('election')],
    ]);
    const late = step(cutOff, campaign)[0];
    const [state, effects] = step(late, empty);
    expect(effects).toEqual([ack('n4', 6), cancelTimer('election'), ...calls(election(0, ['n2'], 2))]);
    expect(state.role).toBe('candidate');
  });
});

describe('an election whose time is up', () => {
  it('is called again by who called it, and by who stands and knows no leader', () => {
    expect(step(candidate, fires('election'))[1]).toEqual(calls(election(0, ['n2'], 2)));
    const left = step(participant, fires('leader'))[0];
    expect(step(left, fires('election'))[1]).toEqual(calls(election(1, ['n2'], 2)));
  });

  it('is forgotten by everybody else', () => {
    expect(step(participant, fires('election'))).toEqual([{ ...participant, participant: false }, []]);
  });
});

describe('an announcement', () => {
  const heard = passed(coordinator('n3', 6, ['n4', 'n1'], 5));

  it('is acknowledged, followed and passed on', () => {
    const [state, effects] = step(follower, heard);
    const announcement = coordinator('n3', 6, ['n4', 'n1', 'n2'], 1);
    const follow = [save(6), ...follows('n3', 6, awaitElected)];
    expect(effects).toEqual([ack('n1', 5), ...follow, send('n3', announcement), awaitAck]);
    const handed = [{ to: 'n3', message: announcement }];
    expect(state).toEqual({ ...follower, leaderId: 'n3', epoch: 6, hops: 1, handed });
  });

  it('ends where it has been, and where it is known to be old', () => {
    const back = passed(coordinator('n3', 6, ['n2', 'n1'], 5));
    expect(step(follower, back)[1]).toEqual([ack('n1', 5), save(6), ...follows('n3', 6, awaitElected)]);
    expect(step(follower, passed(coordinator('n3', 0, ['n1'], 5)))).toEqual([follower, [ack('n1', 5)]]);
  });

  it('of the leader that is known restarts the wait for it, and ends an election', () => {
    const known = passed(coordinator('n4', 1, ['n2', 'n1'], 5));
    expect(step(follower, known)).toEqual([follower, [ack('n1', 5), awaitElected]]);
    expect(step(participant, known)).toEqual([
      { ...participant, participant: false },
      [ack('n1', 5), cancelTimer('election'), awaitElected],
    ]);
  });

  it('of a second leader in one epoch is passed on by who prefers the stronger', () => {
    const [state, effects] = step(follower, passed(coordinator('n3', 1, ['n1'], 5)));
    expect(effects).toEqual([ack('n1', 5), send('n3', coordinator('n3', 1, ['n1', 'n2'], 1)), awaitAck]);
    expect(state.leaderId).toBe('n4');
    const ofWeaker = node('n2', heartbeat('n3', 1));
    expect(step(ofWeaker, heartbeat('n4', 1))[1]).toEqual(follows('n4', 1));
  });

  it('readmits whoever has passed it on', () => {
    const cutOff = step(follower, linkDown('n4'))[0];
    expect(step(cutOff, heard)[0].unreachable).toEqual([]);
  });

  it('deposes a leader of the same epoch, who tells its followers, and passes it on', () => {
    const [state, effects] = step(leader, passed(coordinator('n1', 4, ['n1'], 5)));
    expect(effects).toEqual([
      ack('n1', 5),
      ...stepsDown('deposed'),
      ...toAll('resigned', 4),
      send('n3', coordinator('n1', 4, ['n1', 'n2'], 3)),
    ]);
    expect(state).toMatchObject({ role: 'follower', leaderId: null, standing: false });
  });

  it('deposes a leader of an earlier epoch, who follows', () => {
    const [state, effects] = step(leader, heartbeat('n1', 5));
    expect(effects).toEqual([...stepsDown('deposed'), save(5), ...follows('n1', 5)]);
    expect(state).toMatchObject({ role: 'follower', leaderId: 'n1', standing: false, epoch: 5 });
  });
});

describe('being announced', () => {
  const named = (epoch: number, members: readonly NodeId[] = ['n1']) =>
    passed(coordinator('n2', epoch, members, 5));

  it('makes a node lead that stands', () => {
    const [state, effects] = step(candidate, named(4));
    expect(effects).toEqual([
      ack('n1', 5),
      save(4),
      cancelTimer('leader'),
      cancelTimer('election'),
      send('n3', coordinator('n2', 4, ['n1', 'n2'], 2)),
      { type: 'lead', token: 4n },
      setTimer('heartbeat', 50),
    ]);
    expect(state).toMatchObject({ role: 'leader', participant: false, leaderId: 'n2', epoch: 4 });
  });

  it('again changes nothing, and is passed on unless it has been', () => {
    expect(step(leader, named(4))[1]).toEqual([
      ack('n1', 5),
      send('n3', coordinator('n2', 4, ['n1', 'n2'], 3)),
    ]);
    expect(step(leader, named(4, ['n2', 'n1']))).toEqual([leader, [ack('n1', 5)]]);
  });

  it('in a later epoch deposes a leader: it has one token, and that is not it', () => {
    const [state, effects] = step(leader, named(5));
    expect(effects).toEqual([ack('n1', 5), ...stepsDown('deposed'), save(5), ...toAll('resigned', 5)]);
    expect(state).toMatchObject({ role: 'follower', leaderId: null, epoch: 5 });
  });

  it('is declined aloud by who does not stand, and in an epoch that is taken', () => {
    expect(step(vacant, named(4))).toEqual([
      { ...vacant, epoch: 4 },
      [ack('n1', 5), save(4), ...toAll('resigned', 4)],
    ]);
    expect(step(follower, named(1))).toEqual([follower, [ack('n1', 5), ...toAll('resigned', 1)]]);
    const patient = step(candidate, ill)[0];
    expect(step(patient, named(4))[1]).toContainEqual(send('n1', { type: 'resigned', epoch: 4 }));
  });
});

describe('hearing from a leader', () => {
  it('follows it, and saves an epoch that is new', () => {
    const [state, effects] = step(candidate, heartbeat('n1', 3));
    expect(effects).toEqual([save(3), ...follows('n1', 3)]);
    expect(state).toMatchObject({ role: 'follower', participant: false, leaderId: 'n1', epoch: 3 });
    expect(step(vacant, heartbeat('n1', 0))[1]).toEqual(follows('n1', 0));
  });

  it('has listened long enough then', () => {
    const listening = step(vacant, { type: 'restarted', durable: { epoch: 0 } })[0];
    expect(step(listening, heartbeat('n1', 0))[0].listening).toBe(false);
  });

  it('waits on, and takes part in no election any more', () => {
    expect(step(follower, heartbeat('n4', 1))).toEqual([follower, [awaitLeader]]);
    expect(step(participant, heartbeat('n4', 1))).toEqual([
      { ...participant, participant: false },
      [cancelTimer('election'), awaitLeader],
    ]);
  });

  it('tells one that has been succeeded', () => {
    const told = [send('n1', { type: 'superseded', epoch: 1 })];
    expect(step(follower, heartbeat('n1', 0))).toEqual([follower, told]);
  });

  it('takes no notice of a weaker one in the same epoch', () => {
    expect(step(follower, heartbeat('n1', 1))).toEqual([follower, []]);
  });
});

describe('losing the leader', () => {
  it('is noticed by silence and by a closed connection', () => {
    expect(step(follower, fires('leader'))[1]).toEqual(calls(election(1, ['n2'], 1), 'n3', awaitAck));
    const [state, effects] = step(follower, linkDown('n4'));
    expect(effects).toEqual(calls(election(1, ['n2'], 1), 'n3', awaitAck));
    expect(state).toMatchObject({ role: 'candidate', leaderId: null, unreachable: ['n4'] });
    expect(step(follower, linkDown('n3'))).toEqual([{ ...follower, unreachable: ['n3'] }, []]);
  });

  it('leaves who does not stand, or takes part in an election, without one', () => {
    const without = [cancelTimer('leader'), followNobody];
    expect(step(bystander, fires('leader'))).toEqual([{ ...bystander, leaderId: null }, without]);
    expect(step(participant, fires('leader'))).toEqual([{ ...participant, leaderId: null }, without]);
    expect(step(vacant, fires('leader'))).toEqual([vacant, [cancelTimer('leader')]]);
  });

  it('by its resignation makes the next in the ring call an election', () => {
    const next = node('n1', heartbeat('n4', 1), campaign);
    const [state, effects] = step(next, resigned('n4', 1));
    expect(effects).toEqual(calls(election(1, ['n1'], 1), 'n2', awaitAck));
    expect(state.role).toBe('candidate');
  });

  it('by its resignation makes the others wait', () => {
    expect(step(follower, resigned('n4', 1))).toEqual([
      { ...follower, leaderId: null },
      [followNobody, awaitLeader],
    ]);
  });

  it('is not what the resignation of another means, or an earlier one', () => {
    expect(step(follower, resigned('n3', 1))).toEqual([follower, []]);
    expect(step(follower, resigned('n4', 0))).toEqual([follower, []]);
  });

  it('is what a resignation means that is later than it', () => {
    expect(step(follower, resigned('n3', 2))).toEqual(step(follower, superseded(2)));
  });
});

describe('withdrawing', () => {
  it('of a leader is told to everyone', () => {
    const [state, effects] = step(leader, resign);
    expect(effects).toEqual([...stepsDown('resigned'), ...toAll('resigned', 4)]);
    expect(state).toEqual({ ...leader, role: 'follower', leaderId: null, standing: false });
  });

  it('of anybody else changes nothing but that: an election on its way may elect another', () => {
    const stepDown = [{ type: 'step-down', reason: 'resigned' }];
    expect(step(candidate, resign)).toEqual([{ ...candidate, role: 'follower', standing: false }, stepDown]);
    expect(step(follower, resign)).toEqual([{ ...follower, standing: false }, stepDown]);
  });
});

describe('hearing of a later epoch', () => {
  it('leaves a leader that has been succeeded, and saves the epoch', () => {
    const [state, effects] = step(follower, superseded(3));
    expect(effects).toEqual([followNobody, save(3)]);
    expect(state).toEqual({ ...follower, leaderId: null, epoch: 3 });
    expect(step(vacant, superseded(3))).toEqual([{ ...vacant, epoch: 3 }, [save(3)]]);
  });

  it('makes a candidate wait for the outcome like everybody else', () => {
    expect(step(candidate, superseded(3))).toEqual([
      { ...candidate, role: 'follower', epoch: 3 },
      [followNobody, save(3)],
    ]);
  });

  it('deposes a leader', () => {
    expect(step(leader, superseded(5))[1]).toEqual([...stepsDown('deposed'), save(5)]);
  });

  it('is no news when it is not later', () => {
    expect(step(leader, superseded(4))).toEqual([leader, []]);
    expect(step(leader, superseded(3))).toEqual([leader, []]);
  });
});

describe('health', () => {
  it('makes a leader go, and say so', () => {
    const [state, effects] = step(leader, ill);
    expect(effects).toEqual([...stepsDown('unhealthy'), ...toAll('resigned', 4)]);
    expect(state).toMatchObject({ role: 'follower', standing: false, healthy: false });
  });

  it('makes a candidate wait like everybody else, and is all the same to a follower', () => {
    expect(step(candidate, ill)).toEqual([
      { ...candidate, role: 'follower', healthy: false },
      [followNobody],
    ]);
    expect(step(follower, ill)).toEqual([{ ...follower, healthy: false }, []]);
    expect(step({ ...follower, healthy: false }, well)).toEqual([follower, []]);
  });

  it('regained makes a node stand that has no leader', () => {
    const patient = node('n2', campaign, ill, fires('election'));
    expect(step(patient, well)[1]).toEqual(calls(election(0, ['n2'], 2)));
  });
});

describe('handing over', () => {
  const two = step(participant, passed(election(1, ['n4', 'n1'], 6)))[0];
  const acked = (from: NodeId, hop: number) => hears(from, { type: 'ack', hop });

  it('is watched by one timer, which belongs to the oldest', () => {
    const [one, effects] = step(two, acked('n3', 1));
    expect([one.handed.map(({ message }) => message.hop), effects]).toEqual([[2], [awaitAck]]);
    expect(step(one, acked('n3', 2))).toEqual([{ ...one, handed: [] }, [cancelTimer('hop')]]);
    expect(step(one, acked('n3', 1))).toEqual([one, []]);
  });

  it('to one that is silent is done again with the next, for all that it had', () => {
    const [state, effects] = step(two, fires('hop'));
    expect(effects).toEqual([
      cancelTimer('hop'),
      send('n4', election(1, ['n1', 'n2'], 3)),
      awaitAck,
      send('n4', election(1, ['n4', 'n1', 'n2'], 4)),
    ]);
    expect(state).toMatchObject({ silent: ['n3'], hops: 4 });
    expect(state.handed.map(({ to }) => to)).toEqual(['n4', 'n4']);
  });

  it('to one whose connection closed leaves alone what others have', () => {
    const silent = step(two, fires('hop'))[0];
    const third = step(silent, heartbeat('n3', 1))[0];
    const mixed = step(third, passed(election(1, ['n1'], 9)))[0];
    expect(mixed.handed.map(({ to }) => to)).toEqual(['n4', 'n4', 'n3']);
    const [state, effects] = step(mixed, linkDown('n3'));
    expect(effects).toEqual([awaitAck, send('n4', election(1, ['n1', 'n2'], 6))]);
    expect(state.handed.map(({ message }) => message.hop)).toEqual([3, 4, 6]);
  });

  it('is over for what has been settled meanwhile', () => {
    const settled = step(candidate, heartbeat('n4', 1))[0];
    expect(step(settled, fires('hop'))).toEqual([
      { ...settled, silent: ['n3'], handed: [] },
      [cancelTimer('hop')],
    ]);
  });

  it('needs no timer when there is nothing', () => {
    expect(step(vacant, fires('hop'))).toEqual([vacant, []]);
  });

  it('strikes who is passed over off the list', () => {
    const cutOff = step(participant, linkDown('n1'))[0];
    const [, effects] = step(cutOff, linkDown('n3'));
    expect(effects).toEqual([cancelTimer('hop'), send('n4', election(1, ['n1', 'n2'], 2, ['n2'])), awaitAck]);
  });

  it('ends with who is alone: an election elects it, an announcement is at its end', () => {
    const alone = ['n1', 'n3', 'n4'].map(linkDown).reduce((state, input) => step(state, input)[0], candidate);
    expect(alone).toMatchObject({ role: 'leader', leaderId: 'n2', epoch: 1, handed: [] });
    const [, effects] = step(node('n2', linkDown('n1'), linkDown('n3'), linkDown('n4')), campaign);
    expect(effects).toEqual([
      cancelTimer('leader'),
      { type: 'campaign' },
      setTimer('election', 400),
      save(1),
      cancelTimer('leader'),
      cancelTimer('election'),
      { type: 'lead', token: 1n },
      setTimer('heartbeat', 50),
    ]);
  });
});

describe('a connection that comes up', () => {
  it('readmits the peer and sends it again what it may have missed', () => {
    const cutOff = step(candidate, linkDown('n3'))[0];
    expect(step(cutOff, linkUp('n3'))).toEqual([{ ...cutOff, unreachable: [] }, []]);
    expect(step(candidate, linkUp('n3'))[1]).toEqual([
      cancelTimer('hop'),
      send('n3', election(0, ['n2'], 2)),
      awaitAck,
    ]);
    expect(step(follower, linkUp('n3'))).toEqual([follower, []]);
  });

  it('readmits nobody else', () => {
    const two = node('n2', linkDown('n3'), linkDown('n4'));
    expect(step(two, linkUp('n3'))[0].unreachable).toEqual(['n4']);
    const silent: RingState = { ...vacant, silent: ['n3', 'n4'] };
    expect(step(silent, heartbeat('n4', 0))[0].silent).toEqual(['n3']);
  });

  it('is greeted by a leader', () => {
    const greeting = send('n1', { type: 'heartbeat', epoch: 4 });
    expect(step(leader, linkUp('n1'))).toEqual([leader, [greeting]]);
  });
});

describe('leading', () => {
  it('is told to everyone at every heartbeat', () => {
    const beat = [...toAll('heartbeat', 4), setTimer('heartbeat', 50)];
    expect(step(leader, fires('heartbeat'))).toEqual([leader, beat]);
  });

  it('has no lease to lose, no observers to serve and nothing to offer', () => {
    for (const input of [
      { type: 'lease-expired' } as const,
      { type: 'peer-gone', peer: 'n4', incarnation: 'first' } as const,
      { type: 'observation-changed', observed: true } as const,
      { type: 'requested', request: undefined as never } as const,
    ]) {
      expect(step(leader, input)).toEqual([leader, []]);
    }
  });
});

describe('a ring of Chang and Roberts', () => {
  const chang = (...inputs: RingInput[]) => {
    const first = initialState('n2', ['n1', 'n3', 'n4'], defaultSettings, 'chang-roberts');
    return inputs.reduce((state, input) => step(state, input)[0], first);
  };
  const id = (members: readonly [NodeId, ...NodeId[]], epoch = 0) =>
    election(epoch, members, 5, [members[0]]);

  it('passes a stronger candidate on, and takes part', () => {
    const [state, effects] = step(chang(), passed(id(['n4', 'n1'])));
    const onward = election(0, ['n4', 'n1', 'n2'], 1, ['n4']);
    expect(effects).toEqual([ack('n1', 5), awaitOutcome, send('n3', onward), awaitAck]);
    expect(state).toMatchObject({ participant: true, contender: false });
  });

  it('speaks for itself instead of a weaker one, once', () => {
    const standing = chang(heartbeat('n4', 1), campaign);
    const [state, effects] = step(standing, passed(id(['n1'], 1)));
    const own = election(1, ['n2'], 1);
    expect(effects).toEqual([ack('n1', 5), awaitOutcome, ...calls(own, 'n3', awaitAck)]);
    expect(step(state, passed(id(['n1'], 1)))).toEqual([state, [ack('n1', 5)]]);
  });

  it('speaks for itself instead of one that has been struck off', () => {
    const standing = chang(heartbeat('n4', 1), campaign);
    const [, effects] = step(standing, hears('n1', election(1, ['n3', 'n1'], 5, [])));
    expect(effects).toEqual([ack('n1', 5), awaitOutcome, ...calls(election(1, ['n2'], 1), 'n3', awaitAck)]);
  });

  it('carries the highest epoch that anybody who passed it on knows', () => {
    const [, effects] = step(chang(superseded(6)), passed(id(['n4', 'n1'], 2)));
    expect(effects).toContainEqual(send('n3', election(6, ['n4', 'n1', 'n2'], 1, ['n4'])));
  });

  it('elects whose id comes back, and nobody when it was another’s', () => {
    const own = chang(campaign);
    expect(step(own, passed(id(['n2', 'n3', 'n4', 'n1'])))[0]).toMatchObject({ role: 'leader', epoch: 1 });
    expect(step(own, hears('n1', election(0, ['n4', 'n2', 'n1'], 5, ['n4'])))).toEqual([own, [ack('n1', 5)]]);
  });
});
