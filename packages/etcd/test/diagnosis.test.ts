import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { diagnoseEndpoint } from '../src/gateway-diagnosis.js';

let connections = 0;
const server = createServer((_request, response) => response.end('{"etcdserver":"3.5.0"}'));
server.on('connection', () => {
  connections += 1;
});

afterEach(() => {
  server.close();
  connections = 0;
});

async function listen(): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const diagnose = (host: string) => diagnoseEndpoint(host, {}, 5000);

/** One to see whether anybody listens, one to ask who. */
const connectionsOfOne = 2;

describe('given an endpoint that does not answer the gateways of a process', () => {
  it('when a hundred ask why at once, then one knocks for all', async () => {
    const host = await listen();
    const answers = await Promise.all(Array.from({ length: 100 }, () => diagnose(host)));
    expect(new Set(answers.map(({ trouble }) => trouble))).toEqual(new Set(['no-majority']));
    expect(connections).toBe(connectionsOfOne);
  });

  it('when one asks after another has been told, then it knocks again', async () => {
    const host = await listen();
    await diagnose(host);
    await diagnose(host);
    expect(connections).toBe(2 * connectionsOfOne);
  });

  it('when they ask about two endpoints, then each is knocked at', async () => {
    const host = await listen();
    await Promise.all([diagnose(host), diagnose(host.replace('127.0.0.1', 'localhost'))]);
    expect(connections).toBe(2 * connectionsOfOne);
  });
});
