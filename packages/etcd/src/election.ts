/** What an elector asks etcd about the election, and how it reads the answer. */

import type { KeyValue, LeaseId, Operation, Transaction, TransactionResult } from './messages.js';
import type { EtcdSettings, EtcdState, LeaderView, Session } from './state.js';

/** The oldest key leads; `own` and `predecessor` are null for a node that has no key. */
export interface View {
  readonly first: KeyValue | null;
  readonly predecessor: KeyValue | null;
  /** Whether this node's key is there, under its own lease. */
  readonly ownIsThere: boolean;
}

export const prefixOf = ({ name }: EtcdSettings): string => `${name}/`;

/** As the Go client names it, so that its candidates and ours line up in one queue. */
export function keyOf(settings: EtcdSettings, lease: LeaseId): string {
  return settings.succession === 'race'
    ? settings.name
    : `${prefixOf(settings)}${BigInt(lease).toString(16)}`;
}

/** Puts the own key unless it is there. Safe to repeat: a put whose answer was lost is found by the next. */
export function joining({ id }: EtcdState, { key, lease }: Session): Transaction {
  const get: Operation = { type: 'get', key };
  return {
    compare: [{ key, target: 'create', revision: '0' }],
    success: [{ type: 'put', key, value: id, lease }, get],
    failure: [get],
  };
}

/** Deletes the own key, and only that one: not one that was put in its place. */
export function leaving({ key }: Session, ownRevision: string): Transaction {
  return {
    compare: [{ key, target: 'create', revision: ownRevision }],
    success: [{ type: 'delete', key }],
    failure: [],
  };
}

/** Publishes a value over the one before it, so that an attempt that arrives late cannot undo a later one. */
export function proclaiming(state: EtcdState, { key, lease }: Session, value: string): Transaction {
  return {
    compare: [{ key, target: 'mod', revision: state.ownModRevision ?? '0' }],
    success: [{ type: 'put', key, value: `${state.id}\n${value}`, lease }],
    failure: [{ type: 'get', key }],
  };
}

/**
 * Asks who leads, who is before this node, and whether its own key is still there, in one transaction: what it
 * finds was true at one moment, so a node that finds itself first has been confirmed as well.
 */
export function looking({ settings, session, ownRevision }: EtcdState): Transaction {
  if (settings.succession === 'race') {
    return { compare: [], success: [{ type: 'get', key: settings.name }], failure: [] };
  }
  const prefix = prefixOf(settings);
  const oldest: Operation = { type: 'range', prefix, order: 'oldest', limit: 1 };
  if (session === null || ownRevision === null) return { compare: [], success: [oldest], failure: [] };
  return {
    compare: [{ key: session.key, target: 'create', revision: ownRevision }],
    success: [oldest, { type: 'range', prefix, order: 'newest', limit: 1, createdBefore: ownRevision }],
    failure: [oldest],
  };
}

/** What `looking`, or in a race `joining`, has found. */
export function readView({ settings, session, ownRevision }: EtcdState, result: TransactionResult): View {
  if (settings.succession === 'race') {
    const first = result.found.flat()[0] ?? null;
    const ownIsThere = first !== null && session !== null && first.lease === session.lease;
    return { first, predecessor: ownIsThere ? null : first, ownIsThere };
  }
  const [oldest, before] = result.found;
  return {
    first: oldest?.[0] ?? null,
    predecessor: before?.[0] ?? null,
    ownIsThere: ownRevision !== null && result.succeeded,
  };
}

/** A value is the leader's id, and on further lines what it proclaimed. */
export function readLeader({ key, lease, value, createRevision }: KeyValue): LeaderView {
  const end = value.indexOf('\n');
  return end === -1
    ? { key, lease, createRevision, leaderId: value, value: null }
    : { key, lease, createRevision, leaderId: value.slice(0, end), value: value.slice(end + 1) };
}

/** The own key in what a transaction has found. */
export function findOwn({ found }: TransactionResult, { key, lease }: Session): KeyValue | null {
  return found.flat().find((each) => each.key === key && each.lease === lease) ?? null;
}

/** Whether revision `a` came after `b`. */
export const isAfter = (a: string, b: string): boolean => BigInt(a) > BigInt(b);

/** The revision after this one. */
export const next = (revision: string): string => (BigInt(revision) + 1n).toString();
