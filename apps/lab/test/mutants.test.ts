import { describe, expect, it } from 'vitest';
import { type Kill, renderPage, subjects } from '../src/mutants/kills.js';

const kills: readonly Kill[] = subjects.flatMap((subject) => subject.kill());

const onCoordinators: ReadonlySet<string> = new Set(['etcd', 'zookeeper', 'lease']);

describe('the checks that guard the algorithms', () => {
  for (const subject of subjects) {
    // All of its checks, to their ends: on a slow machine that takes a while.
    it(`have nothing against ${subject.algorithm} as it is`, { timeout: 600_000 }, () => {
      expect(subject.accuse()).toBeNull();
    });
  }

  for (const { algorithm, mutant, breaks, killedBy } of kills) {
    it(`kill ${algorithm} ${mutant}: ${breaks}`, () => expect(killedBy).not.toBeNull());
  }

  it('kill at least eight mutants of each algorithm, fifteen on coordinators, under different names', () => {
    for (const { algorithm } of subjects) {
      const own = kills.filter((kill) => kill.algorithm === algorithm);
      expect(new Set(own.map(({ mutant }) => mutant)).size).toBe(own.length);
      expect(own.length).toBeGreaterThanOrEqual(onCoordinators.has(algorithm) ? 15 : 8);
    }
  });

  it('kill as the committed table says', async () => {
    await expect(renderPage(kills)).toMatchFileSnapshot('../mutants.md');
  });
});
