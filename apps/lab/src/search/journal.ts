import { appendFileSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '@hustings/command';
import type { Assignment, Batch, BatchResult, Find } from './protocol.js';

/**
 * What a search has done so far, a line of JSON for each batch. A search that was interrupted goes on from there, and
 * the journals of several machines that each ran a share make one result.
 */
export interface Journal {
  /** What came of a batch; undefined if it is still to be run. */
  resultOf(batch: Batch): BatchResult | undefined;
  note(batch: Batch, result: BatchResult): void;
}

export const noJournal: Journal = { resultOf: () => undefined, note() {} };

/** The first line of a journal: which search it is of. */
interface Title {
  readonly search: Assignment;
}

interface Entry extends Batch {
  readonly finds: readonly Find[];
}

/** All that are there are read, and the first is written to. Throws `UsageError` for a journal of another search. */
export function openJournal([own, ...others]: readonly [string, ...string[]], search: Assignment): Journal {
  const title = JSON.stringify({ search } satisfies Title);
  const lines = linesOf(own);
  const done = new Map<string, BatchResult>();
  for (const entry of [own, ...others].flatMap((file) => readEntries(file, title))) {
    done.set(keyOf(entry), { runs: entry.count, finds: entry.finds });
  }
  attempt(own, () => {
    if (lines.length === 0) writeFileSync(own, `${title}\n`);
    // Nothing may be appended to half a line.
    else truncateSync(own, Buffer.byteLength(`${lines.join('\n')}\n`));
  });
  return {
    resultOf: (batch) => done.get(keyOf(batch)),
    note({ firstSeed, count }, { finds }) {
      const entry: Entry = { firstSeed, count, finds };
      attempt(own, () => appendFileSync(own, `${JSON.stringify(entry)}\n`));
    },
  };
}

/** Those of all shards. */
export const journalsIn = (directory: string, search: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.startsWith(`${search}-`) && name.endsWith('.jsonl'))
    .map((name) => join(directory, name));

const keyOf = ({ firstSeed, count }: Batch): string => `${firstSeed} ${count}`;

/** Whoever was killed in the middle of a line has not done that batch. */
function linesOf(file: string): string[] {
  const text = existsSync(file) ? attempt(file, () => readFileSync(file, 'utf8')) : '';
  return text.split('\n').slice(0, -1);
}

function readEntries(file: string, expected: string): Entry[] {
  const [title = expected, ...entries] = linesOf(file);
  if (title === expected) return attempt(file, () => entries.map((line) => JSON.parse(line)));
  throw new UsageError(`${file} is not a journal of this search; name another file with --journal.`);
}

function attempt<Result>(file: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Could not use ${file} (${reason}); name another file with --journal.`);
  }
}
