import type { Guarantees, NodeId } from '@hustings/elector';
import type { Input, MachineTypes, Protocol, Transition } from '@hustings/elector/protocol';

/** What a node remembers while it runs. */
interface State {
  readonly id: NodeId;
  readonly peers: readonly NodeId[];
}

/** What nodes say to each other; and `| StoreMessage` of './types.js', if they use the store. */
type Message = { readonly type: 'hello' };

interface Mine extends MachineTypes {
  readonly state: State;
  readonly message: Message;
  /** What survives a crash. */
  readonly durable: null;
  readonly timer: 'unused';
  readonly request: never;
  readonly announcement: never;
}

/** Promise what you can keep. */
const guarantees: Guarantees = {
  atMostOneLeader: false,
  monotonicTokens: false,
  toleratesPartition: false,
  orderedSuccession: false,
  targetedTransfer: false,
  leased: false,
  assumptions: [],
};

function step(state: State, input: Input<Mine>, nowMs: number): Transition<Mine> {
  return [state, []];
}

/** Whom nodes may talk to beside each other: ['store'], or nobody. */
export const services: readonly NodeId[] = [];

const elector: Protocol<Mine> = {
  algorithm: 'mine',
  variant: 'default',
  guarantees,
  // Messages that flow while nothing happens. Stories leave them out.
  periodicMessages: new Set<Message['type']>([]),
  initialState: (id, peers) => ({ id, peers }),
  step,
  decodeMessage: (value) => value as Message,
  decodeDurable: (value) => value as null,
};

export default elector;
