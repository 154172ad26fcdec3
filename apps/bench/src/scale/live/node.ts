/** A process of a live trial, as it is seen from outside. */

import { fileURLToPath } from 'node:url';
import { type SupervisedProcess, supervise } from '@hustings/servers';
import type { AggregatorLine, AggregatorOrder, NodeLine, NodeOrder } from './lines.js';

const program = (name: string): string =>
  fileURLToPath(new URL(`../../../dist/scale/live/${name}.js`, import.meta.url));

/** Who led an election, from when to when. */
export interface Term {
  readonly node: string;
  readonly election: string;
  readonly token: bigint;
  readonly beganMs: number;
  endedMs: number;
}

/** How much of a core it had, by two lines of its own. */
interface Used {
  readonly cpuMs: number;
  readonly atMs: number;
}

export const shareOf = (before: Used, after: Used): number =>
  (after.cpuMs - before.cpuMs) / (after.atMs - before.atMs);

export class Node {
  readonly id: string;
  readonly terms: Term[] = [];
  readonly #current = new Map<string, Term>();
  failures = 0;
  state: Extract<NodeLine, { type: 'state' }> = { type: 'state', known: 0, standing: 0, cpuMs: 0, atMs: 0 };
  #process: SupervisedProcess | null = null;

  private constructor(id: string) {
    this.id = id;
  }

  static async start(order: NodeOrder): Promise<Node> {
    const node = new Node(order.id);
    node.#process = await supervise(process.execPath, [program('node-process'), JSON.stringify(order)], {
      onLine: (line) => node.#hear(line),
    });
    return node;
  }

  get led(): readonly Term[] {
    return [...this.#current.values()];
  }

  /** What it led until then. */
  kill(atMs: number): readonly Term[] {
    this.#process?.signal('SIGKILL');
    const lost = this.led;
    for (const term of lost) term.endedMs = atMs;
    this.#current.clear();
    return lost;
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
  }

  #hear(text: string): void {
    // Whatever else it prints, such as a warning of the runtime, is no line of ours.
    if (!text.startsWith('{')) return;
    const line = JSON.parse(text) as NodeLine;
    if (line.type === 'state') this.state = line;
    else if (line.type === 'failed') this.failures += 1;
    else if (line.type === 'began') this.#onBegan(line);
    else this.#onEnded(line);
  }

  #onBegan({ election, token, atMs }: Extract<NodeLine, { type: 'began' | 'ended' }>): void {
    const term: Term = {
      ...{ node: this.id, election, token: BigInt(token) },
      ...{ beganMs: atMs, endedMs: Number.POSITIVE_INFINITY },
    };
    this.terms.push(term);
    this.#current.set(election, term);
  }

  #onEnded({ election, atMs }: Extract<NodeLine, { type: 'began' | 'ended' }>): void {
    const term = this.#current.get(election);
    if (term !== undefined) term.endedMs = atMs;
    this.#current.delete(election);
  }
}

export class AggregatorNode {
  state: AggregatorLine | null = null;
  #process: SupervisedProcess | null = null;

  static async start(order: AggregatorOrder): Promise<AggregatorNode> {
    const node = new AggregatorNode();
    const parameters = [program('aggregator-process'), JSON.stringify(order)];
    node.#process = await supervise(process.execPath, parameters, {
      onLine: (line) => {
        if (line.startsWith('{')) node.state = JSON.parse(line) as AggregatorLine;
      },
    });
    return node;
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
  }
}
