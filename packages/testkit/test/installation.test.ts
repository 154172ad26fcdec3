import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { type EtcdCluster, startEtcdCluster, startPostgres } from '@hustings/servers';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { until } from '../src/check.js';
import { entryPoints, Installation, run } from './installed.js';
import { ExampleNodes, freePort, Sidecar, StartedNodes } from './installed-processes.js';
import { published, read, root } from './members.js';

const { nodeProgram, nodeVersions } = await import(
  new URL('../../../.config/setup/node-versions.mjs', import.meta.url).href
);

const installation = new Installation();
beforeAll(() => installation.prepare(), 300_000);
afterAll(() => installation.remove());

describe.each(published)('$manifest.name, packed from a fresh clone,', ({ manifest }) => {
  const tarball = (): Buffer => readFileSync(installation.tarballs.get(manifest.name)!);

  it('has everything in its tarball that it points to', async () => {
    const pack = { tarball: Uint8Array.from(tarball()).buffer };
    const { messages } = await publint({ level: 'suggestion', pack });
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
  });

  it('has types that say what it does', async () => {
    const result = await checkPackage(createPackageFromTarballData(tarball()));
    if (result.types === false) throw new Error('It has no types.');
    expect(result.problems.filter(concernsUs)).toEqual([]);
  });
});

/** The profile `esm-only` of Are The Types Wrong: programs that `require()` us do so by Node's way to ES modules. */
function concernsUs(problem: object): boolean {
  return !(
    'resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind as string)
  );
}

const importAll = entryPoints.map((name, index) => `import * as module${index} from '${name}';`);
const countAll = entryPoints.map((_name, index) => `  Object.keys(module${index}).length,`);
const esm = [...importAll, 'console.log(', ...countAll, ');'].join('\n');
const requireAll = entryPoints.map((name) => `  Object.keys(require('${name}')).length,`);
const commonJs = ['console.log(', ...requireAll, ');'].join('\n');
const awaitAll = entryPoints.map((name) => `  Object.keys(await import('${name}')).length,`);
const imported = ['(async () => console.log(', ...awaitAll, '))();'].join('\n');

describe('in an empty project with the tarballs', () => {
  const directories = { module: '', commonjs: '' };
  beforeAll(() => {
    for (const type of ['module', 'commonjs'] as const) {
      directories[type] = installation.project(type, type);
      writeFileSync(join(directories[type], 'all.ts'), esm);
    }
    writeFileSync(join(directories.module, 'all.js'), esm);
    writeFileSync(join(directories.commonjs, 'require.js'), commonJs);
    writeFileSync(join(directories.commonjs, 'import.js'), imported);
  });

  describe.each(nodeVersions as string[])('Node %s', (version) => {
    it.each([
      ['imports everything into an ES module', 'module', 'all.js'],
      ['requires everything from CommonJS', 'commonjs', 'require.js'],
      ['imports everything into CommonJS', 'commonjs', 'import.js'],
    ] as const)('%s', async (_what, type, file) => {
      const printed = await run(directories[type], await nodeProgram(version), file);
      const counts = printed.trim().split(' ').map(Number);
      expect(counts).toHaveLength(entryPoints.length);
      expect(Math.min(...counts)).toBeGreaterThan(0);
    });
  });

  it.each([
    ['nodenext', ['module/all.ts', 'commonjs/all.ts'], ['--module', 'nodenext']],
    ['bundler', ['module/all.ts'], ['--module', 'esnext', '--moduleResolution', 'bundler']],
  ])(
    'TypeScript finds nothing wrong with moduleResolution %s, in our declarations either',
    async (_, files, flags) => {
      const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
      const tsc = [
        join(root, 'node_modules/typescript/bin/tsc'),
        '--noEmit',
        '--strict',
        '--target',
        'es2022',
      ];
      const parent = join(directories.module, '..');
      await run(parent, process.execPath, ...tsc, ...types, ...flags, ...files);
    },
    300_000,
  );
});

describe("the README's first example, copied into an empty project,", () => {
  const [, example = ''] = /```js\n([\s\S]*?)```/.exec(read('README.md')) ?? [];
  let directory: string;
  beforeAll(() => {
    directory = installation.project('example', 'module');
    writeFileSync(join(directory, 'leader.js'), example);
  });

  it('is the file that docs/examples has', () => {
    expect(example).toBe(read('docs/examples/leader.mjs'));
  });

  it('elects among nodes of three versions of Node, survives kill -9, and hands over on SIGTERM', async () => {
    const programs = await Promise.all((nodeVersions as string[]).map((version) => nodeProgram(version)));
    await using nodes = await ExampleNodes.start(join(directory, 'leader.js'), programs);
    const first = await nodes.leaderAfter(0n);
    nodes.signal(first.id, 'SIGKILL');
    const second = await nodes.leaderAfter(first.token);
    expect(second.id).not.toBe(first.id);
    await nodes.restart(first.id);
    nodes.signal(second.id, 'SIGTERM');
    const third = await nodes.leaderAfter(second.token);
    expect(third.id).not.toBe(second.id);
    expect(await nodes.exitCode(second.id)).toBe(0);
    expect(nodes.said).toContain(`${second.id} leads no more`);
  }, 120_000);
});

describe('a program of docs/start, copied into an empty project,', () => {
  /** What a reader saves as `leader.mjs`. */
  function saved(page: string, change: (program: string) => string = (program) => program): string {
    const [, program = ''] = /^```js\n([\s\S]*?)^```/m.exec(read(`docs/start/${page}.md`)) ?? [];
    const path = join(installation.project(`start-${page}`, 'commonjs'), 'leader.mjs');
    writeFileSync(path, change(program));
    return path;
  }

  /** The first leads; when it is killed the second does, and hands over when it is told to stop. */
  async function takeTurns(nodes: StartedNodes): Promise<void> {
    nodes.start('node-1');
    const first = await nodes.leaderAfter(0n);
    nodes.start('node-2');
    await nodes.end(first.id, 'SIGKILL');
    const second = await nodes.leaderAfter(first.token);
    expect(second.id).toBe('node-2');
    nodes.start('node-1');
    await nodes.end(second.id, 'SIGINT');
    expect((await nodes.leaderAfter(second.token)).id).toBe('node-1');
  }

  it('elects on one machine', async () => {
    await using nodes = new StartedNodes(saved('one-machine'));
    await takeTurns(nodes);
  }, 120_000);

  it('elects on etcd', async () => {
    const etcd = await startEtcdCluster();
    try {
      await using nodes = new StartedNodes(saved('etcd'), { ETCD_URL: etcd.endpoints[0]! });
      await takeTurns(nodes);
    } finally {
      await etcd.stop();
    }
  }, 120_000);

  it('elects on PostgreSQL, and no write gets past the fence', async () => {
    const postgres = await startPostgres();
    try {
      const script = saved('postgres');
      await using nodes = new StartedNodes(script, { DATABASE_URL: postgres.url });
      await takeTurns(nodes);
      const intruder = join(script, '../intruder.mjs');
      const [, statement = ''] = /^```sql\n(INSERT[\s\S]*?)```/m.exec(read('docs/start/postgres.md')) ?? [];
      const program = `import pg from 'pg';
        const client = new pg.Client({ connectionString: ${JSON.stringify(postgres.url)} });
        await client.connect();
        await client.query(${JSON.stringify(statement)}).catch((error) => console.log(error.code));
        await client.end();`;
      writeFileSync(intruder, program);
      expect(await run(join(script, '..'), process.execPath, intruder)).toBe('HU428\n');
    } finally {
      await postgres.stop();
    }
  }, 120_000);

  it('elects with Raft among three, but not alone', async () => {
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    const script = saved('raft', (program) =>
      program.replace(/700(\d)/g, (_, index: string) => String(ports[Number(index) - 1])),
    );
    await using nodes = new StartedNodes(script, { SECRET: 'please-use-32-random-bytes-instead' });
    nodes.start('node-1');
    nodes.start('node-2');
    const first = await nodes.leaderAfter(0n);
    nodes.start('node-3');
    await nodes.end(first.id, 'SIGKILL');
    const second = await nodes.leaderAfter(first.token);
    expect(second.id).not.toBe(first.id);
    await nodes.end(second.id, 'SIGKILL');
    await until('the last one says so', 30_000, () => nodes.said.includes('has known of no leader'));
    nodes.start(first.id);
    await nodes.leaderAfter(second.token);
  }, 120_000);
});

describe('the command line, installed,', () => {
  let etcd: EtcdCluster;
  let bin: string;
  let directory: string;
  beforeAll(async () => {
    directory = installation.project('commands', 'module');
    bin = join(directory, '../node_modules/.bin/hustings');
    etcd = await startEtcdCluster();
  });
  afterAll(() => etcd.stop());

  it.each(nodeVersions as string[])('runs a command on Node %s', async (version) => {
    const flags = ['--etcd', etcd.endpoints[0]!, '--election', version];
    const command = ['sh', '-c', 'echo token $HUSTINGS_TOKEN'];
    const printed = await run(directory, await nodeProgram(version), bin, 'run', ...flags, '--', ...command);
    expect(printed).toMatch(/^token \d+$/m);
  });

  it('does in each pod what the manifest expects of it', async () => {
    const manifest = parseAllDocuments(read('packages/hustings/examples/kubernetes.yaml'))[0]!.toJS();
    const sidecar = manifest.spec.template.spec.containers.find(
      ({ name }: { name: string }) => name === 'hustings',
    );
    const pod = (name: string) =>
      new Sidecar(
        bin,
        sidecar.args.map((word: string) =>
          word
            .replace('http://etcd:2379', etcd.endpoints[0]!)
            .replace('$(POD_NAME)', name)
            .replace('0.0.0.0:4040', '127.0.0.1:0'),
        ),
      );
    const { livenessProbe, readinessProbe } = sidecar;
    await using first = pod('billing-0');
    await first.answers(readinessProbe.httpGet.path, 200);
    await using second = pod('billing-1');
    await second.answers(livenessProbe.httpGet.path, 200);
    await second.answers(readinessProbe.httpGet.path, 503);
    first.process.kill('SIGTERM');
    await second.answers(readinessProbe.httpGet.path, 200);
  });

  it('is what the Dockerfile installs and starts', () => {
    const dockerfile = read('packages/hustings/examples/Dockerfile');
    const { manifest } = published.find(({ manifest }) => manifest.name === 'hustings')!;
    expect(dockerfile).toContain(`hustings@${manifest.version}\n`);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["tini", "--", "hustings"\]$/m);
    expect(Object.keys(manifest.bin ?? {})).toEqual(['hustings']);
    const [, major] = /^FROM node:(\d+)-/m.exec(dockerfile) ?? [];
    expect((nodeVersions as string[]).map((version) => version.split('.')[0])).toContain(major);
  });
});
