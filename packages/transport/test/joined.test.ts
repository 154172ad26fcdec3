import { InvalidOptionError } from '@hustings/elector';
import { afterEach, describe, expect, it } from 'vitest';
import { joinTransports } from '../src/joined.js';
import { MemoryNetwork } from '../src/memory.js';
import { Cluster, eventually, type Note, note, Recorder } from './nodes.js';

const cluster = new Cluster();
afterEach(() => cluster.stopAll());

async function threeNodes() {
  const servers = new MemoryNetwork<Note>();
  const links = new MemoryNetwork<Note>();
  const server = servers.transport('etcd', ['a']);
  const other = links.transport('b', ['a']);
  const peers = links.transport('a', ['b']);
  const node = joinTransports<Note>({
    coordinator: servers.transport('a', ['etcd']),
    peers: Object.assign(peers, { peers: ['b'] }),
  });
  const [atNode, atServer, atOther] = [new Recorder(), new Recorder(), new Recorder()];
  await server.start(atServer);
  await other.start(atOther);
  await node.start(atNode);
  return { node, server, other, atNode, atServer, atOther, incarnation: peers.incarnation };
}

describe('two transports that were joined', () => {
  it('send to a peer over its link, and to whoever else through the gateway', async () => {
    const { node, atServer, atOther } = await threeNodes();
    node.send('b', note('to a peer'));
    node.send('etcd', note('to the server'));
    await eventually(() => expect(atOther.messages).toEqual(['a: to a peer']));
    await eventually(() => expect(atServer.messages).toEqual(['a: to the server']));
  });

  it('tell one owner of both', async () => {
    const { server, other, atNode } = await threeNodes();
    server.send('a', note('from the server'));
    other.send('a', note('from a peer'));
    await eventually(() => expect(atNode.messages).toHaveLength(2));
    expect(atNode.events.filter((event) => event.startsWith('up')).sort()).toEqual(['up b', 'up etcd']);
  });

  it('are one process, named as its peers know it', async () => {
    const { node, incarnation } = await threeNodes();
    expect(node).toMatchObject({ id: 'a', peers: ['b'], incarnation });
  });

  it('stop together', async () => {
    const { node, atServer, atOther } = await threeNodes();
    await node.stop();
    await eventually(() => expect(atServer.events).toContain('down a'));
    await eventually(() => expect(atOther.events).toContain('down a'));
  });

  it('do not start by halves: when one fails, the other is stopped', async () => {
    const first = cluster.node('b', []);
    await first.start();
    const servers = new MemoryNetwork<Note>();
    const server = servers.transport('etcd', ['a']);
    const atServer = new Recorder();
    await server.start(atServer);
    const portIsTaken = cluster.node('a', ['b'], { listen: { host: '127.0.0.1', port: first.port() } });
    const node = joinTransports<Note>({
      coordinator: servers.transport('a', ['etcd']),
      peers: portIsTaken.transport,
    });
    await expect(node.start(new Recorder())).rejects.toMatchObject({ code: 'HUSTINGS_LISTEN_FAILED' });
    await eventually(() => expect(atServer.events).toEqual(['up a', 'down a']));
  });

  it('refuse to be two nodes', () => {
    const network = new MemoryNetwork<Note>();
    expect(() =>
      joinTransports<Note>({ coordinator: network.transport('a', []), peers: network.transport('b', []) }),
    ).toThrow(InvalidOptionError);
  });
});
