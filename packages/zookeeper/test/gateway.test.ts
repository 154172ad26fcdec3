/** What is known to be dangerous about the native client, and what the gateway makes of it. */

import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { InvalidOptionError } from '@hustings/elector';
import { startZooKeeperEnsemble, type ZooKeeperEnsemble } from '@hustings/servers';
import { describeGateway, until } from '@hustings/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ZooKeeperDiagnostic, zookeeperGateway } from '../src/gateway.js';
import { codes, failureOf } from '../src/gateway-client.js';
import { Relay } from '../src/gateway-relay.js';
import type { ZooKeeperMessage } from '../src/index.js';

const run = promisify(execFile);
const handlers = { received() {}, linkUp() {}, linkDown() {} };

let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  ensemble = await startZooKeeperEnsemble();
});
afterAll(() => ensemble?.stop());

async function open(hosts: string, sessionTimeoutMs = 1000) {
  const heard: ZooKeeperMessage[] = [];
  const diagnostics: ZooKeeperDiagnostic[] = [];
  const gateway = zookeeperGateway({ id: 'n1', hosts, onDiagnostic: (each) => diagnostics.push(each) });
  await gateway.start({ ...handlers, received: (_, message) => heard.push(message) });
  gateway.send('zookeeper', { type: 'connect', id: 1, session: null, sessionTimeoutMs });
  return { gateway, heard, diagnostics };
}

describeGateway({
  name: 'ZooKeeper',
  async start(onDiagnostic) {
    const gateway = zookeeperGateway({ id: 'n1', hosts: '127.0.0.1:1', onDiagnostic });
    await gateway.start(handlers);
    gateway.send('zookeeper', { type: 'connect', id: 1, session: null, sessionTimeoutMs: 1000 });
    return gateway;
  },
});

describe('the gateway', () => {
  it('closes while it connects, without waiting for a member that does not answer', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { gateway, heard } = await open(`127.0.0.1:${(silent.address() as { port: number }).port}`);
    await gateway.stop();
    await gateway.stop();
    silent.close();
    expect(heard).toEqual([]);
  });

  it('tries less and less often while no member can be reached', async () => {
    const beganMs = performance.now();
    const { gateway, diagnostics } = await open('127.0.0.1:1', 4000);
    await until('it has tried six times', 10_000, () => diagnostics.length >= 6);
    // Half of 20, 40, 80, 160 and 320 ms; timers count whole milliseconds.
    expect(performance.now() - beganMs).toBeGreaterThan(300);
    await gateway.stop();
  });

  it('says nothing after it has stopped, whatever was in progress', async () => {
    const { gateway, heard } = await open(ensemble.hosts);
    await until('it is connected', 10_000, () => heard.length > 0);
    const [connected] = heard;
    const session = connected?.type === 'connected' ? connected.session : '';
    for (let id = 2; id < 50; id += 1) {
      gateway.send('zookeeper', { type: 'children', id, session, path: '/', watch: true });
    }
    const before = heard.length;
    await gateway.stop();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(heard.length).toBe(before);
  });

  it('tells an operator nothing after it has stopped, such as that nobody answers', async () => {
    const { gateway, diagnostics } = await open('127.0.0.1:1');
    await gateway.stop();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(diagnostics).toEqual([]);
  });

  it('goes on to the next member when one is not there', async () => {
    const { gateway, heard, diagnostics } = await open(`127.0.0.1:1,${ensemble.hosts}`);
    await until('it is connected', 10_000, () => heard.some(({ type }) => type === 'connected'));
    await gateway.stop();
    const unreachable = diagnostics.filter(({ type }) => type === 'unreachable');
    expect(unreachable.length).toBeLessThan(2);
  });

  it('resumes the session when the connection was lost, and forgets one that ended', async () => {
    const { gateway, heard } = await open(ensemble.hosts, 2000);
    const connections = () => heard.flatMap((each) => (each.type === 'connected' ? [each.session] : []));
    await until('it is connected', 10_000, () => connections().length === 1);
    const [session = ''] = connections();
    gateway.send('zookeeper', { type: 'connect', id: 2, session, sessionTimeoutMs: 2000 });
    await until('it is connected again', 10_000, () => connections().length === 2);
    expect(connections()).toEqual([session, session]);
    gateway.send('zookeeper', { type: 'connect', id: 3, session: 'abc', sessionTimeoutMs: 2000 });
    await until('it says so', 10_000, () => heard.at(-1)?.type === 'expired');
    await gateway.stop();
  });

  it('keeps the client silent, and lets the process end once it has stopped', async () => {
    const program = `
      import { zookeeperGateway } from '@hustings/zookeeper/gateway';
      const heard = new Promise((resolve) => {
        const gateway = zookeeperGateway({ id: 'n1', hosts: '${ensemble.hosts}' });
        gateway.start({ received: () => resolve(gateway), linkUp() {}, linkDown() {} }).then(() =>
          gateway.send('zookeeper', { type: 'connect', id: 1, session: null, sessionTimeoutMs: 1000 }));
      });
      await (await heard).stop();`;
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program], {
      timeout: 20_000,
    });
    expect([stdout, stderr]).toEqual(['', '']);
  });

  it('refuses hosts that name nobody', () => {
    for (const hosts of ['', ' ', ',', '/path', ':2181']) {
      expect(() => zookeeperGateway({ id: 'n1', hosts }), hosts).toThrow(InvalidOptionError);
    }
  });

  it('takes names with and without ports, addresses in brackets, and a path at the end', () => {
    for (const hosts of ['a', 'a:1,b:2', '[::1]:2181', 'a:1,b:2/app/x', ' a:1 , b:2 ']) {
      expect(zookeeperGateway({ id: 'n1', hosts }).id, hosts).toBe('n1');
    }
  });

  it('loses its connection again and again, without harm to the process', async () => {
    const churn = fileURLToPath(new URL('./live/churn.mjs', import.meta.url));
    const { stdout } = await run(process.execPath, [churn, ensemble.hosts, '100'], { timeout: 50_000 });
    expect(stdout).toBe('done\n');
  });

  it('finds a connection again, also if a child process has inherited the one that was lost', async () => {
    const churn = fileURLToPath(new URL('./live/churn.mjs', import.meta.url));
    const parameters = [churn, ensemble.hosts, '100', 'children'];
    const { stdout } = await run(process.execPath, parameters, { timeout: 50_000 });
    expect(stdout).toBe('done\n');
  });

  it('goes on at once when a member hangs up on its greeting, and does not wait for one that has', async () => {
    const rude = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.destroy()));
    await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(rude.address() as { port: number }).port}`;
    // With a session this long it would wait for two seconds each time.
    const { gateway, diagnostics } = await open(address, 40_000);
    await until('it has tried three times', 1500, () => diagnostics.length >= 3);
    await gateway.stop();
    rude.close();
    for (const each of diagnostics) {
      expect(each.type === 'unreachable' && each.error.message).toMatch(/the member hung up|ECONNRESET/);
    }
  });
});

describe('an installation where the client could not be compiled', () => {
  let folder: string;
  beforeAll(async () => {
    // Outside of this workspace, where the client would be found.
    folder = await mkdtemp(join(tmpdir(), 'hustings-installation-'));
    for (const name of ['elector', 'transport', 'zookeeper']) {
      const source = fileURLToPath(new URL(`../../${name}/`, import.meta.url));
      const target = join(folder, 'node_modules', '@hustings', name);
      await cp(join(source, 'dist'), join(target, 'dist'), { recursive: true });
      await cp(join(source, 'package.json'), join(target, 'package.json'));
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function runThere(program: string): Promise<string> {
    const file = join(folder, 'program.mjs');
    await writeFile(file, program);
    return (await run(process.execPath, [file], { timeout: 20_000 })).stdout;
  }

  it('has everything but the gateway', async () => {
    const program = `
      import { zookeeper } from '@hustings/zookeeper';
      import { simulatedZooKeeper } from '@hustings/zookeeper/simulated';
      console.log(zookeeper().algorithm, typeof simulatedZooKeeper().step);`;
    expect(await runThere(program)).toBe('zookeeper function\n');
  });

  it('says in one sentence what to do when a gateway is started', async () => {
    const program = `
      import { zookeeperGateway } from '@hustings/zookeeper/gateway';
      const handlers = { received() {}, linkUp() {}, linkDown() {} };
      await zookeeperGateway({ id: 'n1', hosts: 'a:1' }).start(handlers).catch(({ code, message }) => {
        console.log(code + ': ' + message);
      });`;
    expect(await runThere(program)).toMatch(
      /^HUSTINGS_INVALID_OPTION: The ZooKeeper gateway needs the package 'zookeeper'[^.]*\.\n$/,
    );
  });
});

describe('failures of the client', () => {
  it('are told apart by whether the request was certainly not carried out', () => {
    const reasons = [
      [codes.noNode, 'no-node'],
      [codes.connectionLoss, 'connection-loss'],
      [codes.operationTimeout, 'connection-loss'],
      [codes.sessionMoved, 'connection-loss'],
      [codes.closing, 'connection-loss'],
      [-102, 'refused'],
      [-114, 'refused'],
    ] as const;
    for (const [code, reason] of reasons) expect(failureOf(code, '').reason, `${code}`).toBe(reason);
  });
});

describe('a relay', () => {
  let target: Server;
  let port: number;
  beforeAll(async () => {
    target = createServer((socket) => socket.on('error', () => {}).pipe(socket));
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    port = (target.address() as { port: number }).port;
  });
  afterAll(() => target.close());

  const enter = (address: string) => {
    const [host = '', door = ''] = address.split(':');
    const socket = connect(Number(door), host);
    const events: string[] = [];
    for (const event of ['connect', 'close', 'error']) socket.on(event, () => events.push(event));
    socket.on('data', (chunk) => events.push(chunk.toString()));
    return { socket, events };
  };

  const hello = '\0\0\0\u0005hello';

  it('carries messages both ways, and lets only one in', async () => {
    const relay = await Relay.open({ host: '127.0.0.1', port }, 1000);
    const { address } = relay;
    const first = enter(address);
    first.socket.write(hello);
    await until('it echoes', 5000, () => first.events.includes(hello));
    const second = enter(address);
    await until('the second is refused', 5000, () => second.events.includes('error'));
    relay.close();
    first.socket.destroy();
  });

  it('passes on what has come as a whole, and nothing of what has not', async () => {
    const relay = await Relay.open({ host: '127.0.0.1', port }, 1000);
    const { socket, events } = enter(relay.address);
    socket.write(`${hello}${hello}\0\0\0\u0005hel`);
    await until('it echoes', 5000, () => events.join('').includes(`${hello}${hello}`));
    expect(events.join('')).toBe(`connect${hello}${hello}`);
    socket.write('lo');
    await until('it echoes the rest', 5000, () => events.join('') === `connect${hello}${hello}${hello}`);
    relay.close();
    socket.destroy();
  });

  it('hangs up on the member when it breaks, but never on the client', async () => {
    const relay = await Relay.open({ host: '127.0.0.1', port }, 1000);
    let breaks = 0;
    relay.onBroken = () => {
      breaks += 1;
    };
    const { socket, events } = enter(relay.address);
    socket.write(hello);
    await until('it echoes', 5000, () => events.includes(hello));
    relay.break();
    relay.close();
    relay.sendStrayAnswer();
    await until('it can still be spoken to', 5000, () => events.length === 3);
    expect(events).not.toContain('close');
    expect(breaks).toBe(1);
    socket.destroy();
  });

  it('rejects when nobody listens', async () => {
    await expect(Relay.open({ host: '127.0.0.1', port: 1 }, 1000)).rejects.toThrow();
  });
});
