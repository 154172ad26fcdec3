/** Processes of what was installed, as a user starts them. None outlives its test. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from '../src/check.js';

const patienceMs = 30_000;

interface Leader {
  readonly id: string;
  readonly token: bigint;
}

interface ExampleNode {
  readonly program: string;
  readonly config: object;
  process: ChildProcess;
}

/** The README's example, once for each program of Node. */
export class ExampleNodes {
  said = '';
  readonly #script: string;
  readonly #directory = mkdtempSync(join(tmpdir(), 'hustings-example-'));
  readonly #nodes = new Map<string, ExampleNode>();

  static async start(script: string, programs: readonly string[]): Promise<ExampleNodes> {
    const nodes = new ExampleNodes(script);
    const ports = await Promise.all(programs.map(freePort));
    const ids = programs.map((_, index) => `node-${index + 1}`);
    const addresses = ids.map((id, index) => [id, `ws://127.0.0.1:${ports[index]}`] as const);
    programs.forEach((program, index) => {
      const id = ids[index]!;
      const peers = Object.fromEntries(addresses.filter(([peer]) => peer !== id));
      const listen = `127.0.0.1:${ports[index]}`;
      const secret = 'a secret of at least sixteen bytes';
      const config = { id, listen, peers, directory: nodes.#directory, secret };
      nodes.#nodes.set(id, { program, config, process: nodes.#spawn(program, config) });
    });
    return nodes;
  }

  private constructor(script: string) {
    this.#script = script;
  }

  /** The first to lead with a greater token. */
  async leaderAfter(token: bigint): Promise<Leader> {
    const found = () => leadersIn(this.said).find((leader) => leader.token > token);
    await until(`somebody leads after ${token}`, patienceMs, () => found() !== undefined);
    return found()!;
  }

  signal(id: string, signal: NodeJS.Signals): void {
    this.#nodes.get(id)?.process.kill(signal);
  }

  async exitCode(id: string): Promise<number | null> {
    const { process } = this.#nodes.get(id)!;
    await until(`${id} has ended`, patienceMs, () => hasEnded(process));
    return process.exitCode;
  }

  async restart(id: string): Promise<void> {
    await this.exitCode(id);
    const node = this.#nodes.get(id)!;
    node.process = this.#spawn(node.program, node.config);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#nodes.values()].map(({ process }) => end(process)));
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #spawn(program: string, config: object): ChildProcess {
    const env = { ...process.env, NODE_CONFIG: JSON.stringify(config) };
    const child = spawn(program, [this.#script], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.said += text;
    });
    return child;
  }
}

function leadersIn(said: string): Leader[] {
  return [...said.matchAll(/^(\S+) leads with token (\d+)$/gm)].map((match) => ({
    id: match[1]!,
    token: BigInt(match[2]!),
  }));
}

/** A program of docs/start, run under several ids in one folder, as its page says. */
export class StartedNodes {
  said = '';
  readonly #script: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #processes = new Map<string, ChildProcess>();

  constructor(script: string, env: Readonly<Record<string, string>> = {}) {
    this.#script = script;
    this.#env = env;
  }

  start(id: string): void {
    const env = { ...process.env, ...this.#env };
    const child = spawn(process.execPath, [this.#script, id], { cwd: dirname(this.#script), env });
    const hear = (text: string): void => {
      this.said += text;
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    this.#processes.set(id, child);
  }

  /** The first to lead with a greater token. */
  async leaderAfter(token: bigint): Promise<Leader> {
    const found = () => leadersIn(this.said).find((leader) => leader.token > token);
    await until(`somebody leads after ${token}`, patienceMs, () => found() !== undefined);
    return found()!;
  }

  async end(id: string, signal: NodeJS.Signals): Promise<void> {
    const child = this.#processes.get(id)!;
    child.kill(signal);
    await until(`${id} has ended`, patienceMs, () => hasEnded(child));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#processes.values()].map(end));
  }
}

/** `hustings sidecar`, or what else answers over HTTP. */
export class Sidecar {
  readonly process: ChildProcess;
  #said = '';

  constructor(bin: string, words: readonly string[]) {
    this.process = spawn(bin, words, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
    });
  }

  /** Waits for that answer. */
  async answers(path: string, status: number): Promise<void> {
    const url = () => /answers at (http:\S+)/.exec(this.#said)?.[1];
    await until('it says where it answers', patienceMs, () => url() !== undefined);
    let last = 0;
    for (const untilMs = performance.now() + patienceMs; last !== status; ) {
      last = (await fetch(`${url()}${path}`)).status;
      if (performance.now() > untilMs) throw new Error(`${path} answers ${last} and not ${status}.`);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return end(this.process);
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
