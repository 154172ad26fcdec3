// Debian starts a server when its package is installed, and again at every boot. The tests start their own, so nothing
// that is installed for them may start by itself, and nothing that runs already may be touched.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';

// invoke-rc.d asks this program, where it exists, whether it may start or stop a service; 101 forbids it.
const policyPath = '/usr/sbin/policy-rc.d';
const policy =
  '#!/bin/sh\n# Written by `npm run setup` of Hustings, which removes it when it ends.\nexit 101\n';

/** Runs `install`; what it installs starts neither now nor at the next boot. */
export async function withoutDaemons(install) {
  const before = new Set(services());
  const result = await withPolicy(policyPath, install);
  for (const service of services()) if (!before.has(service)) disable(service);
  return result;
}

/** While `action` runs, a policy is in place that forbids starts: the machine's own, or else ours. */
export async function withPolicy(path, action) {
  if (existsSync(path)) return action();
  writeFileSync(path, policy, { mode: 0o755 });
  try {
    return await action();
  } finally {
    rmSync(path, { force: true });
  }
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
