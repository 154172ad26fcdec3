import { readFile } from 'node:fs/promises';
import { defaultSettings as etcdDefaults, guardMs as etcdGuardMs } from '@hustings/etcd';
import { leaseMs, defaultSettings as raftDefaults } from '@hustings/raft';
import { defaultSettings as zookeeperDefaults, guardMs as zookeeperGuardMs } from '@hustings/zookeeper';
import { describe, expect, it } from 'vitest';
import { RoundTrips } from '../src/round-trips.js';
import { adviceFor, etcdTimings, heartbeatTimings, raftTimings, zookeeperTimings } from '../src/timings.js';

const names = ['lan', 'wan', 'fast'] as const;

const slackOf = {
  raft: (name: (typeof names)[number]) => {
    const settings = { ...raftDefaults, ...raftTimings[name] };
    return leaseMs(settings) - settings.heartbeatMs;
  },
  etcd: (name: (typeof names)[number]) => {
    const ttlMs = 1000 * etcdTimings[name].ttlSeconds;
    return ttlMs * (1 - etcdDefaults.renewAfter) - etcdGuardMs(etcdDefaults, ttlMs);
  },
  zookeeper: (name: (typeof names)[number]) => {
    const { sessionTimeoutMs } = zookeeperTimings[name];
    return sessionTimeoutMs * 0.48 - zookeeperGuardMs(zookeeperDefaults, sessionTimeoutMs);
  },
};

describe('timings by name', () => {
  it.each(Object.entries(slackOf))(
    'of %s bear more in lan than in fast, and more in wan than in lan',
    (_, slack) => {
      expect(slack('fast')).toBeGreaterThan(50);
      expect(slack('lan')).toBeGreaterThan(slack('fast'));
      expect(slack('wan')).toBeGreaterThan(slack('lan'));
    },
  );

  it.each(Object.entries(slackOf))(
    'of %s bear by default an event loop that stands still for 500 ms',
    (_, slack) => {
      expect(slack('lan')).toBeGreaterThan(500);
    },
  );

  it.each(Object.entries(slackOf))('of %s bear what the README says', async (algorithm, slack) => {
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
    const [, row = ''] = new RegExp(`^\\| slack of ${algorithm} \\|(.*)\\|$`, 'm').exec(readme) ?? [];
    const told = row.split('|').map((cell) => Number(cell.replace(/[ ,]|ms/g, '')));
    expect(told).toEqual(names.map((name) => Math.round(slack(name))));
  });

  it('of bully and ring leave time for a heartbeat to come late', () => {
    for (const name of names) {
      const { heartbeatMs, leaderTimeoutMs, maxDelayMs } = heartbeatTimings[name];
      expect(leaderTimeoutMs[0]).toBeGreaterThan(heartbeatMs + maxDelayMs);
    }
  });
});

describe('the advice', () => {
  it('is the next calmer name, where there is one', () => {
    expect(adviceFor('fast', 'ttlMs')).toBe("use timings: 'lan', or a longer ttlMs");
    expect(adviceFor(undefined, 'ttlMs')).toBe("use timings: 'wan', or a longer ttlMs");
    expect(adviceFor('wan', 'ttlMs')).toBe('use a longer ttlMs');
  });
});

describe('a renewal that needs two of four others', () => {
  it('takes as long as the second of them', () => {
    const roundTrips = new RoundTrips(2);
    expect(roundTrips.add('a', 5)).toBe(0);
    expect(roundTrips.add('b', 300)).toBe(300);
    expect(roundTrips.add('c', 20)).toBe(20);
    expect(roundTrips.add('d', 900)).toBe(20);
  });

  it('forgets whoever is gone', () => {
    const roundTrips = new RoundTrips(2);
    roundTrips.add('a', 5);
    roundTrips.add('b', 10);
    roundTrips.forget('b');
    expect(roundTrips.add('c', 400)).toBe(400);
  });
});
