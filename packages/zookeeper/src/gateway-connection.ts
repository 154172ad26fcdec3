/** One connection of the gateway: a client of the `zookeeper` package, and what is dangerous about it. */

import { type ClientClass, codes, failureOf, flags, type NativeClient, type Stat } from './gateway-client.js';
import type { ZooKeeperDiagnostic, ZooKeeperGatewayOptions } from './gateway-options.js';
import type { Relay } from './gateway-relay.js';
import type { ZooKeeperReply, ZooKeeperRequest } from './messages.js';

/** What makes a session ours: whoever knows both can move it to another connection. */
export interface Credentials {
  readonly session: string;
  readonly password: string;
}

export type Opening = 'connected' | 'failed' | 'expired' | 'refused';

export interface Listener {
  deliver(reply: ZooKeeperReply): void;
  diagnose(diagnostic: ZooKeeperDiagnostic): void;
  lost(): void;
}

type SessionRequest = Exclude<ZooKeeperRequest, { type: 'connect' }>;
type Callback<Results extends readonly unknown[]> = (
  code: number,
  error: string,
  ...results: Results
) => void;

/** Versions count from 0, and a znode would have to be written 2^31 − 1 times to reach it. */
const impossibleVersion = 2 ** 31 - 1;

/** Whichever of its checks fails first after the session's, the leader has made them all. */
const proofs: ReadonlySet<number> = new Set([codes.noNode, codes.noAuth, codes.badVersion]);

const events = { deleted: 2, changed: 3, child: 4 } as const;

type WatchKind = 'data' | 'children';
const watchOf = (kind: WatchKind, path: string): string => `${kind} ${path}`;

/** How long a member may take to answer a farewell before it is left without an answer. */
const farewellMs = 500;
/** How long the client may take to do as it is made to, and how often that is looked at. */
const noticeMs = 500;
const lookMs = 1;

export interface Way {
  readonly relay: Relay;
  /** The relay's, with the path that is prefixed to every path. */
  readonly address: string;
  readonly sessionTimeoutMs: number;
  /** The session to be resumed; null for a new one. */
  readonly credentials: Credentials | null;
}

/**
 * One client object: one connection to one member, or the attempt at one.
 *
 * The client's socket is inherited by every process that this one starts. If one has inherited it, the client's
 * closing does not take it from what the event loop watches, and nothing else can: whatever happens on it later is
 * taken for happening on the next socket of the same number, and happens again and again. So nothing may happen on
 * it later. The client closes first, when it has read all that it was sent and waits for nothing but more, and the
 * relay leaves its own end open until the last copy is closed.
 */
export class Connection {
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
  /** What the client holds to be so, which may not be so any more. `closed`: it has freed itself. */
  #stage: 'greeting' | 'connected' | 'disconnected' | 'closed' = 'greeting';
  #leaving: Promise<void> | null = null;
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
    // Nothing is done from inside the client. When it says that the connection is gone, it has closed its socket,
    // but the event loop still watches for that number; a socket opened now would be given the same one,
    // and the process would be aborted.
    this.#client.on('connect', () => {
      this.#stage = 'connected';
      setImmediate(() => this.#onConnected());
    });
    this.#client.on('connecting', () => {
      this.#stage = 'disconnected';
      setImmediate(() => void this.#onDisconnected());
    });
    this.#client.on('close', (_client, code) => {
      this.#stage = 'closed';
      setImmediate(() => this.#onClosed(Number(code)));
    });
    relay.onBroken = () => setImmediate(() => void this.#onDisconnected());
    if (relay.isBroken) relay.onBroken();
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

  carryOut(request: SessionRequest): void {
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
    await this.#leave();
  }

  /** Lets go of the connection, and leaves the session as it is. */
  abandon(): void {
    this.#isOver = true;
    void this.#leave();
  }

  #leave(): Promise<void> {
    this.#leaving ??= this.#release();
    return this.#leaving;
  }

  /**
   * Frees the client. That would block this thread if it believed in its connection, so it is made to give that up.
   * Not from inside its callbacks, which would return to what is freed; but for the last one of all, which is called
   * after it has given up its socket, and before it opens another.
   */
  async #release(): Promise<void> {
    this.#relay.break();
    // Before that it waits to be able to write, and on a socket that nobody closes that happens all the time.
    await this.#until(() => this.#relay.hasGreeted);
    if (this.#relay.hasAnswered) await this.#until(() => this.#stage !== 'greeting');
    if (this.#stage === 'connected') {
      this.#client.a_exists('/', false, () => this.#client.close());
      this.#relay.sendStrayAnswer();
      await this.#until(() => this.#isClosed);
    }
    await new Promise((resolve) => setImmediate(resolve));
    if (!this.#isClosed) this.#client.close();
    this.#relay.close();
  }

  async #until(condition: () => boolean): Promise<void> {
    const giveUpMs = performance.now() + noticeMs;
    while (!this.#isClosed && !condition() && performance.now() < giveUpMs) {
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  }

  get #isClosed(): boolean {
    return this.#stage === 'closed';
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

  #create({ id, path, data }: Extract<SessionRequest, { type: 'create' }>): void {
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

  #children({ id, path, watch }: Extract<SessionRequest, { type: 'children' }>): void {
    const deliver = this.#guard(id, (names: readonly string[]) =>
      this.#listener.deliver({ type: 'listed', id, names }),
    );
    const watcher = watch ? this.#watcher('children', path) : null;
    this.#try(id, () =>
      watcher === null
        ? this.#client.a_get_children(path, false, deliver)
        : this.#client.aw_get_children(path, watcher, this.#orUnwatched('children', path, deliver)),
    );
  }

  #get({ id, path, watch }: Extract<SessionRequest, { type: 'get' }>): void {
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
        : this.#client.aw_get(path, watcher, this.#orUnwatched('data', path, deliver)),
    );
  }

  #delete({ id, path }: Extract<SessionRequest, { type: 'delete' }>): void {
    this.#try(id, (deliver) =>
      this.#client.a_delete_(
        path,
        -1,
        this.#guard(id, () => deliver({ type: 'done', id })),
      ),
    );
  }

  #ping({ id, path }: Extract<SessionRequest, { type: 'ping' }>): void {
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
   * Writes over a version that no znode has. ZooKeeper checks the session, the znode, the permission and the
   * version, in this order, agrees that nothing changes, and says so. No watch fires.
   */
  #prove({ type, id, path }: Extract<SessionRequest, { type: 'confirm' | 'prove' }>): void {
    const answer = type === 'confirm' ? 'confirmed' : 'proven';
    this.#try(id, (deliver) =>
      this.#client.a_set(path, '', impossibleVersion, (code, error) => {
        if (this.#isOver) return;
        if (proofs.has(code)) deliver({ type: answer, id, exists: code !== codes.noNode });
        else this.#fail(id, code, error);
      }),
    );
  }

  // ---- Watches --------------------------------------------------------------------------------------

  /** Null if the path is watched already: the server tells once, but the client would tell each watcher. */
  #watcher(kind: WatchKind, path: string): ((type: number) => void) | null {
    const key = watchOf(kind, path);
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
        const again = this.#relay.isBroken ? null : this.#watcher(kind, path);
        if (again !== null) this.#client.aw_get(path, again, (code) => this.#onWatchedAgain(code, key, path));
      }
    };
  }

  /** What cannot be read is not watched. */
  #orUnwatched<Results extends readonly unknown[]>(
    kind: WatchKind,
    path: string,
    done: Callback<Results>,
  ): Callback<Results> {
    return (code, error, ...results) => {
      if (code !== codes.ok) this.#watched.delete(watchOf(kind, path));
      done(code, error, ...results);
    };
  }

  #onWatchedAgain(code: number, key: string, path: string): void {
    if (this.#isOver || code !== codes.noNode) return;
    this.#watched.delete(key);
    this.#listener.deliver({ type: 'node-deleted', session: this.#session, path });
  }

  // ---- The connection -------------------------------------------------------------------------------

  #onConnected(): void {
    if (this.#isOver || this.#relay.isBroken) return;
    this.#isConnected = true;
    // A string, although it is declared to be a number.
    this.#session = String(this.#client.client_id);
    this.#settle('connected');
  }

  /** The member has hung up, or the client has. What it was told before that, it is still given time to say. */
  async #onDisconnected(): Promise<void> {
    await this.#leave();
    if (!this.#isOver) this.#end('failed');
  }

  /** The session is over, or the credentials were refused: the client has closed itself. */
  #onClosed(code: number): void {
    if (!this.#isOver && code !== codes.ok) {
      this.#end(code === codes.authenticationFailed ? 'refused' : 'expired');
    }
    void this.#leave();
  }

  #end(opening: Opening): void {
    this.#isOver = true;
    this.#settle(opening);
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

  /**
   * The client says no at once when it knows that it cannot send, and then never calls back. When it does not know
   * that yet, it is not asked: nobody would answer, and the last question is for `#release` to ask.
   */
  #try(id: number, call: (deliver: (reply: ZooKeeperReply) => void) => number): void {
    const code = this.#relay.isBroken ? codes.connectionLoss : call((reply) => this.#listener.deliver(reply));
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
