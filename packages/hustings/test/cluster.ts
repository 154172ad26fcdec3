import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Diagnostic, type RaftElectorOptions, type RaftFrontElector, raftElector } from 'hustings/raft';

export const secret = 'a secret of at least sixteen bytes';

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Raft nodes of the front door in this process, each on a port and with a directory of its own. */
export class Cluster {
  readonly #ports = new Map<string, number>();
  readonly #electors: RaftFrontElector[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async open(...ids: readonly string[]): Promise<Cluster> {
    const cluster = new Cluster(await mkdtemp(join(tmpdir(), 'hustings-front-')));
    for (const id of ids) cluster.#ports.set(id, await freePort());
    return cluster;
  }

  /** A node of those that are named; all, if none is. */
  node(
    id: string,
    options: Partial<RaftElectorOptions> = {},
    ids = [...this.#ports.keys()],
  ): RaftFrontElector {
    const others = ids.filter((other) => other !== id);
    const elector = raftElector({
      id,
      listen: `127.0.0.1:${this.#ports.get(id)}`,
      secret,
      directory: join(this.directory, id),
      peers: Object.fromEntries(others.map((other) => [other, `ws://127.0.0.1:${this.#ports.get(other)}`])),
      logger: false,
      onDiagnostic: (diagnostic) => void this.diagnostics.push(diagnostic),
      ...options,
    });
    this.#electors.push(elector);
    return elector;
  }

  nodes(options: Partial<RaftElectorOptions> = {}): RaftFrontElector[] {
    return [...this.#ports.keys()].map((id) => this.node(id, options));
  }

  messages(type: Diagnostic['type']): string[] {
    return this.diagnostics.filter((each) => each.type === type).map(({ message }) => message);
  }

  async close(): Promise<void> {
    await Promise.all(this.#electors.map((elector) => elector.stop()));
    await rm(this.directory, { recursive: true });
  }
}
