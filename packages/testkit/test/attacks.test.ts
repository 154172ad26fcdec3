import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Leadership, NodeId } from '@hustings/elector';
import { type RaftMessage, raft } from '@hustings/raft';
import { createElector, memoryStorage } from '@hustings/runtime';
import { type WebSocketTransport, webSocketTransport } from '@hustings/transport/websocket';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../src/check.js';
import { Candidate } from '../src/election.js';
import { type AttackOptions, attacks, attackWithFragments, attackWithIdleSockets } from '../src/index.js';

const patienceMs = 30_000;

/** Nodes on whatever ports are free. Only their owner knows the secret. */
class Town<Message> {
  readonly #decodeMessage: (value: unknown) => Message;
  readonly #transports = new Map<NodeId, WebSocketTransport<Message>>();

  constructor(decodeMessage: (value: unknown) => Message) {
    this.#decodeMessage = decodeMessage;
  }

  transport(id: NodeId, peers: readonly NodeId[], { dials = true } = {}): WebSocketTransport<Message> {
    const transport = webSocketTransport({
      id,
      listen: { host: '127.0.0.1', port: 0 },
      peers: Object.fromEntries(peers.map((peer) => [peer, dials ? () => this.url(peer) : null])),
      secret: 'no attacker knows this one',
      decodeMessage: this.#decodeMessage,
      onDiagnostic: () => {},
    });
    this.#transports.set(id, transport);
    return transport;
  }

  url(id: NodeId): string {
    return `ws://127.0.0.1:${this.#transports.get(id)?.address()?.port ?? 0}`;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#transports.values()].map((transport) => transport.stop()));
  }
}

/** Starts a node and returns what it is told of its links. */
async function join(transport: WebSocketTransport<string>): Promise<string[]> {
  const links: string[] = [];
  await transport.start({
    received: () => {},
    linkUp: (peer) => links.push(`up ${peer}`),
    linkDown: (peer) => links.push(`down ${peer}`),
  });
  return links;
}

describe.each(Object.entries(attacks))('a node under attack by %s', (_name, attack) => {
  let town: Town<string>;
  beforeEach(() => {
    town = new Town(String);
  });
  afterEach(() => town.close());

  it.each<[string, Partial<AttackOptions>]>([
    ['from where its peers are', {}],
    ['from elsewhere', { localAddress: '127.0.0.2' }],
  ])('%s keeps the link that it has, and a peer that comes is linked', async (_place, place) => {
    const victim = town.transport('b', ['a', 'c'], { dials: false });
    const links = await join(victim);
    await join(town.transport('a', ['b']));
    await until('a and b are linked', patienceMs, () => links.length === 1);

    const ending = new AbortController();
    const options = { sockets: 100, forMs: 60_000, signal: ending.signal, ...place };
    const attacking = attack(town.url('b'), options);
    await join(town.transport('c', ['b']));
    await until('c and b are linked', patienceMs, () => links.length === 2);
    ending.abort();
    expect((await attacking).connections).toBeGreaterThan(0);
    expect(links).toEqual(['up a', 'up c']);
  });
});

describe('three Raft electors over WebSockets', () => {
  const ids = ['n1', 'n2', 'n3'];
  const protocol = () => raft({ electionTimeoutMs: [500, 1000], heartbeatMs: 50 });

  it('lose no Leadership while strangers send fragments to the leader and hold sockets of it', async () => {
    const town = new Town<RaftMessage>(protocol().decodeMessage);
    const electors = ids.map((id) => {
      const peers = ids.filter((peer) => peer !== id);
      const transport = town.transport(id, peers);
      return createElector({ protocol: protocol(), transport, peers, storage: memoryStorage() });
    });
    try {
      await Promise.all(electors.map((elector) => elector.start()));
      const terms: Leadership[] = [];
      for (const elector of electors) new Candidate(elector, (term) => terms.push(term));
      await until('all follow one leader', patienceMs, () => {
        const leaders = new Set(electors.map((elector) => elector.belief().leaderId));
        return leaders.size === 1 && !leaders.has(null);
      });
      const before = terms.length;
      const leader = town.url(electors[0]?.belief().leaderId ?? '');
      await Promise.all([
        attackWithFragments(leader, { sockets: 30, forMs: 3000 }),
        attackWithIdleSockets(leader, { sockets: 80, forMs: 3000 }),
      ]);
      expect(terms.length - before).toBe(0);
      expect(terms.at(-1)?.signal.aborted).toBe(false);
    } finally {
      await Promise.all(electors.map((elector) => elector.stop()));
    }
  });
});

describe('an attack', () => {
  const bounds = { sockets: 1, forMs: 10 };

  it.each(['ws://192.0.2.1:7000', 'ws://example.org', 'wss://127.0.0.1:7000', 'ws://127.0.0.1.example.org'])(
    'is not mounted against %s',
    async (url) => {
      await expect(attackWithFragments(url, bounds)).rejects.toThrow(RangeError);
    },
  );

  it.each([{ sockets: 0 }, { sockets: 1001 }, { forMs: 0 }, { forMs: 600_001 }])(
    'is not mounted with %j',
    async (bad) => {
      await expect(attackWithFragments('ws://127.0.0.1:1', { ...bounds, ...bad })).rejects.toThrow(
        RangeError,
      );
    },
  );

  it('ends by itself and leaves no socket behind', async () => {
    const server = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const report = await attackWithIdleSockets(`ws://127.0.0.1:${port}`, { sockets: 5, forMs: 50 });
    expect(report).toMatchObject({ connections: 5, dropped: 0 });
    server.close();
    await once(server, 'close');
  });
});
