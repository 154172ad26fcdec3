import { loopbackProxy, startPostgres, startRedis } from '@hustings/servers';
import type { MakeName } from './settings.js';

/** Real servers for all makes, with their data on disk before they answer. */
export interface Servers {
  /** Where this make keeps its leases. */
  storeOf(make: MakeName): readonly string[];
  /** What its leaders write to. */
  resourceOf(make: MakeName): string;
  stop(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const [postgres, redis] = await Promise.all([
    startPostgres({ settings: { fsync: 'on' } }),
    startRedis({ members: 5 }),
  ]);
  const isPostgresMake = (make: MakeName) =>
    ['hustings row', 'hustings session', 'pg_advisory_lock'].includes(make);
  const isRedlockMake = (make: MakeName) => ['hustings redlock', 'redlock package'].includes(make);
  return {
    storeOf(make) {
      if (isPostgresMake(make)) return [postgres.url];
      return isRedlockMake(make) ? redis.urls : redis.urls.slice(0, 1);
    },
    resourceOf: (make) => (isPostgresMake(make) ? postgres.url : redis.urls[0]!),
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
}

/** Proxies before several servers, which are cut together. */
export async function proxiesBefore(targets: readonly string[]) {
  const proxies = await Promise.all(targets.map((target) => loopbackProxy({ target, framing: 'none' })));
  return {
    urls: proxies.map(({ url }) => url),
    cut: () => {
      for (const proxy of proxies) proxy.cut();
    },
    holdToServer: () => {
      for (const proxy of proxies) proxy.hold('to-server');
    },
    heal: () => {
      for (const proxy of proxies) proxy.heal();
    },
    close: () => Promise.all(proxies.map((proxy) => proxy.close())),
  };
}
