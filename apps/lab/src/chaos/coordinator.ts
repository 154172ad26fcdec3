import {
  type EtcdCluster,
  startEtcdCluster,
  startZooKeeperEnsemble,
  type ZooKeeperEnsemble,
} from '@hustings/servers';
import type { Layout } from './layouts.js';
import { members, zookeeperTickMs } from './settings.js';

/** Real servers on loopback, whose members are ours to kill, to freeze and to start again with their data. */
export class Coordinator {
  /** `host:port` of each member. */
  readonly addresses: readonly string[];
  readonly #servers: EtcdCluster | ZooKeeperEnsemble;
  readonly #down = new Set<number>();
  readonly #frozen = new Set<number>();
  readonly #starting = new Map<number, Promise<void>>();
  readonly #onChange: () => void;

  static async start(
    kind: NonNullable<Layout['coordinator']>,
    directory: string,
    onChange: () => void,
  ): Promise<Coordinator> {
    if (kind === 'etcd') {
      const cluster = await startEtcdCluster({ members, directory });
      const addresses = cluster.endpoints.map((endpoint) => new URL(endpoint).host);
      return new Coordinator(cluster, addresses, onChange);
    }
    const ensemble = await startZooKeeperEnsemble({ members, directory, tickMs: zookeeperTickMs });
    return new Coordinator(ensemble, ensemble.addresses, onChange);
  }

  private constructor(
    servers: EtcdCluster | ZooKeeperEnsemble,
    addresses: readonly string[],
    onChange: () => void,
  ) {
    this.#servers = servers;
    this.addresses = addresses;
    this.#onChange = onChange;
  }

  /** Whether a majority of its members runs. */
  get up(): boolean {
    const running = this.addresses.filter((_, index) => !this.#down.has(index) && !this.#frozen.has(index));
    return running.length > this.addresses.length / 2;
  }

  /** The member that leads the others, or any where none says that it does. */
  async leader(): Promise<number> {
    // etcd is asked by a program that fails when any of its members does not answer.
    return Math.max(0, await this.#servers.leader().catch(() => 0));
  }

  async kill(index: number): Promise<void> {
    this.#down.add(index);
    this.#frozen.delete(index);
    this.#onChange();
    await this.#servers.killMember(index);
  }

  freeze(index: number, frozen: boolean): void {
    if (this.#down.has(index)) return;
    if (frozen) {
      this.#frozen.add(index);
      this.#servers.pauseMember(index);
    } else {
      this.#servers.resumeMember(index);
      this.#frozen.delete(index);
    }
    this.#onChange();
  }

  /** Resolves once it serves. One alone of three waits for another; whoever starts too late is started again later. */
  async restart(index: number): Promise<void> {
    const starting = this.#starting.get(index);
    if (starting !== undefined) return starting;
    this.#down.add(index);
    this.#frozen.delete(index);
    const started = this.#servers.restartMember(index).then(
      () => void this.#down.delete(index),
      () => {},
    );
    this.#starting.set(index, started);
    await started;
    this.#starting.delete(index);
    this.#onChange();
  }

  /** Everything that was done to its members is undone. */
  async mend(): Promise<void> {
    for (const index of this.#frozen) this.freeze(index, false);
    await Promise.all([...this.#down].map((index) => this.restart(index)));
  }

  stop(): Promise<void> {
    return this.#servers.stop();
  }
}
