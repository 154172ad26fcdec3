/**
 * A test per rule of the bully algorithm: H. Garcia-Molina, "Elections in a Distributed Computing System",
 * 1982, section III, in the shorter form of the textbooks; and of what we add to it.
 */

import type { NodeId } from '@hustings/elector';
import type { Effect, Input } from '@hustings/elector/protocol';
import { describe, expect, it } from 'vitest';
import type { BullyTypes } from '../src/index.js';
import { type BullyMessage, type BullyState, type BullyTimer, initialState, step } from '../src/index.js';

type BullyInput = Input<BullyTypes>;
type BullyEffect = Effect<BullyTypes>;

const campaign: BullyInput = { type: 'campaign-requested' };
const fires = (timer: BullyTimer): BullyInput => ({ type: 'timer-fired', timer });
const hears = (from: NodeId, type: BullyMessage['type'], epoch: number): BullyInput => ({
  type: 'received',
  from,
  message: { type, epoch },
});

/** A node of a cluster after these inputs, and what it did at the last of them. */
function after(id: NodeId, size: number, ...inputs: BullyInput[]): [BullyState, readonly BullyEffect[]] {
  const members = Array.from({ length: size }, (_, index) => `n${index + 1}`);
  let state = initialState(
    id,
    members.filter((member) => member !== id),
  );
  let effects: readonly BullyEffect[] = [];
  for (const input of [{ type: 'started' } as const, ...inputs]) [state, effects] = step(state, input);
  return [state, effects];
}

const sent = (effects: readonly BullyEffect[], type: BullyMessage['type']): NodeId[] =>
  effects.flatMap((effect) => (effect.type === 'send' && effect.message.type === type ? [effect.to] : []));

const typesOf = (effects: readonly BullyEffect[]) => effects.map((effect) => effect.type);

const following = (leader: NodeId, epoch: number): BullyInput[] => [
  campaign,
  hears(leader, 'coordinator', epoch),
  hears(leader, 'heartbeat', epoch),
];

describe('given node 2 of {1, 2, 3, 4} that follows node 4', () => {
  describe('when node 4 falls silent', () => {
    const [state, effects] = after('n2', 4, ...following('n4', 1), fires('leader'));
    it('then it calls an election', () => {
      expect(state).toMatchObject({ role: 'candidate', leaderId: null });
      expect(typesOf(effects)).toContain('campaign');
    });
    it('then it asks every stronger node, the silent one included', () => {
      expect(sent(effects, 'election')).toEqual(['n3', 'n4']);
    });
    it('then it asks no weaker node', () => {
      expect(sent(effects, 'election')).not.toContain('n1');
    });
    it('then it waits 2T for an answer', () => {
      expect(effects).toContainEqual({ type: 'set-timer', timer: 'answer', delayMs: [100, 100] });
    });
  });

  describe('when the connection to node 4 closes', () => {
    it('then it calls an election at once', () => {
      const [state] = after('n2', 4, ...following('n4', 1), { type: 'link-down', peer: 'n4' });
      expect(state.role).toBe('candidate');
    });
  });

  describe('when the connection to another node closes', () => {
    it('then it goes on following', () => {
      const [state] = after('n2', 4, ...following('n4', 1), { type: 'link-down', peer: 'n3' });
      expect(state).toMatchObject({ role: 'follower', leaderId: 'n4' });
    });
  });

  describe('when node 4 goes on sending heartbeats', () => {
    const [state] = after('n2', 4, ...following('n4', 1));
    const [next, effects] = step(state, hears('n4', 'heartbeat', 1));
    it('then it does nothing but wait for the next one', () => {
      expect(next).toBe(state);
      expect(effects).toEqual([{ type: 'set-timer', timer: 'leader', delayMs: [200, 300] }]);
    });
  });

  describe('when node 1 calls an election', () => {
    const [state, effects] = after('n2', 4, ...following('n4', 1), hears('n1', 'election', 1));
    it('then it tells node 1 to stand back', () => expect(sent(effects, 'answer')).toEqual(['n1']));
    it('then it calls an election of its own', () => {
      expect(state.role).toBe('candidate');
      expect(sent(effects, 'election')).toEqual(['n3', 'n4']);
    });
  });

  describe('when node 4 has just announced itself again and node 1 calls an election', () => {
    const inputs = [...following('n4', 1), hears('n4', 'coordinator', 1), hears('n1', 'election', 1)];
    const [state, effects] = after('n2', 4, ...inputs);
    it('then it answers', () => expect(sent(effects, 'answer')).toEqual(['n1']));
    it('then it does not ask again what node 4 has answered', () => expect(state.role).toBe('follower'));
  });
});

describe('given node 2 of {1, 2, 3} that is holding an election', () => {
  const election = [...following('n3', 1), fires('leader')];

  describe('when no stronger node answers in time', () => {
    const [state, effects] = after('n2', 3, ...election, fires('answer'));
    it('then it leads', () => expect(state).toMatchObject({ role: 'leader', leaderId: 'n2' }));
    it('then it leads in a new epoch, which is its token', () => {
      expect(state.epoch).toBe(2);
      expect(effects).toContainEqual({ type: 'lead', token: 2n });
    });
    it('then it tells every weaker node', () => expect(sent(effects, 'coordinator')).toEqual(['n1']));
    it('then it tells the stronger nodes, too, that it is there', () => {
      expect(sent(effects, 'heartbeat')).toEqual(['n3']);
    });
    it('then the epoch is on disk before anybody hears of it', () => {
      expect(effects[0]).toEqual({ type: 'save', durable: { epoch: 2 } });
    });
  });

  describe('when a stronger node answers', () => {
    const [state, effects] = after('n2', 3, ...election, hears('n3', 'answer', 1));
    it('then it stands back', () => expect(state).toMatchObject({ role: 'candidate', answered: true }));
    it('then it gives the stronger node 3T to announce a leader', () => {
      expect(effects).toContainEqual({ type: 'set-timer', timer: 'coordinator', delayMs: [150, 150] });
    });
    it('then a second answer changes nothing', () => {
      expect(step(state, hears('n3', 'answer', 1))).toEqual([state, []]);
    });
  });

  describe('when a weaker node answers', () => {
    it('then it takes no notice', () => {
      const [state, effects] = after('n2', 3, ...election, hears('n1', 'answer', 1));
      expect(state.answered).toBe(false);
      expect(effects).toEqual([]);
    });
  });

  describe('when the node that answered announces no leader in time', () => {
    const [state, effects] = after('n2', 3, ...election, hears('n3', 'answer', 1), fires('coordinator'));
    it('then it calls another election', () => {
      expect(state).toMatchObject({ role: 'candidate', answered: false });
      expect(sent(effects, 'election')).toEqual(['n3']);
    });
  });

  describe('when a stronger node announces itself', () => {
    const [state, effects] = after('n2', 3, ...election, hears('n3', 'coordinator', 2));
    it('then it follows it', () => {
      expect(state).toMatchObject({ role: 'follower', leaderId: 'n3' });
      expect(effects).toContainEqual({ type: 'follow', leaderId: 'n3', token: 2n });
    });
  });

  describe('when a weaker node announces itself', () => {
    it('then it does not follow it, for it may yet win', () => {
      const [state] = after('n2', 3, ...election, hears('n1', 'coordinator', 2));
      expect(state).toMatchObject({ role: 'candidate', leaderId: null });
    });
  });

  describe('when a weaker node calls an election too', () => {
    const [state] = after('n2', 3, ...election);
    it('then it answers, and goes on with the election that it holds', () => {
      const [next, effects] = step(state, hears('n1', 'election', 1));
      expect(next).toBe(state);
      expect(effects).toEqual([{ type: 'send', to: 'n1', message: { type: 'answer', epoch: 1 } }]);
    });
  });

  describe('when the connection to a stronger node comes up', () => {
    it('then it asks that node, which cannot have heard the question', () => {
      const [, effects] = after('n2', 3, ...election, { type: 'link-up', peer: 'n3' });
      expect(sent(effects, 'election')).toEqual(['n3']);
    });
  });
});

describe('given the strongest node', () => {
  it('leads without asking anybody', () => {
    const [state, effects] = after('n3', 3, campaign, fires('leader'));
    expect(state.role).toBe('leader');
    expect(sent(effects, 'election')).toEqual([]);
    expect(sent(effects, 'coordinator')).toEqual(['n1', 'n2']);
  });
});

describe('given a node that comes up', () => {
  it('listens first, and does not claim office at once', () => {
    const [state, effects] = after('n3', 3, campaign);
    expect(state.role).toBe('follower');
    expect(effects).toEqual([]);
  });

  it('calls an election when it hears no leader', () => {
    const [state] = after('n2', 3, campaign, fires('leader'));
    expect(state.role).toBe('candidate');
  });

  it('deposes a weaker leader as soon as it hears of it, with a higher epoch', () => {
    const [state, effects] = after('n3', 3, campaign, hears('n2', 'heartbeat', 4));
    expect(state).toMatchObject({ role: 'leader', epoch: 5 });
    expect(sent(effects, 'coordinator')).toEqual(['n1', 'n2']);
  });

  it('follows a stronger leader', () => {
    const [state] = after('n2', 3, campaign, hears('n3', 'heartbeat', 4));
    expect(state).toMatchObject({ role: 'follower', leaderId: 'n3', epoch: 4 });
  });

  it('remembers the epoch that it had saved', () => {
    const [state] = step(initialState('n1', ['n2']), { type: 'restarted', durable: { epoch: 7 } });
    expect(state.epoch).toBe(7);
  });
});

describe('given a leader', () => {
  const leading = [campaign, fires('leader')];

  it('tells everyone, at every heartbeat, that it is there', () => {
    const [, effects] = after('n3', 3, ...leading, fires('heartbeat'));
    expect(sent(effects, 'heartbeat')).toEqual(['n1', 'n2']);
    expect(effects).toContainEqual({ type: 'set-timer', timer: 'heartbeat', delayMs: [50, 50] });
  });

  it('answers a weaker node that calls an election, and announces itself to it alone', () => {
    const [state, effects] = after('n3', 3, ...leading, hears('n1', 'election', 1));
    expect(state.role).toBe('leader');
    expect(sent(effects, 'answer')).toEqual(['n1']);
    expect(sent(effects, 'coordinator')).toEqual(['n1']);
  });

  it('announces itself to a node whose connection comes up', () => {
    const [, effects] = after('n3', 3, ...leading, { type: 'link-up', peer: 'n2' });
    expect(sent(effects, 'coordinator')).toEqual(['n2']);
  });

  it('steps down before anything else when a stronger leader appears', () => {
    const [state, effects] = after(
      'n2',
      3,
      campaign,
      fires('leader'),
      fires('answer'),
      hears('n3', 'coordinator', 5),
    );
    expect(state).toMatchObject({ role: 'follower', leaderId: 'n3', epoch: 5 });
    expect(effects[0]).toEqual({ type: 'step-down', reason: 'deposed' });
  });

  it('steps down when a weaker leader holds the same epoch, for two leaders must not share a token', () => {
    const [state, effects] = after('n3', 3, ...leading, hears('n1', 'heartbeat', 1));
    expect(state.role).toBe('follower');
    expect(effects[0]).toEqual({ type: 'step-down', reason: 'deposed' });
  });

  it('is elected in a higher epoch when it campaigns again after that', () => {
    const [state] = after('n3', 3, ...leading, hears('n1', 'heartbeat', 1), campaign);
    expect(state).toMatchObject({ role: 'leader', epoch: 2 });
  });

  it('takes no notice of a leader of an earlier epoch', () => {
    const [state] = after('n3', 3, campaign, hears('n2', 'heartbeat', 4));
    expect(step(state, hears('n1', 'heartbeat', 4))).toEqual([state, []]);
  });

  it('steps down when anybody has heard of a higher epoch, for its token is stale', () => {
    const [state, effects] = after('n3', 3, ...leading, hears('n1', 'election', 6));
    expect(state).toMatchObject({ role: 'follower', epoch: 6 });
    expect(effects[0]).toEqual({ type: 'step-down', reason: 'deposed' });
  });
});

describe('given two leaders in one epoch', () => {
  it('followers hold to the stronger', () => {
    const [state] = after('n1', 3, campaign, hears('n3', 'coordinator', 2), hears('n2', 'coordinator', 2));
    expect(state.leaderId).toBe('n3');
  });

  it('followers of the weaker turn to the stronger', () => {
    const [state] = after('n1', 3, campaign, hears('n2', 'coordinator', 2), hears('n3', 'coordinator', 2));
    expect(state.leaderId).toBe('n3');
  });
});

describe('given a leader that resigns', () => {
  const resigned = [campaign, fires('leader'), { type: 'resign-requested' } as const];

  it('steps down before it says so', () => {
    const [, effects] = after('n4', 4, ...resigned);
    expect(effects[0]).toEqual({ type: 'step-down', reason: 'resigned' });
    expect(sent(effects, 'resigned')).toEqual(['n1', 'n2', 'n3']);
  });

  it('takes no part in elections until it campaigns again', () => {
    const [state] = after('n4', 4, ...resigned);
    expect(step(state, hears('n1', 'election', 1))).toEqual([state, []]);
    expect(step(state, fires('leader'))[0].role).toBe('follower');
  });

  it('is succeeded at once by the strongest of the rest', () => {
    const [state] = after('n3', 4, ...following('n4', 1), hears('n4', 'resigned', 1));
    expect(state).toMatchObject({ role: 'leader', epoch: 2 });
  });

  it('is not succeeded by a weaker one, which gives the heir time', () => {
    const [state, effects] = after('n1', 4, ...following('n4', 1), hears('n4', 'resigned', 1));
    expect(state).toMatchObject({ role: 'candidate', answered: true });
    expect(effects).toContainEqual({ type: 'set-timer', timer: 'coordinator', delayMs: [150, 150] });
  });
});

describe('given a node whose application does not want to lead', () => {
  it('follows, but calls no election when the leader is gone', () => {
    const [state, effects] = after('n2', 3, hears('n3', 'coordinator', 1), fires('leader'));
    expect(state).toMatchObject({ role: 'follower', leaderId: null });
    expect(effects).toContainEqual({ type: 'follow', leaderId: null, token: null });
  });

  it('follows even a weaker leader', () => {
    const [state] = after('n3', 3, hears('n1', 'coordinator', 1));
    expect(state.leaderId).toBe('n1');
  });

  it('answers resign-requested with one step-down, whatever it is doing', () => {
    for (const inputs of [[], [campaign], following('n3', 1), [campaign, fires('leader')]]) {
      const [, effects] = after('n2', 3, ...inputs, { type: 'resign-requested' });
      expect(effects.filter((effect) => effect.type === 'step-down')).toEqual([
        { type: 'step-down', reason: 'resigned' },
      ]);
    }
  });
});

describe('given a node that falls ill', () => {
  const ill: BullyInput = { type: 'health-changed', healthy: false };
  const well: BullyInput = { type: 'health-changed', healthy: true };

  it('gives up leadership', () => {
    const [state, effects] = after('n3', 3, campaign, fires('leader'), ill);
    expect(state.role).toBe('follower');
    expect(effects[0]).toEqual({ type: 'step-down', reason: 'unhealthy' });
  });

  it('does not stand while it is ill', () => {
    const [state] = after('n3', 3, campaign, ill, fires('leader'));
    expect(state.role).toBe('follower');
  });

  it('gives up an election that it holds', () => {
    const [state] = after('n2', 3, campaign, fires('leader'), ill);
    expect(state.role).toBe('follower');
  });

  it('deposes a weaker leader once it is well again', () => {
    const [state] = after('n3', 3, campaign, ill, hears('n2', 'heartbeat', 1), well);
    expect(state).toMatchObject({ role: 'leader', epoch: 2 });
  });
});
