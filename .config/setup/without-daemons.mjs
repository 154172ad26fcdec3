// Debian starts a server when its package is installed, and again at every boot. The tests start their own, so nothing
// that is installed for them may start by itself, and nothing that runs already may be touched.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const author = '# Written by `npm run setup` of Hustings, which removes it when it ends.\n';

// invoke-rc.d asks this program, where it exists, whether it may start or stop a service; 101 forbids it.
const policy = { path: '/usr/sbin/policy-rc.d', text: `#!/bin/sh\n${author}exit 101\n` };

// Beside its programs, PostgreSQL's package makes a database, which an installed PostgreSQL would start at the next boot.
const noDatabase = {
  path: '/etc/postgresql-common/createcluster.d/hustings.conf',
  text: `${author}create_main_cluster = false\n`,
};

/** Runs `install`; what it installs starts neither now nor at the next boot. */
export async function withoutDaemons(install) {
  const before = new Set(services());
  const result = await withFile(policy, () => withFile(noDatabase, install));
  for (const service of services()) if (!before.has(service)) disable(service);
  return result;
}

/** While `action` runs, this file is in place: the machine's own, or else ours. */
export async function withFile({ path, text }, action) {
  if (existsSync(path)) return action();
  const made = mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o755 });
  try {
    return await action();
  } finally {
    rmSync(path, { force: true });
    if (made !== undefined) removeEmpty(dirname(path), dirname(made));
  }
}

/** Folders that were made for our file, unless something else has moved in. */
function removeEmpty(directory, end) {
  if (directory === end || readdirSync(directory).length > 0) return;
  rmdirSync(directory);
  removeEmpty(dirname(directory), end);
}

function services() {
  const units = list('/lib/systemd/system').filter((name) => /^[^@]+\.service$/.test(name));
  return [...units, ...list('/etc/init.d')];
}

const list = (directory) => (existsSync(directory) ? readdirSync(directory) : []);

function disable(service) {
  const isUnit = service.endsWith('.service');
  const [command, ...flags] = isUnit
    ? ['systemctl', 'disable', service]
    : ['update-rc.d', service, 'disable'];
  spawnSync(command, flags, { stdio: 'ignore' });
}
