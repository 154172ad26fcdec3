import type { Guarantees, NodeId } from '@hustings/elector';
import { outranks, type Protocol } from '@hustings/elector/protocol';
import { defaultSwarm, faultTypes, type Subject, type Swarm } from '../src/index.js';

export interface HastyState {
  readonly id: NodeId;
  readonly peers: readonly NodeId[];
  readonly leaderId: NodeId | null;
  readonly claims: number;
  readonly standing: boolean;
  readonly sulks: boolean;
}

type Claim = { readonly type: 'claim'; readonly claims: number };
type HastyProtocol = Protocol<{
  readonly state: HastyState;
  readonly message: Claim;
  readonly durable: { readonly claims: number };
  readonly timer: 'patience' | 'claim';
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

/**
 * Whoever loses patience leads, and says so over and over; of two leaders that hear each other the stronger one
 * stays. A sulking node that comes back after it has led takes no further part.
 */
export function hasty({ sulking = false, impure = (): number => 0 } = {}): HastyProtocol {
  const wait = { type: 'set-timer', timer: 'patience', delayMs: [30, 40] } as const;
  const claim = ({ peers, claims }: HastyState) => [
    ...peers.map((to) => ({ type: 'send', to, message: { type: 'claim', claims } }) as const),
    { type: 'set-timer', timer: 'claim', delayMs: [10, 10] } as const,
  ];
  return {
    algorithm: 'hasty',
    variant: 'default',
    guarantees,
    periodicMessages: new Set(['claim']),
    initialState: (id, peers) => ({ id, peers, leaderId: null, claims: 0, standing: false, sulks: false }),
    step(state, input) {
      if (state.sulks) return [state, []];
      switch (input.type) {
        case 'started':
          return [state, [wait]];
        case 'restarted':
          return [{ ...state, claims: input.durable.claims, sulks: sulking }, [wait]];
        case 'campaign-requested':
          return [{ ...state, standing: true }, state.leaderId === null ? [wait] : []];
        case 'resign-requested': {
          const leaderId = state.leaderId === state.id ? null : state.leaderId;
          return [
            { ...state, standing: false, leaderId },
            [{ type: 'step-down', reason: 'resigned' }, { type: 'cancel-timer', timer: 'claim' }, wait],
          ];
        }
        case 'timer-fired': {
          if (input.timer === 'claim') return [state, claim(state)];
          if (state.leaderId === state.id) return [state, []];
          if (!state.standing)
            return [{ ...state, leaderId: null }, [{ type: 'follow', leaderId: null, token: null }, wait]];
          const leader = { ...state, claims: state.claims + 1 + impure(), leaderId: state.id };
          return [
            leader,
            [
              { type: 'save', durable: { claims: leader.claims } },
              { type: 'lead', token: BigInt(leader.claims) },
              ...claim(leader),
            ],
          ];
        }
        case 'received': {
          const { leaderId, id } = state;
          if (leaderId !== null && leaderId !== input.from && outranks(leaderId, input.from))
            return [state, []];
          if (leaderId === input.from) return [state, [wait]];
          const follow = {
            type: 'follow',
            leaderId: input.from,
            token: BigInt(input.message.claims),
          } as const;
          const stepDown = { type: 'step-down', reason: 'deposed' } as const;
          const leave = leaderId === id ? [stepDown, { type: 'cancel-timer', timer: 'claim' } as const] : [];
          const standing = state.standing && leaderId !== id;
          return [{ ...state, standing, leaderId: input.from }, [...leave, follow, wait]];
        }
        default:
          return [state, []];
      }
    },
    decodeMessage: (value) => value as Claim,
    decodeDurable: (value) => value as { readonly claims: number },
  };
}

export const hastySubject = (options: Parameters<typeof hasty>[0] = {}): Subject<HastyState> => ({
  protocol: hasty(options) as Subject<HastyState>['protocol'],
  invariants: {},
  timing: { detectionMs: 40, maxDelayMs: 10, settleMs: 240 },
});

const partitions: readonly string[] = ['isolate', 'split', 'one-way'];

export const withoutPartitions: Swarm = {
  ...defaultSwarm,
  faults: faultTypes.filter((type) => !partitions.includes(type)),
};

export const seeds = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
