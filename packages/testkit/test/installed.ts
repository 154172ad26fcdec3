/** The published packages as a stranger gets them: packed from a fresh clone, and installed from the tarballs. */

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { members, published, read, root } from './members.js';

const quietly = ['--silent', '--no-audit', '--no-fund'];
const patienceMs = 280_000;

/** What a page of docs/start installs beside ours. */
const clientOfPostgres = `pg@${JSON.parse(read('packages/hustings/package.json')).devDependencies.pg}`;

/** Fails with what the program printed; it ends before the test's own patience does. */
export async function run(directory: string, program: string, ...parameters: string[]): Promise<string> {
  const options = { cwd: directory, timeout: patienceMs, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(program, parameters, options).catch((error) => {
    throw new Error(`${program} ${parameters.join(' ')}\n${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

export class Installation {
  readonly #directory = mkdtempSync(join(tmpdir(), 'hustings-installed-'));
  /** The tarball of each package, by the package's name. */
  readonly tarballs = new Map<string, string>();

  /** Packs, which builds; then installs all in one empty project. */
  async prepare(): Promise<void> {
    await this.#pack(this.#freshClone());
    writeFileSync(join(this.#directory, 'package.json'), '{ "private": true }');
    // No peers: vitest is the testkit's. No scripts: the client of ZooKeeper would be compiled.
    const manners = ['--prefer-offline', '--no-package-lock', '--omit=peer', '--ignore-scripts', ...quietly];
    await run(this.#directory, 'npm', 'install', ...manners, ...this.tarballs.values(), clientOfPostgres);
  }

  /** An empty project, of `type` module or commonjs, that sees what is installed. */
  project(name: string, type: 'module' | 'commonjs'): string {
    const directory = join(this.#directory, name);
    mkdirSync(directory);
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ type }));
    return directory;
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** What git would give: nothing that was built. What `npm ci` would bring is borrowed. */
  #freshClone(): string {
    const clone = join(this.#directory, 'clone');
    const isBuilt = (path: string) => /^(dist|node_modules|\.turbo)$|\.tsbuildinfo$/.test(basename(path));
    for (const name of ['package.json', 'tsconfig.base.json', 'packages', 'apps']) {
      cpSync(join(root, name), join(clone, name), { recursive: true, filter: (path) => !isBuilt(path) });
    }
    const siblings = new Set(members.map(({ manifest }) => manifest.name));
    mkdirSync(join(clone, 'node_modules/@hustings'), { recursive: true });
    for (const name of readdirSync(join(root, 'node_modules'))) {
      if (name === '@hustings' || siblings.has(name)) continue;
      symlinkSync(join(root, 'node_modules', name), join(clone, 'node_modules', name));
    }
    for (const { directory, manifest } of members) {
      symlinkSync(join(clone, directory), join(clone, 'node_modules', manifest.name));
    }
    return clone;
  }

  async #pack(clone: string): Promise<void> {
    const workspaces = published.map(({ directory }) => `--workspace=${directory}`);
    const destination = `--pack-destination=${this.#directory}`;
    const printed = await run(clone, 'npm', 'pack', '--json', destination, ...quietly, ...workspaces);
    for (const { name, filename } of JSON.parse(printed) as { name: string; filename: string }[]) {
      this.tarballs.set(name, join(this.#directory, filename));
    }
  }
}

/** Every name that a program can import without a peer: vitest is the testkit's, a client of AWS that of DynamoDB. */
export const entryPoints = published
  .flatMap(({ manifest }) => Object.keys(manifest.exports).map((path) => `${manifest.name}${path.slice(1)}`))
  .filter((name) => !/testkit|dynamodb/.test(name));
