// Consul is in no Debian release but one: bullseye has 1.8.7, the last version under a free licence that Debian
// built. Its program needs nothing else, so it is taken out of its package and kept outside of the repository; nothing
// is installed on the machine. Where it cannot be had, the tests of Consul say so.

import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

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

/** With a configuration of its own for apt, so that the machine's is neither used nor changed. */
async function download(directory) {
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'package']) {
    mkdirSync(join(directory, folder), { recursive: true });
  }
  const sources = join(directory, 'sources.list');
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg';
  writeFileSync(sources, `deb [signed-by=${keys}] http://deb.debian.org/debian bullseye main\n`);
  const own = [
    ...['-o', `Dir::State=${join(directory, 'state')}`, '-o', `Dir::Cache=${join(directory, 'cache')}`],
    ...['-o', `Dir::Etc::SourceList=${sources}`, '-o', 'Dir::Etc::SourceParts=/dev/null'],
    ...['-o', 'APT::Sandbox::User=root'],
  ];
  await run('apt-get', [...own, '-qq', 'update']);
  await run('apt-get', [...own, '-qq', 'download', 'consul'], { cwd: directory });
  await run('sh', ['-c', 'dpkg-deb -x consul_*.deb package'], { cwd: directory });
}
