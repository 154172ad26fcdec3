/** A coordinator that hands out tickets, and what keeps a node's session with it alive. */

import type { NodeId } from '@hustings/elector';
import {
  type Effect,
  type Input,
  type Machine,
  type MachineTypes,
  type Protocol,
  send,
  setTimer,
  type Transition,
} from '@hustings/elector/protocol';
import type { Service } from '@hustings/simulator';
import type {
  Place,
  Queue,
  QueueInput,
  QueueMessage,
  QueueState,
  QueueTransition,
} from '../../exercises/13-middle-candidate/types.js';
import { noGuarantees } from '../sketch.js';

const pingMs = 100;
const sessionMs = 300;

interface Watch {
  readonly ticket: number;
  readonly node: NodeId;
}

interface ServiceState {
  readonly places: readonly Place[];
  readonly watches: readonly Watch[];
  readonly lastTicket: number;
  /** The tickets of sessions that ended before their nodes came back. */
  readonly expired: Readonly<Record<NodeId, number>>;
}

type Message = QueueMessage | { readonly type: 'ping' };

interface ServiceTypes extends MachineTypes {
  readonly state: ServiceState;
  readonly message: Message;
  readonly durable: never;
  /** The node whose session ends. */
  readonly timer: NodeId;
  readonly request: never;
  readonly announcement: never;
}

type ServiceTransition = Transition<ServiceTypes>;

const machine: Machine<ServiceTypes> = {
  initialState: () => ({ places: [], watches: [], lastTicket: 0, expired: {} }),
  step(state, input) {
    if (input.type === 'timer-fired') return expire(state, input.timer);
    return input.type === 'received' ? answer(state, input.from, input.message) : [state, []];
  },
};

export const queueService = { id: 'queue', machine } as unknown as Service;

function answer(state: ServiceState, from: NodeId, message: Message): ServiceTransition {
  switch (message.type) {
    case 'ping':
      return keepAlive(state, from);
    case 'join':
      return join(state, from);
    case 'list':
      return [state, [send(from, { type: 'listed', places: shuffled(state.places) })]];
    case 'watch': {
      const { ticket } = message;
      if (!state.places.some((place) => place.ticket === ticket)) {
        return [state, [send(from, { type: 'gone', ticket })]];
      }
      return [{ ...state, watches: [...state.watches, { ticket, node: from }] }, []];
    }
    default:
      return [state, []];
  }
}

/** As ZooKeeper's children: in an order, but not in that of their numbers. */
const shuffled = (places: readonly Place[]): Place[] =>
  places.toSorted((a, b) => ((a.ticket * 5) % 17) - ((b.ticket * 5) % 17));

/** Whoever overslept hears of it with every ping, until it joins again. */
function keepAlive(state: ServiceState, node: NodeId): ServiceTransition {
  const ticket = state.expired[node];
  return [
    state,
    [ticket === undefined ? setTimer(node, sessionMs) : send(node, { type: 'expired', ticket })],
  ];
}

function expire(state: ServiceState, node: NodeId): ServiceTransition {
  const place = state.places.find((other) => other.node === node);
  const [left, effects] = remove(state, node);
  return [
    place === undefined ? left : { ...left, expired: { ...left.expired, [node]: place.ticket } },
    effects,
  ];
}

/** Whoever joins again is a new process: what the former one had is gone. */
function join(state: ServiceState, node: NodeId): ServiceTransition {
  const [left, effects] = remove(state, node);
  const ticket = left.lastTicket + 1;
  const { [node]: _, ...expired } = left.expired;
  return [
    { places: [...left.places, { ticket, node }], watches: left.watches, lastTicket: ticket, expired },
    [...effects, send(node, { type: 'joined', ticket }), setTimer(node, sessionMs)],
  ];
}

function remove(state: ServiceState, node: NodeId): ServiceTransition {
  const gone = state.places.filter((place) => place.node === node).map(({ ticket }) => ticket);
  const others = state.watches.filter((watch) => watch.node !== node);
  const told = others.filter(({ ticket }) => gone.includes(ticket));
  return [
    {
      ...state,
      places: state.places.filter((place) => place.node !== node),
      watches: others.filter((watch) => !told.includes(watch)),
    },
    told.map((watch): Effect<ServiceTypes> => send(watch.node, { type: 'gone', ticket: watch.ticket })),
  ];
}

export type QueueStep = (state: QueueState, input: QueueInput) => QueueTransition;

/** The student's part of the node, and the pings. */
interface SessionTypes extends Omit<Queue, 'message' | 'timer'> {
  readonly message: Message;
  readonly timer: 'unused' | 'session';
}

export const queueWith = (step: QueueStep): Protocol<SessionTypes> => ({
  algorithm: 'queue-sketch',
  variant: 'default',
  guarantees: noGuarantees,
  periodicMessages: new Set(['ping']),
  initialState: (id) => ({ id, ticket: null }),
  step: (state, input) => inSession(state, input, step),
  decodeMessage: (value) => value as Message,
  decodeDurable: (value) => value as never,
});

const staysAlive: readonly Effect<SessionTypes>[] = [
  send('queue', { type: 'ping' }),
  setTimer('session', pingMs),
];

function inSession(state: QueueState, input: Input<SessionTypes>, step: QueueStep): Transition<SessionTypes> {
  if (input.type === 'timer-fired' && input.timer === 'session') return [state, staysAlive];
  const returned = step(state, input as QueueInput);
  // What is no transition at all is the guard's to tell.
  if (input.type !== 'started' || !Array.isArray(returned?.[1])) return returned;
  return [returned[0], [...returned[1], ...staysAlive]];
}
