// `npm run new:algorithm -- token-ring`: makes packages/token-ring in the shape that every algorithm has, with a tiny
// algorithm in it that builds, passes lint and types and its tests at once. CONTRIBUTING.md says how to go on from there.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const template = fileURLToPath(new URL('./template', import.meta.url));
const repository = fileURLToPath(new URL('../../', import.meta.url));

const { name, root } = readArguments();
const directory = join(root, 'packages', name);
if (existsSync(directory)) giveUp(`There is a packages/${name} already; choose another name.`);
make();
// Names sort and wrap differently.
run('npx', 'biome', 'check', '--write', `packages/${name}`);
// The new package is a workspace: npm links it and adds it to the lock file.
if (root === repository) run('npm', 'install');
console.error(`Made packages/${name}. Its rules are in src/step.ts; CONTRIBUTING.md says what to do next.`);

function readArguments() {
  try {
    // --in is for the generator's own test, which must not touch the repository.
    const options = { in: { type: 'string', default: repository } };
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    if (positionals.length === 1 && /^[a-z]+(-[a-z]+)*$/.test(positionals[0])) {
      return { name: positionals[0], root: values.in };
    }
    throw new Error("Give the algorithm one name in small letters: 'npm run new:algorithm -- token-ring'.");
  } catch (error) {
    giveUp(error.message);
  }
}

function make() {
  cpSync(template, directory, { recursive: true });
  cpSync(join(repository, 'LICENSE'), join(directory, 'LICENSE'));
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    writeFileSync(path, renamed(readFileSync(path, 'utf8')));
    if (file.name !== renamed(file.name)) renameSync(path, join(file.parentPath, renamed(file.name)));
  }
  writeManifest();
}

/** The template speaks of roll-call, rollCall, RollCall, 'roll call' and 'Roll call'. */
function renamed(text) {
  const words = name.split('-');
  const capitalized = words.map((word) => word[0].toUpperCase() + word.slice(1));
  const spoken = words.join(' ');
  return text
    .replaceAll('roll-call', name)
    .replaceAll('RollCall', capitalized.join(''))
    .replaceAll('rollCall', [words[0], ...capitalized.slice(1)].join(''))
    .replaceAll('roll call', spoken)
    .replaceAll('Roll call', spoken[0].toUpperCase() + spoken.slice(1));
}

/** All packages have one version. */
function writeManifest() {
  const { version } = JSON.parse(readFileSync(join(repository, 'packages/elector/package.json'), 'utf8'));
  const path = join(directory, 'package.json');
  const manifest = readFileSync(path, 'utf8').replaceAll('"0.0.0"', `"${version}"`);
  writeFileSync(path, manifest);
}

function run(command, ...args) {
  const { status, stderr } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status === 0) return;
  giveUp(`packages/${name} is made, but '${command} ${args.join(' ')}' failed: ${stderr}`);
}

function giveUp(sentence) {
  console.error(sentence);
  process.exit(2);
}
