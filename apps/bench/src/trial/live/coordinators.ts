/** The real servers of a live run: started on loopback and ours to kill, or a user's own and only to be asked. */

import { connect } from 'node:net';
import type { CoordinatorKind } from '@hustings/catalogue';
import { UsageError } from '@hustings/command';
import {
  type LoopbackProxy,
  loopbackProxy,
  startEtcdCluster,
  startZooKeeperEnsemble,
} from '@hustings/servers';

export interface Coordinator {
  readonly kind: CoordinatorKind;
  /** `host:port` of each member. */
  readonly addresses: readonly string[];
  /** Kills the member that leads the others. */
  killLeader(): Promise<void>;
  killAll(): Promise<void>;
  /** Starts every member that was killed, and waits until it serves again. */
  restore(): Promise<void>;
  /** Ends what was started for this run. */
  stop(): Promise<void>;
}

export interface CoordinatorOptions {
  readonly members: number;
  /** ZooKeeper counts in ticks, and grants sessions of 2 to 20 of them. */
  readonly tickMs: number;
}

/** Servers that belong to this run: on loopback, on free ports, with temporary data. */
export async function startCoordinator(
  kind: CoordinatorKind,
  { members, tickMs }: CoordinatorOptions,
): Promise<Coordinator> {
  try {
    return await start(kind, { members, tickMs });
  } catch (error) {
    // Of several lines of a server's own output the first says what happened.
    const [reason] = (error instanceof Error ? error.message : `${error}`).split('\n');
    throw new UsageError(
      `Could not start ${kind}: ${reason?.replace(/\.$/, '')}; or name your own servers with --${kind}, or leave it out of --algorithms.`,
    );
  }
}

async function start(kind: CoordinatorKind, { members, tickMs }: CoordinatorOptions): Promise<Coordinator> {
  if (kind === 'etcd') {
    const cluster = await startEtcdCluster({ members });
    return ownCoordinator(
      kind,
      cluster.endpoints.map((endpoint) => new URL(endpoint).host),
      cluster,
    );
  }
  const ensemble = await startZooKeeperEnsemble({ members, tickMs });
  return ownCoordinator(kind, ensemble.addresses, ensemble);
}

/** A user's own servers: nothing is done to them but to ask. Throws `UsageError` when none of them is there. */
export async function foreignCoordinator(
  kind: CoordinatorKind,
  addresses: readonly string[],
): Promise<Coordinator> {
  const reached = await Promise.all(addresses.map(isReachable));
  if (!reached.includes(true)) {
    throw new UsageError(
      `No server answers at ${addresses.join(', ')}; check --${kind}, or leave it out to have one started.`,
    );
  }
  const refuse = async () => {
    throw new Error('Servers that were not started by this run are not killed by it.');
  };
  return {
    kind,
    addresses,
    killLeader: refuse,
    killAll: refuse,
    restore: async () => {},
    stop: async () => {},
  };
}

const reachWithinMs = 2000;

function isReachable(address: string): Promise<boolean> {
  const [host, port] = address.split(':');
  const socket = connect(Number(port), host);
  return new Promise<boolean>((resolve) => {
    socket.setTimeout(reachWithinMs, () => resolve(false));
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

interface Members {
  killMember(index: number): Promise<void>;
  restartMember(index: number): Promise<void>;
  leader(): Promise<number>;
  stop(): Promise<void>;
}

function ownCoordinator(kind: CoordinatorKind, addresses: readonly string[], members: Members): Coordinator {
  const dead = new Set<number>();
  const kill = (index: number) => {
    dead.add(index);
    return members.killMember(index);
  };
  return {
    kind,
    addresses,
    killLeader: async () => kill(Math.max(0, await members.leader())),
    killAll: async () => void (await Promise.all(addresses.map((_, index) => kill(index)))),
    async restore() {
      const waiting = [...dead];
      dead.clear();
      // Together: one member of three alone cannot serve.
      await Promise.all(waiting.map((index) => members.restartMember(index)));
    },
    stop: () => members.stop(),
  };
}

/** One node's way to the servers: a proxy before each member, so that this node alone can be cut off, and its messages counted. */
export class Access {
  readonly #proxies: readonly LoopbackProxy[];

  /** `onMessage` is called for each message on the wire, either way. */
  static async open({ kind, addresses }: Coordinator, onMessage: () => void): Promise<Access> {
    const framing = kind === 'etcd' ? 'http2' : 'length-prefixed';
    const proxies = addresses.map((address) =>
      loopbackProxy({ target: `http://${address}`, framing, onDataFrame: onMessage }),
    );
    return new Access(await Promise.all(proxies));
  }

  private constructor(proxies: readonly LoopbackProxy[]) {
    this.#proxies = proxies;
  }

  /** `host:port`, one a member. */
  get addresses(): readonly string[] {
    return this.#proxies.map(({ port }) => `127.0.0.1:${port}`);
  }

  cut(): void {
    for (const proxy of this.#proxies) proxy.cut();
  }

  heal(): void {
    for (const proxy of this.#proxies) proxy.heal();
  }

  async close(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
  }
}
