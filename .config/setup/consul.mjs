// Consul is in no Debian release but one: bullseye has 1.8.7, the last version under a free licence that Debian
// built. Its program needs nothing else, so it is taken out of its package and kept outside of the repository; nothing
// is installed on the machine. Where it cannot be had, the tests of Consul say so.

import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { privateApt } from './debian.mjs';

const run = promisify(execFile);
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hustings');
const program = join(cache, 'consul');

/** Resolves with a sentence that says why it is not there, or with null. */
export async function fetchConsul() {
  if (existsSync(program) || (await isOnPath())) return null;
  const directory = mkdtempSync(join(tmpdir(), 'hustings-consul-'));
  try {
    await download(directory);
    mkdirSync(cache, { recursive: true });
    const draft = `${program}.${process.pid}`;
    copyFileSync(join(directory, 'package/usr/bin/consul'), draft);
    chmodSync(draft, 0o755);
    renameSync(draft, program);
    return null;
  } catch (error) {
    return `Consul cannot be had here (${`${error.stderr || error.message}`.trim().split('\n').at(-1)}): its tests are skipped.`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const isOnPath = () =>
  run('which', ['consul']).then(
    () => true,
    () => false,
  );

async function download(directory) {
  const apt = await privateApt(directory, ['deb', 'bullseye']);
  await run('apt-get', [...apt, 'download', 'consul'], { cwd: directory });
  await run('sh', ['-c', 'dpkg-deb -x consul_*.deb package'], { cwd: directory });
}
