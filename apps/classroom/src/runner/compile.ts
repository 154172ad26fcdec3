import { stripVTControlCharacters } from 'node:util';
import { transformSync } from 'rolldown/utils';
import { Slip } from '../slips.js';

/** A student's file as JavaScript, with what leads back to the lines that were written. */
export interface Compiled {
  readonly code: string;
  readonly map: unknown;
}

/** Takes the types away. Throws a slip for what is not TypeScript. */
export function compile(text: string): Compiled {
  const { code, map, errors } = transformSync('answer.ts', text, { lang: 'ts', sourcemap: true });
  const [error] = errors;
  if (error !== undefined) throw syntaxSlip(error, text);
  return { code, map };
}

interface CompileError {
  readonly message: string;
  readonly pos?: number | undefined;
  readonly loc?: { readonly line: number } | undefined;
  readonly labels?: readonly { readonly start: number }[] | undefined;
}

function syntaxSlip(error: unknown, text: string): Slip {
  const { pos, loc, labels, ...told } = error as CompileError;
  const message = stripVTControlCharacters(told.message);
  const [first = ''] = message.split('\n').map((line) => line.replace('[PARSE_ERROR]', '').trim());
  const start = labels?.[0]?.start ?? pos;
  const line =
    loc?.line ?? (start === undefined ? lineInFrame(message) : text.slice(0, start).split('\n').length);
  const where = line === null ? '' : `Line ${line}: `;
  return new Slip('syntax', `${where}this is not TypeScript. ${first}.`);
}

/** `╭─[ answer.ts:3:9 ]` */
function lineInFrame(message: string): number | null {
  const line = /answer\.ts:(\d+)/.exec(message)?.[1];
  return line === undefined ? null : Number(line);
}
