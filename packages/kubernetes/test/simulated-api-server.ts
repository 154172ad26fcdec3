import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * As much of a kube-apiserver as Leases need, over real HTTP. `facts.ts` holds it and a real one to the same facts.
 * Its wall clock plays no part: neither does the real one's.
 */
export class SimulatedApiServer {
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response));
  readonly #leases = new Map<string, Stored>();
  readonly #watchers = new Set<Watcher>();
  readonly #sockets = new Set<Socket>();
  #revision = 100;
  #port = 0;
  #paused: (() => void)[] | null = null;

  constructor() {
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#watchers.clear();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** What it has stored is in etcd, and stays. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Requests wait, and are carried out when it resumes, whoever has given up meanwhile. */
  pause(): () => void {
    this.#paused = [];
    return () => {
      const waiting = this.#paused ?? [];
      this.#paused = null;
      for (const resume of waiting) resume();
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (this.#paused !== null) await new Promise<void>((resolve) => this.#paused?.push(resolve));
    const url = new URL(request.url ?? '/', this.url);
    const [, namespace = '', name] = /namespaces\/([^/]+)\/leases(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
    if (url.searchParams.has('watch')) return this.#watch(url, namespace, response);
    const answer = this.#carryOut(request.method ?? 'GET', namespace, name, body);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.object));
  }

  #carryOut(method: string, namespace: string, name: string | undefined, body: string): Answer {
    if (method === 'GET') return this.#get(`${namespace}/${name}`);
    if (method === 'DELETE') return this.#delete(`${namespace}/${name}`);
    const given: Stored = JSON.parse(body);
    const complaint = complaintAbout(given);
    if (complaint !== null) return complaint;
    return method === 'POST' ? this.#create(namespace, given) : this.#replace(namespace, name ?? '', given);
  }

  #get(key: string): Answer {
    const found = this.#leases.get(key);
    return found === undefined
      ? status(404, 'NotFound', `leases "${key}" not found`)
      : { status: 200, object: found };
  }

  #delete(key: string): Answer {
    const found = this.#leases.get(key);
    if (found === undefined) return status(404, 'NotFound', `leases "${key}" not found`);
    this.#leases.delete(key);
    this.#revision += 1;
    this.#tell(key, 'DELETED', found);
    return { status: 200, object: found };
  }

  #create(namespace: string, given: Stored): Answer {
    const key = `${namespace}/${given.metadata.name}`;
    if (this.#leases.has(key)) return status(409, 'AlreadyExists', `leases "${key}" already exists`);
    return { status: 201, object: this.#store(key, given, 'ADDED') };
  }

  #replace(namespace: string, name: string, given: Stored): Answer {
    const key = `${namespace}/${name}`;
    const present = this.#leases.get(key);
    const { resourceVersion } = given.metadata;
    if (resourceVersion === undefined) {
      return status(422, 'Invalid', 'metadata.resourceVersion: must be specified for an update');
    }
    if (present === undefined) return status(404, 'NotFound', `leases "${key}" not found`);
    if (present.metadata.resourceVersion !== resourceVersion) {
      return status(409, 'Conflict', 'the object has been modified');
    }
    const isSame = canonical(present) === canonical(given);
    return { status: 200, object: isSame ? present : this.#store(key, given, 'MODIFIED') };
  }

  #store(key: string, given: Stored, type: string): Stored {
    this.#revision += 1;
    const stored = { ...given, metadata: { ...given.metadata, resourceVersion: `${this.#revision}` } };
    this.#leases.set(key, stored);
    this.#tell(key, type, stored);
    return stored;
  }

  #watch(url: URL, namespace: string, response: ServerResponse): void {
    const name = (url.searchParams.get('fieldSelector') ?? '').replace('metadata.name=', '');
    const watcher = { key: `${namespace}/${name}`, response };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const seconds = Number(url.searchParams.get('timeoutSeconds') ?? 1800);
    const timer = setTimeout(() => response.end(), seconds * 1000);
    response.on('close', () => {
      clearTimeout(timer);
      this.#watchers.delete(watcher);
    });
    this.#watchers.add(watcher);
    const present = this.#leases.get(watcher.key);
    const since = Number(url.searchParams.get('resourceVersion') ?? 0);
    if (present !== undefined && Number(present.metadata.resourceVersion) > since) {
      this.#tell(watcher.key, 'MODIFIED', present);
    }
  }

  #tell(key: string, type: string, object: Stored): void {
    for (const watcher of this.#watchers) {
      if (watcher.key === key) watcher.response.write(`${JSON.stringify({ type, object })}\n`);
    }
  }
}

interface Stored {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

interface Watcher {
  readonly key: string;
  readonly response: ServerResponse;
}

interface Answer {
  readonly status: number;
  readonly object: object;
}

const status = (code: number, reason: string, message: string): Answer => ({
  status: code,
  object: { kind: 'Status', status: 'Failure', reason, message, code },
});

const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

function complaintAbout({ metadata, spec = {} }: Stored): Answer | null {
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(metadata.name)) {
    return status(422, 'Invalid', 'metadata.name: Invalid value');
  }
  for (const field of ['acquireTime', 'renewTime']) {
    const time = spec[field];
    if (time !== undefined && !microTime.test(`${time}`))
      return status(400, 'BadRequest', `cannot parse "${time}"`);
  }
  const duration = spec['leaseDurationSeconds'];
  if (duration !== undefined && !(Number.isInteger(duration) && Number(duration) > 0)) {
    return status(422, 'Invalid', 'spec.leaseDurationSeconds: must be greater than 0');
  }
  return null;
}

/** What two objects say, whatever the order of their fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
