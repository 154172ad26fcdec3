import { InvalidOptionError } from '@hustings/elector';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkNodeId, metered } from '../src/index.js';
import { MemoryNetwork } from '../src/memory.js';
import { webSocketTransport } from '../src/websocket.js';
import { Cluster, decodeNote, eventually, note, secret } from './nodes.js';
import { RawPeer } from './raw-peer.js';

const impossible: readonly [string, string, RegExp][] = [
  ['nothing', '', /from 1 to 256 characters/],
  ['a novel', 'x'.repeat(257), /from 1 to 256 characters/],
  ['constructor', 'constructor', /every JavaScript object/],
  ['__proto__', '__proto__', /every JavaScript object/],
  ['toString', 'toString', /every JavaScript object/],
  ['half of a pair', 'node-\ud83d', /half of a surrogate pair/],
  ['the other half', '\ude00', /half of a surrogate pair/],
];

const options = { id: 'a', peers: {}, secret, decodeMessage: decodeNote };

describe.each(impossible)('the id %s', (_, id, sentence) => {
  it('is refused, with what to do', () => {
    expect(() => checkNodeId(id)).toThrow(sentence);
    expect(() => checkNodeId(id)).toThrow(InvalidOptionError);
  });

  it('is refused by each transport, for the node itself and for a peer', () => {
    const network = new MemoryNetwork();
    const peers = Object.fromEntries([[id, null]]);
    expect(() => network.transport(id, [])).toThrow(sentence);
    expect(() => network.transport('a', [id])).toThrow(sentence);
    expect(() => webSocketTransport({ ...options, id })).toThrow(sentence);
    expect(() => webSocketTransport({ ...options, peers })).toThrow(sentence);
  });
});

describe('any other id', () => {
  let cluster: Cluster;
  beforeEach(() => {
    cluster = new Cluster();
  });
  afterEach(() => cluster.stopAll());

  it.each(['prototype', 'node 1', 'ünïcode', '😀', 'a/b', '0', 'NaN'])(
    'such as %s works over WebSockets',
    async (id) => {
      const [a, b] = [cluster.node('a', [id]), cluster.node(id, ['a'])];
      await cluster.startAll(a, b);
      b.transport.send('a', note('hello'));
      await eventually(() => expect(a.events).toEqual([`up ${id}`, `${id}: hello`]));
    },
  );

  it('is counted under its own name', async () => {
    const network = new MemoryNetwork<{ type: string }>();
    const a = metered(network.transport('a', ['prototype']));
    a.send('prototype', { type: 'constructor' });
    a.send('prototype', { type: '__proto__' });
    expect(Object.entries(a.counts().sent.byType)).toEqual([
      ['constructor', 1],
      ['__proto__', 1],
    ]);
  });

  it('is unknown when it is no peer, whatever objects have by that name', async () => {
    const b = cluster.node('b', ['a'], { peers: { a: null } });
    await b.start();
    for (const name of ['constructor', '__proto__', 'hasOwnProperty']) {
      const stranger = await new RawPeer(b.port()).open();
      stranger.send(stranger.hello(name, 'b'));
      expect(await stranger.closed).toBe(4002);
      b.transport.send(name, note('to nobody'));
    }
    expect(b.transport.refusals()['unknown-peer']).toBe(3);
  });

  it('is either refused or kept apart', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 100 }), (id) => {
        try {
          checkNodeId(id);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidOptionError);
          return;
        }
        const record: Record<string, number> = {};
        expect(record[id]).toBeUndefined();
        record[id] = 1;
        expect(Object.keys(JSON.parse(JSON.stringify(record)))).toEqual([id]);
        expect(Buffer.from(id).toString()).toBe(id);
      }),
    );
  });
});
