/**
 * Tokens only grow. One at or below another that was seen is of a store that has lost data, or is another store: what it
 * would let this node do, a resource that checks tokens refuses, and one that does not would let two do.
 */

import { announce } from '@hustings/elector/protocol';
import type { Token } from '../messages.js';
import { change, type LeaseState, type OthersLease } from '../state.js';
import { isAfter } from '../tokens.js';
import type { LeaseTransition } from '../transition.js';

/** Another's token, as the store shows it. */
export function rememberLeader(state: LeaseState, { holder, token }: OthersLease): LeaseTransition {
  const { floor } = state;
  if (token === null || holder === state.holder) return [state, []];
  // What another has and this process has had was given twice: it is not this process's from before.
  const formerOwn = isAfter(token, state.formerOwn) ? state.formerOwn : '0';
  if (!isAfter(floor, token)) return [change(state, { floor: token, formerOwn, dataLost: false }), []];
  return onDataLost(change(state, { formerOwn }), `its leader has token ${token} after ${floor}`);
}

/** Says so once, until a token above all others is seen. */
export function onDataLost(state: LeaseState, what: string): LeaseTransition {
  if (state.dataLost) return [state, []];
  const { floor, settings } = state;
  const cure =
    settings.store.tokens === 'clock'
      ? "It asks for another one until the store's clock has passed that. "
      : '';
  const detail =
    `The store has lost data, or is another store: ${what}. This node leads with no token up to ${floor} until it is ` +
    `restarted, or told to by request({ type: 'accept-lower-tokens' }). ${cure}Whatever checks tokens must forget ` +
    'the old ones first.';
  return [
    change(state, { dataLost: true }),
    [announce({ type: 'data-lost', highestToken: BigInt(floor), detail })],
  ];
}

/** Somebody has seen to it that low tokens do no harm. */
export const acceptLowerTokens = (state: LeaseState): LeaseState =>
  change(state, { floor: '0', formerOwn: '0', dataLost: false });

/** A token that may be led with: above every one that this node has seen. */
export const isUnseen = ({ floor }: LeaseState, token: Token): boolean => isAfter(token, floor);

/**
 * A lease that this process has had, and that was over: such as from a replica that has missed its release. It is given
 * back, once, for the sake of a new token.
 */
export const isOwnAgain = ({ formerOwn }: LeaseState, token: Token): boolean => !isAfter(token, formerOwn);

/** What is no longer this process's must not be led with again: another may have led since, unseen. */
export const rememberOwn = (state: LeaseState): LeaseState =>
  state.own === null || !isUnseen(state, state.own.token)
    ? state
    : change(state, { floor: state.own.token, formerOwn: state.own.token });
