import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prove } from '../src/handshake.js';
import { LoopbackProxy } from './loopback-proxy.js';
import { Cluster, eventually, note, secret, type TestNode } from './nodes.js';
import { RawPeer } from './raw-peer.js';

/** Each case from both sides: `b` decides which connection to its peer `a` counts, and consents to what `c` decides. */
const sides = [
  { side: 'the end that decides', peer: 'a', settle: 'ready' },
  { side: 'the end that consents', peer: 'c', settle: 'open' },
] as const;

let cluster: Cluster;
let b: TestNode;

beforeEach(async () => {
  cluster = new Cluster();
  b = cluster.node('b', ['a', 'c'], { peers: { a: null, c: null }, handshakeTimeoutMs: 1000 });
  await b.start();
});
afterEach(() => cluster.stopAll());

describe.each(sides)('for $side', ({ peer, settle }) => {
  const up = `up ${peer}`;
  const down = `down ${peer}`;

  async function linked(incarnation: string): Promise<RawPeer> {
    const process = await new RawPeer(b.port(), incarnation).authenticate(peer, 'b');
    if (settle === 'open') await process.next();
    process.send({ type: settle });
    process.send(note(`from ${incarnation}`));
    await eventually(() => expect(b.events.at(-1)).toBe(`${peer}: from ${incarnation}`));
    return process;
  }

  async function died(process: RawPeer): Promise<void> {
    process.socket.terminate();
    await eventually(() => expect(b.events.at(-1)).toBe(down));
  }

  function speaksUp(process: RawPeer): void {
    process.send({ type: settle });
    process.send(note('from the grave'));
  }

  it('a process that is linked again after its connection broke is heard', async () => {
    await died(await linked('first'));
    const process = await linked('first');
    expect(b.events).toEqual([up, `${peer}: from first`, down, up, `${peer}: from first`]);
    process.socket.terminate();
  });

  it('a process is not heard any more once a later one has been linked', async () => {
    await died(await linked('first'));
    await died(await linked('second'));
    const late = await new RawPeer(b.port(), 'first').authenticate(peer, 'b');
    speaksUp(late);
    expect(await late.closed).toBe(4009);
    expect(b.transport.refusals().superseded).toBe(1);
    expect(b.events.at(-1)).toBe(down);
  });

  it('a connection that an earlier process left unsettled does not come to life after a later one', async () => {
    const early = await new RawPeer(b.port(), 'first').authenticate(peer, 'b');
    await died(await linked('second'));
    const before = [...b.events];
    speaksUp(early);
    expect(await early.closed).toBe(4009);
    expect(b.events).toEqual(before);
  });

  it('a proof of an earlier process that arrives late does not displace a later one', async () => {
    const early = new RawPeer(b.port(), 'first');
    const transcript = await early.challenge(peer, 'b');
    await died(await linked('second'));
    early.send({ type: 'proof', proof: prove(secret, 'dialler', transcript) });
    expect(await early.closed).toBe(4009);
    await linked('second');
    expect(b.events).not.toContain(`${peer}: from the grave`);
  });

  it('a third process is let in after the second', async () => {
    for (const incarnation of ['first', 'second', 'third']) await died(await linked(incarnation));
    expect(b.transport.refusals().superseded).toBe(0);
  });

  it('however many have gone before, the one before the last is refused', async () => {
    for (let count = 1; count <= 70; count += 1) await died(await linked(`process ${count}`));
    const late = await new RawPeer(b.port(), 'process 69').authenticate(peer, 'b');
    expect(await late.closed).toBe(4009);
  });
});

describe('a link that stalls while its process is replaced', () => {
  it.each([
    ['weaker', 'a'],
    ['stronger', 'c'],
  ])('delivers nothing of what the %s node sent before, however late it comes', async (_, restarted) => {
    const proxy = await LoopbackProxy.to(b.port());
    cluster.publish(b, proxy.port);
    const before = cluster.node(restarted, ['b'], { listens: false });
    await before.start();
    await eventually(() => expect(b.events).toEqual([`up ${restarted}`]));
    proxy.stall();
    for (let count = 0; count < 100; count += 1) before.transport.send('b', note('late'));
    await before.transport.stop();

    cluster.publish(b);
    const after = cluster.node(restarted, ['b'], { listens: false });
    await after.start();
    await eventually(() =>
      expect(b.events).toEqual([`up ${restarted}`, `down ${restarted}`, `up ${restarted}`]),
    );
    proxy.resume();
    after.transport.send('b', note('present'));
    await eventually(() => expect(b.recorder.messages).toEqual([`${restarted}: present`]));
    await after.transport.stop();
    await proxy.close();
  });
});
