/** The copy of all elections: how it is made and kept, and how elections read it. */

import { andThen, setTimer } from '@hustings/elector/protocol';
import { entriesOf, find, put, remove, tableOf } from '@hustings/elector/sessions';
import type { Change, EtcdReply, EtcdRequest, KeyValue, Revision } from '../messages.js';
import { isAfter, next } from '../revisions.js';
import { holds, read as readFrom } from '../simulated/store.js';
import type { Watch } from '../state.js';
import {
  deliver,
  electionOf,
  type Local,
  leaseNamedBy,
  leaseOf,
  type SharedEffect,
  type SharedState,
  type SharedTransition,
  type Topic,
  toServer,
} from './state.js';
import { deleteKey, named } from './writes.js';

/** How many changes of an election are kept, for watches that begin a little in the past. */
const historyLength = 16;

/** Asks for everything. */
export function read(state: SharedState): SharedTransition {
  const { settings, nextId: id } = state;
  const range = { type: 'range', prefix: settings.prefix, order: 'oldest', limit: 0 } as const;
  return [
    { ...state, reading: { id, seen: state.seen }, nextId: id + 1 },
    [
      toServer({ type: 'audit', id, compare: [], success: [range], failure: [] }),
      setTimer('read', settings.requestTimeoutMs),
    ],
  ];
}

export const onReadFailed = (state: SharedState, later: SharedEffect): SharedTransition => [
  { ...state, reading: null },
  [later],
];

type Done = Extract<EtcdReply, { type: 'txn-done' | 'audited' }>;

export function onRead(state: SharedState, done: Done): SharedTransition {
  const isOther = state.clusterId !== '' && state.clusterId !== done.clusterId;
  const isLost = isOther || isAfter(state.reading?.seen ?? '0', done.revision);
  // What came meanwhile may have gaps. A read that is sent now sees at least as much as it told.
  if (!isLost && state.suspicious && isAfter(state.revision, done.revision)) return read(state);
  const revision = isLost ? done.revision : latest(state.revision, done.revision);
  const { auditMs } = state.settings;
  return andThen(
    setTopics(isLost ? forgetTopics(state) : state, done),
    (copied) => [
      {
        ...copied,
        ...{ revision, readAt: done.revision, clusterId: done.clusterId, isCurrent: true, reading: null },
        seen: isLost ? done.revision : copied.seen,
      },
      [setTimer('read', auditMs)],
    ],
    (copied) => (copied.watch === null || copied.suspicious || isLost ? watchAll(copied) : [copied, []]),
    answerAll,
    deleteOrphans,
  );
}

const latest = (left: Revision, right: Revision): Revision => (isAfter(left, right) ? left : right);

/** Its numbers begin again, so nothing that was known can be compared with what is. Whoever looks will notice. */
const forgetTopics = (state: SharedState): SharedState => ({
  ...state,
  topics: tableOf(
    entriesOf(state.topics).map(([election, { keys }]): [string, Topic] => [
      election,
      { keys, history: [], compacted: '0', at: '0' },
    ]),
  ),
});

/** All elections as they were read. */
function setTopics(state: SharedState, done: Done): SharedTransition {
  const found = new Map<string, KeyValue[]>(
    entriesOf(state.topics).flatMap(([election, { keys }]) => (keys.length === 0 ? [] : [[election, []]])),
  );
  for (const each of done.found.flat().map(named)) {
    const election = electionOf(state.settings, each.key);
    if (election === null) continue;
    const others = found.get(election);
    if (others === undefined) found.set(election, [each]);
    else others.push(each);
  }
  const effects: SharedEffect[] = [];
  const known = new Map(entriesOf(state.topics));
  let after = state;
  for (const [election, keys] of found) {
    const [set, more] = setTopic(after, election, keys, done.revision);
    after = set;
    known.delete(election);
    effects.push(...more);
  }
  // Of elections that have no keys and nobody here looks at, nothing need be known.
  for (const election of known.keys()) {
    if (find(state.locals, election) === undefined)
      after = { ...after, topics: remove(after.topics, election) };
  }
  return [after, effects];
}

/** An election as it was at a revision, unless more is known already. Whoever watches it hears what has changed. */
export function setTopic(
  state: SharedState,
  election: string,
  keys: readonly KeyValue[],
  at: Revision,
): SharedTransition {
  const topic = topicOf(state, election);
  const seen = latest(state.seen, at);
  if (isAfter(topic.at, at)) return [state.seen === seen ? state : { ...state, seen }, []];
  const changes = differences(topic.keys, keys, at);
  if (changes.length === 0 && topic.at === at) return [state, []];
  const changed = { ...changes.reduce(applyChange, topic), keys, at };
  return [
    { ...state, seen, topics: put(state.topics, election, changed) },
    tellWatchers(state, election, changes),
  ];
}

/** In the order of their revisions; of what is gone it is known only that it went by then. */
function differences(before: readonly KeyValue[], after: readonly KeyValue[], at: Revision): Change[] {
  const known = new Map(before.map((each) => [each.key, each]));
  const changed = after.filter(({ key, modRevision }) => known.get(key)?.modRevision !== modRevision);
  const present = new Set(after.map(({ key }) => key));
  const gone = before.filter(({ key }) => !present.has(key));
  const byRevision = (left: KeyValue, right: KeyValue): number =>
    isAfter(left.modRevision, right.modRevision) ? 1 : -1;
  return [
    ...changed
      .toSorted(byRevision)
      .map(({ modRevision: revision, ...rest }): Change => ({ type: 'put', revision, ...rest })),
    ...gone.map(({ key }): Change => ({ type: 'delete', key, revision: at })),
  ];
}

function tellWatchers({ locals }: SharedState, election: string, changes: readonly Change[]): SharedEffect[] {
  return (find(locals, election)?.watches ?? []).flatMap((each) => {
    const heard = changes.filter((change) => concerns(each, change));
    return heard.length === 0 ? [] : [deliver(election, { type: 'changed', id: each.id, changes: heard })];
  });
}

const topicOf = ({ topics, readAt }: SharedState, election: string): Topic =>
  find(topics, election) ?? { keys: [], history: [], compacted: readAt, at: readAt };

function watchAll(state: SharedState): SharedTransition {
  const { settings, revision, watch: present, nextId: id } = state;
  const request = {
    type: 'watch',
    id,
    key: settings.prefix,
    prefix: true,
    fromRevision: next(revision),
  } as const;
  return [
    { ...state, watch: id, heard: 0, suspicious: false, nextId: id + 1 },
    [toServer(request), ...(present === null ? [] : [toServer({ type: 'cancel-watch', id: present })])],
  ];
}

function answerAll(state: SharedState): SharedTransition {
  const waiting = entriesOf(state.locals).flatMap(([election, { look }]) =>
    look === null ? [] : [{ election, look }],
  );
  return andThen(
    [state, []],
    ...waiting.map(({ election, look }) => (now: SharedState): SharedTransition => {
      const local = find(now.locals, election);
      return local === undefined ? [now, []] : answerRead(now, election, { ...local, look: null }, look);
    }),
  );
}

// ---- What elections ask --------------------------------------------------------------------------------

export function answerRead(
  state: SharedState,
  election: string,
  local: Local,
  look: Extract<EtcdRequest, { type: 'txn' | 'audit' }>,
): SharedTransition {
  if (!state.isCurrent) return [{ ...state, locals: put(state.locals, election, { ...local, look }) }, []];
  const topic = topicOf(state, election);
  const succeeded = look.compare.every((comparison) => holds(topic, comparison));
  const reply: EtcdReply = {
    type: look.type === 'audit' ? 'audited' : 'txn-done',
    id: look.id,
    succeeded,
    revision: latest(state.revision, topic.at),
    clusterId: state.clusterId,
    found: (succeeded ? look.success : look.failure).map((operation) => readFrom(topic, operation)),
  };
  return [
    { ...state, locals: put(state.locals, election, { ...local, look: null }) },
    [deliver(election, reply)],
  ];
}

export function watch(
  state: SharedState,
  election: string,
  local: Local,
  { id, key, prefix, fromRevision }: Extract<EtcdRequest, { type: 'watch' }>,
): SharedTransition {
  const topic = topicOf(state, election);
  const watching = deliver(election, { type: 'watching', id });
  if (!isAfter(fromRevision, topic.compacted)) {
    return [state, [watching, deliver(election, { type: 'watch-lost', id, reason: 'compacted' })]];
  }
  const added: Watch = { id, key, prefix };
  const missed = topic.history.filter(
    (change) => !isAfter(fromRevision, change.revision) && concerns(added, change),
  );
  return [
    { ...state, locals: put(state.locals, election, { ...local, watches: [...local.watches, added] }) },
    missed.length === 0
      ? [watching]
      : [watching, deliver(election, { type: 'changed', id, changes: missed })],
  ];
}

const concerns = ({ key, prefix }: Watch, change: Change): boolean =>
  prefix ? change.key.startsWith(key) : change.key === key;

export function stopWatching(
  state: SharedState,
  election: string,
  local: Local,
  id: number,
): SharedTransition {
  const watches = local.watches.filter((each) => each.id !== id);
  if (watches.length === local.watches.length) return [state, []];
  return [
    { ...state, locals: put(state.locals, election, { ...local, watches }) },
    [deliver(election, { type: 'watch-cancelled', id })],
  ];
}

// ---- What changes --------------------------------------------------------------------------------------

export function onChanged(
  state: SharedState,
  { changes: reported, number = state.heard + 1 }: Extract<EtcdReply, { type: 'changed' }>,
): SharedTransition {
  const last = reported.at(-1);
  if (last === undefined || number <= state.heard) return [state, []];
  // One before it went missing, or was overtaken: this network is no TCP connection. Start from what is there.
  if (number > state.heard + 1) {
    return state.reading === null
      ? read({ ...state, suspicious: true })
      : [{ ...state, suspicious: true }, []];
  }
  const byElection = new Map<string, Change[]>();
  for (const change of reported) {
    const election = electionOf(state.settings, change.key);
    if (election === null) continue;
    const { key } = change;
    const renamed = change.type === 'put' ? { ...change, lease: leaseNamedBy(key, change.lease) } : change;
    byElection.set(election, [...(byElection.get(election) ?? []), renamed]);
  }
  const { revision } = last;
  return andThen(applyAll({ ...state, revision, seen: latest(state.seen, revision) }, byElection), (after) =>
    deleteOrphansIn(after, [...byElection.values()].flat()),
  );
}

function applyAll(state: SharedState, byElection: ReadonlyMap<string, readonly Change[]>): SharedTransition {
  const effects: SharedEffect[] = [];
  let { topics } = state;
  for (const [election, reported] of byElection) {
    const topic = topicOf(state, election);
    const changes = reported.filter(({ revision }) => isAfter(revision, topic.at));
    if (changes.length === 0) continue;
    topics = put(topics, election, changes.reduce(applyChange, topic));
    effects.push(...tellWatchers(state, election, changes));
  }
  return [{ ...state, topics }, effects];
}

function applyChange({ keys, history, compacted }: Topic, change: Change): Topic {
  const remembered = [...history, change];
  const forgotten = remembered.length > historyLength ? remembered.shift() : undefined;
  const place = keys.findIndex(({ key }) => key === change.key);
  return {
    keys: place === -1 ? added(keys, change) : replaced(keys, place, change),
    history: remembered,
    compacted: forgotten?.revision ?? compacted,
    at: change.revision,
  };
}

const added = (keys: readonly KeyValue[], change: Change): readonly KeyValue[] =>
  change.type === 'delete' ? keys : [...keys, keyValueOf(change)];

const replaced = (keys: readonly KeyValue[], place: number, change: Change): readonly KeyValue[] =>
  change.type === 'delete' ? keys.toSpliced(place, 1) : keys.with(place, keyValueOf(change));

const keyValueOf = ({
  key,
  value,
  createRevision,
  revision,
  lease,
}: Extract<Change, { type: 'put' }>): KeyValue => ({
  key,
  value,
  createRevision,
  modRevision: revision,
  lease,
});

// ---- Keys of candidacies that are over -----------------------------------------------------------------

/** A put that arrived after its candidacy had ended: it would stand in the queue as long as this process lives. */
const isOrphan = (
  { settings, leases, locals }: SharedState,
  { key, lease }: Pick<KeyValue, 'key' | 'lease'>,
) => {
  const election = electionOf(settings, key);
  if (election === null || !leases.some(({ id }) => id === leaseOf(lease))) return false;
  return find(locals, election)?.share?.id !== lease;
};

function deleteOrphansIn(state: SharedState, changes: readonly Change[]): SharedTransition {
  const orphans = changes.filter((change) => change.type === 'put' && isOrphan(state, change));
  return andThen(
    [state, []],
    ...orphans.map(
      ({ key }) =>
        (now: SharedState) =>
          deleteKey(now, key),
    ),
  );
}

function deleteOrphans(state: SharedState): SharedTransition {
  const keys = entriesOf(state.topics).flatMap(([, topic]) => topic.keys);
  const orphans = keys.filter((each) => isOrphan(state, each));
  return andThen(
    [state, []],
    ...orphans.map(
      ({ key }) =>
        (now: SharedState) =>
          deleteKey(now, key),
    ),
  );
}
