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
  readonly #toNodes: Proxies;
  readonly #toServers: Proxies;
  readonly #closed = new Set<string>();

  /** A proxy for each ordered pair of nodes, where they are `joined`, and for each node and member. */
  static async open(nodes: readonly NodeId[], joined: boolean, members: readonly string[]): Promise<Links> {
    const targets = members.map((address, index) => [String(index), `tcp://${address}`] as const);
    return new Links(
      await proxiesOf(nodes, (node) =>
        nodes.filter((peer) => joined && peer !== node).map((peer) => [peer, nowhere] as const),
      ),
      await proxiesOf(nodes, () => targets),
    );
  }

  private constructor(toNodes: Proxies, toServers: Proxies) {
    this.#toNodes = toNodes;
    this.#toServers = toServers;
  }

  /** Where this node reaches each of its peers. */
  peersOf(node: NodeId): Readonly<Record<NodeId, string>> {
    const entries = [...this.#toNodes.get(node)!].map(([peer, { port }]) => [peer, `127.0.0.1:${port}`]);
    return Object.fromEntries(entries);
  }

  /** Where this node reaches each member of the coordinator. */
  serversOf(node: NodeId): readonly string[] {
    return [...this.#toServers.get(node)!.values()].map(({ port }) => `127.0.0.1:${port}`);
  }

  /** A node listens on another port, or on none. */
  listens(node: NodeId, port: number | null): void {
    for (const dialled of this.#toNodes.values()) {
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
    const all = [this.#toNodes, this.#toServers].flatMap((proxies) => [...proxies.values()]);
    await Promise.all(all.flatMap((dialled) => [...dialled.values()].map((proxy) => proxy.close())));
  }

  /** Either end may have dialled. */
  #ways(from: Place, to: Place): Way[] {
    return [
      ...this.#dialledBy(from, to).map((proxy) => ({ proxy, direction: 'to-server' as const })),
      ...this.#dialledBy(to, from).map((proxy) => ({ proxy, direction: 'to-client' as const })),
    ];
  }

  #dialledBy(dialler: Place, dialled: Place): LoopbackProxy[] {
    if (dialled === servers) return [...(this.#toServers.get(dialler)?.values() ?? [])];
    return [this.#toNodes.get(dialler)?.get(dialled)].filter((each) => each !== undefined);
  }
}

type Proxies = ReadonlyMap<NodeId, ReadonlyMap<string, LoopbackProxy>>;

async function proxiesOf(
  nodes: readonly NodeId[],
  targetsOf: (node: NodeId) => readonly (readonly [name: string, target: string])[],
): Promise<Proxies> {
  const proxies = nodes.map(async (node) => {
    const dialled = targetsOf(node).map(
      async ([name, target]) => [name, await loopbackProxy({ target, framing: 'none' })] as const,
    );
    return [node, new Map(await Promise.all(dialled))] as const;
  });
  return new Map(await Promise.all(proxies));
}

const nameOf = (from: Place, to: Place): string => `${from} ${to}`;
