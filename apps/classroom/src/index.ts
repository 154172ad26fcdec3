/**
 * What a student's file imports: `sketch`, and the vocabulary of protocols. It needs nothing of Node, so that the
 * playground can show a student's file, too.
 *
 * @packageDocumentation
 */
export {
  andThen,
  cancelTimer,
  followNobody,
  outranks,
  send,
  setTimer,
} from '@hustings/elector/protocol';
export { guarded } from './guard.js';
export { type Me, type Sketch, type SketchTypes, sketch } from './sketch.js';
