/** A ring that is whole: who stands next to whom, and how many messages Chang and Roberts need in it. */

import type { NodeId } from '@hustings/elector';
import { byRank, outranks, type Protocol } from '@hustings/elector/protocol';
import type {
  Ring,
  RingInput,
  RingMessage,
  RingState,
  RingTransition,
} from '../../exercises/11-ring/types.js';
import { noGuarantees } from '../sketch.js';

export type Order = (ids: readonly NodeId[]) => readonly NodeId[];

/** All but one candidate meet a stronger one at once. */
export const rising: Order = (ids) => [...ids].sort(byRank);
/** Each candidate goes as far as it can. */
export const falling: Order = (ids) => rising(ids).toReversed();
/** n2, n4, n5, n3, n1 */
export const mixed: Order = (ids) => {
  const ranked = rising(ids);
  const odd = ranked.filter((_, index) => index % 2 === 0);
  return [...ranked.filter((_, index) => index % 2 === 1), ...odd.toReversed()];
};

const guarantees = { ...noGuarantees, atMostOneLeader: true, monotonicTokens: true };

export type RingStep = (state: RingState, input: RingInput) => RingTransition;

export const ringWith = (step: RingStep, order: Order): Protocol<Ring> => ({
  algorithm: 'ring-sketch',
  variant: 'default',
  guarantees,
  periodicMessages: new Set(),
  initialState(id, peers) {
    const ring = order([id, ...peers]);
    const next = ring[(ring.indexOf(id) + 1) % ring.length]!;
    return { id, next, participant: false, leaderId: null };
  },
  step: (state, input) => step(state, input),
  decodeMessage: (value) => value as RingMessage,
  decodeDurable: (value) => value as never,
});

/** How far a candidate goes: to the first that is stronger, or all the way round. */
function hopsOf(ring: readonly NodeId[], start: number): number {
  const others = ring.map((_, index) => ring[(start + index + 1) % ring.length]!);
  const stronger = others.findIndex((other) => outranks(other, ring[start]!));
  return stronger === -1 ? ring.length : stronger + 1;
}

/** All call at the same moment, and all messages are equally fast. The COORDINATOR goes round once. */
export const messagesIfAllCall = (ring: readonly NodeId[]): number =>
  ring.reduce((total, _, index) => total + hopsOf(ring, index), ring.length);

/** Where a candidate ends, the stronger one begins. */
export function messagesIfOneCalls(ring: readonly NodeId[], caller: NodeId): number {
  let total = ring.length;
  let at = ring.indexOf(caller);
  for (;;) {
    const hops = hopsOf(ring, at);
    total += hops;
    if (hops === ring.length) return total;
    at = (at + hops) % ring.length;
  }
}
