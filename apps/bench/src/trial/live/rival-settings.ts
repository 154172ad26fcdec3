import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '@hustings/command';
import { type Command, compileCuratorCandidate } from '@hustings/servers';
import { rivalOf } from '../../plan/rivals.js';
import { parametersOf, type RowName } from '../../plan/rows.js';
import type { TrialName } from '../../plan/trial-name.js';
import type { RivalSettings } from './messages.js';

/** What the rivals of a run are started with, found out before the first of them is needed. */
export interface RivalPrograms {
  readonly curator: Command | null;
}

/** Throws `UsageError` when one of the rivals that the rows name is not installed. */
export async function prepareRivals(names: readonly RowName[], directory: string): Promise<RivalPrograms> {
  const needed = new Set(names.map(({ algorithm }) => algorithm));
  if (needed.has('etcdctl')) await requireEtcdctl();
  return { curator: needed.has('curator') ? await prepareCurator(join(directory, 'curator')) : null };
}

async function requireEtcdctl(): Promise<void> {
  try {
    await promisify(execFile)('etcdctl', ['version']);
  } catch {
    throw new UsageError(
      "etcdctl is not installed, which --peers needs: run 'apt-get install etcd-client', or put it on the PATH; or leave out --peers.",
    );
  }
}

async function prepareCurator(directory: string): Promise<Command> {
  await mkdir(directory, { recursive: true });
  try {
    return await compileCuratorCandidate(directory);
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : `${error}`).split('\n');
    throw new UsageError(`${reason?.replace(/\.$/, '')}; --peers needs it, so leave that out otherwise.`);
  }
}

/** Null for one of ours. The lease or session is as long as ours on the same servers. */
export function rivalSettings(name: TrialName, { curator }: RivalPrograms): RivalSettings | null {
  if (rivalOf(name.algorithm) === null) return null;
  const { ttlSeconds, sessionTimeoutMs } = parametersOf(name, name.profile, name.budgetMs);
  return { ttlSeconds: Number(ttlSeconds), sessionTimeoutMs: Number(sessionTimeoutMs), curator };
}
