/** Between the messages of this package and the calls of the `etcd3` client. */

import {
  CompareResult,
  CompareTarget,
  EtcdAuthenticationFailedError,
  EtcdInvalidAuthTokenError,
  EtcdLeaseInvalidError,
  EtcdPermissionDeniedError,
  GRPCDeadlineExceededError,
  GRPCFailedPreconditionError,
  GRPCInvalidArgumentError,
  GRPCUnauthenticatedError,
  type ICompare,
  type IEvent,
  type IKeyValue,
  type IRequestOp,
  type ITxnRequest,
  type ITxnResponse,
  SortOrder,
  SortTarget,
} from 'etcd3';
import type { EtcdDenial } from './gateway-options.js';
import type {
  Change,
  Comparison,
  FailureReason,
  KeyValue,
  Operation,
  Transaction,
  TransactionResult,
} from './messages.js';

export function writeTransaction({ compare, success, failure }: Transaction): ITxnRequest {
  return {
    compare: compare.map(writeComparison),
    success: success.map(writeOperation),
    failure: failure.map(writeOperation),
  };
}

function writeComparison({ key, target, revision }: Comparison): ICompare {
  const common = { key: Buffer.from(key), result: CompareResult.Equal };
  return target === 'create'
    ? { ...common, target: CompareTarget.Create, create_revision: revision }
    : { ...common, target: CompareTarget.Mod, mod_revision: revision };
}

function writeOperation(operation: Operation): IRequestOp {
  switch (operation.type) {
    case 'get':
      return { request_range: { key: Buffer.from(operation.key) } };
    case 'range': {
      const { prefix, order, limit, createdBefore } = operation;
      const key = Buffer.from(prefix);
      const bound =
        createdBefore === undefined ? {} : { max_create_revision: (BigInt(createdBefore) - 1n).toString() };
      return {
        request_range: {
          key,
          range_end: prefixEnd(key),
          limit,
          sort_target: SortTarget.Create,
          sort_order: order === 'oldest' ? SortOrder.Ascend : SortOrder.Descend,
          ...bound,
        },
      };
    }
    case 'put': {
      const { key, value, lease } = operation;
      return { request_put: { key: Buffer.from(key), value: Buffer.from(value), lease } };
    }
    case 'touch':
      return { request_put: { key: Buffer.from(operation.key), ignore_value: true, ignore_lease: true } };
    case 'delete':
      return { request_delete_range: { key: Buffer.from(operation.key) } };
  }
}

/** The first key after all that begin with `prefix`. */
export function prefixEnd(prefix: Buffer): Buffer {
  const last = prefix.findLastIndex((byte) => byte < 0xff);
  // Nothing comes after a prefix of 0xff alone; etcd writes that as a single zero.
  if (last === -1) return Buffer.from([0]);
  const end = Buffer.from(prefix.subarray(0, last + 1));
  end[last]! += 1;
  return end;
}

export function readTransaction({ succeeded, header, responses }: ITxnResponse): TransactionResult {
  return {
    succeeded,
    revision: header.revision,
    clusterId: header.cluster_id,
    found: responses.map(({ response_range }) => (response_range?.kvs ?? []).map(readKeyValue)),
  };
}

function readKeyValue({ key, value, create_revision, mod_revision, lease }: IKeyValue): KeyValue {
  return {
    key: key.toString(),
    value: value.toString(),
    createRevision: create_revision,
    modRevision: mod_revision,
    // Of a key without a lease the client gives a number, although it is declared to be a string.
    lease: String(lease),
  };
}

export function readChanges(events: readonly IEvent[]): Change[] {
  return events.map(({ type, kv }) => {
    const { key, value, createRevision, modRevision: revision, lease } = readKeyValue(kv);
    // The client's types say 'Delete', its decoder says 'DELETE'.
    if (type.toLowerCase() === 'delete') return { type: 'delete', key, revision };
    return { type: 'put', key, revision, value, createRevision, lease };
  });
}

const refusals = [EtcdPermissionDeniedError, GRPCInvalidArgumentError, GRPCFailedPreconditionError];
const identityProblems = [EtcdAuthenticationFailedError, EtcdInvalidAuthTokenError, GRPCUnauthenticatedError];

/** What is not known to be an answer is taken for the lack of one. */
export function classify(error: unknown): { readonly reason: FailureReason; readonly detail: string } {
  const detail = error instanceof Error ? error.message : String(error);
  const isOneOf = (kinds: readonly (new (...parameters: never[]) => Error)[]): boolean =>
    kinds.some((kind) => error instanceof kind);
  if (error instanceof EtcdLeaseInvalidError || detail.includes('requested lease not found')) {
    return { reason: 'lease-not-found', detail };
  }
  if (isOneOf(identityProblems) || detail.includes('invalid auth token')) {
    return { reason: 'unauthenticated', detail };
  }
  if (isOneOf(refusals)) return { reason: 'refused', detail };
  return { reason: error instanceof GRPCDeadlineExceededError ? 'timeout' : 'unavailable', detail };
}

/** What etcd means by a refusal, from its own words; null where it will be well by itself. */
export function denialOf(detail: string): EtcdDenial | null {
  // Tokens expire. The client fetches another one.
  if (detail.includes('invalid auth token')) return null;
  if (detail.includes('authentication is not enabled')) return 'auth-not-enabled';
  if (detail.includes('user name is empty')) return 'auth-required';
  if (detail.includes('permission denied')) return 'no-permission';
  return detail.includes('invalid user ID or password') ? 'wrong-password' : 'other';
}
