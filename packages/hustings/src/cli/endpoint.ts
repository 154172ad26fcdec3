/**
 * What this process tells over HTTP: `/healthz`, `/leader`, `/metrics`, `/events`; and `POST /resign`, for this machine
 * alone.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Belief } from '../index.js';
import { type Candidate, nowMs } from './candidate.js';
import { Counts, metricsContentType, metricsOf } from './metrics.js';
import { type Address, UsageError } from './usage.js';

/** How long a process may act on a 200 without asking again, unless told otherwise. */
const defaultPromiseMs = 1000;
const keepOpenEveryMs = 15_000;
const longestRequestMs = 5000;

export interface EndpointOptions {
  /** 0: an answer promises nothing. */
  readonly promiseMs?: number | undefined;
}

export class Endpoint {
  readonly #candidate: Candidate;
  readonly #promiseMs: number;
  readonly #server: Server;
  readonly #closing = new AbortController();
  readonly #counts = new Counts();
  #promisedUntilMs = 0;

  constructor(candidate: Candidate, { promiseMs = defaultPromiseMs }: EndpointOptions = {}) {
    this.#candidate = candidate;
    this.#promiseMs = promiseMs;
    this.#server = createServer({ requestTimeout: longestRequestMs }, (request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  /** Where it listens. */
  async listen({ host, port }: Address): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      // It stays: an error that comes later is of a connection that could not be accepted.
      this.#server.on('error', (error: NodeJS.ErrnoException) => reject(refusal(error, host, port)));
      this.#server.listen(port, host, resolve);
    });
    const address = this.#server.address() as { address: string; port: number; family: string };
    return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  }

  /** Resolves when nobody may act any longer on what it was told. */
  async keepPromises(): Promise<void> {
    const leftMs = this.#promisedUntilMs - nowMs();
    if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#counts.close();
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const action = `${request.method === 'HEAD' ? 'GET' : request.method} ${pathname}`;
    switch (action) {
      case 'GET /healthz':
        return json(response, 200, { ok: true });
      case 'GET /leader':
        return this.#tellLeader(response);
      case 'GET /metrics':
        response
          .writeHead(200, { 'content-type': metricsContentType })
          .end(metricsOf(this.#candidate, this.#counts));
        return;
      case 'GET /events':
        return this.#tellEvents(response);
      case 'POST /resign':
        return this.#resign(request, response, searchParams.get('to') ?? undefined);
      default:
        return json(response, 404, { error: `There is no ${action}; see the README of hustings.` });
    }
  }

  #tellLeader(response: ServerResponse): void {
    const { leadership, elector, id, election } = this.#candidate;
    const belief = beliefOf(elector.belief());
    const remainingMs = leadership?.remainingMs ?? 0;
    // Its lease may have run out before any timer has noticed; and who leaves makes no promise that would hold it up.
    if (leadership === null || remainingMs <= 0 || this.#candidate.isLeaving) {
      json(response, 503, { id, election, leading: false, ...belief });
      return;
    }
    const { token, holder } = leadership;
    const validForMs = Math.floor(Math.min(remainingMs, this.#promiseMs));
    this.#promisedUntilMs = Math.max(this.#promisedUntilMs, nowMs() + validForMs);
    json(response, 200, {
      id,
      election,
      leading: true,
      leaderId: id,
      token: String(token),
      holder,
      validForMs,
    });
  }

  async #tellEvents(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    if (response.req.method === 'HEAD') return void response.end();
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const timer = setInterval(() => response.write(':\n\n'), keepOpenEveryMs);
    const signal = AbortSignal.any([gone.signal, this.#closing.signal]);
    try {
      for await (const belief of this.#candidate.elector.observe({ signal })) {
        response.write(`event: belief\ndata: ${JSON.stringify(beliefOf(belief))}\n\n`);
      }
    } finally {
      clearInterval(timer);
      response.end();
    }
  }

  async #resign(request: IncomingMessage, response: ServerResponse, to: string | undefined): Promise<void> {
    if (!isOfThisMachine(request)) {
      return json(response, 403, { error: 'Only programs on this machine may ask that.' });
    }
    try {
      await this.#candidate.resign(to);
      json(response, 200, { id: this.#candidate.id, resigned: true });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      json(response, 409, { error: error.message });
    }
  }
}

/** A page in a browser on this machine is somebody else: browsers say where a request comes from. */
function isOfThisMachine({ socket, headers }: IncomingMessage): boolean {
  const isLoopback = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(socket.remoteAddress ?? '');
  return isLoopback && headers.origin === undefined;
}

function beliefOf({ role, leaderId, token }: Belief) {
  return { role, leaderId, token: token === null ? null : String(token) };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
}

function refusal({ code, message }: NodeJS.ErrnoException, host: string, port: number): Error {
  const why =
    code === 'EADDRINUSE'
      ? 'something listens there already'
      : code === 'EADDRNOTAVAIL'
        ? 'this machine has no such address'
        : code === 'EACCES'
          ? 'this user may not listen there'
          : message;
  return new UsageError(`--listen ${host}:${port} cannot be had: ${why}; choose another.`);
}
