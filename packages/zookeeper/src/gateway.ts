/**
 * Joins the elector to a real ensemble, ZooKeeper 3.5 or newer: a transport whose only peer is the ensemble. It
 * turns each message into calls of the `zookeeper` client, and what comes back into messages. It decides nothing
 * and repeats nothing: that is the protocol's part.
 *
 * The client is native code, which runs on this thread. What is known to be dangerous about it is kept in here.
 *
 * @packageDocumentation
 */

import type { ConnectionOptions } from 'node:tls';
import { InvalidOptionError, type NodeId } from '@hustings/elector';
import type { Transport, TransportHandlers } from '@hustings/transport';
import {
  type Acl,
  type ClientClass,
  codes,
  failureOf,
  flags,
  loadClient,
  type NativeClient,
  type Stat,
} from './gateway-client.js';
import { Relay } from './gateway-relay.js';
import type { ZooKeeperMessage, ZooKeeperReply, ZooKeeperRequest } from './messages.js';

/** Something an operator would want to know. */
export type ZooKeeperDiagnostic =
  | { readonly type: 'connected'; readonly session: string; readonly sessionTimeoutMs: number }
  /** The session may live on, and is tried at another member. */
  | { readonly type: 'disconnected'; readonly session: string }
  | { readonly type: 'expired'; readonly session: string }
  /** A member could not be reached, or did not answer; the next one is tried. */
  | { readonly type: 'unreachable'; readonly host: string; readonly error: Error }
  /** The ensemble does not accept the credentials. It is tried again, but not in a hurry. */
  | { readonly type: 'authentication-failed' }
  /** The event loop stood still for so long that the session may have ended meanwhile. */
  | { readonly type: 'stalled'; readonly forMs: number }
  /** What the client itself would have printed. */
  | { readonly type: 'client'; readonly line: string };

export interface ZooKeeperGatewayOptions {
  readonly id: NodeId;
  /** All members: `10.0.0.1:2181,10.0.0.2:2181`. A path at the end, `…/app`, is prefixed to every path. */
  readonly hosts: string;
  /** For members that listen on a `secureClientPort`: which authority to trust, and this node's own key and chain. */
  readonly tls?: ConnectionOptions;
  /** For example `{ scheme: 'digest', credentials: 'user:password' }`. */
  readonly auth?: { readonly scheme: string; readonly credentials: string };
  /** Who may do what with the election's path and the znodes in it; anybody everything if it is left out. */
  readonly acl?: readonly Acl[];
  readonly onDiagnostic?: (diagnostic: ZooKeeperDiagnostic) => void;
  /** Whether what the client does is reported, line by line, as diagnostics of type `client`. */
  readonly verbose?: boolean;
  /** The name under which the protocol knows ZooKeeper. Default `zookeeper`. */
  readonly coordinator?: NodeId;
}

export type { Acl } from './gateway-client.js';

/** A node that is stopped does not start again: create another gateway. */
export function zookeeperGateway(options: ZooKeeperGatewayOptions): Transport<ZooKeeperMessage> {
  return new Gateway(options);
}

type ConnectRequest = Extract<ZooKeeperRequest, { type: 'connect' }>;

/** How long to wait after credentials were refused, and before the same members are tried again. */
const refusedPauseMs = 1000;
const retryPauseMs = 20;
/** How often the event loop is checked for having stood still. */
const stallCheckMs = 100;
/** A member has a quarter of the session to answer a greeting, within these bounds. */
const greetingMs = { min: 200, max: 2000 };

/** What makes a session ours: whoever knows both can move it to another connection. */
interface Credentials {
  readonly session: string;
  readonly password: string;
}

class Gateway implements Transport<ZooKeeperMessage> {
  readonly id: NodeId;
  readonly #options: ZooKeeperGatewayOptions;
  readonly #coordinator: NodeId;
  readonly #hosts: readonly Host[];
  #Client: ClientClass | null = null;
  #handlers: TransportHandlers<ZooKeeperMessage> | null = null;
  #phase: 'new' | 'running' | 'stopped' = 'new';
  /** The session, from its opening to its end; it outlives connections. */
  #credentials: Credentials | null = null;
  #connection: Connection | null = null;
  /** The last `connect`, until it is answered. */
  #request: ConnectRequest | null = null;
  #isDialling = false;
  #nextHost: number;
  #notBeforeMs = 0;
  #pause: NodeJS.Timeout | undefined;
  #stallCheck: NodeJS.Timeout | undefined;

  constructor(options: ZooKeeperGatewayOptions) {
    this.#hosts = readHosts(options.hosts);
    this.id = options.id;
    this.#options = options;
    this.#coordinator = options.coordinator ?? 'zookeeper';
    // So that not everyone begins with the same member.
    this.#nextHost = Math.floor(Math.random() * this.#hosts.length);
  }

  async start(handlers: TransportHandlers<ZooKeeperMessage>): Promise<void> {
    if (this.#phase !== 'new') {
      throw new InvalidOptionError(`Transport ${this.id} starts only once; create another one.`);
    }
    this.#phase = 'running';
    this.#handlers = handlers;
    this.#Client = await loadClient();
    this.#watchForStalls();
  }

  send(to: NodeId, message: ZooKeeperMessage): void {
    if (this.#phase !== 'running' || this.#Client === null || to !== this.#coordinator) return;
    const request = message as ZooKeeperRequest;
    if (this.#credentials?.session !== request.session && request.session !== null) {
      this.#deliver({ type: 'expired', session: request.session });
    } else if (request.type === 'connect') this.#connect(request);
    else if (this.#connection !== null) this.#connection.carryOut(request);
    else {
      const detail = 'not connected';
      this.#deliver({ type: 'failed', id: request.id, reason: 'connection-loss', detail });
    }
  }

  async stop(): Promise<void> {
    if (this.#phase === 'stopped') return;
    this.#phase = 'stopped';
    this.#handlers = null;
    clearTimeout(this.#pause);
    clearInterval(this.#stallCheck);
    await this.#connection?.close();
    this.#connection = null;
  }

  /** Whoever asks while there is a connection has lost patience with it: another member may be quicker. */
  #connect(request: ConnectRequest): void {
    this.#request = request;
    this.#connection?.abandon();
    this.#connection = null;
    if (!this.#isDialling) void this.#dial(request.sessionTimeoutMs);
  }

  /**
   * Tries one member after the other. Each attempt, and each connection, has a client object of its own: left to
   * itself the client sometimes waits on a socket that it has closed, and then reports that the session has
   * expired, although it has not.
   */
  async #dial(sessionTimeoutMs: number): Promise<void> {
    this.#isDialling = true;
    for (let tried = 1; this.#phase === 'running' && this.#connection === null; tried += 1) {
      await this.#wait(Math.max(this.#notBeforeMs - performance.now(), 0));
      const host = this.#hosts[this.#nextHost % this.#hosts.length]!;
      this.#nextHost += 1;
      const outcome = await this.#greet(host, sessionTimeoutMs);
      if (outcome === 'ended') break;
      if (outcome === 'failed' && tried % this.#hosts.length === 0) await this.#wait(retryPauseMs);
    }
    this.#isDialling = false;
  }

  async #greet(host: Host, sessionTimeoutMs: number): Promise<'connected' | 'failed' | 'ended'> {
    const patienceMs = Math.min(Math.max(sessionTimeoutMs / 4, greetingMs.min), greetingMs.max);
    const relay = await this.#reach(host, patienceMs);
    if (this.#phase !== 'running') {
      relay?.break();
      return 'ended';
    }
    if (relay === null) return 'failed';
    const address = `${relay.address}${host.root}`;
    const connection = new Connection(
      this.#Client!,
      { relay, address, sessionTimeoutMs, credentials: this.#credentials },
      this.#options,
      {
        deliver: (reply) => {
          if (this.#connection === connection) this.#deliver(reply);
        },
        diagnose: (diagnostic) => this.#diagnose(diagnostic),
        lost: () => this.#onLost(connection, sessionTimeoutMs),
      },
    );
    const outcome = await connection.opened(patienceMs);
    if (this.#phase !== 'running') {
      await connection.close();
      return 'ended';
    }
    if (outcome === 'connected') this.#onConnected(connection);
    else connection.abandon();
    if (outcome === 'expired') this.#onExpired();
    if (outcome === 'refused') this.#onRefused();
    return outcome === 'connected' ? outcome : outcome === 'expired' ? 'ended' : 'failed';
  }

  async #reach({ name, port }: Host, patienceMs: number): Promise<Relay | null> {
    const { tls } = this.#options;
    try {
      return await Relay.open({ host: name, port, ...(tls === undefined ? {} : { tls }) }, patienceMs);
    } catch (error) {
      this.#diagnose({ type: 'unreachable', host: `${name}:${port}`, error: error as Error });
      return null;
    }
  }

  #onConnected(connection: Connection): void {
    const { credentials, sessionTimeoutMs } = connection;
    this.#connection = connection;
    this.#credentials = credentials;
    const { session } = credentials;
    this.#deliver({ type: 'connected', id: this.#request?.id ?? null, session, sessionTimeoutMs });
    this.#request = null;
    this.#diagnose({ type: 'connected', session, sessionTimeoutMs });
  }

  #onLost(connection: Connection, sessionTimeoutMs: number): void {
    if (this.#connection !== connection || this.#credentials === null) return;
    const { session } = this.#credentials;
    this.#connection = null;
    this.#deliver({ type: 'disconnected', session });
    this.#diagnose({ type: 'disconnected', session });
    if (!this.#isDialling) void this.#dial(sessionTimeoutMs);
  }

  #onExpired(): void {
    if (this.#credentials === null) return;
    const { session } = this.#credentials;
    this.#credentials = null;
    this.#request = null;
    this.#deliver({ type: 'expired', session });
    this.#diagnose({ type: 'expired', session });
  }

  #onRefused(): void {
    this.#notBeforeMs = performance.now() + refusedPauseMs;
    this.#diagnose({ type: 'authentication-failed' });
  }

  /** Never from inside `send`, and never from inside the client's own code. */
  #deliver(reply: ZooKeeperReply): void {
    setImmediate(() => this.#handlers?.received(this.#coordinator, reply));
  }

  #diagnose(diagnostic: ZooKeeperDiagnostic): void {
    try {
      this.#options.onDiagnostic?.(diagnostic);
    } catch {
      // A broken listener must not break the election.
    }
  }

  #wait(ms: number): Promise<void> {
    if (ms === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#pause = setTimeout(resolve, ms);
    });
  }

  #watchForStalls(): void {
    let lastMs = performance.now();
    this.#stallCheck = setInterval(() => {
      const nowMs = performance.now();
      const forMs = nowMs - lastMs - stallCheckMs;
      lastMs = nowMs;
      const sessionTimeoutMs = this.#connection?.sessionTimeoutMs ?? 0;
      if (sessionTimeoutMs > 0 && forMs > sessionTimeoutMs / 3) this.#diagnose({ type: 'stalled', forMs });
    }, stallCheckMs);
    this.#stallCheck.unref();
  }
}

interface Host {
  readonly name: string;
  readonly port: number;
  /** The path that is prefixed to every path; empty for none. */
  readonly root: string;
}

function readHosts(hosts: string): Host[] {
  const [, members = '', root = ''] = /^([^/]*)(\/.*)?$/.exec(hosts.trim()) ?? [];
  const names = members
    .split(',')
    .map((host) => host.trim())
    .filter((host) => host !== '');
  if (names.length === 0) {
    throw new InvalidOptionError("'hosts' must name at least one member of the ensemble.");
  }
  return names.map((host) => {
    // An address of IPv6 is in brackets.
    const [, bracketed, plain = '', port = '2181'] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(host) ?? [];
    const name = bracketed ?? plain;
    if (name === '') throw new InvalidOptionError(`'${host}' in 'hosts' is not of the form name:port.`);
    return { name, port: Number(port), root };
  });
}

type Opening = 'connected' | 'failed' | 'expired' | 'refused';

interface Listener {
  deliver(reply: ZooKeeperReply): void;
  diagnose(diagnostic: ZooKeeperDiagnostic): void;
  lost(): void;
}

type Request = Exclude<ZooKeeperRequest, ConnectRequest>;
type Callback<Results extends readonly unknown[]> = (
  code: number,
  error: string,
  ...results: Results
) => void;

/** How long a member may take to answer a farewell before it is left without an answer. */
const farewellMs = 500;
/** How long the client may take to notice that its connection is gone. */
const noticeMs = 50;

interface Way {
  readonly relay: Relay;
  /** The relay's, with the path that is prefixed to every path. */
  readonly address: string;
  readonly sessionTimeoutMs: number;
  /** The session to be resumed; null for a new one. */
  readonly credentials: Credentials | null;
}

/** One client object: one connection to one member, or the attempt at one. */
class Connection {
  readonly #client: NativeClient;
  readonly #relay: Relay;
  readonly #options: ZooKeeperGatewayOptions;
  readonly #listener: Listener;
  readonly #opening: Promise<Opening>;
  /** Paths whose deletion, or whose children's next change, the server will tell of. */
  readonly #watched = new Set<string>();
  #session = '';
  #isConnected = false;
  #isOver = false;
  /** The client has freed itself. */
  #isClosed = false;
  #settle: (opening: Opening) => void = () => {};

  constructor(
    Client: ClientClass,
    { relay, address, sessionTimeoutMs, credentials }: Way,
    options: ZooKeeperGatewayOptions,
    listener: Listener,
  ) {
    this.#relay = relay;
    this.#options = options;
    this.#listener = listener;
    this.#opening = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#client = new Client({
      connect: address,
      timeout: sessionTimeoutMs,
      // Its own log goes to standard output, so it is kept silent; see `verbose`.
      debug_level: 0,
      host_order_deterministic: true,
      data_as_buffer: true,
      // When it has been woken this often for nothing, the client takes the session for expired. It is not.
      response_counter_limit: 2 ** 31 - 1,
      ...(credentials === null
        ? {}
        : { client_id: credentials.session, client_password: credentials.password }),
    });
    if (options.verbose) {
      this.#client.setLogger((line) => listener.diagnose({ type: 'client', line: String(line) }));
    }
    this.#client.on('connect', () => this.#onConnected());
    this.#client.on('connecting', () => this.#onDisconnected());
    this.#client.on('close', (_client, code) => this.#onClosed(Number(code)));
    this.#client.on('error', () => {});
    this.#client.init({});
    const { auth } = options;
    if (auth !== undefined) this.#client.add_auth(auth.scheme, auth.credentials, () => {});
  }

  get credentials(): Credentials {
    return { session: this.#session, password: this.#client.client_password };
  }

  get sessionTimeoutMs(): number {
    return this.#isConnected ? this.#client.timeout : 0;
  }

  /** What has become of the attempt; `failed` if that is not known in time. */
  async opened(patienceMs: number): Promise<Opening> {
    const timeout = setTimeout(() => this.#settle('failed'), patienceMs);
    const opening = await this.#opening;
    clearTimeout(timeout);
    return opening;
  }

  carryOut(request: Request): void {
    const { id } = request;
    if (!this.#isConnected) this.#fail(id, codes.connectionLoss, 'not connected');
    else if (request.type === 'ensure') this.#ensure(id, request.path.split('/').slice(1), '');
    else if (request.type === 'create') this.#create(request);
    else if (request.type === 'children') this.#children(request);
    else if (request.type === 'get') this.#get(request);
    else if (request.type === 'delete') this.#delete(request);
    else if (request.type === 'ping') this.#ping(request);
    else this.#prove(request);
  }

  /** Ends the session, so that its znodes go at once; or, if the member does not answer, lets it run out. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isConnected) await this.#relay.farewell(farewellMs);
    await this.#breakOff();
  }

  /** Lets go of the connection, and leaves the session as it is. */
  abandon(): void {
    if (this.#isClosed) return;
    this.#isOver = true;
    void this.#breakOff();
  }

  /** Without a connection the client has nobody to say farewell to, and no answer to wait for. */
  async #breakOff(): Promise<void> {
    this.#relay.break();
    if (this.#isConnected) {
      await new Promise<void>((resolve) => {
        const timeout = setTimeout(resolve, noticeMs);
        this.#client.on('connecting', () => {
          clearTimeout(timeout);
          resolve();
        });
      });
    }
    await this.#release();
  }

  /** Never from inside one of the client's own callbacks: it frees what they return to. */
  #release(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        if (!this.#isClosed) this.#client.close();
        this.#isClosed = true;
        this.#relay.break();
        resolve();
      });
    });
  }

  // ---- Requests -------------------------------------------------------------------------------------

  #ensure(id: number, [part, ...rest]: readonly string[], above: string): void {
    if (part === undefined) {
      this.#listener.deliver({ type: 'done', id });
      return;
    }
    const path = `${above}/${part}`;
    this.#try(id, () =>
      this.#client.a_create(path, '', flags.container, (code, error) => {
        if (this.#isOver) return;
        // What is above the election's own path is shared with others, who could not use it otherwise.
        if (code === codes.ok && rest.length === 0)
          this.#protect(id, path, () => this.#ensure(id, rest, path));
        else if (code === codes.ok) this.#ensure(id, rest, path);
        else if (code === codes.nodeExists) this.#ensure(id, rest, path);
        else this.#fail(id, code, error);
      }),
    );
  }

  #create({ id, path, data }: Extract<Request, { type: 'create' }>): void {
    this.#try(id, (deliver) =>
      this.#client.a_create(
        path,
        data,
        flags.ephemeralSequential,
        this.#guard(id, (created: string) =>
          this.#protect(id, created, () =>
            // The client does not say at which zxid it was created.
            this.#try(id, () =>
              this.#client.a_exists(
                created,
                false,
                this.#guard(id, (stat: Stat) =>
                  this.#withZxid(id, stat, (czxid) => deliver({ type: 'created', id, path: created, czxid })),
                ),
              ),
            ),
          ),
        ),
      ),
    );
  }

  /** The client creates every znode open to all, so there is a moment before it is protected. */
  #protect(id: number, path: string, done: () => void): void {
    const { acl } = this.#options;
    if (acl === undefined) done();
    else this.#try(id, () => this.#client.a_set_acl(path, -1, acl, this.#guard(id, done)));
  }

  #children({ id, path, watch }: Extract<Request, { type: 'children' }>): void {
    const deliver = this.#guard(id, (names: readonly string[]) =>
      this.#listener.deliver({ type: 'listed', id, names }),
    );
    const watcher = watch ? this.#watcher('children', path) : null;
    this.#try(id, () =>
      watcher === null
        ? this.#client.a_get_children(path, false, deliver)
        : this.#client.aw_get_children(path, watcher, deliver),
    );
  }

  #get({ id, path, watch }: Extract<Request, { type: 'get' }>): void {
    const deliver = this.#guard(id, (stat: Stat, data: Buffer | string | null) =>
      this.#withZxid(id, stat, (czxid) =>
        this.#listener.deliver({
          type: 'got',
          id,
          data: data === null ? '' : data.toString(),
          czxid,
          owner: stat.ephemeralOwner,
        }),
      ),
    );
    const watcher = watch ? this.#watcher('data', path) : null;
    this.#try(id, () =>
      watcher === null
        ? this.#client.a_get(path, false, deliver)
        : this.#client.aw_get(path, watcher, deliver),
    );
  }

  #delete({ id, path }: Extract<Request, { type: 'delete' }>): void {
    this.#try(id, (deliver) =>
      this.#client.a_delete_(
        path,
        -1,
        this.#guard(id, () => deliver({ type: 'done', id })),
      ),
    );
  }

  #ping({ id, path }: Extract<Request, { type: 'ping' }>): void {
    this.#try(id, (deliver) =>
      this.#client.a_exists(path, false, (code, error) => {
        if (this.#isOver) return;
        if (code === codes.ok || code === codes.noNode)
          deliver({ type: 'pong', id, exists: code === codes.ok });
        else this.#fail(id, code, error);
      }),
    );
  }

  /**
   * Writes over a version that no znode has. ZooKeeper checks the session, the znode and the version, in this
   * order, agrees that nothing changes, and says so. No watch fires.
   */
  #prove({ type, id, path }: Extract<Request, { type: 'confirm' | 'prove' }>): void {
    const answer = type === 'confirm' ? 'confirmed' : 'proven';
    this.#try(id, (deliver) =>
      this.#client.a_set(path, '', impossibleVersion, (code, error) => {
        if (this.#isOver) return;
        if (code === codes.badVersion || code === codes.noNode)
          deliver({ type: answer, id, exists: code === codes.badVersion });
        else this.#fail(id, code, error);
      }),
    );
  }

  // ---- Watches --------------------------------------------------------------------------------------

  /** Null if the path is watched already: the server tells once, but the client would tell each watcher. */
  #watcher(kind: 'data' | 'children', path: string): ((type: number) => void) | null {
    const key = `${kind} ${path}`;
    if (this.#watched.has(key)) return null;
    this.#watched.add(key);
    return (type) => {
      // The client tells every watcher of every change of the connection as well.
      if (this.#isOver || !this.#watched.has(key)) return;
      if (type === events.deleted) {
        this.#watched.delete(key);
        this.#listener.deliver({ type: 'node-deleted', session: this.#session, path });
      } else if (type === events.child) {
        this.#watched.delete(key);
        this.#listener.deliver({ type: 'children-changed', session: this.#session, path });
      } else if (type === events.changed) {
        // Somebody has written to it. That uses the watch up, so it is set again.
        this.#watched.delete(key);
        const again = this.#watcher(kind, path);
        if (again !== null) this.#client.aw_get(path, again, (code) => this.#onWatchedAgain(code, key, path));
      }
    };
  }

  #onWatchedAgain(code: number, key: string, path: string): void {
    if (this.#isOver || code !== codes.noNode) return;
    this.#watched.delete(key);
    this.#listener.deliver({ type: 'node-deleted', session: this.#session, path });
  }

  // ---- The connection -------------------------------------------------------------------------------

  #onConnected(): void {
    if (this.#isOver) return;
    this.#isConnected = true;
    // A string, although it is declared to be a number.
    this.#session = String(this.#client.client_id);
    this.#settle('connected');
  }

  #onDisconnected(): void {
    this.#isConnected = false;
    if (this.#isOver) return;
    this.abandon();
    this.#listener.lost();
  }

  /** The session is over, or the credentials were refused: the client has closed itself. */
  #onClosed(code: number): void {
    this.#isClosed = true;
    this.#relay.break();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settle(code === codes.authenticationFailed ? 'refused' : 'expired');
    if (this.#isConnected) this.#listener.lost();
    this.#isConnected = false;
  }

  // ---- Small words ----------------------------------------------------------------------------------

  /** A callback that is deaf after the end, and turns failures into messages. */
  #guard<Results extends readonly unknown[]>(
    id: number,
    onSuccess: (...results: Results) => void,
  ): Callback<Results> {
    return (code, error, ...results) => {
      if (this.#isOver) return;
      if (code === codes.ok) onSuccess(...results);
      else this.#fail(id, code, error);
    };
  }

  /** The client says no at once when it knows that it cannot send, and then never calls back. */
  #try(id: number, call: (deliver: (reply: ZooKeeperReply) => void) => number): void {
    const code = call((reply) => this.#listener.deliver(reply));
    if (code !== codes.ok) this.#fail(id, code, 'not sent');
  }

  #fail(id: number, code: number, detail: string): void {
    this.#listener.deliver({ type: 'failed', id, ...failureOf(code, detail) });
  }

  /** Zxids arrive as JavaScript numbers. One that was rounded is worth nothing as a token. */
  #withZxid(id: number, { czxid }: Stat, use: (czxid: number) => void): void {
    if (Number.isSafeInteger(czxid)) use(czxid);
    else this.#fail(id, codes.badArguments, `the zxid ${czxid} is larger than JavaScript can hold exactly`);
  }
}

/** Versions count from 0, and a znode would have to be written 2^31 − 1 times to reach it. */
const impossibleVersion = 2 ** 31 - 1;

const events = { deleted: 2, changed: 3, child: 4 } as const;
