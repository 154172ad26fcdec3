/**
 * The vocabulary of those who write election algorithms and drive them: what a protocol is, what it hears and
 * does, what can be asked of it, and readers for bytes from outside.
 *
 * @packageDocumentation
 */
export { MalformedError } from '../errors.js';
export {
  readBoolean,
  readCount,
  readList,
  readNumber,
  readOneOf,
  readOrNull,
  readRecord,
  readString,
  readStrings,
  type UnknownRecord,
} from './decode.js';
export type { Finding, Invariants, NodeView } from './invariants.js';
export {
  campaignRetryMs,
  type Entry,
  enter,
  isLeading,
  maySeekOffice,
  type Office,
  type OfficeEvent,
  type Ruling,
  type Tenure,
  vacantOffice,
} from './office.js';
export {
  believe,
  type DelayRangeMs,
  type Effect,
  type Input,
  type Machine,
  type MachineTypes,
  type Protocol,
  type ProtocolMessage,
  type RoleEffect,
  type Transition,
  undecided,
} from './protocol.js';
export { byRank, outranks } from './rank.js';
export {
  deathCertificateAssumption,
  hasDied,
  type Obituary,
  readSignature,
  type Signature,
  sign,
  withDeath,
} from './signature.js';
export { andThen, announce, cancelTimer, followNobody, send, setTimer } from './transition.js';
