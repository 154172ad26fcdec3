import { InvalidOptionError, type NodeId } from '@hustings/elector';
import {
  flag,
  numberAbove,
  numberFrom,
  type OptionTable,
  oneOf,
  rangeMs,
  readOptions,
  text,
  wholeNumberFrom,
} from '@hustings/elector/options';
import type { DelayRangeMs, Obituary } from '@hustings/elector/protocol';
import type { SessionId, ZnodeName } from './messages.js';

export interface ZooKeeperSettings {
  /** The election: candidates of one path compete, Curator's LeaderLatch on the same path among them. */
  readonly path: string;
  /** The session asked for. ZooKeeper grants between 2 and 20 of its ticks, and what it granted counts. */
  readonly sessionTimeoutMs: number;
  /**
   * Whom a candidate watches. `queue`: only the one before it, so that a failover wakes one. `herd`: all watch
   * the leader, as in the textbook's warning.
   */
  readonly succession: 'queue' | 'herd';
  /** How much faster or slower than real time a clock may run, the ensemble's or ours: 0.01 is one per cent. */
  readonly driftBound: number;
  /** How late this process may be to act on the end of its lease while it runs. */
  readonly marginMs: number;
  /** How long to wait for an answer before the connection counts as lost. */
  readonly requestTimeoutMs: number;
  /** How long to wait after a request is known to have failed. */
  readonly retryMs: DelayRangeMs;
  /**
   * Whoever has the death certificate of a leader's process deletes its znode, and the next leads at once. Needs links
   * between the nodes, and a transport that certifies.
   */
  readonly deathCertificates: boolean;
  /** The node on the transport that is ZooKeeper. */
  readonly coordinator: NodeId;
}

export const defaultSettings: ZooKeeperSettings = {
  path: '/hustings',
  sessionTimeoutMs: 6000,
  succession: 'queue',
  driftBound: 0.01,
  marginMs: 50,
  requestTimeoutMs: 1000,
  retryMs: [50, 150],
  deathCertificates: false,
  coordinator: 'zookeeper',
};

type Subject =
  | 'connect'
  | 'ensure'
  | 'list'
  | 'create'
  /** The own znode, found after a create whose answer was lost. */
  | 'inspect'
  /** The znode to be watched. */
  | 'watch'
  /** The leader's znode, for its name. */
  | 'leader'
  /** That the own znode is there and the session lives. */
  | 'confirm'
  | 'delete';

/**
 * The request that the node waits for before it can go on. One at a time, so that there is one thing to repeat
 * or to give up when no answer comes.
 */
export interface Question {
  readonly what: Subject;
  readonly id: number;
  readonly sentMs: number;
  /** Which znode it is about; empty for none, or the queue itself. */
  readonly name: ZnodeName;
}

export interface Session {
  readonly id: SessionId;
  /** What the server granted. */
  readonly timeoutMs: number;
  /**
   * By this node's clock: the ensemble's leader had heard from the session at this moment or later. It ends the
   * session no sooner than `timeoutMs` after that.
   */
  readonly provenMs: number;
  /** What was answered on the present connection, from its greeting on: the last few, the newest last. */
  readonly answered: readonly SignOfLife[];
  /** Which attempt to create a znode this is. It is part of the name: what an earlier one left behind must go. */
  readonly attempt: number;
  /** A create was sent whose outcome is not known. */
  readonly unsure: boolean;
}

/** The member that this node is connected to has heard from it at `sentMs` or later. */
export interface SignOfLife {
  readonly sentMs: number;
  /** By then it will have told its leader so, if it still has one. */
  readonly relayedMs: number;
}

export interface OwnZnode {
  readonly name: ZnodeName;
  /** The zxid of its creation, which is the token. */
  readonly czxid: number;
}

export interface LeaderView {
  readonly name: ZnodeName;
  readonly leaderId: NodeId;
  /** Which process of that node; null where it does not say. */
  readonly incarnation: string | null;
  readonly czxid: number;
}

export interface SentPing {
  readonly id: number;
  readonly sentMs: number;
  /** Whose znode it asks for. */
  readonly name: ZnodeName | null;
}

export interface ZooKeeperState {
  readonly id: NodeId;
  /** Which process of it this is; null where death certificates are not wanted. */
  readonly incarnation: string | null;
  readonly settings: ZooKeeperSettings;
  /** The application asks to lead. A step-down ends that. */
  readonly standing: boolean;
  /** An unhealthy node does not stand. */
  readonly healthy: boolean;
  readonly leading: boolean;
  /** A resign-requested has not been answered with its step-down. */
  readonly owesStepDown: boolean;
  /** Null before the first connection, and from the end of one session to the next. */
  readonly session: Session | null;
  readonly connected: boolean;
  /** When the present connection, or the lack of one, was given up for a new one. */
  readonly seekingSinceMs: number | null;
  /** The own place in the queue. Null until it is known to be there, and when it must go or is gone. */
  readonly own: OwnZnode | null;
  /** The queue as it was listed last, first comer first. */
  readonly queue: readonly ZnodeName[];
  /** The first of the queue, while it is known to be there. */
  readonly leader: LeaderView | null;
  /** The highest zxid that ZooKeeper has told of. */
  readonly seen: number;
  /** The highest token seen; since data were lost, the highest zxid. Only a token above it is led with. */
  readonly floor: number;
  /** That data were lost is known, and no leader with a token above the floor has been seen since. */
  readonly dataLost: boolean;
  /** The znode whose deletion will be told; an empty name stands for the queue's next change. */
  readonly watching: ZnodeName | null;
  readonly awaited: Question | null;
  /** Pings without an answer on the present connection, the oldest first. */
  readonly pings: readonly SentPing[];
  /** When the next one goes out, be it the same again. */
  readonly pingDueMs: number;
  /** Processes of other nodes that are known to have ended. */
  readonly gone: Obituary;
  /** What the driver was last told to believe: `nobody`, `candidate`, `leading`, or a leader's token. */
  readonly told: string;
  /** The next request's id. Each process counts from one: no driver lets it hear what another asked. */
  readonly nextId: number;
}

export function initialState(
  id: NodeId,
  settings: ZooKeeperSettings = defaultSettings,
  incarnation: string | null = null,
): ZooKeeperState {
  if (isBroken(id))
    throw new InvalidOptionError(`A node id must not contain half of a surrogate pair: ${brokenText}`);
  return {
    id,
    incarnation: settings.deathCertificates ? incarnation : null,
    settings,
    standing: false,
    healthy: true,
    leading: false,
    owesStepDown: false,
    session: null,
    connected: false,
    seekingSinceMs: null,
    own: null,
    queue: [],
    leader: null,
    seen: 0,
    floor: 0,
    dataLost: false,
    watching: null,
    awaited: null,
    pings: [],
    pingDueMs: 0,
    gone: [],
    told: 'nobody',
    nextId: 1,
  };
}

/** Spelled out, and not spread, for the sake of speed: docs/decisions/0015. */
export function change(state: ZooKeeperState, changes: Partial<ZooKeeperState>): ZooKeeperState {
  const copy: ZooKeeperState = {
    id: state.id,
    incarnation: state.incarnation,
    settings: state.settings,
    standing: state.standing,
    healthy: state.healthy,
    leading: state.leading,
    owesStepDown: state.owesStepDown,
    session: state.session,
    connected: state.connected,
    seekingSinceMs: state.seekingSinceMs,
    own: state.own,
    queue: state.queue,
    leader: state.leader,
    seen: state.seen,
    floor: state.floor,
    dataLost: state.dataLost,
    watching: state.watching,
    awaited: state.awaited,
    pings: state.pings,
    pingDueMs: state.pingDueMs,
    gone: state.gone,
    told: state.told,
    nextId: state.nextId,
  };
  return Object.assign(copy, changes);
}

export function changeSession(session: Session, changes: Partial<Session>): Session {
  const copy: Session = {
    id: session.id,
    timeoutMs: session.timeoutMs,
    provenMs: session.provenMs,
    answered: session.answered,
    attempt: session.attempt,
    unsure: session.unsure,
  };
  return Object.assign(copy, changes);
}

/** Whether half of a surrogate pair stands alone. */
const isBroken = (text: string): boolean => /\p{Surrogate}/u.test(text);
const brokenText = 'ZooKeeper keeps UTF-8, and would give another character back.';

/** Whether it wants to lead, and may. */
export const isEligible = ({ standing, healthy, owesStepDown }: ZooKeeperState): boolean =>
  standing && healthy && !owesStepDown;

/** Whether nobody but the leader stands before this node, so that its turn may come at any moment. */
export const isNext = ({ own, queue }: ZooKeeperState): boolean =>
  own !== null && (queue[0] === own.name || queue[1] === own.name);

/** Whether nothing is awaited but a look at the queue: another request may take its place at any time. */
export const isLook = (awaited: Question | null): boolean =>
  awaited === null || awaited.what === 'list' || awaited.what === 'watch' || awaited.what === 'leader';

/**
 * How long the members of an ensemble may take to tell their leader which sessions they have heard from. They do
 * so every half tick, and a session is granted at least two ticks.
 */
export const relayMs = (timeoutMs: number): number => timeoutMs / 4;

/** From the answer to one ping until the next: a little more than `relayMs`, so that it finds it relayed. */
export const pingRestMs = (timeoutMs: number): number => timeoutMs * 0.26;

/** Until one that is not answered is repeated, and how long before the connection counts as lost. */
export const pingAgainMs = (timeoutMs: number): number => pingPatienceMs(timeoutMs) / 4;
export const pingPatienceMs = (timeoutMs: number): number => timeoutMs * 0.26;

/**
 * How long before the ensemble may end the session this node must have stopped. Our clock may be slow by
 * `driftBound` and the ensemble's fast by as much: of a timeout T we then measure T·(1−d) while it measures
 * T·(1+d), and the two differ by less than 2·d·T. The margin is for acting on it.
 */
export function guardMs({ driftBound, marginMs }: ZooKeeperSettings, timeoutMs: number): number {
  return 2 * driftBound * timeoutMs + marginMs;
}

/** Until when the session certainly lives, by this node's clock. */
export function deadlineMs({ settings }: ZooKeeperState, { provenMs, timeoutMs }: Session): number {
  return provenMs + timeoutMs - guardMs(settings, timeoutMs);
}

const rules: OptionTable = {
  path: text,
  sessionTimeoutMs: wholeNumberFrom(1),
  succession: oneOf('queue', 'herd'),
  driftBound: numberFrom(0, 0.5),
  marginMs: numberFrom(0, Number.MAX_SAFE_INTEGER),
  requestTimeoutMs: numberAbove(0),
  retryMs: rangeMs,
  deathCertificates: flag,
  coordinator: text,
};

/** Without those that are undefined. Throws `InvalidOptionError`. */
export function readSettings(settings: Partial<ZooKeeperSettings>): Partial<ZooKeeperSettings> {
  return readOptions('zookeeper', settings, rules);
}

/** Throws `InvalidOptionError` for settings under which no session could be kept. */
export function checkSettings(settings: ZooKeeperSettings): ZooKeeperSettings {
  const { path, sessionTimeoutMs } = settings;
  if (!/^(\/[^/\0]+)+$/.test(path) || /\/\.\.?(\/|$)/.test(path)) {
    throw new InvalidOptionError(
      `path must be absolute and without empty, '.' or '..' parts; '${path}' is not.`,
    );
  }
  if (isBroken(path))
    throw new InvalidOptionError(`path must not contain half of a surrogate pair: ${brokenText}`);
  // From a ping to the next but one, whose answer renews the lease, more than half of the session passes.
  if (!(guardMs(settings, sessionTimeoutMs) <= sessionTimeoutMs / 5)) {
    throw new InvalidOptionError(
      `The guard of ${guardMs(settings, sessionTimeoutMs)} ms takes more than a fifth of the session; ask for a longer one.`,
    );
  }
  return settings;
}
