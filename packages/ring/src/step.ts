/**
 * Election on a ring. An ELECTION goes from neighbour to neighbour until it is back; then a COORDINATOR goes
 * the same way and says who leads.
 *
 * By default every node that stands adds itself to the list in the message, and whoever started the message
 * picks the strongest of the list (A. Tanenbaum and M. van Steen, "Distributed Systems", 'A ring algorithm').
 * The variant follows E. Chang and R. Roberts, "An Improved Algorithm for Decentralized Extrema-Finding in
 * Circular Configurations of Processes", CACM 22(5), 1979, which improves on G. Le Lann, "Distributed
 * Systems: Towards a Formal Approach", IFIP 1977: a message speaks for one candidate, and a stronger one
 * swallows it. Those papers take the ring to be whole. Keeping it whole is ours: acknowledgements, passing
 * over, starting again. T is `settings.maxDelayMs`.
 */

import type { NodeId, StepDownReason } from '@hustings/elector';
import {
  andThen,
  byRank,
  cancelTimer,
  type DelayRangeMs,
  type Effect,
  followNobody,
  type Input,
  outranks,
  send,
  setTimer,
  type Transition,
} from '@hustings/elector/protocol';
import type {
  CirculatingMessage,
  CoordinatorMessage,
  ElectionMessage,
  RingMessage,
  RingTimer,
} from './messages.js';
import { change, type RingState, type RingTypes } from './state.js';

type RingInput = Input<RingTypes>;
type RingEffect = Effect<RingTypes>;
type RingTransition = Transition<RingTypes>;

export function step(state: RingState, input: RingInput): RingTransition {
  switch (input.type) {
    case 'started':
      return [state, [awaitLeader(state)]];
    case 'restarted':
      return [change(state, { listening: true, epoch: input.durable.epoch }), [awaitLeader(state)]];
    case 'campaign-requested':
      return seekOffice(change(state, { standing: true }));
    case 'resign-requested':
      return withdraw(state, 'resigned');
    case 'received':
      return onMessage(readmit(state, [input.from]), input.from, input.message);
    case 'timer-fired':
      return onTimer(state, input.timer);
    case 'health-changed':
      return onHealth(state, input.healthy);
    case 'link-up':
      return onLinkUp(readmit(state, [input.peer]), input.peer);
    case 'link-down':
      return onLinkDown(state, input.peer);
    case 'peer-gone':
    case 'lease-expired':
    case 'observation-changed':
    case 'requested':
      return [state, []]; // A ring's leader leads without a lease, tells everyone, and offers nothing else.
  }
}

function onMessage(state: RingState, from: NodeId, message: RingMessage): RingTransition {
  switch (message.type) {
    case 'heartbeat':
      return onHeartbeat(state, from, message.epoch);
    case 'ack':
      return onAcknowledged(state, message.hop);
    case 'election':
      return andThen([state, [acknowledge(from, message)]], (next) => onElection(next, message));
    case 'coordinator':
      return andThen([state, [acknowledge(from, message)]], (next) => onCoordinator(next, message));
    case 'resigned':
      return onResigned(state, from, message.epoch);
    case 'superseded':
      return learnEpoch(state, message.epoch);
  }
}

function onTimer(state: RingState, timer: RingTimer): RingTransition {
  switch (timer) {
    case 'leader':
      return loseLeader(change(state, { listening: false }));
    case 'election':
      return onElectionOverdue(state);
    case 'hop':
      return onSilence(state);
    case 'heartbeat':
      return [state, [...toAll(state, 'heartbeat'), nextHeartbeat(state)]];
  }
}

// ---- Electing -------------------------------------------------------------------------------------------

/** Calls an election, unless somebody leads or an election is on its way. */
function seekOffice(state: RingState): RingTransition {
  // A leader is its own, and a candidate takes part in its own election.
  const isVacant = state.leaderId === null && !state.participant;
  return isVacant && isEligible(state) ? callElection(state) : [state, []];
}

/** Starts an ELECTION on its way round. */
function callElection(state: RingState): RingTransition {
  const candidate = change(state, {
    role: 'candidate',
    leaderId: null,
    participant: true,
    contender: true,
    silent: state.participant ? state.silent : [],
  });
  const campaigning: RingEffect[] = [
    cancelTimer('leader'),
    { type: 'campaign' },
    setTimer('election', roundMs(state)),
  ];
  return andThen([candidate, campaigning], (starting) =>
    passOn(starting, {
      type: 'election',
      epoch: state.epoch,
      members: [],
      candidates: [state.id],
      hop: 0,
    }),
  );
}

function onElection(state: RingState, message: ElectionMessage): RingTransition {
  if (message.epoch > state.epoch) {
    return andThen(learnEpoch(state, message.epoch), (learned) => onElection(learned, message));
  }
  if (state.role === 'leader') return reassure(state, message);
  if (isOvertaken(state, message)) return [state, []];
  if (message.members.includes(state.id)) return onRoundCompleted(state, message);
  // Whoever has passed the message on was alive a moment ago, whatever became of our connection to it.
  const readmitted = readmit(state, message.members);
  return state.variant === 'chang-roberts'
    ? compareCandidate(readmitted, message)
    : addToList(readmitted, message);
}

/**
 * The list-collecting rule: everyone who would lead is on the list, and everyone passes it on. Of several lists
 * the one that was started last in the order of the ring goes all the way; each of the others ends at the next
 * node that has started one, so that together they cost no more than one round.
 */
function addToList(state: RingState, message: ElectionMessage): RingTransition {
  // Whoever stands on this list will stand on ours, or on the one that ends ours.
  if (state.role === 'candidate' && !state.settings.allElectionsRun && !startedLater(state, message)) {
    return [state, []];
  }
  return andThen(takePart(state), (next) => {
    const candidates = isContender(next) ? [...message.candidates, next.id] : message.candidates;
    return passOn(next, { ...message, epoch: next.epoch, candidates });
  });
}

/** The rule of Chang and Roberts: pass a stronger candidate on, and speak for yourself instead of a weaker one. */
function compareCandidate(state: RingState, message: ElectionMessage): RingTransition {
  const isWeaker = message.candidates.every((candidate) => outranks(state.id, candidate));
  if (isWeaker && state.role === 'candidate') return [state, []]; // Our own id is on its way already.
  return andThen(takePart(state), (next) =>
    isWeaker && isContender(next) ? callElection(next) : passOn(next, { ...message, epoch: next.epoch }),
  );
}

/** An election is on its way: wait for its outcome rather than calling another. */
function takePart(state: RingState): RingTransition {
  if (state.participant) return [state, []];
  // The election and its announcement each go round once. Whoever started it tries again earlier, and those
  // who wait do so for different times, so a message that is lost is replaced by one, not by many.
  const waitMs: DelayRangeMs = [2 * roundMs(state), 3 * roundMs(state)];
  return [
    change(state, { participant: true, contender: isEligible(state), silent: [] }),
    [setTimer('election', waitMs)],
  ];
}

/**
 * The message has come to somebody who has passed it on before, or there is nobody left to hand it to. That
 * is the node that started it; or, if that has died since, the first one after it, which takes its place.
 */
function onRoundCompleted(state: RingState, message: ElectionMessage): RingTransition {
  if (state.variant === 'default' || message.candidates.includes(state.id)) return conclude(state, message);
  // The candidate that the message spoke for has been struck off. Others will start again when time is up.
  return [state, []];
}

/** Everyone has been asked: the strongest leads, in an epoch that nobody on the list has heard of. */
function conclude(state: RingState, message: ElectionMessage): RingTransition {
  const others = message.candidates.filter((id) => id !== state.id && !isPassedOver(state, id));
  const leaderId = (isContender(state) ? [...others, state.id] : others).sort(byRank).at(-1);
  if (leaderId === undefined) return andThen(leaveElection(state), seekOffice);
  const announcement: CoordinatorMessage = {
    type: 'coordinator',
    epoch: state.epoch + 1,
    leaderId,
    members: [],
    hop: 0,
  };
  return leaderId === state.id
    ? becomeLeader(state, announcement)
    : andThen(followAnnounced(state, announcement), (follower) => passOn(follower, announcement));
}

function leaveElection(state: RingState): RingTransition {
  return [change(state, { participant: false }), [cancelTimer('election')]];
}

/** The message was lost with the node that carried it, or its outcome was. */
function onElectionOverdue(state: RingState): RingTransition {
  if (state.role === 'candidate') return callElection(state);
  return seekOffice(change(state, { participant: false }));
}

function onCoordinator(state: RingState, message: CoordinatorMessage): RingTransition {
  if (message.epoch < state.epoch) return [state, []]; // That leader has been succeeded.
  if (message.leaderId === state.id) return onNamed(state, message);
  const following = followAnnounced(state, message);
  if (message.members.includes(state.id)) return following;
  // Even if we prefer another leader of the same epoch: the two must hear of each other.
  return andThen(following, (next) => passOn(readmit(next, message.members), message));
}

/** The others have elected this node. */
function onNamed(state: RingState, message: CoordinatorMessage): RingTransition {
  if (state.role === 'leader' && message.epoch === state.epoch) {
    return message.members.includes(state.id) ? [state, []] : passOn(state, message);
  }
  if (state.role !== 'leader' && isEligible(state) && message.epoch > state.epoch) {
    return becomeLeader(state, message);
  }
  // It no longer stands, or the epoch is known to others as somebody else's. Say so, lest they wait for it.
  return andThen(learnEpoch(state, message.epoch), (next) => [next, toAll(next, 'resigned')]);
}

function becomeLeader(state: RingState, announcement: CoordinatorMessage): RingTransition {
  const { epoch } = announcement;
  const leader = change(state, { role: 'leader', participant: false, leaderId: state.id, epoch });
  const prepared: RingTransition = [
    leader,
    // On disk before anybody hears of it: a node that crashed here must not let this epoch be issued again.
    [{ type: 'save', durable: { epoch } }, cancelTimer('leader'), cancelTimer('election')],
  ];
  return andThen(
    andThen(prepared, (next) => passOn(next, announcement)),
    (next) => [next, [{ type: 'lead', token: BigInt(epoch) }, nextHeartbeat(next)]],
  );
}

// ---- Following ------------------------------------------------------------------------------------------

function onHeartbeat(state: RingState, from: NodeId, epoch: number): RingTransition {
  // A leader that was cut off or paused hears in this way that it has been succeeded.
  if (epoch < state.epoch) {
    return [state, [send(from, { type: 'superseded', epoch: state.epoch })]];
  }
  return onLeader(state, from, epoch, awaitLeader(state));
}

/** An announcement has yet to reach the leader that it names, whose first heartbeat comes only then. */
function followAnnounced(state: RingState, { leaderId, epoch }: CoordinatorMessage): RingTransition {
  const [minMs, maxMs] = state.settings.leaderTimeoutMs;
  const extraMs = roundMs(state);
  return onLeader(state, leaderId, epoch, setTimer('leader', [minMs + extraMs, maxMs + extraMs]));
}

/** Another node leads, in an epoch no older than ours. */
function onLeader(state: RingState, leaderId: NodeId, epoch: number, patience: RingEffect): RingTransition {
  if (epoch > state.epoch) {
    const former: RingTransition = state.role === 'leader' ? withdraw(state, 'deposed') : [state, []];
    return andThen(former, (next) => follow(next, leaderId, epoch, patience));
  }
  if (state.role === 'leader') {
    // Two leaders in one epoch hold the same token, so even the stronger needs a new one.
    return andThen(withdraw(state, 'deposed'), (former) => [former, toAll(former, 'resigned')]);
  }
  if (state.leaderId === leaderId) {
    if (!state.participant) return [state, [patience]];
    return andThen(leaveElection(state), (next) => [next, [patience]]);
  }
  if (state.leaderId !== null && outranks(state.leaderId, leaderId)) return [state, []];
  return follow(state, leaderId, epoch, patience);
}

function follow(state: RingState, leaderId: NodeId, epoch: number, patience: RingEffect): RingTransition {
  const saving: RingEffect[] = epoch > state.epoch ? [{ type: 'save', durable: { epoch } }] : [];
  return [
    change(state, { listening: false, role: 'follower', participant: false, leaderId, epoch }),
    [...saving, cancelTimer('election'), { type: 'follow', leaderId, token: BigInt(epoch) }, patience],
  ];
}

/** A living leader is not voted out: it ends the election, and the one who called it has missed a heartbeat. */
function reassure(state: RingState, { members: [caller] }: ElectionMessage): RingTransition {
  if (caller === undefined || caller === state.id) return [state, []];
  return [state, [send(caller, { type: 'heartbeat', epoch: state.epoch })]];
}

/** The leader is silent, or its connection is gone. */
function loseLeader(state: RingState): RingTransition {
  if (isEligible(state) && !state.participant) return callElection(state);
  return andThen([state, [cancelTimer('leader')]], vacate);
}

function vacate(state: RingState): RingTransition {
  if (state.leaderId === null) return [state, []];
  return [change(state, { leaderId: null }), [followNobody]];
}

/** The leader left in good order: the next in the ring calls the election, and the others let it. */
function onResigned(state: RingState, former: NodeId, epoch: number): RingTransition {
  if (epoch > state.epoch) return learnEpoch(state, epoch);
  if (epoch < state.epoch || former !== state.leaderId) return [state, []];
  const isNext = state.ring.findLast((peer) => !isPassedOver(state, peer)) === former;
  if (isNext) return loseLeader(state);
  return andThen(vacate(state), (next) => [next, [awaitLeader(next)]]);
}

/** Stops leading and standing, until the application campaigns again. */
function withdraw(state: RingState, reason: StepDownReason): RingTransition {
  const stepDown: RingEffect = { type: 'step-down', reason };
  const follower = change(state, { role: 'follower', standing: false });
  // The election of a candidate is still on its way, and may elect another.
  if (state.role !== 'leader') return [follower, [stepDown]];
  // A deposed leader need not say so: whoever deposed it is announced.
  const farewell = reason === 'deposed' ? [] : toAll(state, 'resigned');
  return [
    change(follower, { leaderId: null }),
    [stepDown, cancelTimer('heartbeat'), awaitLeader(state), ...farewell],
  ];
}

/** Somebody has led after every leader that we know of; if we lead, our token is stale. */
function learnEpoch(state: RingState, epoch: number): RingTransition {
  if (epoch <= state.epoch) return [state, []];
  return andThen(leaveOutdated(state), (next) => [
    change(next, { epoch }),
    [{ type: 'save', durable: { epoch } }],
  ]);
}

function leaveOutdated(state: RingState): RingTransition {
  switch (state.role) {
    case 'leader':
      return withdraw(state, 'deposed');
    case 'candidate':
      // Whoever follows a later leader ends our election, so ours must not end that of another.
      return standBack(state);
    case 'follower':
      return vacate(state);
  }
}

/** A candidate waits for the outcome as those do who have called no election. */
function standBack(state: RingState): RingTransition {
  return [change(state, { role: 'follower' }), [followNobody]];
}

function onHealth(state: RingState, healthy: boolean): RingTransition {
  const changed = change(state, { healthy });
  if (healthy) return seekOffice(changed);
  if (changed.role === 'leader') return withdraw(changed, 'unhealthy');
  return changed.role === 'candidate' ? standBack(changed) : [changed, []];
}

// ---- Keeping the ring whole -----------------------------------------------------------------------------

function passOn(state: RingState, message: CirculatingMessage): RingTransition {
  return hand(state, { ...message, members: [...message.members, state.id] });
}

/** Hands a message to the next node that is not passed over. */
function hand(state: RingState, message: CirculatingMessage): RingTransition {
  const next = state.ring.find((peer) => !isPassedOver(state, peer));
  if (message.type === 'election') {
    // Whoever is passed over cannot lead. It matters when the one who started the election has died since.
    const candidates = message.candidates.filter((id) => !isPassedOver(state, id));
    if (next === undefined) return onRoundCompleted(state, { ...message, candidates });
    return handTo(state, next, { ...message, candidates });
  }
  return next === undefined ? [state, []] : handTo(state, next, message);
}

function handTo(state: RingState, to: NodeId, message: CirculatingMessage): RingTransition {
  const hop = state.hops + 1;
  const numbered: CirculatingMessage = { ...message, hop };
  return [
    change(state, { hops: hop, handed: [...state.handed, { to, message: numbered }] }),
    [
      send(to, numbered),
      // The timer belongs to the oldest message.
      ...(state.handed.length === 0 ? [awaitAcknowledgement(state)] : []),
    ],
  ];
}

function onAcknowledged(state: RingState, hop: number): RingTransition {
  const handed = state.handed.filter(({ message }) => message.hop !== hop);
  if (handed.length === state.handed.length) return [state, []];
  return [
    change(state, { handed }),
    [handed.length === 0 ? cancelTimer('hop') : awaitAcknowledgement(state)],
  ];
}

/** No acknowledgement came: the neighbour is dead, or slow. If it is slow, two copies go round, and end alike. */
function onSilence(state: RingState): RingTransition {
  const [oldest] = state.handed;
  if (oldest === undefined) return [state, []];
  return handAgain(change(state, { silent: [...state.silent, oldest.to] }), oldest.to);
}

/** A closed connection says at once what silence would say later. */
function onLinkDown(state: RingState, peer: NodeId): RingTransition {
  const cutOff = change(state, { unreachable: [...state.unreachable, peer] });
  return andThen(handAgain(cutOff, peer), (next) => (next.leaderId === peer ? loseLeader(next) : [next, []]));
}

/** What was sent to the peer before the connection stood is lost: send it again. */
function onLinkUp(state: RingState, peer: NodeId): RingTransition {
  const resent = handAgain(state, peer);
  if (state.role !== 'leader') return resent;
  const heartbeat: RingMessage = { type: 'heartbeat', epoch: state.epoch };
  return andThen(resent, (next) => [next, [send(peer, heartbeat)]]);
}

/** Hands over once more what `to` has not acknowledged, unless it has been settled meanwhile. */
function handAgain(state: RingState, to: NodeId): RingTransition {
  const [again, rest] = [
    state.handed.filter((handover) => handover.to === to),
    state.handed.filter((handover) => handover.to !== to),
  ];
  if (again.length === 0) return [state, []];
  const timing = rest.length === 0 ? cancelTimer('hop') : awaitAcknowledgement(state);
  return again.reduce<RingTransition>(
    (transition, { message }) =>
      andThen(transition, (next) => (isOvertaken(next, message) ? [next, []] : hand(next, message))),
    [change(state, { handed: rest }), [timing]],
  );
}

/** Lets nodes back into the ring that were passed over. */
function readmit(state: RingState, nodes: readonly NodeId[]): RingState {
  if (!nodes.some((node) => isPassedOver(state, node))) return state;
  return change(state, {
    unreachable: state.unreachable.filter((peer) => !nodes.includes(peer)),
    silent: state.silent.filter((peer) => !nodes.includes(peer)),
  });
}

const isPassedOver = (state: RingState, peer: NodeId): boolean =>
  state.unreachable.includes(peer) || state.silent.includes(peer);

/** Started by a node that comes after this one in the order of the ring: between it and the order's end. */
const startedLater = ({ ring, position }: RingState, { members: [starter] }: ElectionMessage): boolean =>
  starter !== undefined && ring.indexOf(starter) < ring.length - position;

/** Of an earlier epoch than the leader whom this node follows. */
const isOvertaken = (state: RingState, message: CirculatingMessage): boolean =>
  state.leaderId !== null && message.epoch < state.epoch;

const isEligible = ({ standing, healthy, listening }: RingState): boolean =>
  standing && healthy && !listening;

/** Would lead, and may be elected in the election that it takes part in. */
const isContender = (state: RingState): boolean => state.contender && isEligible(state);

/** The longest that a message takes to go round: each node passes it on in T, or is passed over in 2T. */
const roundMs = (state: RingState): number => (state.ring.length + 1) * 2 * state.settings.maxDelayMs;

// ---- Effects --------------------------------------------------------------------------------------------

function toAll(state: RingState, type: 'heartbeat' | 'resigned'): RingEffect[] {
  const message: RingMessage = { type, epoch: state.epoch };
  return state.ring.map((to) => send(to, message));
}

const acknowledge = (to: NodeId, { hop }: CirculatingMessage): RingEffect => send(to, { type: 'ack', hop });
const nextHeartbeat = (state: RingState): RingEffect => setTimer('heartbeat', state.settings.heartbeatMs);
/** There and back. */
const awaitAcknowledgement = (state: RingState): RingEffect => setTimer('hop', 2 * state.settings.maxDelayMs);

const awaitLeader = (state: RingState): RingEffect => setTimer('leader', state.settings.leaderTimeoutMs);
