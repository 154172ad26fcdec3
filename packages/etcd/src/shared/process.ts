/**
 * A whole process with several elections over one session, as one protocol, so that the simulator can do to it what it
 * does to any other: what crashes, stalls or is cut off is then all of them at once. Its node speaks for one of the
 * elections; the others stand all the time, and lead when they can.
 */

import type { NodeId } from '@hustings/elector';
import type { Effect, Input, Invariants, Protocol, Transition } from '@hustings/elector/protocol';
import { setTimer } from '@hustings/elector/protocol';
import { etcd } from '../etcd.js';
import { invariants } from '../invariants.js';
import {
  decodeDurable,
  decodeMessage,
  type EtcdAnnouncement,
  type EtcdDurable,
  type EtcdElectionRequest,
  type EtcdMessage,
  type EtcdReply,
  type EtcdRequest,
  type EtcdTimer,
} from '../messages.js';
import { defaultSettings, type EtcdSettings, type EtcdState, initialState } from '../state.js';
import { step as stepElection } from '../step.js';
import type { EtcdEffect, EtcdInput } from '../transition.js';
import {
  defaultShared,
  initialShared,
  type SharedEffect,
  type SharedInput,
  type SharedSettings,
  type SharedState,
  type SharedTimer,
} from './state.js';
import { step as stepShared } from './step.js';

export interface ProcessState {
  readonly shared: SharedState;
  readonly elections: Readonly<Record<string, EtcdState>>;
  /** The election that this node speaks for. */
  readonly spokenFor: string;
}

export interface ProcessTypes {
  readonly state: ProcessState;
  readonly message: EtcdMessage;
  readonly durable: EtcdDurable;
  readonly timer: string;
  readonly request: EtcdElectionRequest;
  readonly announcement: EtcdAnnouncement;
}

export type SharedEtcdProtocol = Protocol<ProcessTypes>;

export interface SharedEtcdSettings extends Omit<EtcdSettings, 'succession'> {
  readonly elections: readonly string[];
  readonly spokenFor: string;
  readonly keysPerLease: number;
  readonly writesAtOnce: number;
  readonly auditMs: number;
}

/** `name` is what the names of all elections begin with. */
export function sharedEtcd(given: Partial<SharedEtcdSettings> = {}): SharedEtcdProtocol {
  const { elections = ['a', 'b', 'c'], spokenFor = elections[0] ?? 'a', ...others } = given;
  const { keysPerLease = 2, writesAtOnce = 2, auditMs = 3000, ...rest } = others;
  const settings: EtcdSettings = { ...defaultSettings, ...rest, succession: 'queue' };
  const shared: SharedSettings = {
    ...defaultShared,
    prefix: `${settings.name}/`,
    ttlSeconds: settings.ttlSeconds,
    requestTimeoutMs: settings.requestTimeoutMs,
    retryMs: settings.retryMs,
    coordinator: settings.coordinator,
    ...{ keysPerLease, writesAtOnce, auditMs },
  };
  return {
    ...etcd(settings),
    variant: 'session',
    initialState: (id) => ({
      shared: initialShared(shared),
      elections: Object.fromEntries(
        elections.map((election) => [election, electionState(id, settings, election)]),
      ),
      spokenFor,
    }),
    step,
    decodeMessage,
    decodeDurable,
  };
}

const electionState = (id: NodeId, settings: EtcdSettings, election: string): EtcdState =>
  initialState(id, { ...settings, name: `${settings.name}/${election}` });

/** What somebody in the process is about to hear. */
type Work =
  | { readonly to: 'shared'; readonly input: SharedInput }
  | { readonly to: 'election'; readonly election: string; readonly input: EtcdInput };

const toElection = (election: string, input: EtcdInput): Work => ({ to: 'election', election, input });

const toShared = (input: SharedInput): Work => ({ to: 'shared', input });

function step(state: ProcessState, input: Input<ProcessTypes>, nowMs: number): Transition<ProcessTypes> {
  const work = workOf(state, input);
  const effects: Effect<ProcessTypes>[] = [];
  let now = state;
  for (let next = work.shift(); next !== undefined; next = work.shift()) {
    if (next.to === 'shared') {
      const [shared, more] = stepShared(now.shared, next.input, nowMs);
      now = { ...now, shared };
      for (const effect of more) carryOutShared(now, effect, work, effects);
    } else {
      const before = now.elections[next.election];
      if (before === undefined) continue;
      const [after, more] = stepElection(before, next.input, nowMs);
      now = { ...now, elections: { ...now.elections, [next.election]: after } };
      for (const effect of more) carryOut(now, next.election, effect, work, effects);
    }
  }
  return [now, effects];
}

function workOf({ elections, spokenFor, shared }: ProcessState, input: Input<ProcessTypes>): Work[] {
  const names = Object.keys(elections);
  switch (input.type) {
    case 'started':
    case 'restarted':
      return [
        toShared({ type: 'started' }),
        ...names.flatMap((election) => [
          toShared({ type: 'opened', election }),
          toElection(election, { type: 'started' }),
          ...(election === spokenFor ? [] : [toElection(election, { type: 'campaign-requested' })]),
        ]),
      ];
    case 'received':
      return input.from === shared.settings.coordinator
        ? [toShared({ type: 'answered', reply: input.message as EtcdReply })]
        : [];
    case 'link-up':
    case 'link-down':
      return input.peer === shared.settings.coordinator
        ? [toShared({ type: input.type }), ...names.map((election) => toElection(election, input))]
        : [];
    case 'timer-fired':
      return [onTimer(input.timer)];
    case 'health-changed':
      return names.map((election) => toElection(election, input));
    default:
      return [toElection(spokenFor, input)];
  }
}

function onTimer(timer: string): Work {
  const end = timer.indexOf(' ');
  if (end === -1) return toShared({ type: 'timer-fired', timer: timer as SharedTimer });
  const [name, election] = [timer.slice(0, end), timer.slice(end + 1)];
  if (name === 'expiry') return toElection(election, { type: 'lease-expired' });
  return toElection(election, { type: 'timer-fired', timer: name as EtcdTimer });
}

function carryOutShared(
  { shared }: ProcessState,
  effect: SharedEffect,
  work: Work[],
  effects: Effect<ProcessTypes>[],
): void {
  const from = shared.settings.coordinator;
  if (effect.type === 'deliver') {
    work.push(toElection(effect.election, { type: 'received', from, message: effect.reply }));
  } else if (effect.type === 'send') effects.push({ type: 'send', to: from, message: effect.request });
  else effects.push(effect);
}

function carryOut(
  { spokenFor }: ProcessState,
  election: string,
  effect: EtcdEffect,
  work: Work[],
  effects: Effect<ProcessTypes>[],
): void {
  switch (effect.type) {
    case 'send':
      work.push(toShared({ type: 'asked', election, request: effect.message as EtcdRequest }));
      break;
    case 'set-timer':
    case 'cancel-timer':
      effects.push({ ...effect, timer: `${effect.timer} ${election}` });
      break;
    default:
      if (election === spokenFor) effects.push(effect);
      else standOn(election, effect, work, effects);
  }
}

/** For an election that nobody asks after: it ends with its lease, and stands again. */
function standOn(election: string, effect: EtcdEffect, work: Work[], effects: Effect<ProcessTypes>[]): void {
  if (effect.type === 'lead') effects.push(setTimer(`expiry ${election}`, effect.validForMs ?? 0));
  if (effect.type === 'step-down') work.push(toElection(election, { type: 'campaign-requested' }));
}

// ---- Invariants ----------------------------------------------------------------------------------------

/** Those of every election, and what the session owes them. */
export const sharedInvariants: Invariants<ProcessState> = {
  ofOneState: {
    ...Object.fromEntries(
      Object.entries(invariants.ofOneState ?? {}).map(([name, holds]) => [
        name,
        ({ elections }: ProcessState) => firstFinding(Object.values(elections), holds),
      ]),
    ),
    'no two elections have one share': ({ shared }) => {
      const shares = shared.locals.flatMap((part) =>
        Object.values(part).flatMap(({ share }) => (share === null ? [] : [share.id])),
      );
      return new Set(shares).size === shares.length ? null : shares.join(' ');
    },
    'no more writes are under way than may be': ({ shared: { sent, settings } }) =>
      // An election may have a candidacy to end and another to begin.
      sent.length <= 2 * settings.writesAtOnce ? null : `${sent.length}`,
  },
  ofTwoStates: {
    ...Object.fromEntries(
      Object.entries(invariants.ofTwoStates ?? {}).map(([name, holds]) => [
        name,
        (before: ProcessState, after: ProcessState) =>
          firstFinding(Object.keys(after.elections), (election) => {
            const [earlier, later] = [before.elections[election], after.elections[election]];
            return earlier === undefined || later === undefined ? null : holds(earlier, later);
          }),
      ]),
    ),
    'a lease never counts from earlier than before': (before, after) =>
      firstFinding(after.shared.leases, ({ id, renewedMs }) => {
        const earlier = before.shared.leases.find((lease) => lease.id === id);
        return earlier !== undefined && renewedMs < earlier.renewedMs
          ? `${id} went back to ${renewedMs}`
          : null;
      }),
  },
  eventually: {
    'every election that somebody stands in has one leader': (nodes) => {
      const running = nodes.filter((node) => node.running).map(({ state }) => state);
      return firstFinding(Object.keys(running[0]?.elections ?? {}), (election) => {
        const states = running.map(({ elections }) => elections[election]!);
        const leaders = states.filter(({ phase }) => phase === 'leading').length;
        return leaders === 1 || states.every(({ standing }) => !standing)
          ? null
          : `${election} has ${leaders}`;
      });
    },
  },
};

function firstFinding<Item>(items: readonly Item[], holds: (item: Item) => string | null): string | null {
  for (const item of items) {
    const finding = holds(item);
    if (finding !== null) return finding;
  }
  return null;
}
