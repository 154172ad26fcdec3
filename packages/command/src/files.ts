import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './usage-error.js';

/** Throws `UsageError` when they cannot be written. */
export function writeOut(directory: string, files: Readonly<Record<string, string>>): void {
  try {
    mkdirSync(directory, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Could not write to ${directory} (${reason}); choose another directory with --out.`);
  }
  process.stderr.write(`Wrote ${Object.keys(files).join(', ')} to ${directory}.\n`);
}
