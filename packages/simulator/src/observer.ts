/** Who watches a run, and what there is to be seen. */

import type { NodeId } from '@hustings/elector';
import type { Effect, Input, MachineTypes, ProtocolMessage } from '@hustings/elector/protocol';
import type { FaultKind } from './faults.js';
import type { SimulatedNode } from './node.js';

export type AnyInput = Input<MachineTypes>;
export type AnyEffect = Effect<MachineTypes>;

/** What happened to the world rather than in a protocol. */
export type WorldEvent =
  | { readonly type: 'fault'; readonly fault: FaultKind }
  | { readonly type: 'healed'; readonly fault: FaultKind }
  /** The one clock of an exploration advances. */
  | { readonly type: 'ticked' }
  | { readonly type: 'crashed' | 'paused' | 'resumed'; readonly node: NodeId }
  | {
      readonly type: 'lost';
      readonly from: NodeId;
      readonly to: NodeId;
      readonly message: ProtocolMessage;
      /** Set where somebody dropped it; otherwise it was the network's doing. */
      readonly dropped?: true;
    };

/** Watches a run. Called inside the loop: keep it quick, and change nothing. */
export interface Observer<State> {
  /** A node is about to take a step. `stamp` is what `sending` returned for the message it received, if any. */
  stepping?(node: SimulatedNode<State>, input: AnyInput, stamp: unknown): void;
  /** A node has taken a step and its effects have been carried out. */
  stepped?(node: SimulatedNode<State>, input: AnyInput, before: State, effects: readonly AnyEffect[]): void;
  /** A node's belief, its Leadership or its being alive has changed. */
  changed?(node: SimulatedNode<State>): void;
  /** A protocol had an effect that it may not have. Its node leaves, as it would in production. */
  violated?(node: SimulatedNode<State>, what: string): void;
  /** A message leaves. What this returns comes back to `stepping` when the message is received. */
  sending?(from: SimulatedNode<State>, to: NodeId, message: ProtocolMessage): unknown;
  /** A message arrives then, unless something happens to it. Told twice of one that the network duplicates. */
  underway?(stamp: unknown, arrivesMs: number): void;
  /** `stamp` is what `sending` returned for the message, if one is lost. */
  happened?(event: WorldEvent, stamp?: unknown): void;
}

type Hook = keyof Observer<unknown>;
type Listener<State, Heard extends Hook> = Observer<State> & Required<Pick<Observer<State>, Heard>>;
export type Audience<State> = { readonly [Heard in Hook]: readonly Listener<State, Heard>[] };

/** Who hears what. Most observers care for little of all that happens, and should cost the rest nothing. */
export function audienceOf<State>(observers: readonly Observer<State>[]): Audience<State> {
  const whoHear = <Heard extends Hook>(hook: Heard): Listener<State, Heard>[] =>
    observers.filter((observer): observer is Listener<State, Heard> => observer[hook] !== undefined);
  return {
    stepping: whoHear('stepping'),
    stepped: whoHear('stepped'),
    changed: whoHear('changed'),
    violated: whoHear('violated'),
    sending: whoHear('sending'),
    underway: whoHear('underway'),
    happened: whoHear('happened'),
  };
}
