/**
 * Many elections of one process over one session to a coordinator. Each runs the protocol of its algorithm as it is; what
 * stands between them and the coordinator is a pure state machine as well, in the words of this module.
 *
 * @packageDocumentation
 */
export {
  eventuallyOfEach,
  firstFinding,
  invariantsOfEach,
  type ProcessParts,
  type ProcessState,
  type ProcessTypes,
  sessionProcess,
} from './process.js';
export type { SessionEffect, SessionInput, SessionStep } from './session.js';
export { emptyTable, entriesOf, find, mapTable, put, remove, type Table, tableOf } from './table.js';
