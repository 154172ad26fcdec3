/** One trial: two nodes with `hustings run` on a real etcd, and something happens to the one that leads. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type EtcdCluster,
  loopbackProxy,
  monotonicMs,
  type SupervisedProcess,
  supervise,
} from '@hustings/servers';
import { until } from '@hustings/testkit/check';
import type { JobEvent } from './job-process.js';

export const faults = ['cut-off', 'kill', 'pause', 'hand-over'] as const;
export type Fault = (typeof faults)[number];
/** Whether the command ends when it is asked to. */
export type Manner = 'polite' | 'stubborn';

export interface TrialResult {
  readonly fault: Fault;
  readonly manner: Manner;
  /** From the last sign of life of the old command to the start of the new one; negative is an overlap. */
  readonly deadBeforeNextMs: number;
  /** From the fault to the start of the new command. */
  readonly failoverMs: number;
  readonly wasAskedToEnd: boolean;
  /** Whether the new command, at its start, found the process of the old one alive. */
  readonly foundAlive: boolean;
  readonly tokenGrew: boolean;
}

const cli = fileURLToPath(new URL('../../../../../packages/hustings/dist/cli/main.js', import.meta.url));
const job = fileURLToPath(new URL('../../../dist/measurements/run/job-process.js', import.meta.url));
const patienceMs = 60_000;

export async function runTrial(etcd: EtcdCluster, fault: Fault, manner: Manner): Promise<TrialResult> {
  const directory = mkdtempSync(join(tmpdir(), 'hustings-run-'));
  const log = join(directory, 'log');
  const election = directory.slice(1).replaceAll('/', '-');
  const proxy = await loopbackProxy({ target: etcd.endpoints[0]!, framing: 'none' });
  const nodes: SupervisedProcess[] = [];
  const start = async (id: string, url: string): Promise<SupervisedProcess> => {
    const flags = ['--id', id, '--election', election, '--etcd', url];
    const node = await supervise(process.execPath, [
      cli,
      'run',
      ...flags,
      '--',
      process.execPath,
      job,
      log,
      manner,
    ]);
    nodes.push(node);
    return node;
  };
  const candidates = async () => (await etcd.etcdctl('get', '--prefix', '--keys-only', election)).split('\n');
  const startedBy = (id: string) =>
    eventsOf(log).find(({ event, holder }) => event === 'started' && holder.startsWith(`${id}#`));
  try {
    const leader = await start('old', proxy.url);
    await until('the old command runs', patienceMs, () => startedBy('old') !== undefined);
    await start('new', etcd.endpoints[0]!);
    while ((await candidates()).filter(Boolean).length < 2)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const atMs = monotonicMs();
    act(fault, leader, () => proxy.cut());
    await until('the new command runs', patienceMs, () => startedBy('new') !== undefined);
    return judge(eventsOf(log), fault, manner, atMs);
  } finally {
    proxy.reset();
    await Promise.all(nodes.map((node) => node.stop()));
    await proxy.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function act(fault: Fault, leader: SupervisedProcess, cut: () => void): void {
  if (fault === 'cut-off') cut();
  else leader.signal(({ kill: 'SIGKILL', pause: 'SIGSTOP', 'hand-over': 'SIGTERM' } as const)[fault]);
}

function eventsOf(log: string): JobEvent[] {
  if (!existsSync(log)) return [];
  const whole = readFileSync(log, 'utf8').split('\n').slice(0, -1);
  return whole.map((line) => JSON.parse(line) as JobEvent);
}

function judge(events: readonly JobEvent[], fault: Fault, manner: Manner, atMs: number): TrialResult {
  const [old, next] = events.filter(({ event }) => event === 'started') as [JobEvent, JobEvent];
  const ofOld = events.filter(({ pid }) => pid === old.pid);
  return {
    fault,
    manner,
    deadBeforeNextMs: next.atMs - ofOld.at(-1)!.atMs,
    failoverMs: next.atMs - atMs,
    wasAskedToEnd: ofOld.some(({ event }) => event === 'asked-to-end'),
    foundAlive: next.foundAlive.includes(old.pid),
    tokenGrew: BigInt(next.token) > BigInt(old.token),
  };
}
