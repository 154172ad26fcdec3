/**
 * What the commands have in common: flags and usage errors, progress on standard error, files and closed pipes.
 *
 * @packageDocumentation
 */
export { checkOut, writeOut } from './files.js';
export { type Progress, reportProgress, silentProgress, type Terminal } from './progress.js';
export { columnsOf, wrapped } from './text.js';
export { type ThreadOptions, workInThreads } from './threads.js';
export {
  algorithmOption,
  guarded,
  interruption,
  listOf,
  oneOf,
  parseFlags,
  runTool,
  tool,
  wholeNumber,
  wholeNumberOption,
} from './tool.js';
export { UsageError } from './usage-error.js';
