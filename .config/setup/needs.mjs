// What the tests run against, beside what `npm ci` brings. One entry for each: the Debian packages that bring it, and
// how to see that it is there, however it came.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const runs =
  (command, ...flags) =>
  () =>
    spawnSync(command, flags, { stdio: 'ignore' }).status === 0;
const exists = (path) => () => existsSync(path);
const either =
  (...ways) =>
  () =>
    ways.some((isThere) => isThere());

/** Debian keeps the server's programs off the PATH, in a folder for each version. */
const hasPostgres = () => {
  const versions = '/usr/lib/postgresql';
  return (
    existsSync(versions) && readdirSync(versions).some((name) => existsSync(`${versions}/${name}/bin/initdb`))
  );
};

export const needs = [
  { packages: ['etcd-server'], isThere: runs('etcd', '--version') },
  { packages: ['etcd-client'], isThere: runs('etcdctl', 'version') },
  // A compiler, too: the test's Curator participant is one Java source file.
  { packages: ['default-jdk-headless'], isThere: runs('javac', '-version') },
  { packages: ['zookeeper'], isThere: exists('/usr/share/java/zookeeper.jar') },
  { packages: ['libcurator-recipes-java'], isThere: exists('/usr/share/java/curator-recipes.jar') },
  // The playground's tests.
  { packages: ['chromium'], isThere: runs('chromium', '--version') },
  { packages: ['postgresql'], isThere: either(hasPostgres, runs('initdb', '--version')) },
  // The server is in there, too, under another name, and without the daemon that `redis-server` adds.
  {
    packages: ['redis-tools'],
    isThere: either(runs('redis-check-rdb', '--version'), runs('redis-server', '--version')),
  },
  {
    // The client of ZooKeeper is compiled by `npm ci`, which leaves it out where it cannot.
    packages: ['python3', 'make', 'g++'],
    isThere: exists(fileURLToPath(new URL('../../node_modules/zookeeper', import.meta.url))),
    afterwards: ['npm', 'ci'],
  },
];
