import type { Diagnostic } from './diagnostics.js';

/** What pino, winston and console have in common. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** By the console, which bears it that nobody reads standard error any more: an EPIPE would end the process. */
const write = (message: string): void => console.error(message);

/** One line on standard error for each thing that an operator must know. */
export const standardError: Logger = { info: write, warn: write, error: write };

/** What comes as often as it happens. Anything else comes the first, second, fourth, eighth … time. */
const everyTime: ReadonlySet<string> = new Set(['leads', 'lost-leadership', 'connected', 'peer-connected']);

/** What makes the next of these worth a line again, although there have been some before. */
const forgottenAt: Readonly<Record<string, readonly string[]>> = {
  connected: ['unreachable', 'denied', 'not-connected-in-time'],
  'peer-connected': ['peer-unreachable', 'peer-refused'],
};

/** Writes diagnostics to a logger, thinned: a server that is away for a day fills twenty lines. */
export function thinned(logger: Logger): (diagnostic: Diagnostic) => void {
  const counts = new Map<string, number>();
  return (diagnostic) => {
    const { type, level, about = '' } = diagnostic;
    for (const forgotten of forgottenAt[type] ?? []) {
      for (const key of counts.keys()) if (key.startsWith(`${forgotten} `)) counts.delete(key);
    }
    const key = `${type} ${about}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    // Returned, for a logger may give a promise all the same.
    if (everyTime.has(type) || Number.isInteger(Math.log2(count))) return logger[level](lineOf(diagnostic));
  };
}

/** Control characters would let what a stranger says look like lines of its own. */
export function lineOf({ id, election, level, message, help }: Diagnostic): string {
  const sentence = /[.?)]$/.test(message) ? message : `${message}.`;
  const advice = level === 'info' ? '' : ` ${help}`;
  const line = `hustings ${election === null ? id : `${election}/${id}`}: ${sentence}${advice}`;
  return line.replace(/\p{Cc}+/gu, ' ');
}
