import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FencingToken, NodeId } from '@hustings/elector';
import { freePorts, monotonicMs, type Processes, type StartedProcess } from '@hustings/servers';
import { Coordinator } from './coordinator.js';
import type { Happening } from './history.js';
import { type Algorithm, type Layout, layouts } from './layouts.js';
import { Links, type Place, servers } from './links.js';
import type { DiskState, FromNode, ToNode } from './messages.js';
import type { Action, Condition, End, LinkVerb, PlainVerb, Role, TimedVerb } from './schedule.js';
import { diskBytes, patienceMs, startLimitMs } from './settings.js';
import { Store } from './store.js';
import { molest } from './strangers.js';

/** Who plays which role in an episode. */
export interface Cast {
  readonly nodes: ReadonlyMap<Role, NodeId>;
  /** Members of the coordinator, by number. */
  readonly members: ReadonlyMap<Role, number>;
}

export interface ArenaOptions {
  readonly algorithm: Algorithm;
  readonly nodes: number;
  /** How every node of Raft is broken on purpose. */
  readonly mutant?: string;
  /** Whether the declared assumptions may be left. */
  readonly beyond?: boolean;
  readonly signal: AbortSignal;
}

interface Node {
  readonly id: NodeId;
  process: StartedProcess<ToNode> | null;
  /** Resolves once the process before it is gone: two must not share a directory. */
  formerGone: Promise<void>;
  /** Of the present process, among all of the run. */
  number: number;
  /** It takes part in the election. */
  ready: boolean;
  stopped: boolean;
  stands: boolean;
  port: number;
  leading: FencingToken | null;
  slowByMs: number;
  held: boolean;
  full: boolean;
  /** The present process has had a full disk, and may rightly give up. */
  hasBeenFull: boolean;
  /** What its slow saves have come to since the disk became slow. */
  save: 'none' | 'saves' | 'saved';
}

type Unstamped<Each> = Each extends { readonly atMs: number } ? Omit<Each, 'atMs'> : never;

const nodeScript = new URL('./node-process.js', import.meta.url);
const filler = 'filler';

/** A cluster of real processes, with all that can be done to it, and what happened in it. */
export class Arena {
  readonly algorithm: Algorithm;
  readonly history: Happening[] = [];
  /** How many `await` lines waited in vain. */
  unmet = 0;
  /** Hears each happening, in the order of arrival. */
  onHappening: (happening: Happening) => void = () => {};
  readonly #processes: Processes;
  readonly #links: Links;
  readonly #coordinator: Coordinator | null;
  readonly #store = new Store();
  readonly #secret = randomBytes(32).toString('base64');
  readonly #nodes: ReadonlyMap<NodeId, Node>;
  readonly #layout: Layout;
  /** Where each node listens; 0 where a proxy finds it, wherever it is. */
  readonly #ports: ReadonlyMap<NodeId, number>;
  readonly #mutant: string | null;
  /** An etcd that leads is not frozen: what it does afterwards is beyond the declared assumptions. */
  readonly #staysWithin: boolean;
  readonly #hasDisks: boolean;
  readonly #signal: AbortSignal;
  /** What has been begun and is not over. */
  readonly #underWay = new Set<Promise<void>>();
  readonly #waiting = new Set<() => void>();
  readonly #closing = new AbortController();
  #lastNumber = 0;
  #wasWell = false;

  static async open(processes: Processes, options: ArenaOptions): Promise<Arena> {
    const { coordinator: kind, links: kindOfLinks } = layouts[options.algorithm];
    const ids = Array.from({ length: options.nodes }, (_, index) => `n${index + 1}`);
    let arena: Arena | null = null;
    const coordinator =
      kind === null ? null : await Coordinator.start(kind, processes.directory, () => arena?.changed());
    const links = await Links.open(ids, kindOfLinks === 'through proxies', coordinator?.addresses ?? []);
    const ports = kindOfLinks === 'direct' ? await freePorts(ids.length) : [];
    arena = new Arena(
      processes,
      options,
      new Map(ids.map((id, index) => [id, ports[index] ?? 0])),
      links,
      coordinator,
    );
    try {
      await arena.#startAll();
    } catch (error) {
      await arena.close();
      throw error;
    }
    return arena;
  }

  private constructor(
    processes: Processes,
    { algorithm, mutant, beyond, signal }: ArenaOptions,
    ports: ReadonlyMap<NodeId, number>,
    links: Links,
    coordinator: Coordinator | null,
  ) {
    this.#processes = processes;
    this.algorithm = algorithm;
    this.#links = links;
    this.#coordinator = coordinator;
    this.#mutant = mutant ?? null;
    this.#layout = layouts[algorithm];
    this.#ports = ports;
    this.#staysWithin = this.#layout.coordinator === 'etcd' && !beyond;
    this.#signal = signal;
    const ids = [...ports.keys()];
    this.#nodes = new Map(ids.map((id) => [id, freshNode(id)]));
    this.#hasDisks = coordinator === null && ids.every((id) => processes.mountDisk(id, diskBytes));
  }

  /** How a disk is filled here. */
  get disks(): 'mounted' | 'pretended' {
    return this.#hasDisks ? 'mounted' : 'pretended';
  }

  /** The node whose Leadership began last, of those that run and lead. */
  get leader(): NodeId | null {
    const leaders = [...this.#nodes.values()].filter(({ leading, stopped }) => leading !== null && !stopped);
    return leaders.sort((a, b) => Number(b.leading! - a.leading!))[0]?.id ?? null;
  }

  /** The leader is A; the others follow in the order of their names, beginning at `turn`. */
  async cast(turn: number, withMembers: boolean): Promise<Cast> {
    const leader = this.leader;
    const others = [...this.#nodes.keys()].filter((id) => id !== leader);
    const rotated = others.map((_, index) => others[(index + turn) % others.length]!);
    const ids = leader === null ? rotated : [leader, ...rotated];
    const members = withMembers ? await this.#castMembers() : [];
    return {
      nodes: new Map(ids.map((id, index) => [String.fromCharCode(65 + index), id])),
      members: new Map(members.map((member, index) => [`M${index + 1}`, member])),
    };
  }

  async #castMembers(): Promise<number[]> {
    const coordinator = this.#coordinator;
    if (coordinator === null) return [];
    const first = await coordinator.leader();
    return coordinator.addresses.map((_, index) => (first + index) % coordinator.addresses.length);
  }

  /** Does it, or begins it. Resolves when the schedule may go on. */
  async perform(action: Action, cast: Cast): Promise<void> {
    switch (action.verb) {
      case 'cut':
      case 'heal':
      case 'stall':
      case 'release':
        this.#changeLinks(action.verb, action.from, action.to, cast);
        break;
      case 'await':
        if (!(await this.#await(this.#cast(action.subject, cast), action.condition, action.ms)))
          this.unmet += 1;
        break;
      case 'settle':
        await this.settle(action.ms);
        break;
      default:
        if ('ms' in action) this.#performFor(action.verb, action.subject, action.ms, cast);
        else await this.#performPlain(action.verb, action.subject, cast);
    }
    this.changed();
  }

  /** Mends everything, and waits for so long and until there is a leader. False if there is none in time. */
  async settle(forMs: number): Promise<boolean> {
    const sinceMs = monotonicMs();
    this.#links.healAll();
    for (const node of this.#nodes.values()) {
      this.#store.release(node.id);
      this.#continue(node);
      this.#mendDisk(node);
      if (node.process === null) this.#restart(node);
      this.#setStanding(node, true);
    }
    this.#begin(this.#coordinator?.mend() ?? Promise.resolve());
    this.changed();
    await this.until(() => this.#underWay.size === 0, startLimitMs);
    await this.until(() => false, forMs - (monotonicMs() - sinceMs));
    return this.until(() => this.leader !== null, patienceMs);
  }

  /** False if the time ran out first. Throws when the run is called off. */
  async until(condition: () => boolean, withinMs: number): Promise<boolean> {
    const untilMs = monotonicMs() + withinMs;
    for (;;) {
      this.#signal.throwIfAborted();
      if (condition()) return true;
      if (monotonicMs() >= untilMs) return false;
      await this.#news(untilMs - monotonicMs());
    }
  }

  note(happening: Unstamped<Happening>, atMs = monotonicMs()): void {
    const noted = { ...happening, atMs } as Happening;
    this.history.push(noted);
    this.onHappening(noted);
  }

  /** Notes whether there should be a leader now, if that has changed, and wakes whoever waits. */
  changed(): void {
    const well = this.#isWell();
    if (well !== this.#wasWell) this.note({ type: 'well', well });
    this.#wasWell = well;
    for (const done of [...this.#waiting]) done();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#nodes.values()].map((node) => node.process?.kill()));
    await Promise.allSettled([...this.#underWay]);
    await this.#links.close();
    await this.#coordinator?.stop();
  }

  // ---- What is done to nodes and members --------------------------------------------------------------

  async #performPlain(verb: PlainVerb, subject: Role, cast: Cast): Promise<void> {
    const member = cast.members.get(subject);
    if (member !== undefined) {
      await this.#performOnMember(verb, member);
      return;
    }
    const node = this.#cast(subject, cast);
    switch (verb) {
      case 'kill':
        this.#kill(node);
        break;
      case 'restart':
      case 'restart-unchecked':
        this.#restart(node, verb === 'restart');
        break;
      case 'stop':
        this.#stop(node);
        break;
      case 'continue':
        this.#continue(node);
        break;
      case 'withdraw':
      case 'stand':
        this.#setStanding(node, verb === 'stand');
        break;
      case 'hold-disk':
        node.held = true;
        this.#changeDisk(node);
        break;
      case 'fill-disk':
        this.#fillDisk(node);
        break;
      case 'mend-disk':
        this.#mendDisk(node);
        break;
      case 'hold-writes':
        this.#store.hold(node.id);
        break;
      case 'release-writes':
        this.#store.release(node.id);
        break;
    }
  }

  async #performOnMember(verb: PlainVerb, member: number): Promise<void> {
    const coordinator = this.#coordinator!;
    if (verb === 'stop' && this.#staysWithin && member === (await coordinator.leader())) return;
    if (verb === 'kill') this.#begin(coordinator.kill(member));
    else if (verb === 'restart') this.#begin(coordinator.restart(member));
    else if (verb === 'stop' || verb === 'continue') coordinator.freeze(member, verb === 'stop');
    else throw new RangeError(`'${verb}' is done to nodes, not to members of the coordinator.`);
  }

  #performFor(verb: TimedVerb, subject: Role, ms: number, cast: Cast): void {
    const member = cast.members.get(subject);
    if (member !== undefined) {
      this.#molest(verb, this.#coordinator!.addresses[member]!, ms);
      return;
    }
    const node = this.#cast(subject, cast);
    if (verb !== 'slow-disk') {
      if (node.port !== 0) this.#molest(verb, `127.0.0.1:${node.port}`, ms);
      return;
    }
    node.slowByMs = ms;
    this.#changeDisk(node);
  }

  #molest(verb: TimedVerb, address: string, ms: number): void {
    if (verb === 'slow-disk') throw new RangeError("'slow-disk' is done to nodes of Raft.");
    this.#begin(molest(verb, address, ms, this.#closing.signal));
  }

  #changeLinks(verb: LinkVerb, from: End, to: End, cast: Cast): void {
    for (const one of this.#places(from, cast)) {
      for (const other of this.#places(to, cast)) {
        if (one === other) continue;
        if (verb === 'cut' || verb === 'stall') this.#links.hold(one, other);
        else if (verb === 'heal') this.#links.heal(one, other);
        else this.#links.release(one, other);
      }
    }
  }

  #places(end: End, cast: Cast): Place[] {
    if (end === servers) return [servers];
    if (end !== '*') return [this.#cast(end, cast).id];
    return [...this.#nodes.keys(), servers];
  }

  #kill(node: Node): void {
    const { process } = node;
    if (process === null) return;
    this.note({ type: 'died', process: node.number });
    this.#forget(node, process.kill());
  }

  #forget(node: Node, gone: Promise<void>): void {
    node.formerGone = gone;
    this.#begin(gone);
    this.#links.listens(node.id, null);
    Object.assign(node, { process: null, ready: false, stopped: false, leading: null, port: 0 });
  }

  #restart(node: Node, checkQuorum = true): void {
    this.#kill(node);
    this.#begin(node.formerGone.then(() => this.#start(node, checkQuorum)));
  }

  #stop(node: Node): void {
    if (node.process === null || node.stopped) return;
    this.note({ type: 'stopped', process: node.number });
    node.process.signal('SIGSTOP');
    node.stopped = true;
  }

  #continue(node: Node): void {
    if (node.process === null || !node.stopped) return;
    node.process.signal('SIGCONT');
    this.note({ type: 'continued', process: node.number });
    node.stopped = false;
  }

  #setStanding(node: Node, stands: boolean): void {
    if (node.stands === stands) return;
    node.stands = stands;
    node.process?.tell({ type: stands ? 'stand' : 'withdraw' });
  }

  #fillDisk(node: Node): void {
    node.full = true;
    node.hasBeenFull = true;
    if (this.#hasDisks) fill(join(this.#processes.directory, node.id, filler));
    this.#changeDisk(node);
  }

  /** What `await` asks about saves counts from now on. */
  #changeDisk(node: Node): void {
    node.save = 'none';
    node.process?.tell({ type: 'disk', disk: this.#diskOf(node) });
  }

  #mendDisk(node: Node): void {
    if (!node.full && !node.held && node.slowByMs === 0) return;
    Object.assign(node, { full: false, held: false, slowByMs: 0 });
    rmSync(join(this.#processes.directory, node.id, filler), { force: true });
    node.process?.tell({ type: 'disk', disk: this.#diskOf(node) });
  }

  #diskOf({ slowByMs, held, full }: Node): DiskState {
    return { slowByMs, held, pretendsFull: full && !this.#hasDisks };
  }

  // ---- Processes --------------------------------------------------------------------------------------

  async #startAll(): Promise<void> {
    for (const node of this.#nodes.values()) this.#start(node, true);
    const failure = () => this.history.find((happening) => happening.type === 'failed');
    const ready = () => [...this.#nodes.values()].every((node) => node.ready);
    const isOver = await this.until(() => ready() || failure() !== undefined, startLimitMs);
    if (isOver && ready()) return;
    const reason = failure()?.reason ?? `not within ${startLimitMs / 1000} s; is the machine overloaded?`;
    throw new Error(`The nodes did not start: ${reason}`);
  }

  #start(node: Node, checkQuorum: boolean): void {
    if (this.#closing.signal.aborted || node.process !== null) return;
    const number = ++this.#lastNumber;
    const { id, stands } = node;
    const settings = {
      ...{ algorithm: this.algorithm, id, secret: this.#secret, checkQuorum, stands, mutant: this.#mutant },
      peers: withScheme(this.#layout.links === 'direct' ? this.#directPeersOf(id) : this.#links.peersOf(id)),
      port: this.#ports.get(id)!,
      servers: this.#links.serversOf(id),
      directory: join(this.#processes.directory, id),
      disk: this.#diskOf(node),
    };
    this.note({ type: 'started', process: number, node: id });
    node.number = number;
    node.hasBeenFull = node.full;
    node.process = this.#processes.start<ToNode, FromNode>(
      nodeScript,
      { type: 'start', settings },
      {
        received: (message) => this.#receive(node, number, message),
        failed: (exitCode, signal) => this.#onExit(node, number, signal ?? `exit code ${exitCode}`),
      },
    );
  }

  #directPeersOf(id: NodeId): Record<NodeId, string> {
    const others = [...this.#ports].filter(([other]) => other !== id);
    return Object.fromEntries(others.map(([other, port]) => [other, `127.0.0.1:${port}`]));
  }

  #receive(node: Node, number: number, message: FromNode): void {
    switch (message.type) {
      case 'began':
      case 'ended':
        this.note({ type: message.type, process: number, token: message.token }, message.atMs);
        if (node.number === number && node.process !== null) {
          node.leading = message.type === 'began' ? message.token : null;
        }
        break;
      case 'write': {
        const { holder, token } = message;
        this.#store.write(node.id, { holder, token }, (accepted) =>
          this.note({ type: 'wrote', process: number, token, accepted }),
        );
        break;
      }
      case 'gave-up':
        this.#onExit(node, number, message.reason);
        break;
      default:
        if (node.number === number && node.process !== null) this.#learn(node, message);
    }
    this.changed();
  }

  #learn(node: Node, message: Extract<FromNode, { type: 'ready' | 'saves' | 'saved' }>): void {
    if (message.type !== 'ready') {
      node.save = message.type;
      return;
    }
    node.ready = true;
    node.port = message.port;
    this.#links.listens(node.id, message.port);
  }

  #onExit(node: Node, number: number, reason: string): void {
    if (node.number !== number || node.process === null) return;
    this.note({ type: 'died', process: number });
    // No process does that to itself: somebody else on this machine, or a lack of memory, has killed it.
    const isOurs = reason !== 'SIGKILL';
    if (isOurs && !node.hasBeenFull)
      this.note({ type: 'failed', process: number, reason: `${node.id}: ${reason}` });
    this.#forget(node, node.process.kill());
    this.changed();
  }

  // ---- Questions --------------------------------------------------------------------------------------

  #await(node: Node, condition: Condition, ms: number): Promise<boolean> {
    return this.until(() => this.#holds(node, condition), ms);
  }

  #holds(node: Node, condition: Condition): boolean {
    if (condition === 'leads') return node.leading !== null;
    return condition === 'saved' ? node.save === 'saved' : node.save !== 'none';
  }

  #isWell(): boolean {
    const fit = [...this.#nodes.values()].filter(isFit);
    const coordinator = this.#coordinator;
    if (coordinator !== null) {
      return coordinator.up && fit.some(({ id, stands }) => stands && this.#links.joins(id, servers));
    }
    return subsets(fit, Math.floor(this.#nodes.size / 2) + 1).some(
      (group) =>
        group.some(({ stands }) => stands) &&
        group.every((one) => group.every((other) => this.#links.joins(one.id, other.id))),
    );
  }

  #cast(role: Role, { nodes }: Cast): Node {
    const node = this.#nodes.get(nodes.get(role) ?? '');
    if (node === undefined) throw new RangeError(`Nobody plays ${role} here.`);
    return node;
  }

  // ---- Waiting ----------------------------------------------------------------------------------------

  #begin(action: Promise<void>): void {
    const done = action.finally(() => {
      this.#underWay.delete(done);
      this.changed();
    });
    this.#underWay.add(done);
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
}

function freshNode(id: NodeId): Node {
  return {
    ...{
      id,
      process: null,
      formerGone: Promise.resolve(),
      number: 0,
      ready: false,
      stopped: false,
      stands: true,
      port: 0,
    },
    ...{ leading: null, slowByMs: 0, held: false, full: false, hasBeenFull: false, save: 'none' },
  };
}

const isFit = ({ ready, stopped, slowByMs, held, full }: Node): boolean =>
  ready && !stopped && slowByMs === 0 && !held && !full;

function subsets<Item>(items: readonly Item[], size: number): Item[][] {
  if (size === 0) return [[]];
  return items.flatMap((item, index) =>
    subsets(items.slice(index + 1), size - 1).map((rest) => [item, ...rest]),
  );
}

function withScheme(addresses: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(addresses).map(([id, address]) => [id, `ws://${address}`]));
}

/** Takes all that is left, to the last page. */
function fill(path: string): void {
  for (const bytes of [2 ** 16, 2 ** 12]) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    }
  }
}
