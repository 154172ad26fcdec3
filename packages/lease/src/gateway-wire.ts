/** What a store of leases of our own and its clients say to each other, as JSON. */

import {
  MalformedError,
  readNumber,
  readOneOf,
  readOrNull,
  readRecord,
  readString,
  type UnknownRecord,
} from '@hustings/elector/protocol';
import type {
  Acquired,
  AcquireRequest,
  Free,
  Held,
  Lost,
  ReleaseRequest,
  Renewed,
  RenewRequest,
} from './store.js';

export type Call =
  | ({ readonly type: 'acquire' } & AcquireRequest)
  | ({ readonly type: 'renew' } & RenewRequest)
  | ({ readonly type: 'release' } & ReleaseRequest)
  | { readonly type: 'read'; readonly name: string };

export type Answer = Acquired | Held | Free | Renewed | Lost | { readonly type: 'released' };

export const encodeCall = (call: Call): object => withDigits(call);

export const encodeAnswer = (answer: Answer): object => withDigits(answer);

/** JSON has no bigint. */
const withDigits = (value: Call | Answer): object =>
  'token' in value ? { ...value, token: value.token === null ? null : `${value.token}` } : value;

export function decodeCall(value: unknown): Call {
  const record = readRecord(value, 'A call');
  const type = readOneOf(record, 'type', ['acquire', 'renew', 'release', 'read']);
  const name = readString(record, 'name');
  if (type === 'read') return { type, name };
  const holder = readString(record, 'holder');
  if (type === 'release') return { type, name, holder, token: readToken(record) };
  const ttlMs = readTime(record, 'ttlMs');
  return type === 'acquire'
    ? { type, name, holder, ttlMs }
    : { type, name, holder, token: readToken(record), ttlMs };
}

export function decodeAnswer(value: unknown): Answer {
  const record = readRecord(value, 'An answer');
  const type = readOneOf(record, 'type', ['acquired', 'held', 'free', 'renewed', 'lost', 'released']);
  switch (type) {
    case 'acquired':
      return { type, token: readToken(record), validForMs: readTime(record, 'validForMs') };
    case 'renewed':
      return { type, validForMs: readTime(record, 'validForMs') };
    case 'held':
      return {
        type,
        holder: readOrNull(record, 'holder', readString),
        token: readToken(record),
        expiresInMs: readTime(record, 'expiresInMs'),
      };
    case 'free':
    case 'lost':
    case 'released':
      return { type };
  }
}

function readToken(record: UnknownRecord): bigint {
  const token = readString(record, 'token');
  if (!/^\d{1,39}$/.test(token)) throw new MalformedError("Field 'token' must be decimal digits.");
  return BigInt(token);
}

function readTime(record: UnknownRecord, field: string): number {
  const value = readNumber(record, field);
  if (!(value >= 0)) throw new MalformedError(`Field '${field}' must not be negative.`);
  return value;
}
