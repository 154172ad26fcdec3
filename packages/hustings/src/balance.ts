/**
 * Keeps many elections evenly spread over the nodes that stand for them. It cannot make them even at every moment: when a
 * process dies, whoever is next leads, and what is then uneven is set right within seconds.
 *
 * ```ts
 * const spread = balance({
 *   names: partitions,
 *   elector: (name) => session.elector(name),
 *   work: async (name, { token, signal }) => serve({ name, token, signal }),
 * });
 * await spread.stop();
 * ```
 *
 * Who is there is found out by elections as well: each node leads one of a few *seats*.
 *
 * @packageDocumentation
 */

import { createHash } from 'node:crypto';
import { type Elector, InvalidOptionError, type Leadership, lead, type NodeId } from '@hustings/elector';
import {
  callback,
  listOf,
  numberAbove,
  readOptions,
  required,
  show,
  text,
  wholeNumberFrom,
} from '@hustings/elector/options';
import { aborted } from './aborted.js';
import { decide, heirOf, type Move } from './balance-plan.js';

export interface BalanceOptions {
  /** The elections: the same on every node. */
  readonly names: readonly string[];
  /** This node's elector for one of them, or for a seat. It is started and stopped here. */
  readonly elector: (name: string) => Elector;
  /** Runs each time this node leads that election, as with `lead`: when its signal aborts, end it. */
  readonly work: (name: string, leadership: Leadership) => Promise<void>;
  /** How heavy an election is: the same on every node, and asked once. Default 1 for each. */
  readonly weight?: ((name: string) => number) | undefined;
  /** How many nodes there can be: as many elections more, named `seat-1` and so on. Default 16. */
  readonly seats?: number | undefined;
  /** How often it is looked whether something should move. Default 1000. */
  readonly calmMs?: number | undefined;
  /** How many elections a node gives away at a time. Default: one in ten. */
  readonly atOnce?: number | undefined;
  /**
   * Hears what a work or an elector threw. The node stands again, and the others go on. Default: a warning of
   * the process.
   */
  readonly onError?: ((name: string, error: unknown) => void) | undefined;
}

export interface Balance extends AsyncDisposable {
  /** The elections that this node leads. */
  led(): string[];
  /** Who stands, as far as this node knows. */
  nodes(): NodeId[];
  /** Ends all work, and leaves every election. */
  stop(): Promise<void>;
}

const rules = {
  names: required(listOf(text), 'the names of the elections, the same on every node'),
  elector: required(callback, 'such as (name) => session.elector(name)'),
  work: required(callback, 'what runs while this node leads'),
  weight: callback,
  seats: wholeNumberFrom(1),
  calmMs: numberAbove(0),
  atOnce: wholeNumberFrom(1),
  onError: callback,
};

/** Throws `InvalidOptionError`. Begins at once. */
export function balance(given: BalanceOptions): Balance {
  const options = readOptions<BalanceOptions>('balance', given, rules);
  const clash = seatNames(options).find((seat) => options.names.includes(seat));
  if (clash === undefined) return new Balancer(options);
  throw new InvalidOptionError(
    `balance: option 'names' has '${clash}', which is the name of a seat; call that election something else.`,
  );
}

const seatNames = ({ seats = 16 }: BalanceOptions): string[] =>
  Array.from({ length: seats }, (_, index) => `seat-${index + 1}`);

function weightsOf({ names, weight = () => 1 }: BalanceOptions): ReadonlyMap<string, number> {
  return new Map(
    names.map((name) => {
      const given: unknown = weight(name);
      if (typeof given === 'number' && given >= 0 && given < Number.POSITIVE_INFINITY) return [name, given];
      throw new InvalidOptionError(
        `balance: option 'weight' gives ${show(given)} for '${name}'; it must give a number of at least 0.`,
      );
    }),
  );
}

/** How often this node looks before it stands again for what nobody has taken from it. */
const patience = 3;

class Balancer implements Balance {
  readonly #options: BalanceOptions;
  readonly #weights: ReadonlyMap<string, number>;
  readonly #id: NodeId;
  readonly #posts: ReadonlyMap<string, Post>;
  readonly #seats: readonly Post[];
  readonly #timer: NodeJS.Timeout;
  /** What this node has given away, and for how many looks it waits for somebody to take it. */
  readonly #given = new Map<string, number>();
  /** Behind which leader, and with whom, this node has lined up. */
  readonly #linedUp = new Map<string, string>();
  #intended: readonly Move[] = [];
  #stopped: Promise<void> | null = null;

  constructor(options: BalanceOptions) {
    const { names, elector, work, calmMs = 1000, onError = warn } = options;
    const seats = seatNames(options);
    this.#options = options;
    this.#weights = weightsOf(options);
    // All of them before the first begins: if one cannot be had, nothing is left running.
    const electors = new Map([...seats, ...names].map((name) => [name, elector(name)]));
    const open = (name: string, run: Post['work']) =>
      new Post(name, electors.get(name)!, run, (error) => onError(name, error));
    this.#seats = seats.map((name) => open(name, untilAborted));
    this.#id = this.#seats[0]!.elector.id;
    // Each node begins elsewhere, so that of several that start together each is first in some.
    const order = names.toSorted((left, right) => (hash(this.#id, left) < hash(this.#id, right) ? -1 : 1));
    this.#posts = new Map(order.map((name) => [name, open(name, (leadership) => work(name, leadership))]));
    for (const post of this.#posts.values()) post.stand();
    this.#look();
    this.#timer = setInterval(() => this.#look(), calmMs);
  }

  led(): string[] {
    return [...this.#posts.values()].flatMap(({ name, isLed }) => (isLed ? [name] : []));
  }

  nodes(): NodeId[] {
    const seen = [...this.#seats, ...this.#posts.values()].flatMap(({ leaderId }) => leaderId ?? []);
    return [...new Set([this.#id, ...seen])];
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#seats, ...this.#posts.values()].map((post) => post.close()));
  }

  #look(): void {
    this.#takeSeat();
    const { names, atOnce = Math.ceil(names.length / 10) } = this.#options;
    const leaders = new Map([...this.#posts.values()].map(({ name, leaderId }) => [name, leaderId]));
    const situation = { nodes: this.nodes(), leaders, weightOf: (name: string) => this.#weights.get(name)! };
    const decision = decide(this.#id, situation, this.#intended, atOnce);
    this.#intended = decision.intended;
    for (const move of decision.handOver) this.#given.set(move.election, patience);
    const targets = new Map(decision.handOver.map(({ election, to }) => [election, to]));
    for (const post of this.#posts.values()) {
      if (this.#isGiven(post) || decision.standBack.has(post.name)) post.standBack(targets.get(post.name));
      else post.stand();
    }
    if (decision.isEven) this.#lineUp(situation.nodes, atOnce);
  }

  /**
   * Where the next leader is the next in line, whoever is not meant to be goes to the end of it: once for each
   * leader that it waits behind.
   */
  #lineUp(nodes: readonly NodeId[], atOnce: number): void {
    let left = atOnce;
    for (const post of this.#posts.values()) {
      const { leaderId, name } = post;
      if (left === 0 || leaderId === null || leaderId === this.#id || !post.isInLine) continue;
      const behind = [leaderId, ...nodes.toSorted()].join('\n');
      if (this.#linedUp.get(name) === behind) continue;
      this.#linedUp.set(name, behind);
      if (heirOf(name, nodes, leaderId) === this.#id) continue;
      post.standBack();
      post.stand();
      left -= 1;
    }
  }

  /** Until somebody else has it, or nobody wants it. */
  #isGiven({ name, leaderId }: Post): boolean {
    const left = this.#given.get(name);
    if (left === undefined) return false;
    const isTaken = leaderId !== null && leaderId !== this.#id;
    if (isTaken || left === 0) this.#given.delete(name);
    else this.#given.set(name, left - 1);
    return !isTaken && left > 0;
  }

  /** Sits on the first that is free, and on no other. */
  #takeSeat(): void {
    const own = this.#seats.find(({ isLed }) => isLed);
    const free = own ?? this.#seats.find(({ leaderId }) => leaderId === null);
    for (const seat of this.#seats) {
      if (seat === free) seat.stand();
      else seat.standBack();
    }
  }
}

/** This node's part in one election: it stands, leads and works, or stands back. */
class Post {
  readonly name: string;
  readonly elector: Elector;
  readonly work: (leadership: Leadership) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #watching = new AbortController();
  #standing: AbortController | null = null;
  #running: Promise<void> = Promise.resolve();
  #leaderId: NodeId | null = null;
  #successor: NodeId | undefined;

  constructor(name: string, elector: Elector, work: Post['work'], onError: (error: unknown) => void) {
    this.name = name;
    this.elector = elector;
    this.work = work;
    this.#onError = onError;
    void this.#watch();
    // Also where it does not stand it must hear who leads.
    elector.start().catch((error) => this.#tell(error));
  }

  get leaderId(): NodeId | null {
    return this.#leaderId;
  }

  get isLed(): boolean {
    return this.elector.belief().role === 'leader';
  }

  get isInLine(): boolean {
    return this.#standing !== null && this.elector.guarantees.orderedSuccession;
  }

  stand(): void {
    if (this.#standing !== null || this.#watching.signal.aborted) return;
    const standing = new AbortController();
    this.#standing = standing;
    this.#running = this.#running.then(() => this.#stand(standing));
  }

  /** To a successor, where the elector can name one. The work ends first. */
  standBack(to?: NodeId): void {
    if (this.#standing === null) return;
    this.#successor = this.elector.guarantees.targetedTransfer ? to : undefined;
    this.#standing.abort();
    this.#standing = null;
  }

  async close(): Promise<void> {
    this.standBack();
    this.#watching.abort();
    await this.#running;
    await this.elector.stop();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#watching;
    for await (const { leaderId } of this.elector.observe({ signal })) this.#leaderId = leaderId;
  }

  async #stand(standing: AbortController): Promise<void> {
    const { signal } = standing;
    try {
      await lead(this.elector, (leadership) => this.#work(leadership, signal), { signal });
    } catch (error) {
      if (!signal.aborted) this.#tell(error);
    }
    // At the next look it stands again.
    if (this.#standing === standing) this.#standing = null;
  }

  #tell(error: unknown): void {
    // An elector that is stopped while it starts says so.
    if (this.#watching.signal.aborted) return;
    // A broken listener must not break the election, whether it throws or its promise is rejected.
    (async () => this.#onError(error))().catch(() => {});
  }

  async #work(leadership: Leadership, standing: AbortSignal): Promise<void> {
    try {
      await this.work(leadership);
      // Work that returns has nothing more to do, but this node leads all the same.
      await aborted(leadership.signal);
    } finally {
      const to = this.#successor;
      if (standing.aborted && to !== undefined) await this.elector.resign({ to });
    }
  }
}

const warn = (name: string, error: unknown): void =>
  process.emitWarning(
    `${name}: ${error instanceof Error ? error.message : String(error)}`,
    'HustingsWarning',
  );

const untilAborted = ({ signal }: Leadership): Promise<void> => aborted(signal);

const hash = (id: NodeId, name: string): string =>
  createHash('sha256').update(`${id}\n${name}`).digest('hex');
