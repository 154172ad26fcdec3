/**
 * What ZooKeeper has told once it cannot take back. An ensemble that knows less than it did has lost data, or is
 * another one: its zxids, and so the tokens, begin again below those that are out there.
 */

import { announce } from '@hustings/elector/protocol';
import { change, type LeaderView, type ZooKeeperState } from '../state.js';
import type { ZooKeeperTransition } from '../transition.js';

/** A znode that was created just now has a greater zxid than any that was known before. */
export function rememberCreated(state: ZooKeeperState, czxid: number): ZooKeeperTransition {
  if (czxid > state.seen) return [change(state, { seen: czxid }), []];
  const [informed, effects] = onDataLost(
    state,
    `it created a znode at ${spell(czxid)} after ${spell(state.seen)}`,
  );
  return [change(informed, { seen: czxid }), effects];
}

/** Leaders' tokens only grow, so one below a token that was seen is of an ensemble that has begun again. */
export function rememberLeader(state: ZooKeeperState, { czxid }: LeaderView): ZooKeeperTransition {
  const { floor, dataLost } = state;
  if (czxid >= floor) return [change(remember(state, czxid), { floor: czxid, dataLost: false }), []];
  return dataLost
    ? [state, []]
    : onDataLost(state, `its leader has token ${spell(czxid)} after ${spell(floor)}`);
}

/** From now on no token counts that is not above everything this node has seen. */
export function onDataLost(state: ZooKeeperState, what: string): ZooKeeperTransition {
  const floor = Math.max(state.floor, state.seen);
  const detail =
    `ZooKeeper has lost data, or is another ensemble: ${what}. This node leads with no token up to ${floor} ` +
    "until it is restarted, or told to by request({ type: 'accept-lower-tokens' }). Whatever checks tokens " +
    'must forget the old ones first.';
  return [
    change(state, { floor, dataLost: true }),
    [announce({ type: 'data-lost', highestToken: BigInt(floor), detail })],
  ];
}

/** Somebody has seen to it that low tokens do no harm. */
export const acceptLowerTokens = (state: ZooKeeperState): ZooKeeperState =>
  change(state, { floor: 0, dataLost: false });

/** Keeps the highest zxid that ZooKeeper has told of. */
export const remember = (state: ZooKeeperState, czxid: number): ZooKeeperState =>
  change(state, { seen: Math.max(state.seen, czxid) });

/** A token that may be led with: above every one that this node has seen. */
export const isUnseen = ({ floor }: ZooKeeperState, token: number): boolean => token > floor;

/** The upper half of a zxid is the epoch, which begins again when an ensemble does. */
const spell = (zxid: number): string => `zxid 0x${zxid.toString(16)} of epoch ${Math.floor(zxid / 2 ** 32)}`;
