#!/usr/bin/env node
/** Makes docs/comparison.md from docs/data, and docs/data from results files. Without --write it only looks. */

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { guarded, UsageError } from '@hustings/command';
import { readResults } from './report/compare.js';
import { renderComparisonPage, type StoreMeasurements } from './report/comparison-page.js';
import { type Digest, digest, serialiseDigest } from './report/digest.js';

const docs = new URL('../../../docs/', import.meta.url);
const page = new URL('comparison.md', docs);
const dataOf = (name: string): URL => new URL(`data/${name}.json`, docs);

const read = async <Data>(name: string): Promise<Data> => JSON.parse(await readFile(dataOf(name), 'utf8'));

const differsExitCode = 1;

function readFlags() {
  const options = {
    write: { type: 'boolean', default: false },
    simulated: { type: 'string' },
    live: { type: 'string' },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]}.`);
  }
}

async function main(): Promise<void> {
  const values = readFlags();
  for (const mode of ['simulated', 'live'] as const) {
    const file = values[mode];
    if (file === undefined) continue;
    const results = await readResults(file);
    if (results.mode !== mode) throw new UsageError(`${file} is not of ${mode} mode; name one that is.`);
    if (results.rows.some(({ parameters }) => parameters === undefined)) {
      throw new UsageError(`${file} was condensed already; name the results.json that the benchmark wrote.`);
    }
    await writeFile(dataOf(mode), serialiseDigest(digest(results)));
  }
  const text = renderComparisonPage({
    simulated: await read<Digest>('simulated'),
    live: await read<Digest>('live'),
    stores: {
      kill: await read<StoreMeasurements['kill']>('stores/kill'),
      resign: await read<StoreMeasurements['resign']>('stores/resign'),
    },
  });
  if (values.write) {
    await writeFile(page, text);
    return;
  }
  if ((await readFile(page, 'utf8')) === text) return;
  process.stderr.write(`${fileURLToPath(page)} differs from its data; run this with --write.\n`);
  process.exitCode = differsExitCode;
}

await guarded(main);
