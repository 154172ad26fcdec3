/**
 * What etcd has told once it cannot take back. An etcd that knows less than it did has lost data, or is another one:
 * its revisions, and so the tokens, begin again below those that are out there.
 */

import { announce } from '@hustings/elector/protocol';
import type { TransactionResult } from '../messages.js';
import { isAfter } from '../revisions.js';
import { change, type EtcdState, type Member } from '../state.js';
import type { EtcdTransition } from '../transition.js';

/** Why the answer to the look cannot be of the etcd that was known when it was sent; null if it can. */
export function lossShownBy(
  { seenAtLook, clusterId }: EtcdState,
  { revision, clusterId: answering }: TransactionResult,
): string | null {
  if (clusterId !== null && clusterId !== answering) {
    return `cluster ${answering} answers instead of ${clusterId}`;
  }
  // A look reads what the majority knows, so it finds all that was known before it was sent.
  return isAfter(seenAtLook, revision) ? `it is at revision ${revision} after ${seenAtLook}` : null;
}

/**
 * Leaders' tokens only grow, so one below a token that was seen is of an etcd that has begun again. Only looks
 * count: events may have gone missing, and with them who led.
 */
export function rememberLeader(state: EtcdState, leader: Member | undefined): EtcdTransition {
  const { floor, session, dataLost } = state;
  if (leader === undefined || leader.lease === session?.lease) return [state, []];
  const token = leader.createRevision;
  if (token === floor && !dataLost) return [state, []];
  if (!isAfter(floor, token)) return [change(state, { floor: token, dataLost: false }), []];
  return dataLost ? [state, []] : onDataLost(state, `its leader has token ${token} after ${floor}`);
}

/** From now on no token counts that is not above everything this node has seen. */
export function onDataLost(state: EtcdState, what: string): EtcdTransition {
  const floor = isAfter(state.seen, state.floor) ? state.seen : state.floor;
  const detail =
    `etcd has lost data, or is another etcd: ${what}. This node leads with no token up to ${floor} until it is ` +
    "restarted, or told to by request({ type: 'accept-lower-tokens' }). Whatever checks tokens must forget " +
    'the old ones first.';
  return [
    change(state, { floor, dataLost: true }),
    [announce({ type: 'data-lost', highestToken: BigInt(floor), detail })],
  ];
}

/** Somebody has seen to it that low tokens do no harm. */
export const acceptLowerTokens = (state: EtcdState): EtcdState =>
  change(state, { floor: '0', dataLost: false });

/** Keeps the highest revision that etcd has told of. */
export const remember = (state: EtcdState, revision: string): EtcdState =>
  isAfter(revision, state.seen) ? change(state, { seen: revision }) : state;

/** A token that may be led with: above every one that this node has seen. */
export const isUnseen = ({ floor }: EtcdState, token: string): boolean => isAfter(token, floor);
