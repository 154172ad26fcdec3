// Packages of Debian, also of releases that this machine does not have, without a change to it: apt runs with a
// configuration of its own, and what it fetches is taken out of its package and not installed.

import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const keys = '/usr/share/keyrings/debian-archive-keyring.gpg';
const releases = /^(bullseye|bookworm|trixie|forky|sid|(old)*stable|testing|unstable)$/;

/**
 * Flags for apt-get that fetch from these releases, whose index is fetched first; everything apt writes is in
 * the directory.
 */
export async function privateApt(directory, ...types) {
  for (const folder of ['state/lists/partial', 'cache/archives/partial']) {
    mkdirSync(join(directory, folder), { recursive: true });
  }
  const mirror = await debianMirror();
  const sources = join(directory, 'sources.list');
  const line = ([type, release]) => `${type} [signed-by=${keys}] ${mirror} ${release} main\n`;
  writeFileSync(sources, types.map(line).join(''));
  const flags = [
    ...['-o', `Dir::State=${join(directory, 'state')}`, '-o', `Dir::Cache=${join(directory, 'cache')}`],
    ...['-o', `Dir::Etc::SourceList=${sources}`, '-o', 'Dir::Etc::SourceParts=/dev/null'],
    ...['-o', 'APT::Sandbox::User=root', '-qq'],
  ];
  await run('apt-get', [...flags, 'update'], { cwd: directory });
  return flags;
}

/** Asks apt what it fetches from, without an index, which images of containers often lack. */
const listing = [
  ...['indextargets', '--no-release-info', '--format', '$(REPO_URI) $(RELEASE) $(COMPONENT)'],
  'Created-By: Packages',
];

/** The one that the machine itself uses, or that it is told to. */
async function debianMirror() {
  if (process.env.HUSTINGS_DEBIAN_MIRROR) return process.env.HUSTINGS_DEBIAN_MIRROR;
  const { stdout } = await run('apt-get', listing).catch(() => ({ stdout: '' }));
  const mirror = mirrorIn(stdout);
  if (mirror !== undefined) return mirror;
  throw new Error(
    'apt on this machine has no mirror of Debian: set HUSTINGS_DEBIAN_MIRROR to the address of one. Debian lists them at its site, under "mirror list".',
  );
}

/** Others publish for Debian, too, under its releases' names or under their own. */
export function mirrorIn(targets) {
  const rows = targets.split('\n').map((row) => row.split(' '));
  const isDebian = ([address = '', release = '', component]) =>
    component === 'main' && releases.test(release) && /\/debian\/?$/.test(address);
  return rows.find(isDebian)?.[0];
}
