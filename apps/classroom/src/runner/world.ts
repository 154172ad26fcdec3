/**
 * The world that a student's code lives in: the language, and nothing of the machine. Clocks, lots and timers are there
 * by name, to say why they are not there.
 *
 * This keeps mistakes apart from the grader. It is no prison: whoever wants to break out of `node:vm` can. What is
 * behind it, the permissions of the process, its empty environment and its limits, makes that less worth while; a
 * container makes it useless.
 */

import { SourceMap, type SourceMapPayload } from 'node:module';
import vm from 'node:vm';
import * as classroom from '../index.js';
import { slips } from '../slips.js';
import type { Compiled } from './compile.js';

type Exports = Readonly<Record<string, unknown>>;

/** The name under which stack traces show the student's file. */
const fileName = 'answer.ts';
const mostOutputLines = 20;

export interface Loaded {
  readonly exports: Exports;
  /** What console.log was given. */
  readonly output: readonly string[];
  /** The line of the student's file in which an error came up; null when none did. */
  lineOf(stack: string | undefined): number | null;
}

/** Runs the file. Throws what it throws, and a slip for an import that is not on the list. */
export async function load(
  { code, map }: Compiled,
  given: Readonly<Record<string, Exports>>,
): Promise<Loaded> {
  const output: string[] = [];
  const context = createWorld(output);
  const modules: Readonly<Record<string, Exports>> = { '@hustings/classroom': { ...classroom }, ...given };
  const module = new vm.SourceTextModule(code, { context, identifier: fileName });
  await module.link((specifier) => {
    // A student's file stands beside its types; ours do not.
    const found = modules[specifier.replace(/^.*\/types\.js$/, './types.js')];
    if (found === undefined) throw slips.forbiddenImport(specifier, Object.keys(modules));
    return moduleOf(found, context);
  });
  await module.evaluate();
  const sourceMap = new SourceMap(map as SourceMapPayload);
  return {
    exports: { ...(module.namespace as Exports) },
    output,
    lineOf: (stack) => lineIn(stack, sourceMap),
  };
}

function moduleOf(exports: Exports, context: vm.Context): vm.SyntheticModule {
  const names = Object.keys(exports);
  return new vm.SyntheticModule(
    names,
    function () {
      for (const name of names) this.setExport(name, exports[name]);
    },
    { context },
  );
}

function createWorld(output: string[]): vm.Context {
  const context = vm.createContext({}, { codeGeneration: { strings: false, wasm: false } });
  const world = vm.runInContext('globalThis', context) as Record<string, unknown> & { Math: Math };
  world.Math.random = () => {
    throw slips.mathRandom();
  };
  for (const name of ['Date', 'performance']) forbid(world, name, () => slips.date(name));
  for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']) {
    forbid(world, name, () => slips.setTimeout(name));
  }
  for (const name of ['SharedArrayBuffer', 'Atomics', 'WebAssembly', 'WeakRef', 'FinalizationRegistry']) {
    delete world[name];
  }
  const log = (...values: readonly unknown[]): void => {
    if (output.length < mostOutputLines) output.push(values.map(told).join(' '));
  };
  const console = { log, info: log, warn: log, error: log, debug: log };
  Object.assign(world, { console, structuredClone: (value: unknown) => structuredClone(value) });
  return context;
}

function forbid(world: object, name: string, why: () => Error): void {
  Object.defineProperty(world, name, {
    configurable: false,
    get() {
      throw why();
    },
  });
}

function told(value: unknown): string {
  if (typeof value === 'string') return value;
  return (
    JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? `${field}n` : field)) ?? String(value)
  );
}

function lineIn(stack: string | undefined, sourceMap: SourceMap): number | null {
  const frame = /answer\.ts:(\d+):(\d+)/.exec(stack ?? '');
  if (frame === null) return null;
  const entry = sourceMap.findEntry(Number(frame[1]) - 1, Number(frame[2]) - 1);
  return 'originalLine' in entry ? entry.originalLine + 1 : null;
}
