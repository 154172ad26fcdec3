/**
 * The bytes of the file: a header of 8 bytes that names the format, then records. A record is the length of its body,
 * the checksum of its body, and the checksum of those two (12 bytes, big-endian), then the body, which is JSON. The
 * first record holds the whole state; every later one a difference.
 */

import { crc32 } from 'node:zlib';
import { readCount, readRecord } from '@hustings/elector/protocol';
import type { Entry } from './log.js';
import { decodeDurable, type RaftDurable, readEntries } from './messages.js';

const formatHeader = new TextEncoder().encode('hraft01\n');
const recordHeaderBytes = 12;

/** What a save changed. Entries after `keepThrough` are replaced by `entries`. */
interface Difference extends Pick<RaftDurable, 'currentTerm' | 'votedFor'> {
  readonly keepThrough: number;
  readonly entries: readonly Entry[];
}

/** Two logs of one node that agree on an entry agree on all before it (§5.3), so only the end need be compared. */
export function differenceBetween(before: RaftDurable, after: RaftDurable): Difference {
  const { currentTerm, votedFor, snapshot } = after;
  let kept = Math.min(before.entries.length, after.entries.length);
  while (kept > 0 && before.entries[kept - 1]!.term !== after.entries[kept - 1]!.term) kept -= 1;
  return { currentTerm, votedFor, keepThrough: snapshot.index + kept, entries: after.entries.slice(kept) };
}

export function replay([first, ...differences]: readonly unknown[]): RaftDurable {
  let durable = decodeDurable(first);
  const entries = [...durable.entries];
  for (const value of differences) {
    const record = readRecord(value, 'A difference');
    const { currentTerm, votedFor } = record;
    const kept = readCount(record, 'keepThrough') - durable.snapshot.index;
    if (kept < 0 || kept > entries.length) throw new Error('A difference does not fit what came before it.');
    entries.length = kept;
    entries.push(...readEntries(record, durable.snapshot.index + kept));
    durable = decodeDurable({ ...durable, currentTerm, votedFor, entries: [] });
  }
  return { ...durable, entries };
}

export function encodeRecord(body: RaftDurable | Difference): Uint8Array {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const header = new DataView(new ArrayBuffer(recordHeaderBytes));
  header.setUint32(0, bytes.length);
  header.setUint32(4, crc32(bytes));
  header.setUint32(8, crc32(new Uint8Array(header.buffer, 0, 8)));
  return concatenate([new Uint8Array(header.buffer), bytes]);
}

/** A file that holds this and nothing else. */
export function encodeFile(durable: RaftDurable): Uint8Array {
  return concatenate([formatHeader, encodeRecord(durable)]);
}

interface Records {
  readonly bodies: readonly unknown[];
  /** How much of the file is whole records. */
  readonly length: number;
}

/**
 * Reads record after record. A save writes one record and waits for the disk, so only the last one can be
 * torn, and nobody has relied on it. A bad one that is not torn, or has a whole one anywhere behind it, is damage.
 */
export function readRecords(bytes: Uint8Array): Records {
  if (!startsWith(bytes, formatHeader)) throw new Error('It does not begin like a file of this format.');
  const bodies: unknown[] = [];
  let offset = formatHeader.length;
  while (offset < bytes.length) {
    const body = bodyAt(bytes, offset);
    if (body === null) break;
    bodies.push(JSON.parse(new TextDecoder().decode(body)));
    offset += recordHeaderBytes + body.length;
  }
  if (bodies.length === 0) throw new Error('Its first record, which was written whole, is not whole.');
  if (offset < bytes.length && !isTorn(bytes, offset)) {
    throw new Error(`The last record, at byte ${offset}, is whole, but not as it was written.`);
  }
  for (let later = offset + 1; later < bytes.length; later += 1) {
    if (bodyAt(bytes, later) !== null) {
      throw new Error(`The record at byte ${offset} is bad, but the one at byte ${later} is good.`);
    }
  }
  return { bodies, length: offset };
}

/** The body of the record that starts here; null if there is no whole one. */
function bodyAt(bytes: Uint8Array, offset: number): Uint8Array | null {
  const header = headerAt(bytes, offset);
  if (header === null || header.end > bytes.length) return null;
  const body = bytes.subarray(header.start, header.end);
  return crc32(body) === header.checksum ? body : null;
}

interface RecordHeader {
  /** Where the body is. */
  readonly start: number;
  readonly end: number;
  readonly checksum: number;
}

/** It has a checksum of its own, so that a damaged length cannot pass for a record that was cut short. */
function headerAt(bytes: Uint8Array, offset: number): RecordHeader | null {
  const start = offset + recordHeaderBytes;
  if (start > bytes.length) return null;
  const header = new DataView(bytes.buffer, bytes.byteOffset + offset, recordHeaderBytes);
  if (crc32(bytes.subarray(offset, offset + 8)) !== header.getUint32(8)) return null;
  return { start, end: start + header.getUint32(0), checksum: header.getUint32(4) };
}

/**
 * Whether the write of the record that starts here, which is not whole, was cut short. Records are written over zeros
 * or at the end of the file, and JSON holds no zero. So what is missing of a torn one is zeros, or beyond the end; and
 * behind it there is nothing else. If nothing is missing, it was written whole, and has changed since.
 */
function isTorn(bytes: Uint8Array, offset: number): boolean {
  const header = headerAt(bytes, offset);
  if (header === null) return isHeaderTorn(bytes, offset);
  if (header.end > bytes.length) return true;
  return bytes.subarray(header.start, header.end).includes(0) && isZeros(bytes.subarray(header.end));
}

/** What a disk writes whole or not at all. */
const sectorBytes = 512;

/** A header may hold zeros. But of a torn one the end is missing, or whatever of it is in its first sector. */
function isHeaderTorn(bytes: Uint8Array, offset: number): boolean {
  const end = offset + recordHeaderBytes;
  if (end > bytes.length || bytes[end - 1] === 0) return true;
  const nextSector = (Math.floor(offset / sectorBytes) + 1) * sectorBytes;
  return isZeros(bytes.subarray(offset, Math.min(nextSector, end)));
}

function isZeros(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
