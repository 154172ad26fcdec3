import type { Guarantees, NodeId } from '@hustings/elector';
import type { Invariants, Protocol } from '@hustings/elector/protocol';
import { describe, expect, it } from 'vitest';
import { explore, tellCounterexample } from '../src/index.js';
import { countStates } from './dumb-explorer.js';

interface ClaimState {
  readonly id: NodeId;
  readonly peers: readonly NodeId[];
  readonly leaderId: NodeId | null;
  readonly claims: number;
  /** The number of the last claim of another. */
  readonly heard: number;
}

type ClaimMessage = { readonly type: 'claim'; readonly claims: number };
type ClaimProtocol = Protocol<{
  readonly state: ClaimState;
  readonly message: ClaimMessage;
  readonly durable: { readonly claims: number };
  readonly timer: 'patience';
  readonly request: never;
  readonly announcement: never;
}>;

const guarantees: Guarantees = {
  atMostOneLeader: false,
  monotonicTokens: false,
  toleratesPartition: false,
  orderedSuccession: false,
  targetedTransfer: false,
  leased: false,
  assumptions: [],
};

/** Whoever loses patience first claims to lead; whoever hears a claim follows. As small and as wrong as can be. */
function claiming({ saves = true, mostClaims = 2 } = {}): ClaimProtocol {
  return {
    algorithm: 'claiming',
    variant: 'default',
    guarantees,
    periodicMessages: new Set(),
    initialState: (id, peers) => ({ id, peers, leaderId: null, claims: 0, heard: 0 }),
    step(state, input) {
      switch (input.type) {
        case 'restarted':
          return [{ ...state, claims: input.durable.claims }, []];
        case 'campaign-requested':
          return [state, [{ type: 'set-timer', timer: 'patience', delayMs: [1, 2] }]];
        case 'timer-fired': {
          const claims = Math.min(mostClaims, state.claims + 1);
          return [
            { ...state, claims, leaderId: state.id },
            [
              ...(saves ? [{ type: 'save', durable: { claims } } as const] : []),
              ...state.peers.map((to) => ({ type: 'send', to, message: { type: 'claim', claims } }) as const),
              { type: 'lead', token: BigInt(claims) },
            ],
          ];
        }
        case 'received': {
          const following: ClaimState = { ...state, leaderId: input.from, heard: input.message.claims };
          const follow = { type: 'follow', leaderId: input.from, token: null } as const;
          return state.leaderId === state.id
            ? [following, [{ type: 'step-down', reason: 'deposed' }, follow]]
            : [following, [{ type: 'cancel-timer', timer: 'patience' }, follow]];
        }
        case 'resign-requested':
          return [{ ...state, leaderId: null }, [{ type: 'step-down', reason: 'resigned' }]];
        default:
          return [state, []];
      }
    },
    decodeMessage: (value) => value as ClaimMessage,
    decodeDurable: (value) => value as { claims: number },
  };
}

const nodes = ['n1', 'n2', 'n3'];
const quiet = { maxCrashes: 0, maxLosses: 0 };

const remembers: Invariants<ClaimState> = {
  ofTwoStates: {
    'a node remembers how often it claimed': (before, after) =>
      after.claims >= before.claims ? null : `${after.id} went from ${before.claims} to ${after.claims}`,
  },
};

describe('exploring', () => {
  it('finds the same number of states as a deliberately simple explorer', () => {
    for (const depth of [0, 1, 2, 3, 4, 5]) {
      for (const bounds of [quiet, { maxCrashes: 1, maxLosses: 0 }, { maxCrashes: 1, maxLosses: 1 }]) {
        for (const reorders of [false, true]) {
          const { states } = explore({ protocol: claiming(), nodes, depth, reorders, ...bounds });
          expect(states, JSON.stringify({ depth, reorders, ...bounds })).toBe(
            countStates({ protocol: claiming(), nodes, depth, reorders, ...bounds }),
          );
        }
      }
    }
  });

  it('says that it has seen everything when nothing is left to happen', () => {
    const alone = explore({ protocol: claiming(), nodes: ['n1'], depth: 50, ...quiet });
    expect(alone).toMatchObject({ states: 2, depth: 1, endedBy: 'exhaustion', violation: null });
  });

  it('says that the depth ended it, and how much it saw, when something is left', () => {
    const cut = explore({ protocol: claiming(), nodes, depth: 1, ...quiet });
    expect(cut).toMatchObject({ states: 4, depth: 1, endedBy: 'depth' });
  });

  it('stops at the number of states that fit', () => {
    const { endedBy, states } = explore({ protocol: claiming(), nodes, depth: 50, maxStates: 100 });
    expect(endedBy).toBe('max-states');
    expect(states).toBeGreaterThanOrEqual(100);
    expect(states).toBeLessThan(150);
  });

  it('counts the events that a full link left out', () => {
    const roomy = explore({ protocol: claiming(), nodes, depth: 6, ...quiet });
    const narrow = explore({ protocol: claiming(), nodes, depth: 6, ...quiet, maxInFlightPerLink: 1 });
    expect(roomy.leftOut).toBe(0);
    expect(narrow.leftOut).toBeGreaterThan(0);
    expect(narrow.states).toBeLessThan(roomy.states);
  });

  it('reports each depth as it is done', () => {
    const told: number[] = [];
    explore({ protocol: claiming(), nodes, depth: 2, ...quiet, onDepth: ({ states }) => told.push(states) });
    expect(told[0]).toBe(1);
    expect(told).toHaveLength(3);
  });

  it('refuses bounds that it could not keep', () => {
    expect(() => explore({ protocol: claiming(), nodes, maxCrashes: 16 })).toThrow('maxCrashes');
    expect(() => explore({ protocol: claiming(), nodes, maxStates: 0 })).toThrow('maxStates');
  });
});

describe('what exploring finds', () => {
  const oneLeader = { atMostOneLeader: true };

  it('is the shortest way to two leaders', () => {
    const { violation } = explore({ protocol: claiming(), nodes, depth: 9, promised: oneLeader });
    expect(violation).toMatchObject({ property: 'at most one leader at a time', node: 'n2' });
    expect(tellCounterexample(violation!)).toEqual([
      '1. n1  timer patience fires => saves claims 1, CLAIM(claims 1) to n2 n3, LEADS with token 1',
      '2. n2  timer patience fires => saves claims 1, CLAIM(claims 1) to n1 n3, LEADS with token 1',
    ]);
  });

  it('is nothing when one leader was not promised', () => {
    expect(explore({ protocol: claiming(), nodes, depth: 4 }).violation).toBeNull();
  });

  it('is what a crash made a node forget', () => {
    const forgetful = explore({
      protocol: claiming({ saves: false }),
      nodes,
      depth: 4,
      invariants: remembers,
    });
    expect(forgetful.violation).toMatchObject({
      property: 'a node remembers how often it claimed',
      node: 'n1',
    });
    expect(forgetful.violation!.events.map(({ type }) => type)).toEqual(['step', 'crashed']);
    expect(explore({ protocol: claiming(), nodes, depth: 4, invariants: remembers }).violation).toBeNull();
  });

  it('is what only a lost message brings about, and shows the loss', () => {
    const invariants: Invariants<ClaimState> = {
      ofTwoStates: {
        'claims are heard one by one': (before, after) =>
          after.heard > before.heard + 1 ? `${after.id} heard ${after.heard} after ${before.heard}` : null,
      },
    };
    const options = { protocol: claiming(), nodes: ['n1', 'n2'], depth: 9, maxCrashes: 0, invariants };
    expect(explore({ ...options, maxLosses: 0 }).violation).toBeNull();
    const { violation } = explore({ ...options, maxLosses: 1 });
    expect(violation!.events.filter(({ type }) => type === 'lost')).toHaveLength(1);
    expect(violation!.events).toHaveLength(7);
  });

  it('carries vector clocks, so that it can be drawn like any trace', () => {
    const invariants: Invariants<ClaimState> = {
      ofOneState: {
        'n1 follows nobody': ({ id, leaderId }) => (id === 'n1' && leaderId === 'n2' ? 'it does' : null),
      },
    };
    const { violation } = explore({ protocol: claiming(), nodes, depth: 4, invariants });
    expect(violation!.events.map(({ clock }) => clock)).toEqual([{ n2: 1 }, { n1: 1, n2: 1 }]);
  });
});

describe('the options of exploring', () => {
  it('let a message arrive twice', () => {
    const options = { protocol: claiming(), nodes, depth: 4, ...quiet };
    expect(explore({ ...options, maxDuplicates: 1 }).states).toBeGreaterThan(explore(options).states);
  });

  it('let a leader resign, and it does not campaign again', () => {
    const options = { protocol: claiming(), nodes: ['n1'], depth: 20, ...quiet };
    expect(explore(options).states).toBe(2);
    expect(explore({ ...options, maxResignations: 1 })).toMatchObject({ states: 3, endedBy: 'exhaustion' });
  });

  it('let peers see that a crashed node has gone', () => {
    const heard: string[] = [];
    const listening = claiming();
    const protocol: ClaimProtocol = {
      ...listening,
      step(state, input, nowMs) {
        if (input.type === 'link-down' || input.type === 'link-up')
          heard.push(`${state.id} ${input.type} ${input.peer}`);
        return listening.step(state, input, nowMs);
      },
    };
    const options = { protocol, nodes: ['n1', 'n2'], depth: 3, maxLosses: 0 };
    explore(options);
    expect(heard).toEqual([]);
    explore({ ...options, closesLinksOnCrash: true });
    expect(new Set(heard)).toEqual(
      new Set(['n2 link-down n1', 'n1 link-down n2', 'n2 link-up n1', 'n1 link-up n2']),
    );
  });
});
