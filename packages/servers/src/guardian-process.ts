/**
 * Outlives the run that started it by a moment. Whatever ends the run, SIGKILL included, closes the channel, and
 * then this process ends the processes that are left, which a stopped one could not do itself, and clears away
 * their files.
 */

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

export type ToGuardian =
  | { readonly type: 'watch'; readonly pid: number }
  | { readonly type: 'forget'; readonly pid: number }
  | { readonly type: 'unmount'; readonly directory: string }
  | { readonly type: 'clear-away'; readonly directory: string };

const pids = new Set<number>();
const mounts = new Set<string>();
const directories = new Set<string>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

process.on('message', (message: ToGuardian) => {
  switch (message.type) {
    case 'watch':
      pids.add(message.pid);
      break;
    case 'forget':
      pids.delete(message.pid);
      break;
    case 'unmount':
      mounts.add(message.directory);
      break;
    case 'clear-away':
      directories.add(message.directory);
      break;
  }
});

process.on('disconnect', () => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
  // Lazily: a process that has just been killed may still have a file open there.
  for (const directory of mounts) spawnSync('umount', ['--lazy', directory]);
  void clearAway();
});

/** Servers are killed by others at the same moment, and may still write: what cannot be removed now is tried again. */
async function clearAway(): Promise<void> {
  for (let attempt = 0; attempt < 50 && directories.size > 0; attempt += 1) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, 100));
    for (const directory of directories) if (removes(directory)) directories.delete(directory);
  }
  process.exit();
}

function removes(directory: string): boolean {
  try {
    rmSync(directory, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}
