/**
 * The bully algorithm. Of the nodes that are alive and stand, the strongest leads, and says so to the rest.
 *
 * H. Garcia-Molina, "Elections in a Distributed Computing System", IEEE Transactions on Computers C-31(1),
 * 1982, section III, in the shorter form of the textbooks. T is `settings.maxDelayMs`.
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
import type { BullyMessage, BullyTimer } from './messages.js';
import { type BullyState, type BullyTypes, change } from './state.js';

type BullyInput = Input<BullyTypes>;
type BullyEffect = Effect<BullyTypes>;
type BullyTransition = Transition<BullyTypes>;

export function step(state: BullyState, input: BullyInput): BullyTransition {
  switch (input.type) {
    case 'started':
      return [state, [awaitLeader(state)]];
    case 'restarted':
      return [change(state, { epoch: input.durable.epoch }), [awaitLeader(state)]];
    case 'campaign-requested':
      return seekOffice(change(state, { standing: true }));
    case 'resign-requested':
      return withdraw(state, 'resigned');
    case 'received':
      return onMessage(state, input.from, input.message);
    case 'timer-fired':
      return onTimer(state, input.timer);
    case 'health-changed':
      return onHealth(state, input.healthy);
    case 'link-up':
      return onLinkUp(state, input.peer);
    case 'link-down':
      // A closed connection says at once what silence would say later.
      return input.peer === state.leaderId ? loseLeader(state) : [state, []];
    case 'peer-gone':
    case 'lease-expired':
    case 'observation-changed':
    case 'requested':
      return [state, []]; // A bully leads without a lease, tells everyone, and offers nothing beside leading.
  }
}

function onMessage(state: BullyState, from: NodeId, message: BullyMessage): BullyTransition {
  if (message.epoch > state.epoch) {
    return andThen(learnEpoch(state, message.epoch), (learned) => onMessage(learned, from, message));
  }
  switch (message.type) {
    case 'election':
      return onElection(state, from);
    case 'answer':
      return isAsking(state) && outranks(from, state.id) ? standBack(state) : [state, []];
    case 'coordinator':
      return onLeader(state, from, message.epoch, true);
    case 'heartbeat':
      return onLeader(state, from, message.epoch, false);
    case 'resigned':
      return from === state.leaderId ? onResigned(state, from) : [state, []];
  }
}

function onTimer(state: BullyState, timer: BullyTimer): BullyTransition {
  switch (timer) {
    case 'leader':
      return loseLeader(state);
    case 'answer':
      // Nobody stronger is there.
      return becomeLeader(state);
    case 'coordinator':
      // The stronger node that told us to stand back has died since. Start again.
      return callElection(state);
    case 'heartbeat':
      return [state, [...toAll(state, 'heartbeat'), nextHeartbeat(state)]];
  }
}

/** Calls an election, unless a node that is entitled to lead does so already. */
function seekOffice(state: BullyState): BullyTransition {
  if (state.role !== 'follower' || state.listening || !isEligible(state)) return [state, []];
  const content = state.leaderId !== null && outranks(state.leaderId, state.id);
  return content ? [state, []] : callElection(state);
}

/** Asks every stronger node whether it is there. The strongest has nobody to ask. */
function callElection(state: BullyState): BullyTransition {
  const stronger = strongerPeers(state);
  const candidate = change(state, { listening: false, role: 'candidate', answered: false, leaderId: null });
  const campaigning: BullyEffect[] = [cancelTimer('leader'), { type: 'campaign' }];
  if (stronger.length === 0) return andThen([candidate, campaigning], becomeLeader);
  return [
    candidate,
    // An answer takes one message there and one back.
    [
      ...campaigning,
      ...toEach(stronger, 'election', state.epoch),
      setTimer('answer', 2 * state.settings.maxDelayMs),
    ],
  ];
}

/** A weaker node is looking for a leader: take the matter over from it. */
function onElection(state: BullyState, from: NodeId): BullyTransition {
  if (!isEligible(state) || outranks(from, state.id)) return [state, []];
  const answer = tell(from, 'answer', state.epoch);
  switch (state.role) {
    case 'leader':
      return [state, [answer, tell(from, 'coordinator', state.epoch)]];
    case 'candidate':
      return [state, [answer]];
    case 'follower':
      return state.assured ? [state, [answer]] : andThen([state, [answer]], callElection);
  }
}

/** A stronger node is there. It will announce a leader: itself, or a stronger one yet. */
function standBack(state: BullyState): BullyTransition {
  return [
    change(state, { answered: true }),
    // The stronger node waits 2T for answers of its own, and its announcement takes T.
    [cancelTimer('answer'), setTimer('coordinator', 3 * state.settings.maxDelayMs)],
  ];
}

function becomeLeader(state: BullyState): BullyTransition {
  const leader = change(state, {
    role: 'leader',
    answered: false,
    leaderId: state.id,
    epoch: state.epoch + 1,
  });
  return [
    leader,
    [
      // On disk before anybody hears of it: a node that crashed here must not issue this epoch again.
      { type: 'save', durable: { epoch: leader.epoch } },
      cancelTimer('coordinator'),
      ...toEach(weakerPeers(leader), 'coordinator', leader.epoch),
      // A stronger node that does not stand follows too, and one that does must hear of us to depose us.
      ...toEach(strongerPeers(leader), 'heartbeat', leader.epoch),
      { type: 'lead', token: BigInt(leader.epoch) },
      nextHeartbeat(leader),
    ],
  ];
}

/** Another node says that it leads, in an epoch no older than ours. */
function onLeader(state: BullyState, from: NodeId, epoch: number, assured: boolean): BullyTransition {
  if (epoch < state.epoch) return [state, []]; // It has been succeeded and will soon hear of it.
  if (state.role === 'leader') {
    // Two leaders in one epoch hold the same token, so even the stronger needs a new one.
    return andThen(withdraw(state, 'deposed'), (former) => follow(former, from, assured));
  }
  if (state.leaderId === from) {
    return [state.assured === assured ? state : change(state, { assured }), [awaitLeader(state)]];
  }
  if (state.leaderId !== null && outranks(state.leaderId, from)) return [state, []];
  if (isEligible(state) && outranks(state.id, from)) {
    // A weaker node rules only because it could not see us. Depose it.
    return state.role === 'candidate' ? [state, []] : callElection(state);
  }
  return follow(state, from, assured);
}

function follow(state: BullyState, leaderId: NodeId, assured: boolean): BullyTransition {
  return [
    change(state, { listening: false, role: 'follower', answered: false, assured, leaderId }),
    [
      cancelTimer('answer'),
      cancelTimer('coordinator'),
      { type: 'follow', leaderId, token: BigInt(state.epoch) },
      awaitLeader(state),
    ],
  ];
}

/** The leader is silent, or its connection is gone. */
function loseLeader(state: BullyState): BullyTransition {
  if (isEligible(state)) return callElection(state);
  const leaderless = change(state, { listening: false, leaderId: null });
  return [leaderless, state.leaderId === null ? [] : [cancelTimer('leader'), followNobody]];
}

/** The leader left in good order: the strongest of the rest succeeds it, and the others let it. */
function onResigned(state: BullyState, former: NodeId): BullyTransition {
  if (!isEligible(state)) return loseLeader(state);
  const candidate = change(state, { role: 'candidate', leaderId: null });
  const campaigning: BullyEffect[] = [cancelTimer('leader'), { type: 'campaign' }];
  const isHeir = strongerPeers(state).every((peer) => peer === former);
  return andThen([candidate, campaigning], isHeir ? becomeLeader : standBack);
}

/** Stops leading and standing, until the application campaigns again. */
function withdraw(state: BullyState, reason: StepDownReason): BullyTransition {
  const stepDown: BullyEffect = { type: 'step-down', reason };
  if (state.role === 'follower') return [change(state, { standing: false }), [stepDown]];
  const follower = change(state, { role: 'follower', answered: false, leaderId: null, standing: false });
  const listen = [
    cancelTimer('answer'),
    cancelTimer('coordinator'),
    cancelTimer('heartbeat'),
    awaitLeader(state),
  ];
  // A deposed leader need not say so: whoever deposed it announces itself.
  const farewell = state.role === 'leader' && reason !== 'deposed' ? toAll(state, 'resigned') : [];
  return [follower, [stepDown, ...listen, ...farewell]];
}

/** Somebody has led after every leader that we know of: whom we follow has been succeeded, if only by itself. */
function learnEpoch(state: BullyState, epoch: number): BullyTransition {
  // A deposed leader stops before it waits for the disk.
  return andThen(leaveOutdatedLeader(state), (left) => [
    change(left, { epoch }),
    [{ type: 'save', durable: { epoch } }],
  ]);
}

function leaveOutdatedLeader(state: BullyState): BullyTransition {
  if (state.role === 'leader') return withdraw(state, 'deposed');
  return state.leaderId === null ? [state, []] : [change(state, { leaderId: null }), [followNobody]];
}

function onHealth(state: BullyState, healthy: boolean): BullyTransition {
  const changed = change(state, { healthy });
  if (healthy) return seekOffice(changed);
  if (changed.role === 'leader') return withdraw(changed, 'unhealthy');
  if (changed.role === 'follower') return [changed, []];
  return [
    change(changed, { role: 'follower', answered: false }),
    [cancelTimer('answer'), cancelTimer('coordinator'), followNobody, awaitLeader(state)],
  ];
}

/** What was sent to the peer before the connection stood is lost: say what it needs to know. */
function onLinkUp(state: BullyState, peer: NodeId): BullyTransition {
  const isStronger = outranks(peer, state.id);
  if (state.role === 'leader')
    return [state, [tell(peer, isStronger ? 'heartbeat' : 'coordinator', state.epoch)]];
  if (isAsking(state) && isStronger) return [state, [tell(peer, 'election', state.epoch)]];
  return [state, []];
}

const isEligible = (state: BullyState): boolean => state.standing && state.healthy;
const isAsking = (state: BullyState): boolean => state.role === 'candidate' && !state.answered;
const strongerPeers = (state: BullyState): NodeId[] => state.peers.filter((peer) => outranks(peer, state.id));
const weakerPeers = (state: BullyState): NodeId[] => state.peers.filter((peer) => outranks(state.id, peer));

const tell = (to: NodeId, type: BullyMessage['type'], epoch: number): BullyEffect =>
  send(to, { type, epoch });

function toEach(peers: readonly NodeId[], type: BullyMessage['type'], epoch: number): BullyEffect[] {
  const message: BullyMessage = { type, epoch };
  return peers.map((to) => send(to, message));
}

const toAll = (state: BullyState, type: BullyMessage['type']): BullyEffect[] =>
  toEach(state.peers, type, state.epoch);
const nextHeartbeat = (state: BullyState): BullyEffect => setTimer('heartbeat', state.settings.heartbeatMs);
const awaitLeader = (state: BullyState): BullyEffect => setTimer('leader', state.settings.leaderTimeoutMs);
