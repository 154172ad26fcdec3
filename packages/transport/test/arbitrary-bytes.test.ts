import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AcceptorHandshake, DiallerHandshake } from '../src/handshake.js';
import { Refusal } from '../src/refusals.js';
import { Cluster, decodeNote, eventually, note, secret, type TestNode } from './nodes.js';
import { RawPeer } from './raw-peer.js';

const cluster = new Cluster();
let b: TestNode;
beforeAll(async () => {
  b = cluster.node('b', ['a'], { peers: { a: null }, handshakeTimeoutMs: 2000, maxPendingConnections: 1000 });
  await b.start();
});
afterAll(() => cluster.stopAll());

const isRefused = (value: unknown) => {
  try {
    decodeNote(value);
    return false;
  } catch {
    return true;
  }
};

/** What an attacker might try: noise, JSON that is not ours, and handshake frames with one thing wrong. */
const frames = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: 'binary' }),
  fc
    .jsonValue()
    .filter(isRefused)
    .map((value) => JSON.stringify(value)),
  fc
    .record(
      {
        type: fc.constantFrom('hello', 'challenge', 'proof', 'ready', 'open', '__proto__'),
        version: fc.oneof(fc.constant(1), fc.jsonValue()),
        from: fc.constantFrom('a', 'b', 'c', ''),
        to: fc.constantFrom('a', 'b', 'c', ''),
        incarnation: fc.string(),
        nonce: fc.string(),
        proof: fc.oneof(fc.string(), fc.constant('x'.repeat(43))),
      },
      { requiredKeys: ['type'] },
    )
    .map((frame) => JSON.stringify(frame)),
);

function refusalTotal(): number {
  return Object.values(b.transport.refusals()).reduce((sum, count) => sum + count, 0);
}

describe('whatever bytes arrive', () => {
  it('no raw bytes reach a handler or end the process', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 500 }), async (bytes) => {
        const before = b.events.length;
        const socket = connect(b.port(), '127.0.0.1').on('error', () => {});
        socket.resume().end(bytes);
        await once(socket, 'close');
        expect(b.events).toHaveLength(before);
      }),
      { numRuns: 100 },
    );
  });

  it('no frames get past the handshake, and the refusal is counted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(frames, { minLength: 1, maxLength: 4 }), async (attack) => {
        const [eventsBefore, refusalsBefore] = [b.events.length, refusalTotal()];
        const peer = await new RawPeer(b.port()).open();
        for (const frame of attack) peer.socket.send(frame);
        // A lone hello is no offence yet; a proof that is not one always is.
        peer.send({ type: 'proof', proof: 'none' });
        expect([1002, 1007, 4001, 4002, 4003, 4005]).toContain(await peer.closed);
        expect(refusalTotal()).toBe(refusalsBefore + 1);
        expect(b.events).toHaveLength(eventsBefore);
      }),
      { numRuns: 150 },
    );
  });

  it('no frame of a peer that has been let in reaches a handler unless the decoder knows it', async () => {
    await fc.assert(
      fc.asyncProperty(frames, async (frame) => {
        const [eventsBefore, refusalsBefore] = [b.events.length, refusalTotal()];
        const peer = await new RawPeer(b.port()).link('a', 'b');
        peer.socket.send(frame);
        peer.send(note('never heard'));
        expect(await peer.closed).toBe(1007);
        expect(refusalTotal()).toBe(refusalsBefore + 1);
        await eventually(() => expect(b.events.slice(eventsBefore)).toEqual(['up a', 'down a']));
      }),
      { numRuns: 100 },
    );
  });

  it('no values complete a handshake of either side, and it fails only by refusing', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.jsonValue(), frames.map(parsed)), { maxLength: 5 }), (values) => {
        const self = { id: 'b', incarnation: 'i' };
        const ends = [
          new AcceptorHandshake(self, (id) => id === 'a', secret),
          new DiallerHandshake(self, 'a', secret),
        ];
        for (const end of ends) {
          for (const value of values) {
            try {
              expect(end.receive(value).authenticated).toBeUndefined();
            } catch (error) {
              expect(error).toBeInstanceOf(Refusal);
            }
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

it('a well-behaved peer is served after all that', async () => {
  const peer = await new RawPeer(b.port()).link('a', 'b');
  peer.send(note('still here'));
  await eventually(() => expect(b.events.at(-1)).toBe('a: still here'));
  peer.socket.terminate();
});

function parsed(frame: Buffer | string): unknown {
  try {
    return JSON.parse(frame.toString());
  } catch {
    return frame.toString();
  }
}
