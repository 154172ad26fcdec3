/**
 * A ZooKeeper ensemble that runs in the simulator, the model checker and the browser: a service in the shape of a
 * protocol, which answers the messages of this package as a real ensemble behind the gateway does. The same
 * contract tests run against both.
 *
 * It stands for a whole ensemble. Of its members it simulates what a client can notice: each session is connected
 * to one of them, whose view may lag behind its leader's; members tell the leader only every half tick which
 * sessions they have heard from; one that is cut off from the leader goes on answering reads for a while.
 *
 * @packageDocumentation
 */

import type {
  DelayRangeMs,
  Effect,
  Guarantees,
  Input,
  NodeId,
  Protocol,
  Transition,
} from '@hustings/elector';
import {
  decodeMessage,
  type SessionId,
  type ZnodeName,
  type ZooKeeperMessage,
  type ZooKeeperReply,
  type ZooKeeperRequest,
} from './messages.js';

export interface SimulatedZooKeeperSettings {
  readonly members: number;
  /** Sessions are granted 2 to 20 ticks, and end at a tick. 2000 in ZooKeeper's sample configuration. */
  readonly tickMs: number;
  /** How many ticks a member serves its clients after it has lost touch with the leader. */
  readonly syncLimit: number;
  /** How far a member may lag behind the leader. */
  readonly lagMs: DelayRangeMs;
  /** How long the members take to elect a leader, when theirs has failed. */
  readonly electionMs: DelayRangeMs;
  /** How often the members' leader fails by itself; null for never. */
  readonly leaderFailsEveryMs: DelayRangeMs | null;
  /** How often a member is cut off from the leader, though not from its clients; null for never. */
  readonly memberCutEveryMs: DelayRangeMs | null;
  /** How often empty containers are looked for: 60 s in ZooKeeper. */
  readonly containerCheckMs: number;
}

export const defaultSimulatedZooKeeper: SimulatedZooKeeperSettings = {
  members: 3,
  tickMs: 200,
  syncLimit: 5,
  lagMs: [0, 0],
  electionMs: [200, 500],
  leaderFailsEveryMs: null,
  memberCutEveryMs: null,
  containerCheckMs: 60_000,
};

/** What can be done to the ensemble itself, as an input of type `requested`. */
export type SimulatedZooKeeperRequest =
  /** Its leader dies, and the members elect another. */
  | { readonly type: 'fail-leader' }
  /** A member that is not the leader loses touch with it. */
  | { readonly type: 'cut-member' };

export type SimulatedZooKeeperTimer =
  | 'tick'
  /** Members tell the leader which sessions they have heard from. */
  | 'relay'
  | 'containers'
  | 'election'
  | 'leader-failure'
  | 'member-cut'
  /** The member that was cut off gives up. */
  | 'member-return'
  /** A member learns what the leader has committed. */
  | `apply ${number}`;

interface Znode {
  readonly data: string;
  readonly czxid: number;
  /** `0` for one that is not ephemeral. */
  readonly owner: SessionId;
  readonly isContainer: boolean;
  /** Counts the children ever created; the next sequential one is given this number. */
  readonly cversion: number;
}

type Tree = Readonly<Record<string, Znode>>;

interface ServerSession {
  readonly client: NodeId;
  readonly timeoutMs: number;
  /** By the leader's clock. */
  readonly expiresMs: number;
  /** The last request that was carried out. An earlier one that comes after it is lost. */
  readonly lastId: number;
  /** The member that it is connected to. */
  readonly member: number | null;
}

interface ServerWatch {
  readonly session: SessionId;
  readonly path: string;
  /** For a watch on children: those that were there. */
  readonly children: string | null;
}

/** What the members have agreed upon; it survives them. */
export interface SimulatedZooKeeperDurable {
  readonly epoch: number;
  /** The lower half of the zxid. */
  readonly counter: number;
  readonly tree: Tree;
  readonly sessions: Readonly<Record<SessionId, ServerSession>>;
  readonly nextSession: number;
}

export interface SimulatedZooKeeperState extends SimulatedZooKeeperDurable {
  readonly settings: SimulatedZooKeeperSettings;
  /** False while the members elect a leader: nothing is answered, and no session ends. */
  readonly available: boolean;
  /** The tree as each member knows it. */
  readonly views: readonly Tree[];
  /** The sessions that each member has heard from and not told the leader of. */
  readonly heard: readonly (readonly SessionId[])[];
  /** The member that is cut off from the leader. */
  readonly cut: number | null;
  readonly watches: readonly ServerWatch[];
  /** How many connections there have been; each goes to the next member. */
  readonly connections: number;
}

type State = SimulatedZooKeeperState;
type ServerInput = Input<
  ZooKeeperMessage,
  SimulatedZooKeeperDurable,
  SimulatedZooKeeperTimer,
  SimulatedZooKeeperRequest
>;
type ServerEffect = Effect<ZooKeeperMessage, SimulatedZooKeeperDurable, SimulatedZooKeeperTimer>;
type ServerTransition = Transition<
  State,
  ZooKeeperMessage,
  SimulatedZooKeeperDurable,
  SimulatedZooKeeperTimer
>;

export type SimulatedZooKeeper = Protocol<
  State,
  ZooKeeperMessage,
  SimulatedZooKeeperDurable,
  SimulatedZooKeeperTimer,
  SimulatedZooKeeperRequest
>;

/** It takes no part in the election. */
const guarantees: Guarantees = {
  atMostOneLeader: true,
  monotonicTokens: true,
  toleratesPartition: true,
  orderedSuccession: true,
  targetedTransfer: false,
  leased: false,
  assumptions: [],
};

/** Give it to a simulation as the service `zookeeper`. */
export function simulatedZooKeeper(settings: Partial<SimulatedZooKeeperSettings> = {}): SimulatedZooKeeper {
  const complete = { ...defaultSimulatedZooKeeper, ...settings };
  return {
    algorithm: 'simulated-zookeeper',
    variant: 'default',
    guarantees,
    periodicMessages: new Set(['pong', 'proven']),
    initialState: () => initialState(complete),
    step,
    decodeMessage,
    // Only this file writes it, and only into a simulator.
    decodeDurable: (value) => value as SimulatedZooKeeperDurable,
  };
}

const root: Tree = { '/': { data: '', czxid: 0, owner: '0', isContainer: false, cversion: 0 } };

function initialState(settings: SimulatedZooKeeperSettings): State {
  return {
    settings,
    available: true,
    epoch: settings.members === 1 ? 0 : 1,
    counter: 0,
    tree: root,
    sessions: {},
    nextSession: 1,
    views: Array.from({ length: settings.members }, () => root),
    heard: Array.from({ length: settings.members }, () => []),
    cut: null,
    watches: [],
    connections: 0,
  };
}

function step(state: State, input: ServerInput, nowMs: number): ServerTransition {
  switch (input.type) {
    case 'started':
      return [state, startTimers(state, nowMs)];
    case 'restarted':
      return takeOver({ ...state, ...input.durable }, nowMs);
    case 'received':
      return state.available
        ? onRequest(state, input.from, input.message as ZooKeeperRequest, nowMs)
        : [state, []];
    case 'timer-fired':
      return onTimer(state, input.timer, nowMs);
    case 'link-down':
      return [disconnect(state, ({ client }) => client === input.peer), []];
    case 'requested':
      return input.request.type === 'fail-leader' ? failLeader(state) : cutMember(state);
    default:
      return [state, []];
  }
}

// ---- Sessions -----------------------------------------------------------------------------------------

function onRequest(state: State, client: NodeId, message: ZooKeeperRequest, nowMs: number): ServerTransition {
  if (message.type === 'connect') return onConnect(state, client, message, nowMs);
  const { session: id } = message;
  const session = state.sessions[id];
  if (session === undefined) return [state, [send(client, { type: 'expired', session: id })]];
  if (session.member === null) return [state, [send(client, { type: 'disconnected', session: id })]];
  if (session.client !== client || message.id <= session.lastId) return [state, []];
  const heard = hear(state, id, { ...session, lastId: message.id }, session.member, nowMs);
  return isWrite(message)
    ? onWrite(heard, session.member, client, message)
    : onRead(heard, session.member, client, message);
}

function onConnect(
  state: State,
  client: NodeId,
  { id, session, sessionTimeoutMs }: Extract<ZooKeeperRequest, { type: 'connect' }>,
  nowMs: number,
): ServerTransition {
  const { tickMs, members } = state.settings;
  const member = memberOf(state, state.connections);
  const known = session === null ? undefined : state.sessions[session];
  if (session !== null && known === undefined) return [state, [send(client, { type: 'expired', session })]];
  if (known !== undefined && (known.client !== client || id <= known.lastId)) return [state, []];
  const timeoutMs = known?.timeoutMs ?? Math.min(Math.max(sessionTimeoutMs, 2 * tickMs), 20 * tickMs);
  const sessionId = session ?? `10${state.nextSession.toString(16).padStart(14, '0')}`;
  const opened: State = {
    ...state,
    connections: (state.connections + 1) % members,
    nextSession: state.nextSession + (session === null ? 1 : 0),
    sessions: {
      ...state.sessions,
      // To open a session, and to move one, the leader is asked, which then counts from now.
      [sessionId]: {
        client,
        timeoutMs,
        expiresMs: nextTickMs(state, nowMs + timeoutMs),
        lastId: id,
        member,
      },
    },
  };
  const answer: ZooKeeperReply = { type: 'connected', id, session: sessionId, sessionTimeoutMs: timeoutMs };
  // A client is not served by a member that knows less than it has seen already.
  const [current, events] = catchUp(session === null ? bumped(opened) : opened, member);
  return [current, [save(current), send(client, answer), ...events]];
}

/** Connections go to the members in turn, but not to one that has lost touch. */
function memberOf({ settings, cut }: State, turn: number): number {
  const member = turn % settings.members;
  return member === cut ? (member + 1) % settings.members : member;
}

/** The leader counts from when it hears of it. */
function hear(state: State, id: SessionId, session: ServerSession, member: number, nowMs: number): State {
  if (member === leaderOf(state)) {
    const expiresMs = nextTickMs(state, nowMs + session.timeoutMs);
    return { ...state, sessions: { ...state.sessions, [id]: { ...session, expiresMs } } };
  }
  return {
    ...state,
    sessions: { ...state.sessions, [id]: session },
    heard: state.heard.map((ids, index) => (index === member && !ids.includes(id) ? [...ids, id] : ids)),
  };
}

function relay(state: State, nowMs: number): State {
  if (state.heard.every((ids, member) => ids.length === 0 || member === state.cut)) return state;
  const told = new Set(state.heard.flatMap((ids, member) => (member === state.cut ? [] : ids)));
  const sessions = Object.entries(state.sessions).map(([id, session]) => [
    id,
    told.has(id) ? { ...session, expiresMs: nextTickMs(state, nowMs + session.timeoutMs) } : session,
  ]);
  return {
    ...state,
    sessions: Object.fromEntries(sessions),
    heard: state.heard.map((ids, member) => (member === state.cut ? ids : [])),
  };
}

function expireSessions(state: State, nowMs: number): ServerTransition {
  const expired = Object.entries(state.sessions).filter(([, { expiresMs }]) => expiresMs <= nowMs);
  if (expired.length === 0) return [state, []];
  return andThen(
    [state, []],
    ...expired.map(
      ([id]) =>
        (before: State) =>
          endSession(before, id),
    ),
  );
}

function endSession(state: State, id: SessionId): ServerTransition {
  const { [id]: session, ...sessions } = state.sessions;
  if (session === undefined) return [state, []];
  const tree = Object.fromEntries(Object.entries(state.tree).filter(([, { owner }]) => owner !== id));
  const ended: State = {
    ...state,
    sessions,
    watches: state.watches.filter((watch) => watch.session !== id),
  };
  const isTold = session.member !== null && session.member !== state.cut;
  const notice = isTold ? [send(session.client, { type: 'expired', session: id })] : [];
  return andThen(commit(ended, tree), (after) => [after, notice]);
}

function disconnect(state: State, concerns: (session: ServerSession) => boolean): State {
  const sessions = Object.entries(state.sessions).map(([id, session]) => [
    id,
    concerns(session) ? { ...session, member: null } : session,
  ]);
  return { ...state, sessions: Object.fromEntries(sessions) };
}

// ---- Reading and writing ------------------------------------------------------------------------------

type Read = Extract<ZooKeeperRequest, { type: 'children' | 'get' | 'ping' }>;
type Write = Exclude<ZooKeeperRequest, Read | { type: 'connect' }>;

const isWrite = (message: Read | Write): message is Write =>
  message.type !== 'children' && message.type !== 'get' && message.type !== 'ping';

/** Answered by the member alone, from what it knows. */
function onRead(state: State, member: number, client: NodeId, message: Read): ServerTransition {
  const { id, session, path } = message;
  const view = state.views[member] ?? root;
  const znode = view[path];
  if (message.type === 'ping') {
    return [state, [send(client, { type: 'pong', id, exists: znode !== undefined })]];
  }
  if (znode === undefined) return [state, [fail(client, id, 'no-node')]];
  const names = childrenOf(view, path);
  const watch: ServerWatch = {
    session,
    path,
    children: message.type === 'children' ? names.join(' ') : null,
  };
  const watched = message.watch ? { ...state, watches: [...state.watches, watch] } : state;
  const { data, czxid, owner } = znode;
  return [
    watched,
    [
      send(
        client,
        message.type === 'children' ? { type: 'listed', id, names } : { type: 'got', id, data, czxid, owner },
      ),
    ],
  ];
}

/** Carried out by the leader, and answered by the member once it knows of it. */
function onWrite(state: State, member: number, client: NodeId, message: Write): ServerTransition {
  if (member === state.cut) return [state, []];
  const { id, path } = message;
  const [tree, answer] = write(state, message);
  return andThen(
    commit(state, tree),
    (after) => catchUp(after, member),
    (after) => [after, [typeof answer === 'string' ? fail(client, id, answer, path) : send(client, answer)]],
  );
}

function write(state: State, message: Write): [Tree, ZooKeeperReply | 'no-node' | 'refused'] {
  const { tree } = state;
  const { id, path, session } = message;
  switch (message.type) {
    case 'confirm':
    case 'prove': {
      const type = message.type === 'confirm' ? 'confirmed' : 'proven';
      return [tree, { type, id, exists: tree[path] !== undefined }];
    }
    case 'ensure':
      return [withContainers(state, path), { type: 'done', id }];
    case 'delete': {
      const { [path]: znode, ...rest } = tree;
      if (znode === undefined) return [tree, 'no-node'];
      return childrenOf(tree, path).length > 0 ? [tree, 'refused'] : [rest, { type: 'done', id }];
    }
    case 'create': {
      const parent = tree[parentOf(path)];
      if (parent === undefined) return [tree, 'no-node'];
      if (parent.owner !== '0') return [tree, 'refused'];
      const complete = `${path}${`${parent.cversion}`.padStart(10, '0')}`;
      const czxid = zxidOf(state) + 1;
      const znode: Znode = { data: message.data, czxid, owner: session, isContainer: false, cversion: 0 };
      return [withChild(tree, complete, znode), { type: 'created', id, path: complete, czxid }];
    }
  }
}

function withContainers(state: State, path: string): Tree {
  if (state.tree[path] !== undefined) return state.tree;
  const parent = parentOf(path);
  const above = withContainers(state, parent);
  if (above[parent]?.owner !== '0') return above;
  const container: Znode = {
    data: '',
    czxid: zxidOf(state) + 1,
    owner: '0',
    isContainer: true,
    cversion: 0,
  };
  return withChild(above, path, container);
}

function withChild(tree: Tree, path: string, znode: Znode): Tree {
  const parent = parentOf(path);
  const above = tree[parent];
  const counted = above === undefined ? {} : { [parent]: { ...above, cversion: above.cversion + 1 } };
  return { ...tree, ...counted, [path]: znode };
}

/** Every write is given a zxid, even one that fails. The others hear of it as soon as they do. */
function commit(state: State, tree: Tree): ServerTransition {
  const written: State = { ...bumped(state), tree };
  const leader = leaderOf(state);
  const followers = state.views.flatMap((_, member) =>
    member === leader || member === state.cut ? [] : [member],
  );
  const isPrompt = state.settings.lagMs[1] === 0;
  const learning = isPrompt
    ? []
    : followers.map(
        (member): ServerEffect => ({
          type: 'set-timer',
          timer: `apply ${member}`,
          delayMs: state.settings.lagMs,
        }),
      );
  return andThen(
    [written, [save(written), ...learning]],
    ...[leader, ...(isPrompt ? followers : [])].map((member) => (after: State) => catchUp(after, member)),
  );
}

const bumped = (state: State): State => ({ ...state, counter: state.counter + 1 });

/** The member knows what the leader knows, and tells those who watch through it. */
function catchUp(state: State, member: number): ServerTransition {
  const view = state.tree;
  const current: State = {
    ...state,
    views: state.views.map((each, index) => (index === member ? view : each)),
  };
  const effects: ServerEffect[] = [];
  const watches = state.watches.filter(({ session: id, path, children }) => {
    const session = state.sessions[id];
    if (session?.member !== member) return true;
    const isGone = view[path] === undefined;
    const isChanged = children !== null && !isGone && childrenOf(view, path).join(' ') !== children;
    if (!isGone && !isChanged) return true;
    const type = isGone ? 'node-deleted' : 'children-changed';
    effects.push(send(session.client, { type, session: id, path }));
    return false;
  });
  return [watches.length === state.watches.length ? current : { ...current, watches }, effects];
}

// ---- Time and failure ---------------------------------------------------------------------------------

function onTimer(state: State, timer: SimulatedZooKeeperTimer, nowMs: number): ServerTransition {
  const { tickMs, containerCheckMs } = state.settings;
  switch (timer) {
    case 'tick':
      return andThen([state, [nextTick(state, nowMs)]], (alive) =>
        alive.available ? expireSessions(alive, nowMs) : [alive, []],
      );
    case 'relay':
      return [state.available ? relay(state, nowMs) : state, [again(timer, tickMs / 2)]];
    case 'containers':
      return andThen([state, [again(timer, containerCheckMs)]], (alive) =>
        alive.available ? removeEmptyContainers(alive) : [alive, []],
      );
    case 'leader-failure':
      return failLeader(state);
    case 'election':
      return takeOver(state, nowMs);
    case 'member-cut':
      return cutMember(state);
    case 'member-return':
      return returnMember(state);
    default: {
      const member = Number(timer.slice('apply '.length));
      return member === state.cut || !state.available ? [state, []] : catchUp(state, member);
    }
  }
}

/** A container that has had children and has none is removed; a new one is left alone. */
function removeEmptyContainers(state: State): ServerTransition {
  const isEmpty = ([path, { isContainer, cversion }]: [string, Znode]): boolean =>
    isContainer && cversion > 0 && childrenOf(state.tree, path).length === 0;
  const kept = Object.entries(state.tree).filter((entry) => !isEmpty(entry));
  const isSame = kept.length === Object.keys(state.tree).length;
  return isSame ? [state, []] : commit(state, Object.fromEntries(kept));
}

/** Without a leader the members serve nobody, and close every connection. */
function failLeader(state: State): ServerTransition {
  if (!state.available) return [state, []];
  const connected = Object.entries(state.sessions).filter(([, { member }]) => member !== null);
  return [
    { ...disconnect(state, () => true), available: false, cut: null },
    [
      { type: 'set-timer', timer: 'election', delayMs: state.settings.electionMs },
      cancel('leader-failure'),
      cancel('member-cut'),
      cancel('member-return'),
      ...connected.map(([session, { client }]) => send(client, { type: 'disconnected', session })),
    ],
  ];
}

/** A new leader does not know when sessions were heard from last, and gives each its full time again. */
function takeOver(state: State, nowMs: number): ServerTransition {
  const sessions = Object.entries(state.sessions).map(([id, session]) => [
    id,
    { ...session, member: null, expiresMs: nextTickMs(state, nowMs + session.timeoutMs) },
  ]);
  const isAlone = state.settings.members === 1;
  const begun: State = {
    ...state,
    available: true,
    // A server alone elects nobody, and goes on counting.
    ...(isAlone ? {} : { epoch: state.epoch + 1, counter: 0 }),
    sessions: Object.fromEntries(sessions),
    views: state.views.map(() => state.tree),
    heard: state.heard.map(() => []),
    cut: null,
  };
  return [begun, [save(begun), ...startTimers(begun, nowMs)]];
}

function cutMember(state: State): ServerTransition {
  const { members, tickMs, syncLimit } = state.settings;
  if (!state.available || state.cut !== null || members === 1) return [state, []];
  const cut = (leaderOf(state) + 1) % members;
  return [{ ...state, cut }, [again('member-return', syncLimit * tickMs)]];
}

/** The member has noticed that it is alone: it closes its connections and rejoins. What it had heard is lost. */
function returnMember(state: State): ServerTransition {
  const { cut } = state;
  if (cut === null) return [state, []];
  const clients = Object.entries(state.sessions).filter(([, { member }]) => member === cut);
  const alone: State = {
    ...disconnect(state, ({ member }) => member === cut),
    cut: null,
    heard: state.heard.map((ids, member) => (member === cut ? [] : ids)),
  };
  return andThen(
    [alone, clients.map(([session, { client }]) => send(client, { type: 'disconnected', session }))],
    (returned) => catchUp(returned, cut),
    (returned) => [returned, failures(returned)],
  );
}

function startTimers(state: State, nowMs: number): ServerEffect[] {
  const { tickMs, containerCheckMs } = state.settings;
  return [
    nextTick(state, nowMs),
    { type: 'set-timer', timer: 'relay', delayMs: [0, tickMs / 2] },
    again('containers', containerCheckMs),
    ...failures(state),
  ];
}

function failures({ settings: { leaderFailsEveryMs, memberCutEveryMs } }: State): ServerEffect[] {
  const effects: ServerEffect[] = [];
  if (leaderFailsEveryMs !== null) {
    effects.push({ type: 'set-timer', timer: 'leader-failure', delayMs: leaderFailsEveryMs });
  }
  if (memberCutEveryMs !== null) {
    effects.push({ type: 'set-timer', timer: 'member-cut', delayMs: memberCutEveryMs });
  }
  return effects;
}

// ---- Small words --------------------------------------------------------------------------------------

function andThen(
  first: ServerTransition,
  ...rules: readonly ((state: State) => ServerTransition)[]
): ServerTransition {
  let [state, effects] = first;
  for (const rule of rules) {
    const [after, more] = rule(state);
    state = after;
    if (more.length > 0) effects = [...effects, ...more];
  }
  return [state, effects];
}

const leaderOf = ({ epoch, settings }: State): number => epoch % settings.members;
const zxidOf = ({ epoch, counter }: State): number => epoch * 2 ** 32 + counter;
/** A session ends at a tick, and never before its time. */
const nextTickMs = ({ settings: { tickMs } }: State, atMs: number): number =>
  (Math.floor(atMs / tickMs) + 1) * tickMs;

function parentOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end <= 0 ? '/' : path.slice(0, end);
}

function childrenOf(tree: Tree, path: string): ZnodeName[] {
  const prefix = path === '/' ? '/' : `${path}/`;
  return Object.keys(tree).flatMap((each) =>
    each.length > prefix.length && each.startsWith(prefix) && each.lastIndexOf('/') === prefix.length - 1
      ? [each.slice(prefix.length)]
      : [],
  );
}

function save({ epoch, counter, tree, sessions, nextSession }: State): ServerEffect {
  return { type: 'save', durable: { epoch, counter, tree, sessions, nextSession } };
}

const send = (to: NodeId, message: ZooKeeperReply): ServerEffect => ({ type: 'send', to, message });
const fail = (to: NodeId, id: number, reason: 'no-node' | 'refused', detail = ''): ServerEffect =>
  send(to, { type: 'failed', id, reason, detail });
const nextTick = (state: State, nowMs: number): ServerEffect =>
  again('tick', nextTickMs(state, nowMs) - nowMs);
const again = (timer: SimulatedZooKeeperTimer, delayMs: number): ServerEffect => ({
  type: 'set-timer',
  timer,
  delayMs: [delayMs, delayMs],
});
const cancel = (timer: SimulatedZooKeeperTimer): ServerEffect => ({ type: 'cancel-timer', timer });
