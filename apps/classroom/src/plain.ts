import { slips } from './slips.js';

/** A copy that nobody else can change. Throws a slip for what is not plain data: it would not survive a crash. */
export function copyPlain<Value>(value: Value, path: string): Value {
  return copyValue(value, path) as Value;
}

function copyValue(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) {
    if (!isSimple(value)) throw slips.notPlainData(path, tellSimple(value));
    return value;
  }
  if (Array.isArray(value)) return value.map((item, index) => copyValue(item, `${path}[${index}]`));
  if (!isRecord(value)) throw slips.notPlainData(path, `a ${value.constructor?.name ?? 'class'}`);
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) copy[name] = copyValue(field, `${path}.${name}`);
  return copy;
}

/** Throws a slip for what is not plain data. */
export function checkPlain(value: unknown, path: string): void {
  if (!isPlain(value)) copyPlain(value, path);
}

/** What is frozen has been looked at before. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isSimple(value);
  if (Object.isFrozen(value)) return true;
  return (Array.isArray(value) || isRecord(value)) && Object.values(value).every(isPlain);
}

const tellSimple = (value: unknown): string =>
  typeof value === 'number' ? 'NaN, which is no number' : `a ${typeof value}`;

const isSimple = (value: unknown): boolean =>
  typeof value === 'number'
    ? !Number.isNaN(value)
    : typeof value !== 'bigint' && typeof value !== 'symbol' && typeof value !== 'function';

/** Objects of the student's own realm have another Object.prototype than ours, but no prototype above it. */
function isRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

export function isSamePlain(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) =>
    isSamePlain((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]),
  );
}

/** Whoever tries to change any of it is told so, with the line that tried. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const field of Object.values(value)) deepFreeze(field);
  return value;
}
