// Installs what the tests need and nothing else, where Debian's packages can be installed; otherwise says in one
// sentence what to do. It starts nothing. `npm test` calls it with --before-tests.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fetchConsul } from './consul.mjs';
import { needs } from './needs.mjs';
import { nodeProgram, nodeVersions } from './node-versions.mjs';
import { namesOf, planFor } from './plan.mjs';
import { withoutDaemons } from './without-daemons.mjs';

// Ctrl-C reaches apt-get by itself; we wait for its end, so that the machine is left as it was found.
let interrupted = false;
const interrupt = () => {
  interrupted = true;
};
process.on('SIGINT', interrupt).on('SIGTERM', interrupt);

const missing = stillMissing();
const plan = planFor(missing, {
  hasApt: existsSync('/usr/bin/apt-get'),
  isRoot: process.getuid?.() === 0,
  beforeTests: process.argv.includes('--before-tests'),
});
if (plan.sentence !== null) console.error(plan.sentence);
if (plan.installs) await install(missing);
else process.exitCode = missing.length === 0 ? 0 : 2;
const lacking = await fetchConsul();
if (lacking !== null) console.error(lacking);
await Promise.all(nodeVersions.map(nodeProgram)).catch((error) => giveUp(error.message));

function stillMissing() {
  return needs.filter(({ isThere }) => !isThere());
}

async function install(missing) {
  if (!(await withoutDaemons(() => installPackages(missing)))) {
    return giveUp(`apt-get could not install ${namesOf(missing)}; install them by other means.`);
  }
  for (const { afterwards } of missing) if (afterwards !== undefined) await run(...afterwards);
  const left = stillMissing();
  if (left.length > 0)
    giveUp(`${namesOf(left)} did not bring what the tests need; install it by other means.`);
}

async function installPackages(missing) {
  // A broken source of something else must not stop us; if a package of ours is not found, the next step says so.
  await run('apt-get', '-qq', 'update');
  const manners = ['-y', '--no-install-recommends', '--no-upgrade', '-o', 'DPkg::Lock::Timeout=120'];
  return run('apt-get', '-qq', 'install', ...manners, ...missing.flatMap(({ packages }) => packages));
}

/** Whether it succeeded. What it complains of is shown only if it did not. */
async function run(command, ...args) {
  if (interrupted) return false;
  const env = {
    ...process.env,
    DEBIAN_FRONTEND: 'noninteractive',
    // Ubuntu would restart services that use a library which was just installed.
    NEEDRESTART_SUSPEND: '1',
  };
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  const [complaint, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (status !== 0) process.stderr.write(complaint);
  return status === 0;
}

function giveUp(sentence) {
  console.error(sentence);
  process.exitCode = 2;
}
