import type { Guarantees, NodeId } from '@hustings/elector';
import {
  type Effect,
  type Input,
  outranks,
  type Protocol,
  readCount,
  readRecord,
  readString,
} from '@hustings/elector/protocol';

type CallType = 'standing' | 'withdrawn' | 'leading' | 'resigned' | 'take-over';
interface Call {
  readonly type: CallType;
  readonly epoch: number;
}
interface Roll {
  readonly epoch: number;
}
type CallTimer = 'decide' | 'renew';
export interface CallTypes {
  readonly state: RollCallState;
  readonly message: Call;
  readonly durable: Roll;
  readonly timer: CallTimer;
  readonly request: never;
  readonly announcement: never;
}
type CallEffect = Effect<CallTypes>;

interface RollCallState {
  readonly id: NodeId;
  readonly peers: readonly NodeId[];
  readonly epoch: number;
  readonly leaderId: NodeId | null;
  readonly standing: readonly NodeId[];
}

/** Ways to be broken, each of which a named check must catch. */
export type Flaw = 'token-repeats' | 'never-tells' | 'goes-silently' | 'ignores-successor' | 'never-renews';

export interface RollCallSettings {
  readonly guarantees?: Partial<Guarantees>;
  readonly flaw?: Flaw;
}

const decideAfterMs = 20;
const renewEveryMs = 20;
const leaseMs = 400;

/**
 * The suite's own example, for networks in which nothing goes wrong: whoever stands says so, and of those
 * who stand the strongest takes a vacant office after a moment.
 */
export function rollCall({ guarantees = {}, flaw }: RollCallSettings = {}): Protocol<CallTypes> {
  const declared: Guarantees = {
    atMostOneLeader: false,
    monotonicTokens: false,
    toleratesPartition: false,
    orderedSuccession: true,
    targetedTransfer: false,
    leased: false,
    assumptions: ['Nothing goes wrong.'],
    ...guarantees,
  };

  type Result = readonly [RollCallState, readonly CallEffect[]];

  const toAll = (state: RollCallState, type: CallType): CallEffect[] =>
    state.peers.map((to) => ({ type: 'send', to, message: { type, epoch: state.epoch } }));
  const decideSoon: CallEffect = {
    type: 'set-timer',
    timer: 'decide',
    delayMs: [decideAfterMs, decideAfterMs],
  };
  const grant = (state: RollCallState): CallEffect[] => {
    const token = BigInt(state.epoch);
    if (!declared.leased) return [{ type: 'lead', token }];
    return [
      { type: 'lead', token, validForMs: leaseMs },
      { type: 'set-timer', timer: 'renew', delayMs: [renewEveryMs, renewEveryMs] },
    ];
  };

  function takeOffice(state: RollCallState): Result {
    const epoch = flaw === 'token-repeats' ? 1 : state.epoch + 1;
    const leader = { ...state, epoch, leaderId: state.id };
    return [
      leader,
      [
        { type: 'campaign' },
        { type: 'save', durable: { epoch } },
        ...(flaw === 'never-tells' ? [] : toAll(leader, 'leading')),
        ...grant(leader),
      ],
    ];
  }

  function vacate(state: RollCallState): Result {
    const vacant = { ...state, leaderId: null };
    return [vacant, [{ type: 'follow', leaderId: null, token: null }, decideSoon]];
  }

  function resign(state: RollCallState, to: NodeId | undefined): Result {
    const leading = state.leaderId === state.id;
    const after = {
      ...state,
      leaderId: leading ? null : state.leaderId,
      standing: state.standing.filter((id) => id !== state.id),
    };
    const successor: CallEffect[] =
      leading && to !== undefined && flaw !== 'ignores-successor'
        ? [{ type: 'send', to, message: { type: 'take-over', epoch: state.epoch } }]
        : [];
    const farewell = leading && flaw !== 'goes-silently' ? toAll(state, 'resigned') : [];
    return [
      after,
      [{ type: 'step-down', reason: 'resigned' }, ...toAll(state, 'withdrawn'), ...successor, ...farewell],
    ];
  }

  function onCall(known: RollCallState, from: NodeId, call: Call): Result {
    const state = call.epoch > known.epoch ? { ...known, epoch: call.epoch } : known;
    const others = state.standing.filter((id) => id !== from);
    switch (call.type) {
      case 'standing':
        return [{ ...state, standing: [...others, from] }, []];
      case 'withdrawn':
        return [{ ...state, standing: others }, []];
      case 'leading':
        return [
          { ...state, leaderId: from },
          [
            { type: 'cancel-timer', timer: 'decide' },
            { type: 'follow', leaderId: from, token: BigInt(call.epoch) },
          ],
        ];
      case 'resigned':
        return state.leaderId === from ? vacate(state) : [state, []];
      case 'take-over':
        return state.standing.includes(state.id) ? takeOffice(state) : [state, []];
    }
  }

  function onTimer(state: RollCallState, timer: CallTimer): Result {
    const leading = state.leaderId === state.id;
    if (timer === 'renew') return [state, leading && flaw !== 'never-renews' ? grant(state) : []];
    if (state.leaderId !== null || !state.standing.includes(state.id)) return [state, []];
    return state.standing.some((id) => outranks(id, state.id)) ? [state, [decideSoon]] : takeOffice(state);
  }

  function step(state: RollCallState, input: Input<CallTypes>): Result {
    const leading = state.leaderId === state.id;
    switch (input.type) {
      case 'started':
      case 'health-changed':
      case 'observation-changed':
      case 'peer-gone':
      case 'requested':
        return [state, []];
      case 'restarted':
        return [{ ...state, epoch: input.durable.epoch }, []];
      case 'campaign-requested':
        return [
          { ...state, standing: [...state.standing, state.id] },
          [...toAll(state, 'standing'), decideSoon],
        ];
      case 'resign-requested':
        return resign(state, input.to);
      case 'received':
        return onCall(state, input.from, input.message);
      case 'timer-fired':
        return onTimer(state, input.timer);
      case 'lease-expired': {
        const standing = state.standing.filter((id) => id !== state.id);
        return [
          { ...state, leaderId: null, standing },
          [
            { type: 'step-down', reason: 'lease-expired' },
            ...toAll(state, 'withdrawn'),
            ...toAll(state, 'resigned'),
          ],
        ];
      }
      case 'link-up': {
        const type = leading && flaw !== 'never-tells' ? 'leading' : 'standing';
        if (!state.standing.includes(state.id)) return [state, []];
        return [state, [{ type: 'send', to: input.peer, message: { type, epoch: state.epoch } }]];
      }
      case 'link-down': {
        const left = { ...state, standing: state.standing.filter((id) => id !== input.peer) };
        return state.leaderId === input.peer ? vacate(left) : [left, []];
      }
    }
  }

  return {
    algorithm: 'roll-call',
    variant: flaw ?? 'default',
    guarantees: declared,
    periodicMessages: new Set(),
    initialState: (id, peers) => ({ id, peers, epoch: 0, leaderId: null, standing: [] }),
    step,
    decodeMessage(value) {
      const record = readRecord(value, 'A call');
      return { type: readString(record, 'type') as CallType, epoch: readCount(record, 'epoch') };
    },
    decodeDurable: (value) => ({ epoch: readCount(readRecord(value, 'A roll'), 'epoch') }),
  };
}
