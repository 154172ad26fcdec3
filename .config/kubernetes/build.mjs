// A real kube-apiserver, and the candidate that client-go has among its examples. No binary of either can be had from
// npm or Debian, but Debian has their source, with all that they need, and Go. Both are built once for each machine and
// kept outside of the repository; nothing is installed. It takes about five minutes on one core.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { privateApt } from '../setup/debian.mjs';

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hustings', 'kubernetes');
const programs = ['kube-apiserver', 'leader-election', 'libfaketime.so.1'];
const version = 'v1.20.2';

const programPath = (name) => join(cache, name);
const treeIn = (directory) => join(directory, 'gopath/src/k8s.io/kubernetes');

/**
 * Builds what is missing; tells on standard error what it is doing. A directory that HUSTINGS_BUILD_DIRECTORY names
 * is kept, and the next attempt goes on in it.
 */
async function buildKubernetes() {
  if (process.env.KUBECONFIG) return tell('KUBECONFIG names a cluster: that is asked, and nothing is built.');
  if (programs.every((name) => existsSync(programPath(name)))) return;
  const kept = process.env.HUSTINGS_BUILD_DIRECTORY;
  const directory = kept || mkdtempSync(join(tmpdir(), 'hustings-kubernetes-'));
  try {
    tell('Building a real kube-apiserver, once: about five minutes on one core …');
    if (!existsSync(join(directory, 'fetched'))) await fetchAll(directory);
    await compile(directory);
  } catch (error) {
    throw new Error(`${error.message}\nOr set KUBECONFIG: then a cluster of yours is asked instead.`);
  } finally {
    if (!kept) rmSync(directory, { recursive: true, force: true });
  }
}

async function fetchAll(directory) {
  const apt = await privateApt(directory, ['deb', 'bookworm'], ['deb-src', 'bookworm']);
  tell('  Go and libfaketime, from Debian');
  await fetchGo(directory, apt);
  tell('  the source of Kubernetes, from Debian');
  await fetchSource(directory, apt);
  writeFileSync(join(directory, 'fetched'), '');
}

async function fetchGo(directory, apt) {
  const packages = ['golang-1.19-go', 'golang-1.19-src', 'libfaketime'];
  await run(directory, 'apt-get', [...apt, 'download', ...packages]);
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.deb'))) {
    await run(directory, 'dpkg-deb', ['-x', file, 'go']);
  }
  // Debian's packages point at each other by absolute links.
  mkdirSync(join(directory, 'goroot'), { recursive: true });
  await run(directory, 'sh', [
    '-c',
    'cp -r go/usr/share/go-1.19/. goroot/ && cp -rL go/usr/lib/go-1.19/bin go/usr/lib/go-1.19/pkg goroot/ 2>/dev/null || cp -r go/usr/lib/go-1.19/. goroot/',
  ]);
}

async function fetchSource(directory, apt) {
  await run(directory, 'apt-get', [...apt, 'source', '--download-only', 'kubernetes']);
  const tree = treeIn(directory);
  mkdirSync(tree, { recursive: true });
  const archive = readdirSync(directory).find((name) => /^kubernetes_.*orig\.tar/.test(name));
  await run(directory, 'tar', ['-xf', archive, '-C', tree, '--strip-components=1']);
}

/**
 * A wall clock that SIGUSR1 puts forward by an hour, and SIGUSR2 back. libfaketime cannot do it: programs in Go do not ask
 * the C library for the time. Time that passes is measured by another clock, which stays as it is.
 */
function putClockIn(directory) {
  const file = join(directory, 'goroot/src/time/time.go');
  const source = readFileSync(file, 'utf8');
  const asked = 'sec, nsec, mono := now()\n';
  if (!source.includes(asked)) throw new Error(`${file} does not read the clock as it did; mend putClockIn.`);
  if (!source.includes('sec += Shift')) {
    const shifted = source.replace(asked, `${asked}\tsec += Shift\n`);
    writeFileSync(
      file,
      `${shifted}\n// Shift is how many seconds the wall clock is ahead.\nvar Shift int64\n`,
    );
  }
  writeFileSync(join(treeIn(directory), 'cmd/kube-apiserver/clock.go'), clock);
}

const clock = `package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

func init() {
	jumps := make(chan os.Signal, 1)
	signal.Notify(jumps, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for jump := range jumps {
			if jump == syscall.SIGUSR1 {
				time.Shift += 3600
			} else {
				time.Shift -= 3600
			}
		}
	}()
}
`;

async function compile(directory) {
  putClockIn(directory);
  const goRoot = join(directory, 'goroot');
  const tree = treeIn(directory);
  const env = {
    ...{ PATH: `${goRoot}/bin:${process.env.PATH}`, HOME: directory, GOROOT: goRoot },
    ...{ GOPATH: join(directory, 'gopath'), GOCACHE: join(directory, 'gocache'), GOFLAGS: '' },
    ...{ GO111MODULE: 'off', CGO_ENABLED: '0', GOPROXY: 'off' },
  };
  const out = join(directory, 'out');
  mkdirSync(out, { recursive: true });
  const build = (target, name, ...flags) =>
    run(tree, 'go', ['build', '-p', '2', '-o', join(out, name), ...flags, target], env);
  tell('  its description of itself, which Kubernetes generates');
  await build('./vendor/k8s.io/kube-openapi/cmd/openapi-gen', 'openapi-gen');
  await generateOpenApi(tree, join(out, 'openapi-gen'), env);
  tell('  kube-apiserver');
  const stamp = `-X k8s.io/kubernetes/vendor/k8s.io/component-base/version.gitVersion=${version}`;
  await build(
    './cmd/kube-apiserver',
    'kube-apiserver',
    '-tags',
    'providerless',
    '-ldflags',
    `-s -w ${stamp}`,
  );
  tell("  client-go's candidate");
  await build('./vendor/k8s.io/client-go/examples/leader-election', 'leader-election', '-ldflags', '-s -w');
  const libraries = join(directory, 'go/usr/lib');
  const library = readdirSync(libraries).find((name) => existsSync(join(libraries, name, 'faketime')));
  copyFileSync(join(libraries, library, 'faketime/libfaketime.so.1'), join(out, 'libfaketime.so.1'));
  mkdirSync(cache, { recursive: true });
  for (const name of programs) {
    copyFileSync(join(out, name), `${programPath(name)}.new`);
    renameSync(`${programPath(name)}.new`, programPath(name));
  }
}

/** Of every package that asks for it by a tag. */
async function generateOpenApi(tree, generator, env) {
  const tagged = packagesTagged(tree);
  const header = join(tree, 'hack/boilerplate/boilerplate.generatego.txt');
  const target = 'k8s.io/kubernetes/pkg/generated/openapi';
  await run(
    tree,
    generator,
    [
      ...['--output-file-base', 'zz_generated.openapi', '--output-package', target],
      ...[
        '--output-base',
        join(tree, '../..'),
        '--go-header-file',
        existsSync(header) ? header : '/dev/null',
      ],
      ...['--report-filename', '/dev/null', '--input-dirs', tagged.join(',')],
    ],
    env,
  );
}

/** The tag stands in a package's doc.go, or at a single type in any of its files. */
function packagesTagged(tree) {
  const found = new Set();
  const isTagged = (path) => /^\s*\/\/ ?\+k8s:openapi-gen=true/m.test(readFileSync(join(tree, path), 'utf8'));
  const visit = (folder, importPath) => {
    for (const entry of readdirSync(join(tree, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) visit(path, `${importPath}/${entry.name}`);
      else if (/\.go$/.test(entry.name) && !/_test\.go$/.test(entry.name) && isTagged(path))
        found.add(importPath);
    }
  };
  visit('pkg', 'k8s.io/kubernetes/pkg');
  // In the vendor folder these are links into the staging folder.
  for (const name of readdirSync(join(tree, 'staging/src/k8s.io'))) {
    visit(`staging/src/k8s.io/${name}`, `k8s.io/kubernetes/vendor/k8s.io/${name}`);
  }
  return [...found];
}

async function run(cwd, command, args, env = process.env) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-4000);
  });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`${command} ${args.slice(0, 4).join(' ')} … failed:\n${complaint}`);
}

function tell(sentence) {
  process.stderr.write(`${sentence}\n`);
}

await buildKubernetes();
