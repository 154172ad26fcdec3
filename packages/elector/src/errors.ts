import type { FencingToken, NodeId } from './elector.js';

export type HustingsErrorCode =
  | 'HUSTINGS_LEADERSHIP_LOST'
  | 'HUSTINGS_STALE_TOKEN'
  | 'HUSTINGS_NOT_STARTED'
  | 'HUSTINGS_STOPPED'
  | 'HUSTINGS_CAMPAIGN_WITHDRAWN'
  | 'HUSTINGS_TRANSFER_UNSUPPORTED'
  | 'HUSTINGS_STORAGE_FAILED'
  | 'HUSTINGS_LISTEN_FAILED'
  | 'HUSTINGS_MALFORMED'
  | 'HUSTINGS_INVALID_OPTION';

const errorPages = 'https://github.com/hustings/hustings/blob/main/docs/errors/';

/** Where the documents explain a code, a reason or a type of diagnostic: each has a page of its own. */
export function helpAddress(word: string): string {
  const page = word
    .replace(/^HUSTINGS_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
  return `${errorPages}${page}.md`;
}

/** The base of every error that Hustings throws on purpose. `code` is stable; the message is for people. */
export abstract class HustingsError extends Error {
  /** One of `HustingsErrorCode`, or of the codes that an algorithm's own README lists. */
  abstract readonly code: `HUSTINGS_${string}`;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }

  /** The address of the page that says what it means and what to do. */
  get help(): string {
    return helpAddress(this.code);
  }
}

/** Why a leader stopped leading. */
export type StepDownReason =
  | 'resigned'
  | 'deposed'
  | 'lease-expired'
  | 'quorum-lost'
  | 'session-lost'
  | 'unhealthy'
  | 'storage-failed'
  | 'stopped';

/** Thrown when a Leadership is used after this node stopped leading, or after its lease ran out. */
export class LeadershipLostError extends HustingsError {
  readonly code = 'HUSTINGS_LEADERSHIP_LOST';
  readonly reason: StepDownReason;

  constructor(token: FencingToken, reason: StepDownReason) {
    super(`Leadership with token ${token} is over (${reason}); stop acting as leader and campaign again.`);
    this.reason = reason;
  }
}

/** Thrown when a fenced resource refuses a write because a newer leader, or another holder of the same token, wrote before. */
export class StaleTokenError extends HustingsError {
  readonly code = 'HUSTINGS_STALE_TOKEN';

  constructor(message: string) {
    super(message);
  }
}

/** Thrown when an elector is used before `start()` has resolved. */
export class NotStartedError extends HustingsError {
  readonly code = 'HUSTINGS_NOT_STARTED';

  constructor(id: NodeId) {
    super(`Elector ${id} has not started; await start() first.`);
  }
}

/** Thrown when an elector is used after `stop()`, and by a campaign that `stop()` interrupts. */
export class StoppedError extends HustingsError {
  readonly code = 'HUSTINGS_STOPPED';

  constructor(id: NodeId) {
    super(`Elector ${id} has stopped; create a new one to take part again.`);
  }
}

/** Thrown by a campaign that `resign()` ends before it was won. */
export class CampaignWithdrawnError extends HustingsError {
  readonly code = 'HUSTINGS_CAMPAIGN_WITHDRAWN';

  constructor(id: NodeId) {
    super(`Elector ${id} resigned before it was elected; campaign again to stand.`);
  }
}

/** Thrown by `resign({ to })` when the algorithm cannot hand leadership to a chosen node. */
export class TransferUnsupportedError extends HustingsError {
  readonly code = 'HUSTINGS_TRANSFER_UNSUPPORTED';

  constructor(algorithm: string) {
    super(`${algorithm} cannot choose its successor; resign without 'to'.`);
  }
}

/** Thrown when durable state could not be read or written; the node has left the election, for it cannot keep its promises. */
export class StorageFailedError extends HustingsError {
  readonly code = 'HUSTINGS_STORAGE_FAILED';
}

/** Thrown when a node cannot listen where it was told to: the port is taken, or the address is not of this machine. */
export class ListenFailedError extends HustingsError {
  readonly code = 'HUSTINGS_LISTEN_FAILED';
}

/** Thrown when bytes from outside, a message or stored state, are not what they should be. */
export class MalformedError extends HustingsError {
  readonly code = 'HUSTINGS_MALFORMED';
}

/** Thrown when an option or an argument has a value that cannot work. */
export class InvalidOptionError extends HustingsError {
  readonly code = 'HUSTINGS_INVALID_OPTION';
}
