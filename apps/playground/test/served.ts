/** The built page behind a web server of its own, as anybody would serve it: static files and nothing else. */

import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

export interface Served extends AsyncDisposable {
  readonly url: string;
}

/** Under a path that begins and ends with a slash; everything else is not found. */
export async function serve(folder: string, under = '/'): Promise<Served> {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname);
    try {
      if (!path.startsWith(under)) throw new Error(`${path} is not here.`);
      const file = path === under ? 'index.html' : path.slice(under.length);
      const body = await readFile(join(folder, file));
      response.setHeader('content-type', types[extname(path)] ?? 'text/html');
      response.end(body);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${under}`, [Symbol.asyncDispose]: () => close(server) };
}

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
