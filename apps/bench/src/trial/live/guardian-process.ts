/**
 * Outlives the benchmark by a moment. Whatever ends the benchmark, SIGKILL included, closes the channel, and
 * then this process ends the nodes that are left, which a stopped node could not do itself, and clears away
 * their files.
 */

import { rmSync } from 'node:fs';

export type ToGuardian =
  | { readonly type: 'watch' | 'forget'; readonly pid: number }
  | { readonly type: 'clear-away'; readonly directory: string };

const pids = new Set<number>();
const directories = new Set<string>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

process.on('message', (message: ToGuardian) => {
  if (message.type === 'clear-away') directories.add(message.directory);
  else if (message.type === 'watch') pids.add(message.pid);
  else pids.delete(message.pid);
});

process.on('disconnect', () => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
  for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  process.exit();
});
