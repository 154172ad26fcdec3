import type { Guarantees, NodeId } from '@hustings/elector';
import type { Effect, Input } from '@hustings/elector/protocol';
import type { AnyProtocol } from '../src/index.js';

export interface Ping {
  readonly type: 'ping';
  readonly count: number;
}
interface PingTypes {
  readonly state: Heard;
  readonly message: Ping;
  readonly durable: number;
  readonly timer: string;
  readonly request: never;
  readonly announcement: never;
}
export type PingInput = Input<PingTypes>;
export type PingEffect = Effect<PingTypes>;
export type Script = (id: NodeId, input: PingInput, nowMs: number) => readonly PingEffect[];

export interface Heard {
  readonly id: NodeId;
  readonly inputs: readonly PingInput[];
}

const guarantees: Guarantees = {
  atMostOneLeader: false,
  monotonicTokens: false,
  toleratesPartition: false,
  orderedSuccession: false,
  targetedTransfer: false,
  leased: true,
  assumptions: [],
};

/** A protocol that remembers what it hears and does what the test tells it: the simulator is what is tested. */
export function scripted(script: Script): AnyProtocol<Heard> {
  return {
    algorithm: 'scripted',
    variant: 'default',
    guarantees,
    periodicMessages: new Set(),
    initialState: (id) => ({ id, inputs: [] }),
    step: (state, input, nowMs) => [
      { ...state, inputs: [...state.inputs, input as PingInput] },
      script(state.id, input as PingInput, nowMs),
    ],
    decodeMessage: (value) => value as Ping,
    decodeDurable: (value) => value,
  };
}

export const ping = (to: NodeId, count = 1): PingEffect => ({
  type: 'send',
  to,
  message: { type: 'ping', count },
});

export const tick = (minMs: number, maxMs = minMs): PingEffect => ({
  type: 'set-timer',
  timer: 'tick',
  delayMs: [minMs, maxMs],
});
