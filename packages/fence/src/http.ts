/**
 * Guards a resource behind HTTP: every request that changes something shows its token in a header.
 *
 * | header | |
 * |---|---|
 * | `Fencing-Token` | the token, in decimal digits |
 * | `Fencing-Holder` | the holder, percent-encoded |
 *
 * A request is answered 428 when it shows none, 400 when they are malformed, and 412 when a newer leader was here.
 *
 * @packageDocumentation
 */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type Credentials, readFencingHeaders, StaleTokenError } from '@hustings/elector';
import type { HighestToken } from './file.js';
import { Gate } from './gate.js';
import type { Guard } from './index.js';

/** The headers of a request. Leaders put them on every request that changes something. */
export { fencingHeaders } from '@hustings/elector';

/** Throws `StaleTokenError` when a guarded resource has answered 412; returns the response otherwise. */
export async function refuseStale(response: Response): Promise<Response> {
  if (response.status !== 412) return response;
  throw new StaleTokenError(`${await response.text()}`);
}

export interface HttpFenceOptions {
  /** Where the highest token is kept: `tokenFile` of `@hustings/fence/file`, or a store of your own. */
  readonly highest: HighestToken;
  /** What needs no token. Default: GET, HEAD and OPTIONS. */
  readonly unguarded?: readonly string[];
}

/** What work is told, beside that it may begin. */
export interface Admitted {
  /** Aborts when a newer leader waits for this work to end. */
  readonly signal: AbortSignal;
}

type NodeHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface HttpFence extends Guard<Admitted> {
  /** A handler for `node:http` that guards another. */
  node(handler: NodeHandler): NodeHandler;
  /** For Express and Connect: `app.use(fence.middleware)`. */
  readonly middleware: (
    request: IncomingMessage,
    response: ServerResponse,
    next: (error?: unknown) => void,
  ) => void;
  /** For Fastify: `app.addHook('onRequest', fence.fastify)`. */
  readonly fastify: (
    request: { readonly raw: IncomingMessage },
    reply: { readonly raw: ServerResponse; hijack(): unknown },
  ) => Promise<void>;
  /** Guards a handler that takes a `Request` and returns a `Response`. */
  fetch(
    handler: (request: Request, admitted: Admitted) => Promise<Response>,
  ): (request: Request) => Promise<Response>;
}

export function httpFence(options: HttpFenceOptions): HttpFence {
  return new Fence(options);
}

class Fence implements HttpFence {
  readonly #gate: Gate;
  readonly #unguarded: ReadonlySet<string>;

  constructor({ highest, unguarded = ['GET', 'HEAD', 'OPTIONS'] }: HttpFenceOptions) {
    this.#gate = new Gate(highest);
    this.#unguarded = new Set(unguarded);
  }

  run<Result>(credentials: Credentials, work: (admitted: Admitted) => Promise<Result>): Promise<Result> {
    return this.#gate.run(credentials, (signal) => work({ signal }));
  }

  node(handler: NodeHandler): NodeHandler {
    return (request, response) =>
      this.#guard(request, response, async () => void (await handler(request, response))).catch((error) => {
        if (response.headersSent) response.destroy();
        else response.writeHead(500, refusalHeaders).end(`The request has failed: ${error}`);
      });
  }

  readonly middleware: HttpFence['middleware'] = (request, response, next) => {
    this.#guard(request, response, async () => next()).catch(next);
  };

  readonly fastify: HttpFence['fastify'] = ({ raw: request }, reply) =>
    new Promise((resolve, reject) => {
      this.#guard(
        request,
        reply.raw,
        async () => resolve(),
        () => {
          reply.hijack();
          resolve();
        },
      ).catch(reject);
    });

  fetch(handler: (request: Request, admitted: Admitted) => Promise<Response>) {
    return async (request: Request): Promise<Response> => {
      if (this.#unguarded.has(request.method)) return handler(request, { signal: request.signal });
      try {
        const credentials = read(request.headers);
        return await this.run(credentials, (admitted) => handler(request, admitted));
      } catch (error) {
        const { status, detail } = refusalOf(error);
        return new Response(detail, { status, headers: refusalHeaders });
      }
    };
  }

  /** Of a handler that returns no promise, all that is known is when its response ends. */
  async #guard(
    request: IncomingMessage,
    response: ServerResponse,
    proceed: () => Promise<void>,
    refusing = () => {},
  ): Promise<void> {
    if (this.#unguarded.has(request.method ?? '')) return proceed();
    try {
      const credentials = read(request.headers);
      await this.run(credentials, async () => {
        // It has ended already, and will not say so again: a newer leader would wait for it for ever.
        if (response.closed) throw new RefusedRequest(400, 'The request was given up before its turn.');
        const ended = new Promise((resolve) => response.once('close', resolve));
        await proceed();
        await ended;
      });
    } catch (error) {
      const { status, detail } = refusalOf(error);
      refusing();
      response.writeHead(status, refusalHeaders).end(detail);
    }
  }
}

const refusalHeaders = { 'Content-Type': 'text/plain; charset=utf-8' };

interface Refusal {
  readonly status: number;
  readonly detail: string;
}

class RefusedRequest extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof RefusedRequest) return { status: error.status, detail: error.message };
  if (error instanceof StaleTokenError) return { status: 412, detail: error.message };
  throw error;
}

function read(headers: IncomingHttpHeaders | Headers): Credentials {
  const given: IncomingHttpHeaders = headers instanceof Headers ? Object.fromEntries(headers) : headers;
  if (given['fencing-token'] === undefined || given['fencing-holder'] === undefined) {
    throw new RefusedRequest(428, 'This resource takes requests with Fencing-Token and Fencing-Holder only.');
  }
  try {
    return readFencingHeaders(given);
  } catch (error) {
    throw new RefusedRequest(400, (error as Error).message);
  }
}
