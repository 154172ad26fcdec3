/** Three nodes of ours. */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { NodeId } from '@hustings/elector';
import { freePorts, loopbackProxy, type Processes, type StartedProcess } from '@hustings/servers';
import { until } from '@hustings/testkit/check';
import type { ElectorName, FromNode, Means, MessageCount, NodeSettings, ToNode } from './messages.js';
import { Cables, ids, patienceMs, type Team } from './team.js';
import { newTerm, type Term } from './terms.js';

// What was built, also where a test runs this from its source.
const script = new URL('../../../dist/measurements/failover/node-process.js', import.meta.url);

export interface TeamSettings extends Means {
  readonly elector: ElectorName;
  /** Where the coordinator is; empty for Raft. */
  readonly hosts: string;
  /** Whether every way leads through a proxy that can be cut. */
  readonly isProxied: boolean;
}

type Counted = Extract<FromNode, { type: 'counted' }>;

interface Node {
  readonly process: StartedProcess<ToNode>;
  isVigilant: boolean;
  follows: { readonly token: bigint; readonly atMs: number } | null;
  onCount: (count: Counted) => void;
}

export class OurTeam implements Team {
  readonly terms: Term[] = [];
  readonly tellsEnds = true;
  readonly cables = new Cables();
  readonly #processes: Processes;
  readonly #settings: TeamSettings;
  readonly #election = randomUUID();
  readonly #places = new Map<NodeId, Pick<NodeSettings, 'hosts' | 'port' | 'peers'>>();
  readonly #nodes = new Map<NodeId, Node>();
  /** The leaders, by token, whose heir has promised. */
  readonly #armed = new Set<bigint>();

  static async open(processes: Processes, settings: TeamSettings): Promise<OurTeam> {
    const team = new OurTeam(processes, settings);
    await team.#layOut();
    for (const id of ids) team.#start(id);
    return team;
  }

  private constructor(processes: Processes, settings: TeamSettings) {
    this.#processes = processes;
    this.#settings = settings;
  }

  async isSettled(): Promise<boolean> {
    const leader = this.terms.at(-1);
    if (leader === undefined || leader.endedMs !== null || this.#nodes.size < ids.length) return false;
    const { deathCertificates, heirWaitMs } = this.#settings;
    return (
      (heirWaitMs === null || this.#armed.has(leader.token!)) &&
      [...this.#nodes].every(
        ([id, { isVigilant, follows }]) =>
          (isVigilant || !deathCertificates) && (id === leader.id || follows?.token === leader.token),
      )
    );
  }

  kill(id: NodeId): void {
    void this.#nodes.get(id)!.process.kill();
    this.#nodes.delete(id);
  }

  async restart(id: NodeId): Promise<void> {
    this.#start(id);
  }

  signal(id: NodeId, signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#nodes.get(id)!.process.signal(signal);
  }

  async agreed(next: Term, unwell: NodeId): Promise<number> {
    const others = [...this.#nodes].filter(([id]) => id !== unwell && id !== next.id);
    await until('all follow the next leader', patienceMs, () =>
      others.every(([, { follows }]) => follows !== null && follows.token >= next.token!),
    );
    return Math.max(next.beganMs, ...others.map(([, { follows }]) => follows!.atMs));
  }

  async count(fromMs: number, toMs: number): Promise<MessageCount> {
    const counts = await Promise.all([...this.#nodes.values()].map((node) => ask(node, fromMs, toMs)));
    return {
      election: counts.reduce((sum, { election }) => sum + election, 0),
      total: counts.reduce((sum, { total }) => sum + total, 0),
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#nodes.values()].map(({ process }) => process.kill()));
    await this.cables.close();
  }

  async #layOut(): Promise<void> {
    const { hosts, elector, isProxied } = this.#settings;
    const free = await freePorts(ids.length);
    const ports = new Map(ids.map((id, index) => [id, free[index]!] as const));
    for (const id of ids) {
      const peers: Record<NodeId, string> = {};
      for (const other of ids.filter((each) => each !== id)) {
        const direct = `ws://127.0.0.1:${ports.get(other)}`;
        peers[other] = isProxied ? await this.#proxied(direct, id, other) : direct;
      }
      const way = isProxied && elector !== 'raft' ? await this.#proxied(hosts, id) : hosts;
      this.#places.set(id, { hosts: way, port: ports.get(id)!, peers });
    }
  }

  async #proxied(address: string, ...ends: readonly NodeId[]): Promise<string> {
    const isUrl = address.includes('://');
    const target = isUrl ? address : `tcp://${address}`;
    const { url } = this.cables.add(await loopbackProxy({ target, framing: 'none' }), ...ends);
    return isUrl ? url : url.replace('tcp://', '');
  }

  #start(id: NodeId): void {
    const { elector, deathCertificates, heirWaitMs } = this.#settings;
    const directory = join(this.#processes.directory, this.#election, id);
    const settings: NodeSettings = {
      ...{ id, elector, deathCertificates, heirWaitMs, directory, election: this.#election },
      ...this.#places.get(id)!,
    };
    const process = this.#processes.start<ToNode, FromNode>(
      script,
      { type: 'start', settings },
      {
        received: (message) => {
          // What a process said just before it was killed may arrive when the next one runs.
          const node = this.#nodes.get(id);
          if (node?.process === process) this.#hear(id, node, message);
        },
        failed: (exitCode) => {
          throw new Error(`${id} of ${elector} ended by itself, with exit code ${exitCode}.`);
        },
      },
    );
    this.#nodes.set(id, { process, isVigilant: false, follows: null, onCount: () => {} });
  }

  #hear(id: NodeId, node: Node, message: FromNode): void {
    switch (message.type) {
      case 'vigilant':
        node.isVigilant = true;
        break;
      case 'follows': {
        const { token, atMs } = message;
        node.follows = token === null ? null : { token, atMs };
        break;
      }
      case 'leads':
        this.terms.push(newTerm(id, message.token, message.atMs));
        break;
      case 'has-heir':
        this.#armed.add(message.token);
        break;
      case 'ended': {
        const term = this.terms.find(({ token }) => token === message.token);
        if (term !== undefined) term.endedMs = message.atMs;
        break;
      }
      case 'counted':
        node.onCount(message);
        break;
    }
  }
}

function ask(node: Node, fromMs: number, toMs: number): Promise<Counted> {
  return new Promise((resolve) => {
    node.onCount = resolve;
    node.process.tell({ type: 'count', fromMs, toMs });
  });
}
