import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StaleTokenError } from '@hustings/elector';
import { memoryStorage } from '@hustings/runtime';
import express from 'express';
import { fastify } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { tokenFile } from '../src/file.js';
import { type Admitted, fencingHeaders, type HttpFence, httpFence, refuseStale } from '../src/http.js';
import { describeGuard } from './guard-suite.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hustings-http-'));
});
afterAll(() => rm(directory, { recursive: true }));

const written = new Map<string, string>();
const files = new Map<string, ReturnType<typeof tokenFile>>();
describeGuard<Admitted>({
  name: 'an HTTP resource',
  guard: async (resource) => {
    // One process serves it at a time.
    await files.get(resource)?.close();
    const file = tokenFile({ directory, resource });
    files.set(resource, file);
    return httpFence({ highest: file });
  },
  write: async (_admitted, resource, text) => void written.set(resource, text),
  read: async (resource) => written.get(resource) ?? null,
  isTransactional: false,
  isServedByOne: true,
  runs: 10,
});

const old = { token: 3n, holder: 'a#1' };
const newer = { token: 4n, holder: 'b ☃#1' };

interface Served {
  readonly url: string;
  close(): Promise<unknown>;
}

/** A resource that answers a request with what it was sent. */
type Kind = (fence: HttpFence) => Promise<Served>;

const listen = async (listener: RequestListener): Promise<Served> => {
  const server: Server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};

const kinds: Record<string, Kind> = {
  'node:http': (fence) =>
    listen(
      fence.node((request, response) => {
        request.pipe(response);
      }),
    ),
  Express: (fence) => {
    const app = express();
    app.use(fence.middleware);
    app.use((request, response) => {
      request.pipe(response);
    });
    return listen(app);
  },
  Fastify: async (fence) => {
    const app = fastify({ forceCloseConnections: true });
    app.addHook('onRequest', fence.fastify);
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    app.all('/', async (request) => request.body ?? '');
    return { url: `${await app.listen({ port: 0, host: '127.0.0.1' })}/`, close: () => app.close() };
  },
  'a handler of requests': async (fence) => {
    const handler = fence.fetch(async (request) => new Response(await request.text()));
    const served = await listen(async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const hasBody = incoming.method === 'POST';
      const request = new Request(served.url, {
        method: incoming.method!,
        headers: incoming.headers as Record<string, string>,
        body: hasBody ? Buffer.concat(chunks) : null,
      });
      const answer = await handler(request);
      response.writeHead(answer.status).end(await answer.text());
    });
    return served;
  },
};

describe.each(Object.entries(kinds))('given a resource behind %s', (_name, serve) => {
  let served: Served;
  const start = async () => {
    served = await serve(httpFence({ highest: memoryStorage() }));
  };
  const post = (headers: Record<string, string>, body = 'text') =>
    fetch(served.url, { method: 'POST', headers: { 'content-type': 'text/plain', ...headers }, body });
  afterEach(() => served.close());

  it('answers the newest leader, again and again', async () => {
    await start();
    for (const body of ['one', 'two']) {
      const response = await refuseStale(await post(fencingHeaders(newer), body));
      expect([response.status, await response.text()]).toEqual([200, body]);
    }
  });

  it('answers 412 to an older one, which becomes a StaleTokenError there', async () => {
    await start();
    await post(fencingHeaders(newer));
    const response = await post(fencingHeaders(old));
    expect(response.status).toBe(412);
    await expect(refuseStale(response)).rejects.toThrow(StaleTokenError);
  });

  it('answers 412 to a second holder of the same token', async () => {
    await start();
    await post(fencingHeaders(newer));
    expect((await post(fencingHeaders({ ...newer, holder: 'c#1' }))).status).toBe(412);
  });

  it.each([
    ['neither token nor holder', 428, {}],
    ['no holder', 428, { 'Fencing-Token': '4' }],
    ['a token that is no number', 400, { 'Fencing-Token': '0x4', 'Fencing-Holder': 'a' }],
    ['a negative token', 400, { 'Fencing-Token': '-4', 'Fencing-Holder': 'a' }],
    ['a token of endless length', 400, { 'Fencing-Token': '9'.repeat(1000), 'Fencing-Holder': 'a' }],
    ['a holder without a name', 400, { 'Fencing-Token': '4', 'Fencing-Holder': '' }],
    ['a holder that is not encoded', 400, { 'Fencing-Token': '4', 'Fencing-Holder': '%' }],
  ])('a request with %s is answered %i', async (_what, status, headers) => {
    await start();
    expect((await post(headers as Record<string, string>)).status).toBe(status);
  });

  it('lets everybody read', async () => {
    await start();
    await post(fencingHeaders(newer));
    expect((await fetch(served.url)).status).toBe(200);
  });
});

describe('given an older leader whose request is still at work', () => {
  it('a newer one waits for its end, and the older one is told', async () => {
    const fence = httpFence({ highest: memoryStorage() });
    const order: string[] = [];
    const older = fence.run(old, async ({ signal }) => {
      await once(signal, 'abort');
      order.push('older ends');
    });
    const newest = fence.run(newer, async ({ signal }) => {
      order.push('newer begins');
      expect(signal.aborted).toBe(false);
    });
    await Promise.all([older, newest]);
    expect(order).toEqual(['older ends', 'newer begins']);
  });

  it('requests of one leader run side by side', async () => {
    const fence = httpFence({ highest: memoryStorage() });
    let entered = 0;
    const work = () =>
      fence.run(newer, async () => {
        entered += 1;
        await vi.waitUntil(() => entered === 3, { timeout: 30_000 });
      });
    await Promise.all([work(), work(), work()]);
  });
});

describe('given a request whose client has gone before its turn', () => {
  const { 'a handler of requests': _, ...others } = kinds;

  it.each(Object.entries(others))('holds up no later leader (%s)', async (_name, serve) => {
    const fence = httpFence({ highest: memoryStorage() });
    const served = await serve(fence);
    const end = new AbortController();
    const older = fence.run(old, () => once(end.signal, 'abort'));
    const leaving = new AbortController();
    const post = (token: bigint, signal: AbortSignal | null) =>
      fetch(served.url, { method: 'POST', headers: fencingHeaders({ ...newer, token }), body: '', signal });
    const gone = post(4n, leaving.signal).catch(() => 'gone');
    await new Promise((resolve) => setTimeout(resolve, 100));
    leaving.abort();
    expect(await gone).toBe('gone');
    await new Promise((resolve) => setTimeout(resolve, 100));
    end.abort();
    await older;
    const next = await post(5n, AbortSignal.timeout(2000)).catch((error: Error) => error.name);
    await served.close();
    expect(next).toMatchObject({ status: 200 });
  });
});

describe('given a handler of node:http that throws', () => {
  it.each([
    ['at once', '500 The request has failed: Error: broken', () => {}],
    ['after it has begun to answer', 'TypeError', (response: ServerResponse) => response.write('some')],
  ])('%s, then the request fails and the process goes on', async (_when, expected, begin) => {
    const fence = httpFence({ highest: memoryStorage() });
    const handler = fence.node((_request, response) => {
      begin(response);
      throw new Error('broken');
    });
    const served = await listen(handler);
    const post = async () => {
      const response = await fetch(served.url, { method: 'POST', headers: fencingHeaders(newer) });
      return `${response.status} ${await response.text()}`;
    };
    const answer = await post().catch((error: Error) => error.name);
    await served.close();
    expect(answer).toBe(expected);
  });
});

describe('given a store of the highest token that fails', () => {
  it('nobody is let in', async () => {
    const failing = { load: async () => undefined, save: async () => Promise.reject(new Error('disk full')) };
    const fence = httpFence({ highest: failing });
    await expect(fence.run(newer, async () => 'in')).rejects.toThrow('disk full');
    const served = await listen(fence.node((_request, response) => response.end('in')));
    const response = await fetch(served.url, { method: 'POST', headers: fencingHeaders(newer) });
    expect(response.status).toBe(500);
    await served.close();
  });
});
