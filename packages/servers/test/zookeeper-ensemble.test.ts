import { describe, expect, it, vi } from 'vitest';
import { startZooKeeperEnsemble } from '../src/index.js';

describe('a ZooKeeper ensemble on the loopback interface', () => {
  it('elects a leader, loses a member and takes it back, and leaves no process behind', async () => {
    const ensemble = await startZooKeeperEnsemble({ members: 3 });
    try {
      expect(ensemble.addresses).toHaveLength(3);
      const leader = await ensemble.leader();
      expect(leader).toBeGreaterThanOrEqual(0);
      expect(await ensemble.ask(leader, 'mntr')).toMatch(/zk_server_state\tleader/);
      await ensemble.killMember(leader);
      expect(await ensemble.ask(leader, 'ruok')).toBe('');
      await ensemble.restartMember(leader);
      expect(await ensemble.ask(leader, 'ruok')).toBe('imok');
    } finally {
      await ensemble.stop();
    }
    expect(await ensemble.leader()).toBe(-1);
  });

  it('says what to install when Java is missing', async () => {
    vi.stubEnv('PATH', '/nowhere');
    try {
      await expect(startZooKeeperEnsemble()).rejects.toThrow(
        /^ZooKeeper or Java is not installed: run 'apt-get install [^.]*'\.$/,
      );
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
