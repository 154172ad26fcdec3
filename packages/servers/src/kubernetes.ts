import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { startEtcdCluster } from './etcd-cluster.js';
import {
  host,
  type LoneMember,
  type LoneServer,
  loneServer,
  type Members,
  type Place,
  startMembers,
} from './members.js';
import { type SupervisedProcess, supervise } from './supervised.js';

export interface KubernetesServer extends LoneServer {
  /** In PEM: its own certificate. */
  readonly ca: string;
  /** Of an administrator. */
  readonly token: string;
  /** Puts its wall clock forward, or back, by an hour. */
  jumpClock(direction: 'forward' | 'back'): void;
  /** What its wall clock shows, to the second. */
  wallClockMs(): Promise<number>;
  /** The path of a kubeconfig for its administrator, or for somebody else's token; by another address if one is given. */
  kubeconfig(url?: string, token?: string): Promise<string>;
  /** The candidate that client-go has among its examples: leases of 60 s, a look every 5 s. */
  startCandidate(lease: string, id: string, url?: string): Promise<SupervisedProcess>;
}

const token = 'loopback-only';
const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'hustings', 'kubernetes');

/** A wall clock of its own for programs that are started with its environment; time passes for them as for all. */
export interface WallClock {
  readonly env: NodeJS.ProcessEnv;
  /** How far it is ahead of the machine's. */
  set(aheadSeconds: number): Promise<void>;
}

/** Its reading is in this file. `npm run test:kubernetes` fetches the library that it rests on. */
export async function wallClock(file: string): Promise<WallClock> {
  const set = (aheadSeconds: number): Promise<void> =>
    writeFile(file, `${aheadSeconds < 0 ? '' : '+'}${aheadSeconds}`);
  await set(0);
  const env = {
    LD_PRELOAD: join(cache, 'libfaketime.so.1'),
    ...{ FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
  };
  return { env, set };
}

/** A real kube-apiserver with an etcd of its own, on the loopback interface. `npm run test:kubernetes` builds it. */
export async function startKubernetes(): Promise<KubernetesServer> {
  const program = join(cache, 'kube-apiserver');
  if (!existsSync(program))
    throw new Error("There is no kube-apiserver: run 'npm run test:kubernetes' once.");
  const etcd = await startEtcdCluster();
  const members: Members<ApiMember> = await startMembers({
    system: 'Kubernetes',
    count: 1,
    portsEach: 1,
    // It takes five seconds of a processor that has nothing else to do.
    startWithinMs: 300_000,
    layOut: (places) => Promise.all(places.map((place) => layOut(place, program, etcd.endpoints))),
  });
  const { url, directory } = members.at(0);
  const ca = await readFile(join(directory, 'apiserver.crt'), 'utf8');
  const kubeconfig = async (by = url, whose = token): Promise<string> => {
    const path = join(directory, `kubeconfig-${randomUUID()}`);
    await writeFile(path, JSON.stringify(kubeconfigOf(by, ca, whose)));
    return path;
  };
  return {
    ...loneServer(members),
    ...{ ca, token },
    jumpClock: (direction) => members.signal(0, direction === 'forward' ? 'SIGUSR1' : 'SIGUSR2'),
    async wallClockMs() {
      for (;;) {
        const answer = await ask(`${url}/readyz`);
        if (answer !== null) return Date.parse(answer.headers.date ?? '');
      }
    },
    kubeconfig,
    startCandidate: async (lease, id, by) =>
      supervise(join(cache, 'leader-election'), [
        ...['-kubeconfig', await kubeconfig(by), '-id', id],
        ...['-lease-lock-name', lease, '-lease-lock-namespace', 'default'],
      ]),
    async stop() {
      await members.stop();
      await etcd.stop();
    },
  };
}

interface ApiMember extends LoneMember {
  readonly directory: string;
}

async function layOut(
  { name, directory, ports: [port = 0] }: Place,
  command: string,
  etcd: readonly string[],
): Promise<ApiMember> {
  await mkdir(directory);
  const file = (fileName: string): string => join(directory, fileName);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  await writeFile(file('accounts.key'), privateKey);
  await writeFile(file('accounts.pub'), publicKey);
  await writeFile(file('tokens.csv'), `${token},admin,1,"system:masters"\n`);
  const url = `https://${host}:${port}`;
  return {
    ...{ name, url, directory, command, dataDirectory: directory },
    parameters: [
      ...[`--etcd-servers=${etcd.join(',')}`, `--secure-port=${port}`, `--bind-address=${host}`],
      ...[`--cert-dir=${directory}`, `--token-auth-file=${file('tokens.csv')}`],
      ...['--service-account-issuer=https://kubernetes.default.svc'],
      `--service-account-key-file=${file('accounts.pub')}`,
      `--service-account-signing-key-file=${file('accounts.key')}`,
      ...['--authorization-mode=RBAC', '--service-cluster-ip-range=10.0.0.0/24'],
      '--disable-admission-plugins=ServiceAccount',
    ],
    // The namespace is made a while after the rest is ready.
    isServing: async () => (await answers(`${url}/readyz`)) && answers(`${url}/api/v1/namespaces/default`),
  };
}

const answers = async (url: string): Promise<boolean> => (await ask(url))?.statusCode === 200;

/** Null without an answer. Whose certificate it is does not matter here. */
function ask(url: string): Promise<IncomingMessage | null> {
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve) => {
    const asked = request(url, { headers, rejectUnauthorized: false, timeout: 1000 }, (answer) => {
      resolve(answer.resume());
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(null)).end();
  });
}

const kubeconfigOf = (url: string, ca: string, whose: string): object => ({
  'current-context': 'test',
  contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
  clusters: [
    {
      name: 'test',
      cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
    },
  ],
  users: [{ name: 'admin', user: { token: whose } }],
});
