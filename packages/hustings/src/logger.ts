import type { Diagnostic } from './diagnostics.js';

/** What pino, winston and console have in common. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** One line on standard error for each thing that an operator must know. */
export const standardError: Logger = {
  info: (message) => write(message),
  warn: (message) => write(message),
  error: (message) => write(message),
};

export function lineOf({ id, election, message }: Diagnostic): string {
  const line = `hustings ${election === null ? id : `${election}/${id}`}: ${message}`;
  return line.replace(/\p{Cc}+/gu, ' ');
}

function write(message: string): void {
  process.stderr.write(`${message}\n`);
}
