/** What each rule does, to the last effect and in its order: what is not listed must not happen. */

import type { NodeId } from '@hustings/elector';
import { cancelTimer, type Effect, followNobody, type Input, send } from '@hustings/elector/protocol';
import { describe, expect, it } from 'vitest';
import {
  type BullyMessage,
  type BullyState,
  type BullyTimer,
  type BullyTypes,
  initialState,
  step,
} from '../src/index.js';

type BullyInput = Input<BullyTypes>;
type BullyEffect = Effect<BullyTypes>;

const campaign: BullyInput = { type: 'campaign-requested' };
const resign: BullyInput = { type: 'resign-requested' };
const ill: BullyInput = { type: 'health-changed', healthy: false };
const well: BullyInput = { type: 'health-changed', healthy: true };
const fires = (timer: BullyTimer): BullyInput => ({ type: 'timer-fired', timer });
const linkUp = (peer: NodeId): BullyInput => ({ type: 'link-up', peer });
const linkDown = (peer: NodeId): BullyInput => ({ type: 'link-down', peer });
const hears = (from: NodeId, type: BullyMessage['type'], epoch: number): BullyInput => ({
  type: 'received',
  from,
  message: { type, epoch },
});

/** A node of {n1, n2, n3, n4} after these inputs. */
function node(id: NodeId, ...inputs: BullyInput[]): BullyState {
  const peers = ['n4', 'n2', 'n1', 'n3'].filter((peer) => peer !== id);
  const first = initialState(id, peers);
  return [{ type: 'started' } as const, ...inputs].reduce((state, input) => step(state, input)[0], first);
}

const to = (peers: readonly NodeId[], type: BullyMessage['type'], epoch: number): BullyEffect[] =>
  peers.map((peer) => send(peer, { type, epoch }));
const exactly = (timer: BullyTimer, delayMs: number): BullyEffect => ({
  type: 'set-timer',
  timer,
  delayMs: [delayMs, delayMs],
});
const awaitLeader: BullyEffect = { type: 'set-timer', timer: 'leader', delayMs: [200, 300] };
const save = (epoch: number): BullyEffect => ({ type: 'save', durable: { epoch } });
const asks = (stronger: readonly NodeId[], epoch: number): BullyEffect[] => [
  cancelTimer('leader'),
  { type: 'campaign' },
  ...to(stronger, 'election', epoch),
  exactly('answer', 100),
];
const leads = (weaker: readonly NodeId[], stronger: readonly NodeId[], epoch: number): BullyEffect[] => [
  save(epoch),
  cancelTimer('coordinator'),
  ...to(weaker, 'coordinator', epoch),
  ...to(stronger, 'heartbeat', epoch),
  { type: 'lead', token: BigInt(epoch) },
  exactly('heartbeat', 50),
];
const follows = (leaderId: NodeId, epoch: number): BullyEffect[] => [
  cancelTimer('answer'),
  cancelTimer('coordinator'),
  { type: 'follow', leaderId, token: BigInt(epoch) },
  awaitLeader,
];
const stepsDown = (reason: 'resigned' | 'deposed' | 'unhealthy'): BullyEffect[] => [
  { type: 'step-down', reason },
  cancelTimer('answer'),
  cancelTimer('coordinator'),
  cancelTimer('heartbeat'),
  awaitLeader,
];

const follower = node('n2', campaign, hears('n4', 'coordinator', 1), hears('n4', 'heartbeat', 1));
const bystander = node('n2', hears('n4', 'coordinator', 1), hears('n4', 'heartbeat', 1));
const candidate = node('n2', campaign, fires('leader'));
const answered = step(candidate, hears('n3', 'answer', 0))[0];
const leader = step(candidate, fires('answer'))[0];
const patient = step(follower, ill)[0];

describe('coming up', () => {
  const fresh = initialState('n2', ['n1', 'n3', 'n4']);

  it('waits for a leader', () => {
    expect(step(fresh, { type: 'started' })).toEqual([fresh, [awaitLeader]]);
  });

  it('waits for a leader again after a restart, or a whole cluster that restarts would never elect one', () => {
    const restarted = step(fresh, { type: 'restarted', durable: { epoch: 7 } });
    expect(restarted).toEqual([{ ...fresh, epoch: 7 }, [awaitLeader]]);
  });

  it('asks nobody while it listens, even when it is asked to lead or gets well', () => {
    const standing = { ...fresh, standing: true };
    expect(step(fresh, campaign)).toEqual([standing, []]);
    expect(step({ ...standing, healthy: false }, well)).toEqual([standing, []]);
  });

  it('has listened long enough when the time for a leader is over, wanted or not', () => {
    expect(step(fresh, fires('leader'))).toEqual([{ ...fresh, listening: false }, []]);
    expect(step({ ...fresh, listening: false }, campaign)[1]).toEqual(asks(['n3', 'n4'], 0));
  });
});

describe('calling an election', () => {
  it('asks the stronger and waits for 2T', () => {
    const [state, effects] = step(follower, fires('leader'));
    expect(effects).toEqual(asks(['n3', 'n4'], 1));
    expect(state).toEqual({ ...follower, listening: false, role: 'candidate', leaderId: null });
  });

  it('is over at once for the strongest', () => {
    const [state, effects] = step(node('n4', campaign), fires('leader'));
    expect(effects).toEqual([
      cancelTimer('leader'),
      { type: 'campaign' },
      ...leads(['n1', 'n2', 'n3'], [], 1),
    ]);
    expect(state).toMatchObject({
      role: 'leader',
      listening: false,
      answered: false,
      leaderId: 'n4',
      epoch: 1,
    });
  });

  it('begins anew, unanswered, when no leader was announced', () => {
    const [state, effects] = step(answered, fires('coordinator'));
    expect(effects).toEqual(asks(['n3', 'n4'], 0));
    expect(state).toEqual(candidate);
  });

  it('follows the application: who follows a weaker one and is asked to lead does so, others wait', () => {
    const weaklyLed = node('n2', hears('n1', 'coordinator', 1));
    expect(step(weaklyLed, campaign)[1]).toEqual(asks(['n3', 'n4'], 1));
    expect(step(bystander, campaign)).toEqual([{ ...bystander, standing: true }, []]);
    expect(step(candidate, campaign)).toEqual([candidate, []]);
    expect(step(leader, campaign)).toEqual([leader, []]);
  });

  it('is not for the ill', () => {
    const alone = step(patient, fires('leader'))[0];
    expect(step(alone, campaign)).toEqual([alone, []]);
  });
});

describe('being asked', () => {
  it('answers a weaker node and asks in its turn', () => {
    const [state, effects] = step(follower, hears('n1', 'election', 1));
    expect(effects).toEqual([...to(['n1'], 'answer', 1), ...asks(['n3', 'n4'], 1)]);
    expect(state.role).toBe('candidate');
  });

  it('answers and leaves it at that when the leader has just spoken', () => {
    const assured = step(follower, hears('n4', 'coordinator', 1))[0];
    expect(step(assured, hears('n1', 'election', 1))).toEqual([assured, to(['n1'], 'answer', 1)]);
  });

  it('answers as a candidate, and as a leader says so', () => {
    expect(step(answered, hears('n1', 'election', 0))).toEqual([answered, to(['n1'], 'answer', 0)]);
    expect(step(leader, hears('n1', 'election', 1))).toEqual([
      leader,
      [...to(['n1'], 'answer', 1), ...to(['n1'], 'coordinator', 1)],
    ]);
  });

  it('has nothing to say to a stronger node, when it does not stand, or when it is ill', () => {
    expect(step(follower, hears('n3', 'election', 1))).toEqual([follower, []]);
    expect(step(bystander, hears('n1', 'election', 1))).toEqual([bystander, []]);
    expect(step(patient, hears('n1', 'election', 1))).toEqual([patient, []]);
  });
});

describe('an answer', () => {
  it('makes a candidate stand back for 3T', () => {
    const stoodBack = step(candidate, hears('n4', 'answer', 0));
    expect(stoodBack).toEqual([
      { ...candidate, answered: true },
      [cancelTimer('answer'), exactly('coordinator', 150)],
    ]);
  });

  it('is for those who asked, and from those who were asked', () => {
    expect(step(candidate, hears('n1', 'answer', 0))).toEqual([candidate, []]);
    expect(step(answered, hears('n4', 'answer', 0))).toEqual([answered, []]);
    expect(step(follower, hears('n4', 'answer', 1))).toEqual([follower, []]);
    expect(step(leader, hears('n4', 'answer', 1))).toEqual([leader, []]);
  });
});

describe('leading', () => {
  it('is saved, then told: the weaker follow, the stronger may depose', () => {
    const [state, effects] = step(candidate, fires('answer'));
    expect(effects).toEqual(leads(['n1'], ['n3', 'n4'], 1));
    expect(state).toEqual({ ...candidate, role: 'leader', leaderId: 'n2', epoch: 1 });
  });

  it('is told to everyone at every heartbeat', () => {
    const beat = step(leader, fires('heartbeat'));
    expect(beat).toEqual([leader, [...to(['n1', 'n3', 'n4'], 'heartbeat', 1), exactly('heartbeat', 50)]]);
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

describe('hearing a leader', () => {
  it('follows, and stops whatever it had begun', () => {
    const [state, effects] = step(answered, hears('n4', 'coordinator', 0));
    expect(effects).toEqual(follows('n4', 0));
    expect(state).toEqual({ ...answered, role: 'follower', answered: false, assured: true, leaderId: 'n4' });
  });

  it('follows who is heard of by heartbeat only, but is not assured by that', () => {
    const [state, effects] = step(node('n2', campaign), hears('n4', 'heartbeat', 0));
    expect(effects).toEqual(follows('n4', 0));
    expect(state).toMatchObject({ listening: false, role: 'follower', assured: false, leaderId: 'n4' });
  });

  it('waits on, assured by an announcement until the next heartbeat', () => {
    const assured = { ...follower, assured: true };
    expect(step(follower, hears('n4', 'coordinator', 1))).toEqual([assured, [awaitLeader]]);
    expect(step(assured, hears('n4', 'heartbeat', 1))).toEqual([follower, [awaitLeader]]);
    expect(step(assured, hears('n4', 'coordinator', 1))[0]).toBe(assured);
    expect(step(follower, hears('n4', 'heartbeat', 1))[0]).toBe(follower);
  });

  it('ignores one that has been succeeded', () => {
    const later = node('n2', campaign, hears('n3', 'coordinator', 5));
    expect(step(later, hears('n4', 'coordinator', 4))).toEqual([later, []]);
    expect(step(later, hears('n3', 'heartbeat', 4))).toEqual([later, []]);
  });

  it('holds to the stronger of two in one epoch', () => {
    expect(step(follower, hears('n3', 'coordinator', 1))).toEqual([follower, []]);
    const ofWeaker = node('n2', campaign, hears('n3', 'coordinator', 1));
    expect(step(ofWeaker, hears('n4', 'coordinator', 1))[1]).toEqual(follows('n4', 1));
  });

  it('deposes a weaker one, unless it is at that already', () => {
    expect(step(node('n2', campaign), hears('n1', 'coordinator', 0))[1]).toEqual(asks(['n3', 'n4'], 0));
    expect(step(answered, hears('n1', 'coordinator', 0))).toEqual([answered, []]);
  });

  it('follows a weaker one when it does not stand, or is ill', () => {
    expect(step(node('n2'), hears('n1', 'heartbeat', 0))[1]).toEqual(follows('n1', 0));
    expect(step(node('n2', campaign, ill), hears('n1', 'heartbeat', 0))[1]).toEqual(follows('n1', 0));
  });

  it('steps down before it follows, as a leader, whoever of the two is stronger', () => {
    for (const rival of ['n1', 'n4']) {
      const [state, effects] = step(leader, hears(rival, 'heartbeat', 1));
      expect(effects).toEqual([...stepsDown('deposed'), ...follows(rival, 1)]);
      expect(state).toMatchObject({ role: 'follower', leaderId: rival, standing: false });
    }
  });
});

describe('losing the leader', () => {
  it('is noticed by silence and by a closed connection alike', () => {
    expect(step(follower, linkDown('n4'))).toEqual(step(follower, fires('leader')));
    expect(step(follower, linkDown('n3'))).toEqual([follower, []]);
    expect(step(candidate, linkDown('n4'))).toEqual([candidate, []]);
  });

  it('leaves who does not stand, or is ill, without one', () => {
    const alone = { ...bystander, leaderId: null };
    expect(step(bystander, fires('leader'))).toEqual([alone, [cancelTimer('leader'), followNobody]]);
    expect(step(patient, fires('leader'))[1]).toEqual([cancelTimer('leader'), followNobody]);
    expect(step(alone, fires('leader'))).toEqual([alone, []]);
  });

  it('by its resignation makes the strongest of the rest lead at once', () => {
    const heir = node('n3', campaign, hears('n4', 'coordinator', 1));
    const [state, effects] = step(heir, hears('n4', 'resigned', 1));
    expect(effects).toEqual([cancelTimer('leader'), { type: 'campaign' }, ...leads(['n1', 'n2'], ['n4'], 2)]);
    expect(state).toMatchObject({ role: 'leader', leaderId: 'n3', epoch: 2, answered: false });
  });

  it('by its resignation makes the others wait for the heir', () => {
    const [state, effects] = step(follower, hears('n4', 'resigned', 1));
    const waits = [cancelTimer('answer'), exactly('coordinator', 150)];
    expect(effects).toEqual([cancelTimer('leader'), { type: 'campaign' }, ...waits]);
    expect(state).toEqual({ ...follower, role: 'candidate', answered: true, leaderId: null });
  });

  it('by its resignation leaves who does not stand without one', () => {
    expect(step(bystander, hears('n4', 'resigned', 1))).toEqual(step(bystander, fires('leader')));
  });

  it('is not what the resignation of another means', () => {
    expect(step(follower, hears('n3', 'resigned', 1))).toEqual([follower, []]);
    expect(step(candidate, hears('n3', 'resigned', 0))).toEqual([candidate, []]);
  });
});

describe('withdrawing', () => {
  it('of a leader is told to everyone', () => {
    const [state, effects] = step(leader, resign);
    expect(effects).toEqual([...stepsDown('resigned'), ...to(['n1', 'n3', 'n4'], 'resigned', 1)]);
    expect(state).toEqual({ ...leader, role: 'follower', leaderId: null, standing: false });
  });

  it('of a candidate is nobody else’s business', () => {
    expect(step(answered, resign)).toEqual([
      { ...answered, role: 'follower', answered: false, standing: false },
      stepsDown('resigned'),
    ]);
  });

  it('of a follower changes nothing but that', () => {
    const stepDown = [{ type: 'step-down', reason: 'resigned' }];
    expect(step(follower, resign)).toEqual([{ ...follower, standing: false }, stepDown]);
  });
});

describe('hearing of a later epoch', () => {
  it('saves it before anything else', () => {
    const [state, effects] = step(candidate, hears('n1', 'election', 3));
    expect(effects).toEqual([save(3), ...to(['n1'], 'answer', 3)]);
    expect(state).toEqual({ ...candidate, epoch: 3 });
  });

  it('leaves a leader that has been succeeded', () => {
    const [state, effects] = step(follower, hears('n3', 'answer', 3));
    expect(effects).toEqual([followNobody, save(3)]);
    expect(state).toEqual({ ...follower, leaderId: null, epoch: 3 });
  });

  it('steps down as a leader, and says no farewell: whoever deposed it announces itself', () => {
    const [state, effects] = step(leader, hears('n1', 'answer', 3));
    expect(effects).toEqual([...stepsDown('deposed'), save(3)]);
    expect(state).toMatchObject({ role: 'follower', leaderId: null, standing: false, epoch: 3 });
  });
});

describe('health', () => {
  it('makes a leader go, and say so', () => {
    const [state, effects] = step(leader, ill);
    expect(effects).toEqual([...stepsDown('unhealthy'), ...to(['n1', 'n3', 'n4'], 'resigned', 1)]);
    expect(state).toMatchObject({ role: 'follower', standing: false, healthy: false });
  });

  it('makes a candidate give up its election, but not its wish', () => {
    expect(step(answered, ill)).toEqual([
      { ...answered, role: 'follower', answered: false, healthy: false },
      [cancelTimer('answer'), cancelTimer('coordinator'), followNobody, awaitLeader],
    ]);
  });

  it('is all the same to a follower of a stronger one', () => {
    expect(step(follower, ill)).toEqual([{ ...follower, healthy: false }, []]);
    expect(step(patient, well)).toEqual([follower, []]);
  });

  it('regained makes a node stand that has no leader', () => {
    const alone = step(patient, fires('leader'))[0];
    expect(step(alone, well)[1]).toEqual(asks(['n3', 'n4'], 1));
  });
});

describe('a connection that comes up', () => {
  it('is told what it missed', () => {
    expect(step(leader, linkUp('n1'))).toEqual([leader, to(['n1'], 'coordinator', 1)]);
    expect(step(leader, linkUp('n3'))).toEqual([leader, to(['n3'], 'heartbeat', 1)]);
    expect(step(candidate, linkUp('n3'))).toEqual([candidate, to(['n3'], 'election', 0)]);
  });

  it('is told nothing that does not concern it', () => {
    expect(step(candidate, linkUp('n1'))).toEqual([candidate, []]);
    expect(step(answered, linkUp('n3'))).toEqual([answered, []]);
    expect(step(follower, linkUp('n3'))).toEqual([follower, []]);
  });
});
