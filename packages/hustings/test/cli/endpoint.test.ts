import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { localElector } from 'hustings/local';
import { expect, it } from 'vitest';
import { Candidate } from '../../src/cli/candidate.js';
import { Endpoint } from '../../src/cli/endpoint.js';

it('the endpoint bears it that connections cannot be accepted for a while', async () => {
  let server: Server | undefined;
  const onRequest = (event: unknown) => {
    server = (event as { server: Server }).server;
  };
  subscribe('http.server.request.start', onRequest);
  const elector = localElector({ id: 'node-1', election: 'jobs', directory: tmpdir(), logger: false });
  const start = () => elector.start();
  const endpoint = new Endpoint(new Candidate({ elector, id: 'node-1', election: 'jobs', start }));
  try {
    const url = await endpoint.listen({ host: '127.0.0.1', port: 0 });
    const ask = async () => (await fetch(`${url}/healthz`)).status;
    expect(await ask()).toBe(200);
    // What Node emits when this process has no file descriptor left for a newcomer.
    for (let times = 0; times < 2; times += 1) server?.emit('error', new Error('accept EMFILE'));
    expect(await ask()).toBe(200);
  } finally {
    unsubscribe('http.server.request.start', onRequest);
    await endpoint.close();
  }
});
