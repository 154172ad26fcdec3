/** What befalls the ensemble itself: its leader fails, or a member loses touch with it. */

import { andThen, cancelTimer, send, setTimer } from '@hustings/elector/protocol';
import { catchUp } from './requests.js';
import { disconnect, renewed } from './sessions.js';
import {
  change,
  initialState,
  leaderOf,
  nextTickMs,
  type ServerEffect,
  type ServerSession,
  type ServerTransition,
  type SimulatedZooKeeperDurable,
  type State,
  save,
} from './state.js';

/** Without a leader the members serve nobody, and close every connection. */
export function failLeader(state: State): ServerTransition {
  if (!state.available) return [state, []];
  const [alone, notices] = hangUp(state, ({ member }) => member !== null);
  return [
    change(alone, { available: false, cut: null }),
    [
      setTimer('election', state.settings.electionMs),
      cancelTimer('leader-failure'),
      cancelTimer('member-cut'),
      cancelTimer('member-return'),
      ...notices,
    ],
  ];
}

/** A new leader does not know when sessions were heard from last, and gives each its full time again. */
export function takeOver(state: State, nowMs: number): ServerTransition {
  const isAlone = state.settings.members === 1;
  const orphaned = disconnect(state, () => true);
  const begun = change(orphaned, {
    available: true,
    // A server alone elects nobody, and goes on counting.
    ...(isAlone ? {} : { epoch: state.epoch + 1, counter: 0 }),
    sessions: orphaned.sessions.map((session) => renewed(state, session, nowMs)),
    views: state.views.map(() => state.tree),
    cut: null,
  });
  return [begun, [save(begun), ...startTimers(begun, nowMs)]];
}

export function restart(state: State, durable: SimulatedZooKeeperDurable, nowMs: number): ServerTransition {
  if (!state.settings.losesDataOnRestart) return takeOver(change(state, durable), nowMs);
  // Session ids are made of the time, so none comes twice.
  const empty = change(initialState(state.settings), { nextSession: durable.nextSession });
  return [empty, [save(empty), ...startTimers(empty, nowMs)]];
}

export function cutMember(state: State): ServerTransition {
  const { members, tickMs, syncLimit } = state.settings;
  if (!state.available || state.cut !== null || members === 1) return [state, []];
  const cut = (leaderOf(state) + 1) % members;
  return [change(state, { cut }), [setTimer('member-return', syncLimit * tickMs)]];
}

/** The member has noticed that it is alone: it closes its connections and rejoins. What it had heard is lost. */
export function returnMember(state: State): ServerTransition {
  const { cut } = state;
  if (cut === null) return [state, []];
  return andThen(
    hangUp(change(state, { cut: null }), ({ member }) => member === cut),
    (returned) => catchUp(returned, cut),
    (returned) => [returned, failures(returned)],
  );
}

export function startTimers(state: State, nowMs: number): ServerEffect[] {
  const { tickMs, containerCheckMs } = state.settings;
  return [
    nextTick(state, nowMs),
    setTimer('relay', [0, tickMs / 2]),
    setTimer('containers', containerCheckMs),
    ...failures(state),
  ];
}

export const nextTick = (state: State, nowMs: number): ServerEffect =>
  setTimer('tick', nextTickMs(state, nowMs) - nowMs);

function hangUp(state: State, concerns: (session: ServerSession) => boolean): ServerTransition {
  const notices = state.sessions
    .filter(concerns)
    .map(({ id, client }) => send(client, { type: 'disconnected', session: id }));
  return [disconnect(state, concerns), notices];
}

function failures({ settings: { leaderFailsEveryMs, memberCutEveryMs } }: State): ServerEffect[] {
  return [
    ...(leaderFailsEveryMs === null ? [] : [setTimer('leader-failure', leaderFailsEveryMs)]),
    ...(memberCutEveryMs === null ? [] : [setTimer('member-cut', memberCutEveryMs)]),
  ];
}
