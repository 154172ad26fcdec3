// Makes sure that the servers which the tests run against are there: installs Debian's packages where that is
// possible, and otherwise says in one sentence what to do. Starts nothing: the tests start and stop their own.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const needed = [
  { package: 'etcd-server', isThere: () => runs('etcd', '--version') },
  { package: 'etcd-client', isThere: () => runs('etcdctl', 'version') },
  // A compiler, too: the test's Curator participant is one Java source file.
  { package: 'default-jdk-headless', isThere: () => runs('javac', '-version') },
  { package: 'zookeeper', isThere: () => existsSync('/usr/share/java/zookeeper.jar') },
  { package: 'libcurator-recipes-java', isThere: () => existsSync('/usr/share/java/curator-recipes.jar') },
];

const missing = needed.filter(({ isThere }) => !isThere()).map((server) => server.package);
if (missing.length > 0) install(missing);

function runs(command, ...flags) {
  return spawnSync(command, flags, { stdio: 'ignore' }).status === 0;
}

function install(packages) {
  const names = packages.join(' ');
  if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) {
    console.error(
      `The tests need ${names}: run 'apt-get install ${names}' as root, or install them by other means.`,
    );
    process.exit(2);
  }
  console.error(`Installing ${names} …`);
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  // Nothing may start by itself: the tests choose their own ports.
  const steps = [['update'], ['install', '-y', '--no-install-recommends', ...packages]];
  for (const step of steps) {
    if (spawnSync('apt-get', step, options).status !== 0) {
      console.error(`'apt-get ${step.join(' ')}' failed; install ${names} by other means.`);
      process.exit(2);
    }
  }
}
