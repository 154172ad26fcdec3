import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from './usage-error.js';

/** Before the work begins whose results go there: throws `UsageError` when they could not be written. */
export function checkOut(directory: string): void {
  const probe = join(directory, '.hustings');
  attempt(directory, () => {
    create(directory);
    writeFileSync(probe, '');
    rmSync(probe);
  });
}

/** By file name. Throws `UsageError` when they cannot be written. */
export function writeOut(directory: string, files: Readonly<Record<string, string>>): void {
  attempt(directory, () => {
    create(directory);
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

/** Not with `recursive`: Node then tries for ever where no directory can be, as in `/proc`. */
function create(path: string): void {
  const directory = resolve(path);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(directory) !== directory) create(dirname(directory));
  mkdirSync(directory);
}
