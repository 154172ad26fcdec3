/**
 * The slips that everybody makes once, each with a sentence of its own. A student should read what to do, not a stack
 * trace of ours.
 */

export type SlipKind =
  | 'mutated-state'
  | 'misspelt-effect'
  | 'nan-delay'
  | 'number-token'
  | 'unknown-peer'
  | 'missing-return'
  | 'math-random'
  | 'date'
  | 'set-timeout'
  | 'async-step'
  | 'zero-timer'
  | 'infinite-loop'
  | 'out-of-memory'
  | 'forbidden-import'
  | 'not-plain-data'
  | 'no-export'
  | 'syntax'
  | 'threw';

/** What a student's file did that no algorithm may do. The message is the sentence that the student reads. */
export class Slip extends Error {
  readonly kind: SlipKind;
  /** A piece of the file that shows where it is, when no stack does. */
  readonly quote: string | null;

  constructor(kind: SlipKind, sentence: string, quote: string | null = null) {
    super(sentence);
    this.kind = kind;
    this.quote = quote;
  }
}

export const slips = {
  mutatedState: (field: string): Slip =>
    new Slip(
      'mutated-state',
      /^\d+$/.test(field)
        ? 'A list was changed in place. What your function is given may not change: return a copy, such as [...list, item].'
        : `'${field}' was changed in place. What your function is given may not change: return a copy, such as { ...state, ${field}: … }.`,
    ),
  misspeltEffect: (said: string, meant: string | null): Slip =>
    new Slip(
      'misspelt-effect',
      meant === null
        ? `There is no effect '${said}'.`
        : `There is no effect '${said}'; did you mean '${meant}'?`,
      said,
    ),
  unknownName: (kind: string, said: string, known: readonly string[]): Slip =>
    new Slip('misspelt-effect', `There is no ${kind} '${said}'. There are ${known.join(', ')}.`, said),
  misspeltMethod: (object: string, said: string, meant: string | null): Slip =>
    new Slip(
      'misspelt-effect',
      meant === null
        ? `${object}.${said} does not exist.`
        : `${object}.${said} does not exist; did you mean ${object}.${meant}?`,
    ),
  nanDelay: (timer: string, delay: string): Slip =>
    new Slip(
      'nan-delay',
      `The timer '${timer}' was set to ${delay} ms. A delay is a number above 0, or two of them, [least, most]; NaN often comes from a setting that is undefined.`,
      timer,
    ),
  nanTerm: (validForMs: number): Slip =>
    new Slip(
      'nan-delay',
      `me.lead was given ${validForMs} ms to lead. That is a number above 0; NaN often comes from a field that is undefined.`,
    ),
  zeroTimer: (timer: string): Slip =>
    new Slip(
      'zero-timer',
      `The timer '${timer}' was set to 0 ms. It would fire at the same moment, and time would never pass: do it at once, or wait for at least 1 ms.`,
      timer,
    ),
  numberToken: (token: unknown): Slip =>
    new Slip(
      'number-token',
      `A token is a bigint, and ${told(token)} is a ${typeof token}: write BigInt(…), or 1n.`,
    ),
  unknownPeer: (to: unknown, id: string, peers: readonly string[]): Slip =>
    new Slip(
      'unknown-peer',
      to === id
        ? `${id} addressed itself. A node does not send to itself or follow itself: do at once what the message would have done.`
        : `There is no node ${told(to)}. The peers of ${id} are ${peers.join(', ')}.`,
    ),
  missingReturn: (returned: unknown): Slip =>
    new Slip(
      'missing-return',
      `Your function returned ${told(returned)}: a return is missing. Every way through it ends with return [state, effects]; where nothing happens, return [state, []].`,
    ),
  notAPair: (): Slip =>
    new Slip(
      'missing-return',
      'Your function returned a list that is not [state, effects]: first the state, then a list of effects, even of one, as in [state, [effect]].',
    ),
  mathRandom: (): Slip =>
    new Slip(
      'math-random',
      'Math.random() would make every run another one. Give a timer a range, [least, most]: the simulator draws from it, and can draw the same again.',
    ),
  date: (name: string): Slip =>
    new Slip(
      'date',
      `${name} reads the clock of your computer, but the nodes live in virtual time. Wait with a timer, or use the time that you are given.`,
    ),
  setTimeout: (name: string): Slip =>
    new Slip(
      'set-timeout',
      `${name}() is not there: your code decides, the driver waits. Set a timer (me.wait, or the effect set-timer), and you are called when it fires.`,
    ),
  asyncStep: (what: string): Slip =>
    new Slip(
      'async-step',
      `${what} returned a promise. It must not be async: it decides at once, and the driver does the waiting.`,
    ),
  infiniteLoop: (): Slip => new Slip('infinite-loop', 'Look for a loop whose condition never becomes false.'),
  endlessCalls: (what: string): Slip =>
    new Slip(
      'infinite-loop',
      `Your code calls ${what} without end. Look for a loop whose condition never becomes false.`,
    ),
  recursion: (): Slip => new Slip('infinite-loop', 'Your code calls itself without end.'),
  outOfMemory: (): Slip =>
    new Slip('out-of-memory', 'Look for a list that grows with every message or every loop.'),
  forbiddenImport: (specifier: string, allowed: readonly string[]): Slip =>
    new Slip(
      'forbidden-import',
      `'${specifier}' cannot be imported here. You can import ${allowed.join(', ')}, and types from anywhere.`,
      specifier,
    ),
  notPlainData: (path: string, what: string): Slip =>
    new Slip(
      'not-plain-data',
      `${path} is ${what}. What a node keeps, saves and sends is plain data: objects, arrays, strings, numbers, booleans and null.`,
    ),
  noExport: (expected: string): Slip => new Slip('no-export', `The file does not ${expected}.`),
} as const;

const told = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));

/** The name that was probably meant: at most two letters are wrong. */
export function nearest(said: string, known: readonly string[]): string | null {
  const ranked = known
    .map((name) => ({ name, distance: editDistance(said.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(2, said.length / 3) ? best.name : null;
}

/** Levenshtein's. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
