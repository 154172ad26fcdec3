import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './usage-error.js';

/** Before the work begins whose results go there: throws `UsageError` when they could not be written. */
export function checkOut(directory: string): void {
  const probe = join(directory, '.hustings');
  attempt(directory, () => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(probe, '');
    rmSync(probe);
  });
}

/** By file name. Throws `UsageError` when they cannot be written. */
export function writeOut(directory: string, files: Readonly<Record<string, string>>): void {
  attempt(directory, () => {
    mkdirSync(directory, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  });
  process.stderr.write(`Wrote ${Object.keys(files).join(', ')} to ${directory}.\n`);
}

function attempt(directory: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Could not write to ${directory} (${reason}); choose another directory with --out.`);
  }
}
