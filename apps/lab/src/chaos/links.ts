import type { NodeId } from '@hustings/elector';
import { type LoopbackProxy, loopbackProxy, type WireDirection } from '@hustings/servers';

/** Where nobody listens. */
const nowhere = 'tcp://127.0.0.1:1';

/** One end of a link: a node, or the coordinator as a whole. */
export type Place = NodeId | typeof servers;

export const servers = 'servers';

/** A proxy, and the way through it that bytes of one direction take. */
interface Way {
  readonly proxy: LoopbackProxy;
  readonly direction: WireDirection;
}

/** Everything that passes between nodes, or between nodes and their coordinator, goes through here. */
export class Links {
  /** By dialler and then by whom it dials: a node, or a member's number. */
  readonly #proxies: ReadonlyMap<NodeId, ReadonlyMap<string, LoopbackProxy>>;
  readonly #closed = new Set<string>();

  /** A proxy for each ordered pair of nodes. */
  static async betweenNodes(nodes: readonly NodeId[]): Promise<Links> {
    return Links.#open(nodes, (node) =>
      nodes.filter((peer) => peer !== node).map((peer) => [peer, nowhere] as const),
    );
  }

  /** A proxy for each node and member. */
  static async toServers(nodes: readonly NodeId[], addresses: readonly string[]): Promise<Links> {
    return Links.#open(nodes, () =>
      addresses.map((address, index) => [String(index), `tcp://${address}`] as const),
    );
  }

  static async #open(
    nodes: readonly NodeId[],
    targetsOf: (node: NodeId) => readonly (readonly [name: string, target: string])[],
  ): Promise<Links> {
    const proxies = await Promise.all(
      nodes.map(async (node) => {
        const targets = targetsOf(node).map(
          async ([name, target]) => [name, await loopbackProxy({ target, framing: 'none' })] as const,
        );
        return [node, new Map(await Promise.all(targets))] as const;
      }),
    );
    return new Links(new Map(proxies));
  }

  private constructor(proxies: ReadonlyMap<NodeId, ReadonlyMap<string, LoopbackProxy>>) {
    this.#proxies = proxies;
  }

  /** Where this node reaches each of those that it dials. */
  addressesFor(node: NodeId): Readonly<Record<string, string>> {
    const entries = [...this.#proxies.get(node)!].map(([name, { port }]) => [name, `127.0.0.1:${port}`]);
    return Object.fromEntries(entries);
  }

  /** A node listens on another port, or on none. */
  listens(node: NodeId, port: number | null): void {
    for (const dialled of this.#proxies.values()) {
      dialled.get(node)?.retarget(port === null ? nowhere : `tcp://127.0.0.1:${port}`);
    }
  }

  /** Nothing passes from the one to the other, nor the news that the other has hung up. */
  hold(from: Place, to: Place): void {
    this.#closed.add(nameOf(from, to));
    for (const { proxy, direction } of this.#ways(from, to)) proxy.hold(direction);
  }

  /** Delivers what waited. */
  release(from: Place, to: Place): void {
    this.#closed.delete(nameOf(from, to));
    for (const { proxy, direction } of this.#ways(from, to)) proxy.release(direction);
  }

  /** What waited is lost, and with it the connections that it waited in. */
  heal(from: Place, to: Place): void {
    if (!this.#closed.has(nameOf(from, to))) return;
    for (const { proxy } of this.#ways(from, to)) proxy.reset();
    this.release(from, to);
  }

  healAll(): void {
    for (const name of [...this.#closed]) {
      const [from = '', to = ''] = name.split(' ');
      this.heal(from, to);
    }
  }

  /** Whether both hear each other. */
  joins(one: Place, other: Place): boolean {
    return !this.#closed.has(nameOf(one, other)) && !this.#closed.has(nameOf(other, one));
  }

  async close(): Promise<void> {
    const all = [...this.#proxies.values()].flatMap((dialled) => [...dialled.values()]);
    await Promise.all(all.map((proxy) => proxy.close()));
  }

  /** Either end may have dialled. */
  #ways(from: Place, to: Place): Way[] {
    return [
      ...this.#dialledBy(from, to).map((proxy) => ({ proxy, direction: 'to-server' as const })),
      ...this.#dialledBy(to, from).map((proxy) => ({ proxy, direction: 'to-client' as const })),
    ];
  }

  #dialledBy(dialler: Place, dialled: Place): LoopbackProxy[] {
    const proxies = this.#proxies.get(dialler);
    if (proxies === undefined) return [];
    return dialled === servers
      ? [...proxies.values()]
      : [proxies.get(dialled)].filter((each) => each !== undefined);
  }
}

const nameOf = (from: Place, to: Place): string => `${from} ${to}`;
