/** What a leader and its heir say to each other. */

import {
  MalformedError,
  readCount,
  readNumber,
  readRecord,
  readString,
  type UnknownRecord,
} from '@hustings/elector/protocol';
import type { Revision } from '../messages.js';
import { readDigits } from '../revisions.js';

/** A key together with its create revision names one candidacy of one process: neither is ever used again. */
export interface Candidacy {
  readonly key: string;
  readonly revision: Revision;
}

export type HeirMessage =
  /** Leader to all: I have taken office. Whoever waits looks who is before it now. */
  | { readonly type: 'in-office' }
  /** The next in line to the leader: offer to me. */
  | { readonly type: 'volunteer'; readonly leader: Candidacy; readonly heir: Candidacy }
  /**
   * Leader to heir: once you have heard no offer for `waitMs`, you may delete my key, if its mod revision is still
   * `modRevision`. `id` names this heartbeat.
   */
  | {
      readonly type: 'offer';
      readonly id: number;
      readonly leader: Candidacy;
      readonly modRevision: Revision;
      readonly heir: Candidacy;
      readonly waitMs: number;
    }
  /** Heir to leader: I wait anew since I heard the heartbeat of this `id`. */
  | { readonly type: 'promise'; readonly id: number; readonly leader: Candidacy };

export const heirMessageTypes: ReadonlySet<string> = new Set(['in-office', 'volunteer', 'offer', 'promise']);

export function decodeHeirMessage(type: string, record: UnknownRecord): HeirMessage {
  switch (type) {
    case 'in-office':
      return { type };
    case 'volunteer':
      return { type, leader: readCandidacy(record, 'leader'), heir: readCandidacy(record, 'heir') };
    case 'offer':
      return {
        type,
        id: readCount(record, 'id'),
        leader: readCandidacy(record, 'leader'),
        modRevision: readDigits(record, 'modRevision'),
        heir: readCandidacy(record, 'heir'),
        waitMs: readWait(record),
      };
    case 'promise':
      return { type, id: readCount(record, 'id'), leader: readCandidacy(record, 'leader') };
    default:
      throw new MalformedError(`'${type}' is not a message between a leader and its heir.`);
  }
}

function readCandidacy(record: UnknownRecord, field: string): Candidacy {
  const candidacy = readRecord(record[field], `Field '${field}'`);
  return { key: readString(candidacy, 'key'), revision: readDigits(candidacy, 'revision') };
}

function readWait(record: UnknownRecord): number {
  const waitMs = readNumber(record, 'waitMs');
  if (waitMs <= 0) throw new MalformedError("Field 'waitMs' must be above 0.");
  return waitMs;
}
