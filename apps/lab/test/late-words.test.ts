import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Results } from '../src/chaos/report.js';
import { tool } from './tool-command.js';

/** Each run is two episodes, of a quarter of a minute each: without the check of the quorum and with it. */
const runs = Number(process.env['LATE_WORDS_RUNS'] ?? 1);
const runMs = 60_000;

describe('words of a dead leader that are heard late', () => {
  it(
    'renew no lease of the process that took its place',
    async () => {
      const schedule = fileURLToPath(new URL('../schedules/late-words.txt', import.meta.url));
      const { stdout, stderr } = await tool('chaos', '--replay', schedule, '--times', `${runs}`, '--json');
      expect(stderr).toBe('');
      const { rows, violations }: Results = JSON.parse(stdout);
      expect(violations).toEqual([]);
      // The restarted leader did lead again while the other saved, or there was nothing to renew.
      expect(rows).toMatchObject([{ algorithm: 'raft', episodes: 2 * runs, unmet: 0, overlaps: 0 }]);
    },
    runs * runMs + 60_000,
  );
});
