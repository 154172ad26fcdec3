/**
 * Tokens only grow. One at or below another that was seen is of a store that has lost data, or is another store: what it
 * would let this node do, a resource that checks tokens refuses, and one that does not would let two do.
 */

import { announce } from '@hustings/elector/protocol';
import type { Token } from '../messages.js';
import { change, type LeaseState } from '../state.js';
import { isAfter } from '../tokens.js';
import type { LeaseTransition } from '../transition.js';

/** Another's token, as the store shows it. */
export function rememberLeader(state: LeaseState): LeaseTransition {
  const { other, holder, floor } = state;
  if (other === null || other.token === null || other.holder === holder) return [state, []];
  if (!isAfter(floor, other.token))
    return [change(state, { floor: other.token, floorIsOwn: false, dataLost: false }), []];
  return onDataLost(state, `its leader has token ${other.token} after ${floor}`);
}

/** Says so once, until a token above all others is seen. */
export function onDataLost(state: LeaseState, what: string): LeaseTransition {
  if (state.dataLost) return [state, []];
  const { floor } = state;
  const detail =
    `The store has lost data, or is another store: ${what}. This node leads with no token up to ${floor} until it is ` +
    "restarted, or told to by request({ type: 'accept-lower-tokens' }). Whatever checks tokens must forget " +
    'the old ones first.';
  return [
    change(state, { dataLost: true }),
    [announce({ type: 'data-lost', highestToken: BigInt(floor), detail })],
  ];
}

/** Somebody has seen to it that low tokens do no harm. */
export const acceptLowerTokens = (state: LeaseState): LeaseState =>
  change(state, {
    floor: '0',
    floorIsOwn: false,
    dataLost: false,
  });

/** A token that may be led with: above every one that this node has seen. */
export const isUnseen = ({ floor }: LeaseState, token: Token): boolean => isAfter(token, floor);

/**
 * A lease that this process has led with, and that was over: such as from a replica that has missed its release. Nobody
 * is known to have led since, so it is given back, once, for the sake of a new token.
 */
export const isOwnAgain = ({ floor, floorIsOwn }: LeaseState, token: Token): boolean =>
  floorIsOwn && token === floor;
