import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@hustings/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Hustings } from './hustings.js';

const server = createServer();
let asked = 0;

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Something that stands where a sidecar should. */
async function listen(answer: RequestListener): Promise<string> {
  asked = 0;
  server.removeAllListeners('request').on('request', (request, response) => {
    asked += 1;
    answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('given a proxy that does not reach the sidecar', () => {
  it.each(['observe', 'resign'])('hustings %s says so, and fails', async (command) => {
    const url = await listen((_request, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>');
    });
    await using node = new Hustings(command, '--sidecar', url);
    expect(await node.exitCode()).toBe(2);
    expect(node.said).toMatch(/with 502, is no sidecar; check --sidecar/);
  });
});

describe('given a sidecar that does not answer', () => {
  it('hustings resign ends when it is interrupted', async () => {
    const url = await listen(() => {});
    await using node = new Hustings('resign', '--sidecar', url);
    await eventually('it has asked', () => asked === 1);
    node.signal('SIGINT');
    expect(await node.exitCode()).toBe(1);
    expect(node.said).toContain('Interrupted');
  });
});

describe('given nobody who reads what it prints any more', () => {
  it('hustings observe ends, and does not complain', async () => {
    const url = await listen((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const tell = () => response.write('data: {"leaderId":null,"token":null}\n\n');
      const timer = setInterval(tell, 20);
      response.on('close', () => clearInterval(timer));
    });
    await using node = new Hustings('observe', '--sidecar', url);
    await node.says(/nobody leads/);
    node.process.stdout?.destroy();
    expect(await node.exitCode()).toBe(0);
    expect(node.said).not.toContain('EPIPE');
  });
});
