import { describe, expect, it, vi } from 'vitest';
import { loopbackProxy, startRedis } from '../src/index.js';

describe('Redis on the loopback interface', () => {
  it('keeps what was answered when it is killed, and takes it up again', async () => {
    const servers = await startRedis();
    try {
      await servers.cli(0, 'SET', 'key', 'value');
      await servers.killMember(0);
      await expect(servers.cli(0, 'PING')).rejects.toThrow();
      await servers.restartMember(0);
      expect(await servers.cli(0, 'GET', 'key')).toBe('value');
    } finally {
      await servers.stop();
    }
  });

  it('forgets everything when it is killed, where that was asked for', async () => {
    const servers = await startRedis({ durability: 'no' });
    try {
      await servers.cli(0, 'SET', 'key', 'value');
      await servers.killMember(0);
      await servers.restartMember(0);
      expect(await servers.cli(0, 'GET', 'key')).toBe('');
    } finally {
      await servers.stop();
    }
  });

  it('follows another through a proxy, misses what is written while it is cut, and is promoted', async () => {
    const servers = await startRedis({ members: 2 });
    const proxy = await loopbackProxy({ target: servers.urls[0]!, framing: 'none' });
    try {
      await servers.cli(0, 'SET', 'before', '1');
      await servers.cli(1, 'REPLICAOF', '127.0.0.1', `${proxy.port}`);
      await vi.waitUntil(async () => (await servers.cli(1, 'GET', 'before')) === '1', { timeout: 10_000 });
      proxy.cut();
      await servers.cli(0, 'SET', 'missed', '1');
      await servers.killMember(0);
      await servers.cli(1, 'REPLICAOF', 'NO', 'ONE');
      expect([await servers.cli(1, 'GET', 'before'), await servers.cli(1, 'GET', 'missed')]).toEqual([
        '1',
        '',
      ]);
    } finally {
      await proxy.close();
      await servers.stop();
    }
  });

  it('says how to install it where it is missing', async () => {
    vi.stubEnv('PATH', '/nowhere');
    try {
      await expect(startRedis()).rejects.toThrow("run 'apt-get install redis-tools'");
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
