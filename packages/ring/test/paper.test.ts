/**
 * A test per rule of election on a ring: the list-collecting algorithm of the textbooks; E. Chang and R.
 * Roberts, "An Improved Algorithm for Decentralized Extrema-Finding in Circular Configurations of Processes",
 * 1979; and of what we add to keep the ring whole.
 */

import type { NodeId } from '@hustings/elector';
import type { Effect, Input } from '@hustings/elector/protocol';
import { describe, expect, it } from 'vitest';
import type { RingTypes } from '../src/index.js';
import {
  defaultSettings,
  initialState,
  type RingMessage,
  type RingState,
  type RingTimer,
  type RingVariant,
  step,
} from '../src/index.js';

type RingInput = Input<RingTypes>;
type RingEffect = Effect<RingTypes>;

const campaign: RingInput = { type: 'campaign-requested' };
const resign: RingInput = { type: 'resign-requested' };
const fires = (timer: RingTimer): RingInput => ({ type: 'timer-fired', timer });
const hears = (from: NodeId, message: RingMessage): RingInput => ({ type: 'received', from, message });
const heartbeat = (from: NodeId, epoch: number) => hears(from, { type: 'heartbeat', epoch });
const ack = (from: NodeId, hop: number) => hears(from, { type: 'ack', hop });
const linkDown = (peer: NodeId): RingInput => ({ type: 'link-down', peer });
const linkUp = (peer: NodeId): RingInput => ({ type: 'link-up', peer });

/** An election that its last member hands over. */
const election = (members: readonly NodeId[], epoch: number, candidates = members): RingInput =>
  hears(members.at(-1)!, { type: 'election', epoch, members, candidates, hop: 1 });
const coordinator = (leaderId: NodeId, epoch: number, members: readonly NodeId[]): RingInput =>
  hears(members.at(-1)!, { type: 'coordinator', epoch, leaderId, members, hop: 1 });

type Outcome = [RingState, readonly RingEffect[]];

/** A node of a ring in the order of rank after these inputs, and what it did at the last of them. */
function after(id: NodeId, size: number, ...inputs: RingInput[]): Outcome {
  return afterIn('default', id, size, inputs);
}

function afterIn(variant: RingVariant, id: NodeId, size: number, inputs: readonly RingInput[]): Outcome {
  const members = Array.from({ length: size }, (_, index) => `n${index + 1}`);
  const peers = members.filter((member) => member !== id);
  let state = initialState(id, peers, defaultSettings, variant);
  let effects: readonly RingEffect[] = [];
  for (const input of [{ type: 'started' } as const, ...inputs]) [state, effects] = step(state, input);
  return [state, effects];
}

/** What was sent of one type, and to whom. */
const sent = (effects: readonly RingEffect[], type: RingMessage['type']): [NodeId, RingMessage][] =>
  effects.flatMap((effect) =>
    effect.type === 'send' && effect.message.type === type ? [[effect.to, effect.message]] : [],
  );
const receivers = (effects: readonly RingEffect[], type: RingMessage['type']): NodeId[] =>
  sent(effects, type).map(([to]) => to);
const typesOf = (effects: readonly RingEffect[]) => effects.map(({ type }) => type);

describe('given node 2 of {1, 2, 3, 4} that follows node 4', () => {
  const following = [heartbeat('n4', 1), campaign];

  describe('when node 4 falls silent', () => {
    const [state, effects] = after('n2', 4, ...following, fires('leader'));
    it('then it calls an election', () => {
      expect(state).toMatchObject({ role: 'candidate', leaderId: null });
      expect(typesOf(effects)).toContain('campaign');
    });
    it('then it hands a list with its own name to its neighbour, and to nobody else', () => {
      const list = { type: 'election', epoch: 1, members: ['n2'], candidates: ['n2'] };
      expect(sent(effects, 'election')).toMatchObject([['n3', list]]);
    });
    it('then it gives the neighbour 2T to acknowledge it', () => {
      expect(effects).toContainEqual({ type: 'set-timer', timer: 'hop', delayMs: [100, 100] });
    });
    it('then it gives the election 2T for each node to come back', () => {
      expect(effects).toContainEqual({ type: 'set-timer', timer: 'election', delayMs: [400, 400] });
    });
  });

  describe('when the connection to node 4 closes', () => {
    it('then it calls an election at once', () => {
      expect(after('n2', 4, ...following, linkDown('n4'))[0].role).toBe('candidate');
    });
  });

  describe('when the connection to another node closes', () => {
    it('then it goes on following', () => {
      expect(after('n2', 4, ...following, linkDown('n3'))[0]).toMatchObject({ leaderId: 'n4' });
    });
  });

  describe('when node 4 goes on sending heartbeats', () => {
    const [state] = after('n2', 4, ...following);
    const [next, effects] = step(state, heartbeat('n4', 1));
    it('then it does nothing but wait for the next one', () => {
      expect(next).toBe(state);
      expect(effects).toEqual([{ type: 'set-timer', timer: 'leader', delayMs: [200, 300] }]);
    });
  });

  describe('when an election comes by', () => {
    const [state, effects] = after('n2', 4, ...following, election(['n1'], 1));
    it('then it acknowledges it', () =>
      expect(sent(effects, 'ack')).toEqual([['n1', { type: 'ack', hop: 1 }]]));
    it('then it adds itself to the list and passes it on', () => {
      const list = { members: ['n1', 'n2'], candidates: ['n1', 'n2'] };
      expect(sent(effects, 'election')).toMatchObject([['n3', list]]);
    });
    it('then it calls no election when it, too, loses the leader', () => {
      const [next, more] = step(state, fires('leader'));
      expect(next).toMatchObject({ role: 'follower', leaderId: null });
      expect(sent(more, 'election')).toEqual([]);
    });
    it('then it calls one when no outcome is announced in time', () => {
      const [leaderless] = step(state, fires('leader'));
      expect(step(leaderless, fires('election'))[0].role).toBe('candidate');
    });
    it('then it calls none when the leader turns out to be alive', () => {
      const [next] = step(state, heartbeat('n4', 1));
      expect(next).toMatchObject({ leaderId: 'n4', participant: false });
    });
  });

  describe('when an election comes by that knows of a higher epoch', () => {
    const [state, effects] = after('n2', 4, ...following, election(['n1'], 5));
    it('then it follows node 4 no longer, which somebody has succeeded', () => {
      expect(state).toMatchObject({ leaderId: null, epoch: 5 });
      expect(effects).toContainEqual({ type: 'save', durable: { epoch: 5 } });
    });
  });

  describe('when an election comes by of an epoch before node 4', () => {
    const [state, effects] = after('n2', 4, ...following, election(['n1'], 0));
    it('then it acknowledges it and lets it end: it has been overtaken', () => {
      expect(typesOf(effects)).toEqual(['send']);
      expect(receivers(effects, 'ack')).toEqual(['n1']);
      expect(state.leaderId).toBe('n4');
    });
  });

  describe('when it stands, although it is asked to lead', () => {
    it('then it goes on following: a living leader is not voted out', () => {
      expect(after('n2', 4, heartbeat('n1', 1), campaign)[0]).toMatchObject({
        role: 'follower',
        leaderId: 'n1',
      });
    });
  });
});

describe('given node 2 of {1, 2, 3, 4} that does not stand', () => {
  it('passes an election on without adding itself', () => {
    const [, effects] = after('n2', 4, election(['n1'], 0));
    expect(sent(effects, 'election')).toMatchObject([['n3', { members: ['n1', 'n2'], candidates: ['n1'] }]]);
  });

  it('does not enter the same election when it stands later', () => {
    const [, effects] = after('n2', 4, election(['n1'], 0), campaign, election(['n4', 'n1'], 0));
    expect(sent(effects, 'election')).toMatchObject([['n3', { candidates: ['n4', 'n1'] }]]);
  });

  it('calls no election when the leader is gone', () => {
    const [state, effects] = after('n2', 4, heartbeat('n4', 1), fires('leader'));
    expect(state).toMatchObject({ role: 'follower', leaderId: null });
    expect(effects).toContainEqual({ type: 'follow', leaderId: null, token: null });
  });
});

describe('given node 2 of {1, 2, 3, 4} whose election has come back', () => {
  const called = [campaign];

  describe('when a stronger node is on the list', () => {
    const [state, effects] = after('n2', 4, ...called, election(['n2', 'n3', 'n4', 'n1'], 7));
    it('then it announces the strongest, in an epoch that nobody has heard of', () => {
      const announcement = { type: 'coordinator', leaderId: 'n4', epoch: 8, members: ['n2'] };
      expect(sent(effects, 'coordinator')).toMatchObject([['n3', announcement]]);
    });
    it('then it follows that node', () => expect(state).toMatchObject({ role: 'follower', leaderId: 'n4' }));
    it('then the epoch is on disk before anybody hears of it', () => {
      const saved = effects.findLastIndex(({ type }) => type === 'save');
      const announced = effects.findIndex(
        (effect) => effect.type === 'send' && effect.message.type === 'coordinator',
      );
      expect(effects[saved]).toEqual({ type: 'save', durable: { epoch: 8 } });
      expect(saved).toBeLessThan(announced);
    });
    it('then it waits a round longer than usual for the first heartbeat', () => {
      expect(effects).toContainEqual({ type: 'set-timer', timer: 'leader', delayMs: [600, 700] });
    });
    it('then a second copy of the election changes nothing', () => {
      const [next, more] = step(state, election(['n2', 'n4', 'n1'], 7));
      expect(next).toEqual(state);
      expect(typesOf(more)).toEqual(['send']);
    });
    it('then the announcement ends when it has come back', () => {
      const [, more] = step(state, coordinator('n4', 8, ['n2', 'n3', 'n4', 'n1']));
      expect(sent(more, 'coordinator')).toEqual([]);
    });
  });

  describe('when it is the strongest on the list', () => {
    const [state, effects] = after('n2', 4, ...called, election(['n2', 'n3', 'n1'], 7, ['n2', 'n1']));
    it('then it leads', () => {
      expect(state).toMatchObject({ role: 'leader', leaderId: 'n2', epoch: 8 });
      expect(effects).toContainEqual({ type: 'lead', token: 8n });
    });
    it('then it announces itself round the ring', () => {
      expect(sent(effects, 'coordinator')).toMatchObject([['n3', { leaderId: 'n2', epoch: 8 }]]);
    });
  });

  describe('when the strongest on the list has died since', () => {
    it('then it announces the next', () => {
      const [, effects] = after('n2', 4, ...called, linkDown('n4'), election(['n2', 'n3', 'n4', 'n1'], 0));
      expect(sent(effects, 'coordinator')).toMatchObject([['n3', { leaderId: 'n3' }]]);
    });
  });

  describe('when it has withdrawn meanwhile', () => {
    it('then it announces the strongest of the others', () => {
      const [state, effects] = after('n4', 4, campaign, resign, election(['n4', 'n1', 'n2', 'n3'], 0));
      expect(sent(effects, 'coordinator')).toMatchObject([['n1', { leaderId: 'n3' }]]);
      expect(state).toMatchObject({ role: 'follower', leaderId: 'n3' });
    });
  });
});

describe('given node 3 of {1, 2, 3, 4, 5} whose own list is on its way', () => {
  const [candidate] = after('n3', 5, campaign);

  describe('when a list comes by that a node before it in the ring has started', () => {
    const [state, effects] = step(candidate, election(['n1', 'n2'], 0));
    it('then it acknowledges it and lets it end: its own will come to everyone on it', () => {
      expect(receivers(effects, 'ack')).toEqual(['n2']);
      expect(sent(effects, 'election')).toEqual([]);
      expect(state.role).toBe('candidate');
    });
  });

  describe('when a list comes by that a node after it in the ring has started', () => {
    const [, effects] = step(candidate, election(['n4', 'n5', 'n1', 'n2'], 0));
    it('then it adds itself and passes it on: that one goes all the way', () => {
      expect(sent(effects, 'election')).toMatchObject([
        ['n4', { candidates: ['n4', 'n5', 'n1', 'n2', 'n3'] }],
      ]);
    });
  });

  describe('when a list comes by that knows of a later epoch', () => {
    const [state, effects] = step(candidate, election(['n1', 'n2'], 3));
    it('then it passes it on, for its own may have ended at a follower of that epoch', () => {
      expect(sent(effects, 'election')).toMatchObject([['n4', { candidates: ['n1', 'n2', 'n3'], epoch: 3 }]]);
    });
    it('then it waits for the outcome, and calls an election again when there is none', () => {
      expect(state).toMatchObject({ role: 'follower', participant: true, leaderId: null });
      expect(effects).toContainEqual({ type: 'follow', leaderId: null, token: null });
      expect(step(state, fires('election'))[0].role).toBe('candidate');
    });
  });

  describe('when all elections are to run', () => {
    const settings = { ...defaultSettings, allElectionsRun: true };
    const [own] = step(initialState('n3', ['n1', 'n2', 'n4', 'n5'], settings), campaign);
    it('then it passes every list on, as in the textbook', () => {
      const [, effects] = step(own, election(['n1', 'n2'], 0));
      expect(receivers(effects, 'election')).toEqual(['n4']);
    });
  });
});

describe('given node 3 of {1, 2, 3, 4, 5} that takes part in an election that another has called', () => {
  it('passes the list of a node before it on: none of its own is on its way', () => {
    const [, effects] = after(
      'n3',
      5,
      heartbeat('n5', 1),
      campaign,
      election(['n2'], 1),
      election(['n1', 'n2'], 1),
    );
    expect(receivers(effects, 'election')).toEqual(['n4']);
  });
});

describe('given an election that does not come back', () => {
  it('is started again when its time is up, and not before', () => {
    const [waiting] = after('n2', 3, campaign, ack('n3', 1));
    expect(waiting.role).toBe('candidate');
    const [state, effects] = step(waiting, fires('election'));
    expect(state.role).toBe('candidate');
    expect(sent(effects, 'election')).toMatchObject([['n3', { members: ['n2'] }]]);
  });

  it('is finished, if the node that started it has died, by the next one that it reaches again', () => {
    const [, effects] = after('n2', 3, campaign, election(['n1', 'n2', 'n3'], 0, ['n2', 'n3']));
    expect(sent(effects, 'coordinator')).toMatchObject([['n3', { leaderId: 'n3', members: ['n2'] }]]);
  });

  it('does not elect the node that started it and has died', () => {
    const [state] = after('n2', 3, heartbeat('n3', 1), campaign, election(['n3', 'n1'], 1));
    const [, effects] = step(state, linkDown('n3'));
    expect(sent(effects, 'election')[0]).toMatchObject(['n1', { candidates: ['n1', 'n2'] }]);
  });
});

describe('given node 1 of {1, 2, 3} that hears an announcement', () => {
  const [state, effects] = after('n1', 3, campaign, coordinator('n2', 4, ['n3']));

  it('follows the leader that it names', () => {
    expect(state).toMatchObject({ role: 'follower', leaderId: 'n2', epoch: 4 });
    expect(effects).toContainEqual({ type: 'follow', leaderId: 'n2', token: 4n });
  });

  it('acknowledges it and passes it on', () => {
    expect(receivers(effects, 'ack')).toEqual(['n3']);
    expect(sent(effects, 'coordinator')).toMatchObject([['n2', { leaderId: 'n2', members: ['n3', 'n1'] }]]);
  });

  it('lets an older one end', () => {
    const [next, more] = step(state, coordinator('n3', 3, ['n3']));
    expect(next.leaderId).toBe('n2');
    expect(sent(more, 'coordinator')).toEqual([]);
  });

  it('holds to the stronger of two leaders in one epoch, and passes both on', () => {
    const [stronger] = step(state, coordinator('n3', 4, ['n3']));
    expect(stronger.leaderId).toBe('n3');
    const [still, more] = step(stronger, coordinator('n2', 4, ['n3']));
    expect(still.leaderId).toBe('n3');
    expect(receivers(more, 'coordinator')).toEqual(['n2']);
  });
});

describe('given a node that is announced as leader', () => {
  it('leads, having saved the epoch, and passes the announcement on', () => {
    const [state, effects] = after('n2', 3, campaign, coordinator('n2', 4, ['n1']));
    expect(state).toMatchObject({ role: 'leader', epoch: 4 });
    expect(sent(effects, 'coordinator')).toMatchObject([['n3', { leaderId: 'n2', members: ['n1', 'n2'] }]]);
    const types = typesOf(effects);
    expect(types.indexOf('save')).toBeLessThan(types.indexOf('lead'));
  });

  it('leads once, although two elections have elected it', () => {
    const [state, effects] = after(
      'n2',
      3,
      campaign,
      coordinator('n2', 4, ['n1']),
      coordinator('n2', 4, ['n3', 'n1']),
    );
    expect(state).toMatchObject({ role: 'leader', epoch: 4 });
    expect(typesOf(effects)).not.toContain('lead');
    expect(receivers(effects, 'coordinator')).toEqual(['n3']);
  });

  it('declines when it no longer stands, and says so to everyone', () => {
    const [state, effects] = after('n2', 3, campaign, resign, coordinator('n2', 4, ['n1']));
    expect(state.role).toBe('follower');
    expect(sent(effects, 'resigned')).toEqual([
      ['n3', { type: 'resigned', epoch: 4 }],
      ['n1', { type: 'resigned', epoch: 4 }],
    ]);
  });

  it('declines an epoch that has a leader', () => {
    const [state, effects] = after('n2', 3, campaign, heartbeat('n1', 4), coordinator('n2', 4, ['n1']));
    expect(state).toMatchObject({ role: 'follower', leaderId: 'n1' });
    expect(receivers(effects, 'resigned')).toEqual(['n3', 'n1']);
  });
});

describe('given a leader', () => {
  const leading = [campaign, coordinator('n2', 4, ['n1'])];

  it('tells everyone, at every heartbeat, that it is there', () => {
    const [, effects] = after('n2', 3, ...leading, fires('heartbeat'));
    expect(receivers(effects, 'heartbeat')).toEqual(['n3', 'n1']);
    expect(effects).toContainEqual({ type: 'set-timer', timer: 'heartbeat', delayMs: [50, 50] });
  });

  it('ends an election that comes by, and tells the one who called it that it is there', () => {
    const [state, effects] = after('n2', 3, ...leading, election(['n3', 'n1'], 4));
    expect(state.role).toBe('leader');
    expect(receivers(effects, 'heartbeat')).toEqual(['n3']);
    expect(sent(effects, 'election')).toEqual([]);
  });

  it('steps down before anything else when a later leader appears', () => {
    const [state, effects] = after('n2', 3, ...leading, heartbeat('n1', 5));
    expect(state).toMatchObject({ role: 'follower', leaderId: 'n1', epoch: 5 });
    expect(effects[0]).toEqual({ type: 'step-down', reason: 'deposed' });
  });

  it('steps down when it hears that a later epoch has begun', () => {
    const [state, effects] = after('n2', 3, ...leading, hears('n1', { type: 'superseded', epoch: 6 }));
    expect(state).toMatchObject({ role: 'follower', leaderId: null, epoch: 6 });
    expect(effects[0]).toEqual({ type: 'step-down', reason: 'deposed' });
  });

  it('steps down when another leads in the same epoch, even a weaker one, and leaves its followers to it', () => {
    const [state, effects] = after('n2', 3, ...leading, heartbeat('n1', 4));
    expect(state).toMatchObject({ role: 'follower', leaderId: null });
    expect(effects[0]).toEqual({ type: 'step-down', reason: 'deposed' });
    expect(receivers(effects, 'resigned')).toEqual(['n3', 'n1']);
  });

  it('greets a node whose connection comes up', () => {
    const [, effects] = after('n2', 3, ...leading, linkUp('n1'));
    expect(receivers(effects, 'heartbeat')).toEqual(['n1']);
  });

  it('is told by whoever hears from it that it has been succeeded', () => {
    const [state, effects] = after('n1', 3, heartbeat('n3', 5), heartbeat('n2', 4));
    expect(state.leaderId).toBe('n3');
    expect(effects).toEqual([{ type: 'send', to: 'n2', message: { type: 'superseded', epoch: 5 } }]);
  });
});

describe('given a neighbour that does not acknowledge', () => {
  it('is passed over after 2T', () => {
    const [state, effects] = after('n1', 4, campaign, fires('hop'));
    expect(state.silent).toEqual(['n2']);
    expect(receivers(effects, 'election')).toEqual(['n3']);
  });

  it('is passed over at once when its connection closes', () => {
    const [, effects] = after('n1', 4, campaign, linkDown('n2'));
    expect(receivers(effects, 'election')).toEqual(['n3']);
  });

  it('is not passed over when it has acknowledged', () => {
    const [state, effects] = after('n1', 4, campaign, ack('n2', 1));
    expect(state.handed).toEqual([]);
    expect(effects).toEqual([{ type: 'cancel-timer', timer: 'hop' }]);
  });

  it('is not spared by the acknowledgement of another message', () => {
    const [state, effects] = after('n1', 4, campaign, ack('n2', 9));
    expect(state.handed).toHaveLength(1);
    expect(effects).toEqual([]);
  });

  it('is tried first again as soon as it is heard of', () => {
    for (const sign of [linkUp('n2'), ack('n2', 1), election(['n2', 'n4'], 0)]) {
      const [state] = after('n1', 4, campaign, fires('hop'), sign);
      expect(state.silent).toEqual([]);
    }
  });

  it('is tried first again in the next election', () => {
    const [, effects] = after('n1', 4, campaign, fires('hop'), heartbeat('n4', 1), fires('leader'));
    expect(receivers(effects, 'election')).toEqual(['n2']);
  });

  it('is not tried again while its connection is closed', () => {
    const [, effects] = after('n1', 4, campaign, linkDown('n2'), heartbeat('n4', 1), fires('leader'));
    expect(receivers(effects, 'election')).toEqual(['n3']);
  });

  it('is sent the message again when its connection comes up', () => {
    const [, effects] = after('n1', 4, campaign, linkUp('n2'));
    expect(receivers(effects, 'election')).toEqual(['n2']);
  });

  it('leaves the last node of the ring to lead alone', () => {
    const [state, effects] = after('n1', 3, campaign, fires('hop'), fires('hop'));
    expect(state).toMatchObject({ role: 'leader', epoch: 1 });
    expect(sent(effects, 'coordinator')).toEqual([]);
  });

  it('is not sent what has been settled meanwhile', () => {
    const [, effects] = after('n1', 4, campaign, heartbeat('n4', 1), fires('hop'));
    expect(sent(effects, 'election')).toEqual([]);
  });
});

describe('given a leader that resigns', () => {
  it('steps down before it says so', () => {
    const [state, effects] = after('n2', 3, campaign, coordinator('n2', 4, ['n1']), resign);
    expect(state).toMatchObject({ role: 'follower', standing: false });
    expect(effects[0]).toEqual({ type: 'step-down', reason: 'resigned' });
    expect(receivers(effects, 'resigned')).toEqual(['n3', 'n1']);
  });

  const resigned = hears('n4', { type: 'resigned', epoch: 1 });

  it('is succeeded by an election that its neighbour calls at once', () => {
    expect(after('n1', 4, campaign, heartbeat('n4', 1), resigned)[0].role).toBe('candidate');
  });

  it('is succeeded by an election that the next node calls, if the neighbour is gone', () => {
    const [state] = after('n2', 4, campaign, heartbeat('n4', 1), linkDown('n1'), resigned);
    expect(state.role).toBe('candidate');
  });

  it('leaves the others waiting for that election', () => {
    const [state, effects] = after('n2', 4, campaign, heartbeat('n4', 1), resigned);
    expect(state).toMatchObject({ role: 'follower', leaderId: null });
    expect(effects).toContainEqual({ type: 'set-timer', timer: 'leader', delayMs: [200, 300] });
  });

  it('has not resigned from what it was elected to later', () => {
    const [state] = after('n1', 4, campaign, heartbeat('n4', 3), resigned);
    expect(state.leaderId).toBe('n4');
  });
});

describe('given a node that comes back', () => {
  const [restarted] = step(initialState('n3', ['n1', 'n2']), { type: 'restarted', durable: { epoch: 7 } });
  const [standing, effects] = step(restarted, campaign);

  it('remembers the epoch that it had saved', () => expect(standing.epoch).toBe(7));

  it('listens for a leader before it calls an election', () => {
    expect(standing.role).toBe('follower');
    expect(effects).toEqual([]);
    expect(step(standing, fires('leader'))[0].role).toBe('candidate');
  });

  it('passes on, but does not enter, an election that may have begun without it', () => {
    const [, passed] = step(standing, election(['n2'], 7));
    expect(sent(passed, 'election')).toMatchObject([['n1', { candidates: ['n2'] }]]);
  });

  it('follows a weaker leader that it finds', () => {
    expect(step(standing, heartbeat('n1', 8))[0]).toMatchObject({ role: 'follower', leaderId: 'n1' });
  });
});

describe('given a node that falls ill', () => {
  const ill: RingInput = { type: 'health-changed', healthy: false };
  const well: RingInput = { type: 'health-changed', healthy: true };

  it('gives up leadership', () => {
    const [state, effects] = after('n2', 3, campaign, coordinator('n2', 4, ['n1']), ill);
    expect(state.role).toBe('follower');
    expect(effects[0]).toEqual({ type: 'step-down', reason: 'unhealthy' });
  });

  it('gives up an election that it holds', () => {
    expect(after('n2', 3, campaign, ill)[0].role).toBe('follower');
  });

  it('calls an election once it is well again, if nobody leads', () => {
    expect(after('n2', 3, ill, campaign, well)[0].role).toBe('candidate');
    expect(after('n2', 3, ill, campaign, heartbeat('n1', 1), well)[0].role).toBe('follower');
  });
});

describe('given a ring of Chang and Roberts', () => {
  const chang = (id: NodeId, ...inputs: RingInput[]) => afterIn('chang-roberts', id, 4, inputs);
  /** The candidacy of the first member. */
  const candidacy = (members: readonly [NodeId, ...NodeId[]], epoch = 0) =>
    election(members, epoch, [members[0]]);

  it('a node that calls an election sends its own id', () => {
    const [, effects] = chang('n2', campaign);
    expect(sent(effects, 'election')).toMatchObject([['n3', { candidates: ['n2'] }]]);
  });

  it('a stronger id is passed on', () => {
    const [state, effects] = chang('n2', campaign, candidacy(['n4', 'n1']));
    expect(sent(effects, 'election')).toMatchObject([['n3', { candidates: ['n4'] }]]);
    expect(state.role).toBe('candidate');
  });

  it('a weaker id is swallowed by a candidate', () => {
    const [, effects] = chang('n2', campaign, candidacy(['n1']));
    expect(sent(effects, 'election')).toEqual([]);
    expect(receivers(effects, 'ack')).toEqual(['n1']);
  });

  it('a weaker id is replaced by the id of a node that has sent none', () => {
    const [state, effects] = chang('n2', heartbeat('n4', 1), campaign, candidacy(['n1'], 1));
    expect(state.role).toBe('candidate');
    expect(sent(effects, 'election')).toMatchObject([['n3', { members: ['n2'], candidates: ['n2'] }]]);
  });

  it('a weaker id is replaced even if a stronger one has passed, for that node may have died since', () => {
    const passed = [heartbeat('n3', 1), campaign, candidacy(['n4', 'n1'], 1)];
    const [, effects] = chang('n2', ...passed, candidacy(['n1'], 1));
    expect(sent(effects, 'election')).toMatchObject([['n3', { candidates: ['n2'] }]]);
  });

  it('a weaker id is passed on by a node that does not stand', () => {
    const [, effects] = chang('n2', candidacy(['n1']));
    expect(sent(effects, 'election')).toMatchObject([['n3', { candidates: ['n1'] }]]);
  });

  it('a weaker id is passed on by a node that stands only since it passed on another', () => {
    const [, effects] = chang('n3', candidacy(['n1', 'n2']), campaign, candidacy(['n2']));
    expect(sent(effects, 'election')).toMatchObject([['n4', { candidates: ['n2'] }]]);
  });

  it('a node whose own id comes back leads, and announces itself', () => {
    const [state, effects] = chang('n2', campaign, candidacy(['n2', 'n3', 'n4', 'n1'], 6));
    expect(state).toMatchObject({ role: 'leader', epoch: 7 });
    expect(sent(effects, 'coordinator')).toMatchObject([['n3', { leaderId: 'n2', epoch: 7 }]]);
  });

  it('an id whose node has died ends where it comes by again, and the election begins anew in time', () => {
    const passed = [campaign, candidacy(['n4']), linkDown('n4')];
    const [state, effects] = chang('n1', ...passed, election(['n4', 'n1', 'n2', 'n3'], 0, []));
    expect(typesOf(effects)).toEqual(['send']);
    expect(receivers(effects, 'ack')).toEqual(['n3']);
    expect(sent(step(state, fires('election'))[1], 'election')).toMatchObject([
      ['n2', { candidates: ['n1'] }],
    ]);
  });
});
