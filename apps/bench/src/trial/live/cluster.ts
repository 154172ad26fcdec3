import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { FencedStore, type NodeId, StaleTokenError } from '@hustings/elector';
import { monotonicMs, type Processes } from '@hustings/servers';
import type { FaultRule } from '@hustings/transport';
import type { TrialName } from '../../plan/trial-name.js';
import type { Sighting } from '../observation.js';
import { Access, type Coordinator } from './coordinators.js';
import type { CoordinatorAccess, FromNode, RivalSettings, ToNode } from './messages.js';
import { type NodeProcess, startNode } from './processes.js';

/** Starting processes takes as long as the machine takes; it is no part of what is measured. */
const startLimitMs = 30_000;

/** The nodes of one live trial, the store that their leaders write to, and all that has been seen of them. */
export class Cluster {
  readonly sightings: Sighting[] = [];
  /** When each message passed between a node and the coordinator. */
  readonly wireAtMs: number[] = [];
  readonly #processes: Processes;
  readonly #name: TrialName;
  readonly #ids: readonly NodeId[];
  readonly #signal: AbortSignal;
  readonly #onSighting: (sighting: Sighting) => void;
  readonly #secret = randomBytes(32).toString('base64');
  readonly #nodes = new Map<NodeId, NodeProcess>();
  readonly #ports: Record<NodeId, number> = {};
  readonly #connected = new Set<NodeId>();
  readonly #standing = new Set<NodeId>();
  readonly #rival: RivalSettings | null;
  readonly #store = new FencedStore<number>();
  readonly #directory: string;
  readonly #coordinator: Coordinator | null;
  /** Each node's own way to the coordinator. */
  readonly #accesses = new Map<NodeId, Access>();
  /** No other trial has this one, on these servers or on others. */
  readonly #election = `hustings-bench-${randomBytes(6).toString('hex')}`;
  /** Called whenever anything is heard of a node. */
  readonly #waiting = new Set<() => void>();
  #appliedAtMs: number[] = [];
  #failure: Error | null = null;

  constructor(
    processes: Processes,
    name: TrialName,
    ids: readonly NodeId[],
    signal: AbortSignal,
    onSighting: (sighting: Sighting) => void,
    coordinator: Coordinator | null = null,
    rival: RivalSettings | null = null,
  ) {
    this.#coordinator = coordinator;
    this.#rival = rival;
    this.#processes = processes;
    this.#name = name;
    this.#ids = ids;
    this.#signal = signal;
    this.#onSighting = onSighting;
    this.#directory = join(processes.directory, randomBytes(6).toString('hex'));
  }

  /** Starts every node, joins them, and only then lets them campaign: no node leads for want of company. */
  async start(): Promise<void> {
    if (this.#coordinator !== null) {
      const onMessage = () => void this.wireAtMs.push(monotonicMs());
      for (const id of this.#ids) this.#accesses.set(id, await Access.open(this.#coordinator, onMessage));
    }
    for (const id of this.#ids) this.#spawn(id);
    await this.#untilStarted(() => this.#ids.every((id) => id in this.#ports));
    this.#tellAll({ type: 'addresses', ports: this.#ports });
    await this.#untilStarted(() => this.#connected.size === this.#ids.length);
    this.#tellAll({ type: 'campaign' });
    if (this.#rival !== null) await this.#untilStarted(() => this.#standing.size === this.#ids.length);
  }

  /** False if the time ran out first. Throws when the run is called off, or a node fails. */
  async until(condition: () => boolean, untilMs: number): Promise<boolean> {
    for (;;) {
      this.#signal.throwIfAborted();
      if (this.#failure !== null) throw this.#failure;
      if (condition()) return true;
      if (monotonicMs() >= untilMs) return false;
      await this.#news(untilMs - monotonicMs());
    }
  }

  async pauseUntil(untilMs: number): Promise<void> {
    await this.until(() => false, untilMs);
  }

  /** SIGKILL. Returns when it struck. */
  crash(id: NodeId): number {
    const atMs = monotonicMs();
    void this.#node(id).kill();
    this.#see({ type: 'ended', atMs, node: id });
    this.#see({ type: 'believed', atMs, node: id, leaderId: null });
    return atMs;
  }

  /** The same node with the same files, in a new process. */
  async restart(id: NodeId): Promise<number> {
    const atMs = this.crash(id);
    await this.#node(id).kill();
    delete this.#ports[id];
    this.#spawn(id);
    void this.until(() => id in this.#ports, monotonicMs() + startLimitMs).then(
      () => {
        this.#tellAll({ type: 'addresses', ports: this.#ports });
        this.#node(id).tell({ type: 'campaign' });
      },
      () => {}, // The trial has ended meanwhile.
    );
    return atMs;
  }

  /** SIGSTOP, and SIGCONT. */
  freeze(id: NodeId, frozen: boolean): number {
    const atMs = monotonicMs();
    this.#node(id).signal(frozen ? 'SIGSTOP' : 'SIGCONT');
    this.#see({ type: frozen ? 'paused' : 'resumed', atMs, node: id });
    return atMs;
  }

  /** Returns when the first of these nodes applied its rules. */
  setRules(rules: ReadonlyMap<NodeId, readonly FaultRule[]>): Promise<number> {
    return this.#request(
      [...rules].map(
        ([id, ofNode]) =>
          () =>
            this.#node(id).tell({ type: 'rules', rules: ofNode }),
      ),
    );
  }

  /** Cuts these nodes off from the coordinator, or joins them to it again. Returns when. */
  separate(ids: readonly NodeId[], apart: boolean): number {
    const atMs = monotonicMs();
    for (const id of ids) {
      const access = this.#accesses.get(id);
      if (apart) access?.cut();
      else access?.heal();
    }
    return atMs;
  }

  /** Kills the coordinator's leader, or all of it. Returns when it struck. */
  async crashCoordinator(whole: boolean): Promise<number> {
    const coordinator = this.#coordinator!;
    const atMs = monotonicMs();
    await (whole ? coordinator.killAll() : coordinator.killLeader());
    return atMs;
  }

  async restoreCoordinator(): Promise<void> {
    await this.#coordinator?.restore();
  }

  /** In favour of whoever comes next, or of this node. */
  resign(id: NodeId, to: NodeId | null = null): Promise<number> {
    return this.#request([() => this.#node(id).tell({ type: 'resign', to })]);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#nodes.values()].map((node) => node.kill()));
    await Promise.all([...this.#accesses.values()].map((access) => access.close()));
    await this.restoreCoordinator();
  }

  async #request(requests: readonly (() => void)[]): Promise<number> {
    this.#appliedAtMs = [];
    for (const request of requests) request();
    await this.#untilStarted(() => this.#appliedAtMs.length === requests.length);
    return Math.min(...this.#appliedAtMs);
  }

  #spawn(id: NodeId): void {
    const { algorithm, variant, profile, budgetMs, seed } = this.#name;
    const settings = {
      ...{ id, nodes: this.#ids, algorithm, variant, profile, budgetMs, seed },
      ...{ secret: this.#secret, directory: this.#directory, coordinator: this.#accessOf(id) },
      rival: this.#rival,
    };
    const node = startNode(this.#processes, settings, {
      received: (message) => this.#receive(id, message),
      failed: (exitCode) => {
        this.#failure = new Error(
          `Node ${id} ended by itself with exit code ${exitCode}; see its output above.`,
        );
        this.#wake();
      },
    });
    this.#nodes.set(id, node);
  }

  #accessOf(id: NodeId): CoordinatorAccess | null {
    const access = this.#accesses.get(id);
    if (this.#coordinator === null || access === undefined) return null;
    const { kind } = this.#coordinator;
    return { kind, addresses: access.addresses, election: this.#election };
  }

  #receive(id: NodeId, message: FromNode): void {
    switch (message.type) {
      case 'listening':
        this.#ports[id] = message.port;
        break;
      case 'connected':
        this.#connected.add(id);
        break;
      case 'applied':
        this.#appliedAtMs.push(message.atMs);
        break;
      case 'child':
        break;
      case 'stands':
        this.#standing.add(id);
        break;
      case 'sightings':
        for (const sighting of message.sightings) {
          this.#see(sighting);
          if (this.#rival !== null) this.#suppose(sighting);
        }
        break;
      case 'write': {
        const { atMs, holder, token } = message;
        this.#see({ type: 'wrote', atMs, holder, token, accepted: this.#accepts(message) });
        break;
      }
    }
    this.#wake();
  }

  /** In the order of arrival, as any store would. */
  #accepts({ atMs, holder, token }: Extract<FromNode, { type: 'write' }>): boolean {
    try {
      this.#store.write({ holder, token }, 'value', atMs);
      return true;
    } catch (error) {
      if (error instanceof StaleTokenError) return false;
      throw error;
    }
  }

  #see(sighting: Sighting): void {
    this.sightings.push(sighting);
    this.#onSighting(sighting);
  }

  /** Nobody can ask a rival's candidates in whom they believe: whoever leads is taken for everyone's leader. */
  #suppose(sighting: Sighting): void {
    if (sighting.type !== 'began') return;
    const { atMs, node: leaderId } = sighting;
    for (const node of this.#ids) this.#see({ type: 'believed', atMs, node, leaderId });
  }

  async #untilStarted(condition: () => boolean): Promise<void> {
    if (await this.until(condition, monotonicMs() + startLimitMs)) return;
    throw new Error(`The nodes did not answer within ${startLimitMs / 1000} s; is the machine overloaded?`);
  }

  #tellAll(message: ToNode): void {
    for (const node of this.#nodes.values()) node.tell(message);
  }

  #node(id: NodeId): NodeProcess {
    const node = this.#nodes.get(id);
    if (node === undefined) throw new RangeError(`There is no node ${id} in this cluster.`);
    return node;
  }

  #news(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        this.#signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      this.#waiting.add(done);
      this.#signal.addEventListener('abort', done);
    });
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}
