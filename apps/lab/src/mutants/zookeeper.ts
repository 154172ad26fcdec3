import type { AnyInput, AnyProtocol } from '@hustings/simulator';
import {
  guardMs,
  invariants,
  protectedName,
  type ZooKeeperReply,
  type ZooKeeperRequest,
  type ZooKeeperState,
  zookeeper,
} from '@hustings/zookeeper';
import { simulatedZooKeeper } from '@hustings/zookeeper/simulated';
import {
  both,
  changingOutcome,
  changingState,
  fires,
  hearing,
  hears,
  ignoring,
  prolonging,
  saying,
  sends,
  steppingFrom,
  without,
} from './alterations.js';
import { asks, feed, from, leadOf, leadsAtMost, type Move, stepsDown } from './by-hand.js';
import { certifiedZooKeeper } from './certificates.js';
import * as checks from './coordinated.js';
import { type Alteration, type Check, type Mutant, named, type Subject } from './mutant.js';
import { acceptsLowerTokens, doesNotAskAgain, remembersOutsideItsState, resigningAtOnce } from './shared.js';

type ZooKeeper = AnyProtocol<ZooKeeperState>;

/** No margin: in the simulator nobody acts late, and slack would hide what is counted wrongly. */
const quick = { path: '/e', sessionTimeoutMs: 1000, marginMs: 0, requestTimeoutMs: 300 };
const build = (): ZooKeeper => zookeeper(quick) as ZooKeeper;

const subject: checks.Coordinated<ZooKeeperState> = {
  build,
  invariants,
  service: (kind) => ({
    id: 'zookeeper',
    machine: simulatedZooKeeper({
      tickMs: 50,
      losesDataOnRestart: kind === 'forgetful',
      ...(kind === 'restless' ? { syncLimit: 40, memberCutEveryMs: [200, 1500], lagMs: [0, 50] } : {}),
    }),
  }),
};

// ---- By hand -------------------------------------------------------------------------------------------------

const session = '10000550a4e0000';
const timeoutMs = 6000;
const own = (number: number): string => `${protectedName(session, 1)}000000000${number}`;
const other = (number: number): string => `_c_6fd5a3e8-5ad5-4a4e-b0a7-0a6c3c0f2b11-latch-000000000${number}`;

type ZooKeeperMove = Move<ZooKeeperState>;

const heard = (message: ZooKeeperReply): AnyInput => from('zookeeper', message);
const awaited = ({ awaited: question }: ZooKeeperState): number => question?.id ?? -1;

const greeted = (atMs: number): ZooKeeperMove => [
  atMs,
  (state) => heard({ type: 'connected', id: awaited(state), session, sessionTimeoutMs: timeoutMs }),
];
const connected: readonly ZooKeeperMove[] = [
  [1000, { type: 'started' }],
  greeted(1010),
  [1015, ({ pings }) => heard({ type: 'pong', id: pings[0]?.id ?? -1, exists: true })],
];
const created: readonly ZooKeeperMove[] = [
  ...connected,
  [1020, { type: 'campaign-requested' }],
  [1030, (state) => heard({ type: 'created', id: awaited(state), path: `/e/${own(3)}`, czxid: 73 })],
];
const listed = (...names: readonly string[]): ZooKeeperMove => [
  1040,
  (state) => heard({ type: 'listed', id: awaited(state), names }),
];
const deleted = (name: string, by = session): ZooKeeperMove => [
  1060,
  heard({ type: 'node-deleted', session: by, path: `/e/${name}` }),
];
/** The answer to its create was lost with the connection, which is there again. */
const unsure: readonly ZooKeeperMove[] = [
  ...created.slice(0, -1),
  [1200, heard({ type: 'disconnected', session })],
  greeted(1210),
];
const pingDue: ZooKeeperMove = [2600, { type: 'timer-fired', timer: 'ping' }];
const proven = (exists: boolean): ZooKeeperMove => [
  2700,
  ({ pings }) => heard({ type: 'proven', id: pings.at(-1)?.id ?? -1, exists }),
];

function play(alter: Alteration<ZooKeeperState>, ...moves: readonly ZooKeeperMove[]) {
  const protocol = alter(zookeeper({ path: '/e' }) as ZooKeeper);
  return feed(protocol, protocol.initialState('n1', []), moves);
}

const leavesAGuard: Check<ZooKeeperState> = named(
  'a Leadership ends a guard before the session may, and counts from when that was asked for',
  (alter) => {
    const untilMs = 1000 + timeoutMs - guardMs(zookeeper().initialState('n', []).settings, timeoutMs);
    return leadsAtMost(play(alter, ...created, listed(own(3)))[1], untilMs - 1040);
  },
);

const listsBeforeItLeads: Check<ZooKeeperState> = named(
  'nobody leads before a list has shown its turn',
  (alter) => {
    if (leadOf(play(alter, ...created)[1]) !== undefined) return 'it led when its znode was created';
    const behind = listed(own(3), other(1), other(2));
    if (leadOf(play(alter, ...created, behind)[1]) !== undefined) return 'it led as the last of three';
    const watched: ZooKeeperMove = [
      1050,
      (state) => heard({ type: 'got', id: awaited(state), data: 'n9', czxid: 72, owner: 'abc' }),
    ];
    return leadOf(play(alter, ...created, behind, watched, deleted(other(2)))[1]) === undefined
      ? null
      : 'it led when the one in the middle went';
  },
);

const provesByTheEarlierPing: Check<ZooKeeperState> = named(
  'a renewal counts from the ping before the one that was answered',
  (alter) => {
    const again: ZooKeeperMove = [4300, { type: 'timer-fired', timer: 'ping' }];
    const answered: ZooKeeperMove = [
      4400,
      ({ pings }) => heard({ type: 'proven', id: pings.at(-1)?.id ?? -1, exists: true }),
    ];
    const [, effects] = play(alter, ...created, listed(own(3)), pingDue, proven(true), again, answered);
    return leadsAtMost(effects, 2600 + timeoutMs - 4400);
  },
);

const leadsNotWithoutItsZnode: Check<ZooKeeperState> = named(
  'a leader whose znode is gone stops',
  (alter) => {
    const leading = [...created, listed(own(3))];
    if (!stepsDown(play(alter, ...leading, deleted(own(3)))[1])) return 'it was told so';
    return stepsDown(play(alter, ...leading, pingDue, proven(false))[1]) ? null : 'a ping did not find it';
  },
);

const hearsOnlyItsOwn: Check<ZooKeeperState> = named(
  'what was told to another session, or is no longer awaited, does not count',
  (alter) => {
    if (play(alter, ...created, listed(own(3)), deleted(own(3), 'abc'))[1].length > 0) return 'an event did';
    const stale: ZooKeeperMove = [1100, heard({ type: 'listed', id: 0, names: [own(3)] })];
    return leadOf(play(alter, ...created, stale)[1]) === undefined ? null : 'a late list did';
  },
);

const resignsWhenAcknowledged: Check<ZooKeeperState> = named(
  'a resignation is answered when ZooKeeper has acknowledged it',
  (alter) => {
    const [, effects] = play(alter, ...created, listed(own(3)), [1200, { type: 'resign-requested' }]);
    const isAnswered = effects.some((effect) => effect.type === 'step-down' && effect.reason === 'resigned');
    return isAnswered ? 'it was answered at once' : null;
  },
);

const looksForItsOwnFirst: Check<ZooKeeperState> = named(
  'after a create whose answer was lost, the queue is looked at before another',
  (alter) => {
    return asks(play(alter, ...unsure)[1], 'create') ? 'it created another' : null;
  },
);

const inheritsNothing: Check<ZooKeeperState> = named(
  'a znode of the own name under another session is not led with',
  (alter) => {
    const found: ZooKeeperMove = [
      1310,
      (state) => heard({ type: 'got', id: awaited(state), data: 'n1', czxid: 74, owner: 'abc' }),
    ];
    return asks(play(alter, ...unsure, listed(own(3)), found)[1], 'delete') ? null : 'it was not deleted';
  },
);

// ---- What is broken ------------------------------------------------------------------------------------------

const isMine = (name: string, { session: present }: ZooKeeperState): boolean =>
  present !== null && name.startsWith(protectedName(present.id, 0).slice(0, 27));

const mutants: readonly Mutant<ZooKeeperState>[] = [
  {
    name: 'takes-reads-for-proofs',
    breaks: 'What a member answers by itself counts as known to the ensemble.',
    alter: both(
      saying(
        (message: ZooKeeperRequest): ZooKeeperRequest =>
          message.type === 'prove' ? { ...message, type: 'ping' } : message,
      ),
      hearing(
        (message: ZooKeeperReply): ZooKeeperReply =>
          message.type === 'pong' ? { ...message, type: 'proven' } : message,
      ),
    ),
  },
  {
    name: 'counts-from-the-write-itself',
    breaks: 'A renewal counts from the write that was answered, which the ensemble may not have noted.',
    alter: steppingFrom((state, input) => {
      const { session: present, pings } = state;
      const sentMs = pings.at(-1)?.sentMs;
      if (!hears(input, 'proven') || present === null || sentMs === undefined) return state;
      return { ...state, session: { ...present, answered: [{ sentMs, relayedMs: 0 }] } };
    }),
  },
  {
    name: 'lease-from-the-answer',
    breaks: 'A session counts from the greeting, not from when it was asked for.',
    alter: steppingFrom((state, input, nowMs) =>
      hears(input, 'connected')
        ? {
            ...state,
            seekingSinceMs: nowMs,
            awaited: state.awaited && { ...state.awaited, sentMs: nowMs },
          }
        : state,
    ),
  },
  {
    name: 'lease-without-a-guard',
    breaks: 'A Leadership lasts as long as the session.',
    alter: prolonging(
      (validForMs, { settings, session: present }) =>
        validForMs + guardMs(settings, present?.timeoutMs ?? 0) + 1,
    ),
  },
  {
    name: 'sees-nobody-but-itself',
    breaks: 'Whoever has created its znode takes itself for the first.',
    alter: hearing((message: ZooKeeperReply, state) =>
      message.type === 'listed' && state.own !== null
        ? { ...message, names: message.names.filter((name) => isMine(name, state)) }
        : message,
    ),
  },
  {
    name: 'leads-when-its-predecessor-goes',
    breaks: 'A candidate leads when the one before it goes, without another list.',
    alter: changingOutcome((after, effects, { before, input }) => {
      const isTold = hears(input, 'node-deleted') && before.own !== null && !before.leading;
      if (!isTold || after.own === null) return [after, effects];
      return [
        { ...after, leading: true, told: 'leading', awaited: null },
        [...effects, { type: 'lead', token: BigInt(after.own.czxid), validForMs: 500 }],
      ];
    }),
  },
  {
    name: 'overlooks-the-deletion-of-its-znode',
    breaks: 'A leader is not told that its znode has been deleted.',
    alter: ignoring((input, { leading }) => leading && hears(input, 'node-deleted')),
  },
  {
    name: 'does-not-ask-for-its-znode',
    breaks: 'A leader takes every answer for a proof that its znode is there.',
    alter: hearing((message: ZooKeeperReply) =>
      message.type === 'proven' ? { ...message, exists: true } : message,
    ),
  },
  acceptsLowerTokens(0),
  {
    name: 'forgets-what-zookeeper-told',
    breaks: 'A node does not notice that ZooKeeper knows less than it did.',
    alter: changingState((after) => ({ ...after, seen: 0, floor: 0 })),
  },
  {
    name: 'overlooks-the-end-of-its-session',
    breaks: 'A node that is told that its session is over takes no notice.',
    alter: ignoring((input) => hears(input, 'expired')),
  },
  {
    name: 'hears-other-sessions',
    breaks: 'An event counts whichever session it was told to.',
    alter: hearing((message: ZooKeeperReply, { session: present }) =>
      message.type === 'node-deleted' && present !== null ? { ...message, session: present.id } : message,
    ),
  },
  {
    name: 'takes-late-answers',
    breaks: 'A list counts whichever request it answers.',
    alter: hearing((message: ZooKeeperReply, { awaited: question }) =>
      message.type === 'listed' && question?.what === 'list' ? { ...message, id: question.id } : message,
    ),
  },
  {
    name: 'resigns-without-leaving',
    breaks: 'A leader that resigns does not delete its znode.',
    alter: without((effect) => sends(effect, 'delete')),
  },
  {
    name: 'resigns-before-it-has-left',
    breaks: 'A resignation is answered before ZooKeeper has acknowledged it.',
    alter: resigningAtOnce(),
  },
  {
    name: 'never-pings',
    breaks: 'Nobody keeps its session alive.',
    alter: ignoring((input) => fires(input, 'ping')),
  },
  {
    name: 'creates-without-looking',
    breaks: 'After a create whose answer was lost, another znode is created.',
    alter: changingState((after) =>
      after.session?.unsure === true ? { ...after, session: { ...after.session, unsure: false } } : after,
    ),
  },
  {
    name: 'inherits-a-znode',
    breaks: 'A znode counts as its own, whichever session it belongs to.',
    alter: hearing((message: ZooKeeperReply, { awaited: question, session: present }) =>
      message.type === 'got' && question?.what === 'inspect' && present !== null
        ? { ...message, owner: present.id }
        : message,
    ),
  },
  doesNotAskAgain(),
  remembersOutsideItsState(),
];

export const zookeeperSubject: Subject<ZooKeeperState> = {
  algorithm: 'zookeeper',
  checks: [
    checks.isDeterministic(subject),
    listsBeforeItLeads,
    leavesAGuard,
    provesByTheEarlierPing,
    leadsNotWithoutItsZnode,
    hearsOnlyItsOwn,
    resignsWhenAcknowledged,
    checks.replacesWhoResigns(subject),
    looksForItsOwnFirst,
    inheritsNothing,
    checks.staysInOffice(subject),
    checks.replacesWhoDies(subject),
    checks.refusesLowerTokens(subject),
    checks.keepsItsPromises(subject),
    checks.stopsInTime(subject),
    checks.survivesItsMembers(subject),
    ...certifiedZooKeeper.checks,
  ],
  mutants: [...mutants, ...certifiedZooKeeper.mutants],
};
