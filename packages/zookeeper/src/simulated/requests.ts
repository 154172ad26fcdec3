/** Reading, which a member does alone, and writing, which the leader does for it. */

import type { NodeId } from '@hustings/elector';
import { andThen, send, setTimer } from '@hustings/elector/protocol';
import type { FailureReason, SessionId, ZooKeeperReply, ZooKeeperRequest } from '../messages.js';
import {
  change,
  leaderOf,
  type ServerEffect,
  type ServerTransition,
  type ServerWatch,
  type State,
  save,
  zxidOf,
} from './state.js';
import { childrenOf, nextPath, root, type Tree, withChild, withContainers } from './tree.js';

type Read = Extract<ZooKeeperRequest, { type: 'children' | 'get' | 'ping' }>;
type Write = Exclude<ZooKeeperRequest, Read | { type: 'connect' }>;
type Failure = Exclude<FailureReason, 'connection-loss'>;

export function carryOut(
  state: State,
  member: number,
  client: NodeId,
  message: Read | Write,
): ServerTransition {
  switch (message.type) {
    case 'children':
    case 'get':
    case 'ping':
      return onRead(state, member, client, message);
    default:
      return onWrite(state, member, client, message);
  }
}

/** Answered by the member alone, from what it knows. */
function onRead(state: State, member: number, client: NodeId, message: Read): ServerTransition {
  const { id, session, path } = message;
  const view = state.views[member] ?? root;
  const znode = view[path];
  if (message.type === 'ping') {
    return [state, [send(client, { type: 'pong', id, exists: znode !== undefined })]];
  }
  if (znode === undefined) return [state, [fail(client, id, 'no-node')]];
  const names = message.type === 'children' ? childrenOf(view, path) : null;
  const { data, czxid, owner } = znode;
  const answer: ZooKeeperReply =
    names === null ? { type: 'got', id, data, czxid, owner } : { type: 'listed', id, names };
  const watch: ServerWatch = { session, path, children: names?.join(' ') ?? null };
  const watched = message.watch ? change(state, { watches: [...state.watches, watch] }) : state;
  return [watched, [send(client, answer)]];
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

function write(state: State, message: Write): [Tree, ZooKeeperReply | Failure] {
  const { tree } = state;
  const { id, path, session: owner } = message;
  const czxid = zxidOf(state) + 1;
  switch (message.type) {
    case 'confirm':
      return [tree, { type: 'confirmed', id, exists: tree[path] !== undefined }];
    case 'prove':
      return [tree, { type: 'proven', id, exists: tree[path] !== undefined }];
    case 'ensure':
      return [withContainers(tree, path, czxid), { type: 'done', id }];
    case 'delete': {
      const { [path]: znode, ...rest } = tree;
      if (znode === undefined) return [tree, 'no-node'];
      return childrenOf(tree, path).length > 0 ? [tree, 'refused'] : [rest, { type: 'done', id }];
    }
    case 'create': {
      const next = nextPath(tree, path);
      if (typeof next === 'string') return [tree, next];
      const znode = { data: message.data, czxid, owner, isContainer: false, cversion: 0 };
      return [withChild(tree, next.path, znode), { type: 'created', id, path: next.path, czxid }];
    }
  }
}

/** Every write is given a zxid, even one that fails. The others hear of it as soon as they do. */
export function commit(state: State, tree: Tree): ServerTransition {
  const { lagMs } = state.settings;
  const written = change(state, { counter: state.counter + 1, tree });
  const leader = leaderOf(state);
  const followers = [...state.views.keys()].filter((member) => member !== leader && member !== state.cut);
  const isPrompt = lagMs[1] === 0;
  const learning = followers.map((member) => setTimer(`apply ${member}` as const, lagMs));
  return andThen(
    [written, [save(written), ...(isPrompt ? [] : learning)]],
    ...[leader, ...(isPrompt ? followers : [])].map((member) => (after: State) => catchUp(after, member)),
  );
}

/** The member knows what the leader knows, and tells those who watch through it. */
export function catchUp(state: State, member: number): ServerTransition {
  const view = state.tree;
  if (state.views[member] === view) return [state, []];
  const clients = new Map<SessionId, NodeId>();
  for (const session of state.sessions) {
    if (session.member === member) clients.set(session.id, session.client);
  }
  const effects: ServerEffect[] = [];
  const watches = state.watches.filter(({ session, path, children }) => {
    const client = clients.get(session);
    if (client === undefined) return true;
    const isGone = view[path] === undefined;
    const isChanged = children !== null && !isGone && childrenOf(view, path).join(' ') !== children;
    if (!isGone && !isChanged) return true;
    const type = isGone ? 'node-deleted' : 'children-changed';
    effects.push(send(client, { type, session, path }));
    return false;
  });
  return [change(state, { views: state.views.with(member, view), watches }), effects];
}

const fail = (to: NodeId, id: number, reason: Failure, detail = ''): ServerEffect =>
  send(to, { type: 'failed', id, reason, detail });
