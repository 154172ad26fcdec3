/**
 * Joins the elector to a real ensemble, ZooKeeper 3.5 or newer: a transport whose only peer is the ensemble. It
 * turns each message into calls of the `zookeeper` client, and what comes back into messages. It decides nothing
 * and repeats nothing: that is the protocol's part.
 *
 * The client is native code, which runs on this thread. What is known to be dangerous about it is kept in here.
 *
 * @packageDocumentation
 */

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
import type { ZooKeeperMessage, ZooKeeperReply, ZooKeeperRequest } from './messages.js';

/** Something an operator would want to know. */
export type ZooKeeperDiagnostic =
  | { readonly type: 'connected'; readonly session: string; readonly sessionTimeoutMs: number }
  | { readonly type: 'disconnected'; readonly session: string }
  | { readonly type: 'expired'; readonly session: string }
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
  /** For example `{ scheme: 'digest', credentials: 'user:password' }`. */
  readonly auth?: { readonly scheme: string; readonly credentials: string };
  /** Who may do what with the znodes that this node creates; anybody everything if it is left out. */
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

/** How long to wait after credentials were refused. */
const refusedPauseMs = 1000;
/** How often the event loop is checked for having stood still. */
const stallCheckMs = 100;
/**
 * How long a member may take to show that it is there before it is left without a farewell. The client says
 * farewell by blocking this thread until it is answered, for up to 1.5 s.
 */
const farewellMs = 150;
/** Nobody listens there: a client that is sent there lets go of the connection that it has. */
const nowhere = '127.0.0.1:1';

class Gateway implements Transport<ZooKeeperMessage> {
  readonly id: NodeId;
  readonly #options: ZooKeeperGatewayOptions;
  readonly #coordinator: NodeId;
  #Client: ClientClass | null = null;
  #handlers: TransportHandlers<ZooKeeperMessage> | null = null;
  #phase: 'new' | 'running' | 'stopped' = 'new';
  #connection: Connection | null = null;
  #notBeforeMs = 0;
  #retry: NodeJS.Timeout | undefined;
  #stallCheck: NodeJS.Timeout | undefined;

  constructor(options: ZooKeeperGatewayOptions) {
    if (options.hosts.trim() === '') {
      throw new InvalidOptionError("'hosts' must name at least one member of the ensemble.");
    }
    this.id = options.id;
    this.#options = options;
    this.#coordinator = options.coordinator ?? 'zookeeper';
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
    if (request.type === 'connect') {
      this.#connect(request);
      return;
    }
    const connection = this.#connection;
    if (connection !== null && connection.session === request.session) connection.carryOut(request);
    else this.#deliver({ type: 'expired', session: request.session });
  }

  async stop(): Promise<void> {
    if (this.#phase === 'stopped') return;
    this.#phase = 'stopped';
    this.#handlers = null;
    clearTimeout(this.#retry);
    clearInterval(this.#stallCheck);
    await this.#connection?.close();
    this.#connection = null;
  }

  #connect(request: Extract<ZooKeeperRequest, { type: 'connect' }>): void {
    const present = this.#connection;
    if (request.session !== null && present?.session !== request.session) {
      this.#deliver({ type: 'expired', session: request.session });
      return;
    }
    if (present !== null) {
      present.answerConnect(request.id);
      return;
    }
    const waitMs = this.#notBeforeMs - performance.now();
    if (waitMs > 0) {
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.send(this.#coordinator, request), waitMs);
      return;
    }
    this.#connection = this.#open(this.#Client!, request);
  }

  #open(Client: ClientClass, request: Extract<ZooKeeperRequest, { type: 'connect' }>): Connection {
    const connection = new Connection(Client, this.#options, request, {
      deliver: (reply) => this.#deliver(reply),
      diagnose: (diagnostic) => this.#diagnose(diagnostic),
      ended: (isRefused) => {
        if (this.#connection === connection) this.#connection = null;
        if (isRefused) this.#notBeforeMs = performance.now() + refusedPauseMs;
      },
    });
    return connection;
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

interface Listener {
  deliver(reply: ZooKeeperReply): void;
  diagnose(diagnostic: ZooKeeperDiagnostic): void;
  ended(isRefused: boolean): void;
}

type Request = Exclude<ZooKeeperRequest, { type: 'connect' }>;
type Callback<Results extends readonly unknown[]> = (code: number, error: string, ...results: Results) => void;

/** One client object: one session, from its opening to its end. The client cannot be used for another. */
class Connection {
  readonly #client: NativeClient;
  readonly #options: ZooKeeperGatewayOptions;
  readonly #listener: Listener;
  /** Paths whose deletion, or whose children's next change, the server will tell of. */
  readonly #watched = new Set<string>();
  #session: string | null = null;
  #isConnected = false;
  #isOver = false;
  #connectId: number | null;

  constructor(
    Client: ClientClass,
    options: ZooKeeperGatewayOptions,
    { id, sessionTimeoutMs }: Extract<ZooKeeperRequest, { type: 'connect' }>,
    listener: Listener,
  ) {
    this.#options = options;
    this.#listener = listener;
    this.#connectId = id;
    this.#client = new Client({
      connect: options.hosts,
      timeout: sessionTimeoutMs,
      // Its own log goes to standard output, so it is kept silent; see `verbose`.
      debug_level: 0,
      host_order_deterministic: false,
      data_as_buffer: true,
      response_counter_limit: 1000,
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

  get session(): string | null {
    return this.#session;
  }

  get sessionTimeoutMs(): number {
    return this.#isConnected ? this.#client.timeout : 0;
  }

  /** At once if there is a connection; otherwise as soon as there is. */
  answerConnect(id: number): void {
    if (this.#isConnected) this.#say(id);
    else this.#connectId = id;
  }

  carryOut(request: Request): void {
    if (!this.#isConnected) {
      this.#fail(request.id, codes.connectionLoss, 'not connected');
      return;
    }
    switch (request.type) {
      case 'ensure':
        return this.#ensure(request.id, request.path.split('/').slice(1), '');
      case 'create':
        return this.#create(request);
      case 'children':
        return this.#children(request);
      case 'get':
        return this.#get(request);
      case 'delete':
        return this.#try(request.id, (done) =>
          this.#client.a_delete_(
            request.path,
            -1,
            this.#guard(request.id, () => done({ type: 'done', id: request.id })),
          ),
        );
      case 'ping':
        return this.#ping(request);
      case 'confirm':
      case 'prove':
        return this.#prove(request);
    }
  }

  /**
   * Ends the session, so that its znodes go at once; or, if the member does not answer, lets it run out. Never
   * from inside one of the client's own callbacks: it frees what they return to.
   */
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isConnected && !(await this.#answers())) {
      // Without a connection there is nobody to say farewell to, so the client does not wait for an answer.
      this.#client.set_servers(nowhere);
    }
    await new Promise<void>((resolve) => {
      setImmediate(() => {
        this.#client.close();
        resolve();
      });
    });
  }

  /** Whether the member is there: it answers a read from memory. */
  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const timeout = setTimeout(() => resolve(false), farewellMs);
      const sent = this.#client.a_exists('/', false, () => {
        clearTimeout(timeout);
        resolve(true);
      });
      if (sent !== 0) resolve(false);
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
        if (code === codes.ok) this.#protect(id, path, () => this.#ensure(id, rest, path));
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
    else
      this.#try(id, () =>
        this.#client.a_set_acl(path, -1, acl, this.#guard(id, done)),
      );
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
      watcher === null ? this.#client.a_get(path, false, deliver) : this.#client.aw_get(path, watcher, deliver),
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
      if (this.#isOver || this.#session === null || !this.#watched.has(key)) return;
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
    if (this.#isOver || this.#session === null || code !== codes.noNode) return;
    this.#watched.delete(key);
    this.#listener.deliver({ type: 'node-deleted', session: this.#session, path });
  }

  // ---- The connection -------------------------------------------------------------------------------

  #onConnected(): void {
    if (this.#isOver) return;
    this.#isConnected = true;
    // A string, although it is declared to be a number.
    this.#session = String(this.#client.client_id);
    this.#say(this.#connectId);
    this.#connectId = null;
    this.#listener.diagnose({
      type: 'connected',
      session: this.#session,
      sessionTimeoutMs: this.#client.timeout,
    });
  }

  #say(id: number | null): void {
    if (this.#session === null) return;
    this.#listener.deliver({
      type: 'connected',
      id,
      session: this.#session,
      sessionTimeoutMs: this.#client.timeout,
    });
  }

  #onDisconnected(): void {
    if (this.#isOver || !this.#isConnected || this.#session === null) return;
    this.#isConnected = false;
    this.#listener.deliver({ type: 'disconnected', session: this.#session });
    this.#listener.diagnose({ type: 'disconnected', session: this.#session });
  }

  /** The session is over, or the credentials were refused: this object is of no more use. */
  #onClosed(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isConnected = false;
    const isRefused = code === codes.authenticationFailed;
    this.#listener.ended(isRefused);
    if (isRefused) this.#listener.diagnose({ type: 'authentication-failed' });
    if (this.#session === null) return;
    this.#listener.deliver({ type: 'expired', session: this.#session });
    this.#listener.diagnose({ type: 'expired', session: this.#session });
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
