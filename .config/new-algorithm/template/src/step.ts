/**
 * Roll call. Whoever stands says so, and of those who stand the strongest takes a vacant office after a moment.
 *
 * It is the example that `npm run new:algorithm` begins with: replace the rules, and name their source here.
 */

import type { NodeId, StepDownReason } from '@hustings/elector';
import {
  andThen,
  cancelTimer,
  type Effect,
  followNobody,
  type Input,
  outranks,
  send,
  setTimer,
  type Transition,
} from '@hustings/elector/protocol';
import type { RollCallMessage } from './messages.js';
import type { RollCallState, RollCallTypes } from './state.js';

type RollCallEffect = Effect<RollCallTypes>;
type RollCallTransition = Transition<RollCallTypes>;

export function step(state: RollCallState, input: Input<RollCallTypes>): RollCallTransition {
  switch (input.type) {
    case 'restarted':
      return [{ ...state, epoch: input.durable.epoch }, []];
    case 'campaign-requested':
      return stand({ ...state, standing: true });
    case 'resign-requested':
      return withdraw(state, 'resigned');
    case 'received':
      return onMessage(state, input.from, input.message);
    case 'timer-fired':
      return decide(state);
    case 'health-changed':
      return onHealth(state, input.healthy);
    case 'link-up':
      return [state, introduction(state, input.peer)];
    case 'link-down':
      return loseSightOf(state, input.peer);
    case 'started':
    case 'lease-expired':
    case 'observation-changed':
    case 'peer-gone':
    case 'requested':
      return [state, []]; // It leads without a lease, tells everyone, and offers nothing beside leading.
  }
}

function onMessage(state: RollCallState, from: NodeId, message: RollCallMessage): RollCallTransition {
  switch (message.type) {
    case 'standing':
      return [withRival(state, from), []];
    case 'leading':
      return isNewer(state, from, message.epoch) ? follow(state, from, message.epoch) : [state, []];
    case 'gone':
      return loseSightOf(state, from);
  }
}

function stand(state: RollCallState): RollCallTransition {
  return [state, [...toAll(state, 'standing'), ...awaitOthers(state)]];
}

/** Everybody has had time to say that they stand. A stronger one among them decides in its turn. */
function decide(state: RollCallState): RollCallTransition {
  const isVacant = state.leaderId === null;
  const isStrongest = state.rivals.every((rival) => outranks(state.id, rival));
  return isVacant && isEligible(state) && isStrongest ? becomeLeader(state) : [state, []];
}

function becomeLeader(state: RollCallState): RollCallTransition {
  const leader: RollCallState = { ...state, leaderId: state.id, epoch: state.epoch + 1 };
  return [
    leader,
    [
      { type: 'campaign' },
      // On disk before anybody hears of it: a node that crashed here must not issue this epoch again.
      { type: 'save', durable: { epoch: leader.epoch } },
      ...toAll(leader, 'leading'),
      { type: 'lead', token: BigInt(leader.epoch) },
    ],
  ];
}

/** Of two leaders in one epoch the stronger is believed; they can only have led on two sides of a partition. */
function isNewer({ epoch, leaderId }: RollCallState, from: NodeId, claimed: number): boolean {
  if (claimed !== epoch) return claimed > epoch;
  return leaderId === null || outranks(from, leaderId);
}

function follow(state: RollCallState, leaderId: NodeId, epoch: number): RollCallTransition {
  if (isLeading(state))
    return andThen(withdraw(state, 'deposed'), (former) => follow(former, leaderId, epoch));
  return [
    { ...state, leaderId, epoch },
    [
      { type: 'save', durable: { epoch } },
      cancelTimer('decide'),
      { type: 'follow', leaderId, token: BigInt(epoch) },
    ],
  ];
}

/** A peer has gone, or its connection has: it neither stands nor leads, as far as can be known. */
function loseSightOf(state: RollCallState, peer: NodeId): RollCallTransition {
  const left: RollCallState = { ...state, rivals: state.rivals.filter((rival) => rival !== peer) };
  if (left.leaderId === null) return [left, awaitOthers(left)];
  return left.leaderId === peer
    ? [{ ...left, leaderId: null }, [followNobody, ...awaitOthers(left)]]
    : [left, []];
}

/** Stops leading and standing, until the application campaigns again. */
function withdraw(state: RollCallState, reason: StepDownReason): RollCallTransition {
  const leaderId = isLeading(state) ? null : state.leaderId;
  return [
    { ...state, standing: false, leaderId },
    [{ type: 'step-down', reason }, cancelTimer('decide'), ...toAll(state, 'gone')],
  ];
}

function onHealth(state: RollCallState, healthy: boolean): RollCallTransition {
  const changed: RollCallState = { ...state, healthy };
  if (isLeading(changed)) return healthy ? [changed, []] : withdraw(changed, 'unhealthy');
  if (!changed.standing) return [changed, []];
  return healthy ? stand(changed) : [changed, [cancelTimer('decide'), ...toAll(changed, 'gone')]];
}

/** What was sent to the peer before the connection stood is lost: say what it needs to know. */
function introduction(state: RollCallState, peer: NodeId): RollCallEffect[] {
  const standing = send(peer, { type: 'standing', epoch: state.epoch } as const);
  const leading = send(peer, { type: 'leading', epoch: state.epoch } as const);
  if (!isEligible(state)) return [];
  return isLeading(state) ? [standing, leading] : [standing];
}

function withRival(state: RollCallState, rival: NodeId): RollCallState {
  return state.rivals.includes(rival) ? state : { ...state, rivals: [...state.rivals, rival] };
}

const isLeading = (state: RollCallState): boolean => state.leaderId === state.id;
const isEligible = (state: RollCallState): boolean => state.standing && state.healthy;
const awaitOthers = (state: RollCallState): RollCallEffect[] =>
  isEligible(state) ? [setTimer('decide', state.settings.decideAfterMs)] : [];
const toAll = ({ peers, epoch }: RollCallState, type: RollCallMessage['type']): RollCallEffect[] =>
  peers.map((to) => send(to, { type, epoch }));
