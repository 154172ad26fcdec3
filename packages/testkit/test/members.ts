/** The packages and apps of this repository, for the tests that look at all of them. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Member {
  /** Where it stands: `packages/bully`. */
  readonly directory: string;
  readonly manifest: Manifest;
}

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const membersOf = (folder: string): Member[] =>
  readdirSync(join(root, folder))
    .map((name) => `${folder}/${name}`)
    .filter((directory) => existsSync(join(root, directory, 'package.json')))
    .map((directory) => ({ directory, manifest: JSON.parse(read(`${directory}/package.json`)) }));

export const members = [...membersOf('packages'), ...membersOf('apps')];
export const published = members.filter(({ manifest }) => manifest.private !== true);
