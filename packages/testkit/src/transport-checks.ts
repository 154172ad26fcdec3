import assert from 'node:assert/strict';
import type { NodeId } from '@hustings/elector';
import { MalformedError, readRecord, readString } from '@hustings/elector/protocol';
import type { Transport } from '@hustings/transport';
import { type Check, until } from './check.js';
import type { Network } from './networks.js';

/** What the suite sends. */
export interface Parcel {
  readonly type: 'parcel';
  readonly number: number;
  /** Something that could be shared by mistake. */
  readonly content: { weight: number };
}

export interface TransportSubject {
  readonly name: string;
  readonly patienceMs?: number;
  open(ids: readonly NodeId[], decodeMessage: (value: unknown) => Parcel): Network<Parcel>;
}

/** A node that writes down what its transport tells it. */
class Correspondent {
  readonly transport: Transport<Parcel>;
  readonly received: { readonly from: NodeId; readonly parcel: Parcel }[] = [];
  readonly links: string[] = [];
  /** Of what has come from a process, in order: `up` or the number of a parcel, and the incarnation. */
  readonly heard: (readonly [what: number | 'up', incarnation: string])[] = [];
  readonly #patienceMs: number;
  /** Called at the end of each handler. */
  afterwards: () => void = () => {};

  constructor(transport: Transport<Parcel>, patienceMs: number) {
    this.transport = transport;
    this.#patienceMs = patienceMs;
  }

  start(): Promise<void> {
    return this.transport.start({
      received: (from, parcel, incarnation) => {
        this.received.push({ from, parcel });
        this.heard.push([parcel.number, incarnation]);
        this.afterwards();
      },
      linkUp: (peer, incarnation) => {
        this.links.push(`up ${peer}`);
        this.heard.push(['up', incarnation]);
        this.afterwards();
      },
      linkDown: (peer) => {
        this.links.push(`down ${peer}`);
        this.afterwards();
      },
    });
  }

  send(to: NodeId, number: number, incarnation?: string): void {
    this.transport.send(to, { type: 'parcel', number, content: { weight: 1 } }, incarnation);
  }

  numbers(): number[] {
    return this.received.map(({ parcel }) => parcel.number);
  }

  hasReceived(count: number): Promise<void> {
    const what = `${this.transport.id} has received ${count} parcels`;
    return until(what, this.#patienceMs, () => this.received.length >= count);
  }

  hears(number: number): Promise<void> {
    const what = `${this.transport.id} hears ${number}`;
    return until(what, this.#patienceMs, () => this.numbers().at(-1) === number);
  }

  hasSeen(...links: string[]): Promise<void> {
    const what = `${this.transport.id} has seen ${links.join(', ')}`;
    return until(what, this.#patienceMs, () => this.links.length >= links.length);
  }
}

class Mesh {
  readonly #network: Network<Parcel>;
  readonly #patienceMs: number;
  readonly #created: Correspondent[] = [];

  constructor(subject: TransportSubject) {
    this.#network = subject.open(['a', 'b', 'c'], decodeParcel);
    this.#patienceMs = subject.patienceMs ?? 10_000;
  }

  create(id: NodeId): Correspondent {
    const correspondent = new Correspondent(this.#network.transport(id), this.#patienceMs);
    this.#created.push(correspondent);
    return correspondent;
  }

  async start(...ids: readonly NodeId[]): Promise<Correspondent[]> {
    const correspondents = ids.map((id) => this.create(id));
    await Promise.all(correspondents.map((correspondent) => correspondent.start()));
    const peers = ids.length - 1;
    await Promise.all(correspondents.map((each) => each.hasSeen(...Array<string>(peers).fill('a link'))));
    return correspondents;
  }

  /** Another process takes the place of one, and is linked with its neighbour. */
  async replace(former: Correspondent, neighbour: Correspondent): Promise<Correspondent> {
    const seen = neighbour.links.length;
    await former.transport.stop();
    await neighbour.hasSeen(...Array<string>(seen).fill('before'), 'down');
    const successor = this.create(former.transport.id);
    await successor.start();
    await Promise.all([
      neighbour.hasSeen(...Array<string>(seen).fill('before'), 'down', 'up'),
      successor.hasSeen('up'),
    ]);
    return successor;
  }

  async close(): Promise<void> {
    await Promise.all(this.#created.map(({ transport }) => transport.stop()));
  }
}

function decodeParcel(value: unknown): Parcel {
  if (readString(readRecord(value, 'A parcel'), 'type') !== 'parcel')
    throw new MalformedError('This is not a parcel.');
  return value as Parcel;
}

function check(name: string, body: (mesh: Mesh) => Promise<void>): Check<TransportSubject> {
  return {
    name,
    async run(subject) {
      const mesh = new Mesh(subject);
      try {
        await body(mesh);
      } finally {
        await mesh.close();
      }
    },
  };
}

type Pair = [Correspondent, Correspondent];
type Three = [Correspondent, Correspondent, Correspondent];

export const transportChecks: readonly Check<TransportSubject>[] = [
  check('delivers a message as it was sent, and says by whom', async (mesh) => {
    const [a, b] = (await mesh.start('a', 'b')) as Pair;
    a.send('b', 7);
    await b.hasReceived(1);
    assert.deepEqual(b.received, [
      { from: 'a', parcel: { type: 'parcel', number: 7, content: { weight: 1 } } },
    ]);
  }),

  check('delivers a message to nobody else', async (mesh) => {
    const [a, b, c] = (await mesh.start('a', 'b', 'c')) as Three;
    a.send('b', 1);
    a.send('c', 2);
    await Promise.all([b.hasReceived(1), c.hasReceived(1)]);
    assert.deepEqual([a.numbers(), b.numbers(), c.numbers()], [[], [1], [2]]);
  }),

  check('keeps the order of messages to one peer, and repeats none', async (mesh) => {
    const [a, b] = (await mesh.start('a', 'b')) as Pair;
    const numbers = Array.from({ length: 200 }, (_, number) => number);
    for (const number of numbers) a.send('b', number);
    await b.hasReceived(numbers.length);
    assert.deepEqual(b.numbers(), numbers);
  }),

  check('never calls a handler from inside send', async (mesh) => {
    const [a, b] = (await mesh.start('a', 'b')) as Pair;
    a.send('b', 1);
    assert.deepEqual(b.numbers(), []);
    await b.hasReceived(1);
  }),

  check('delivers a copy, made when the message was sent', async (mesh) => {
    const [a, b] = (await mesh.start('a', 'b')) as Pair;
    const parcel: Parcel = { type: 'parcel', number: 1, content: { weight: 1 } };
    a.transport.send('b', parcel);
    parcel.content.weight = 2;
    await b.hasReceived(1);
    assert.equal(b.received[0]?.parcel.content.weight, 1);
  }),

  check('reports each link once when it comes up', async (mesh) => {
    const [a, b, c] = (await mesh.start('a', 'b', 'c')) as Three;
    // Whatever else there is to report about the links has been reported once messages have crossed them.
    for (const [from, to] of [
      [a, b],
      [b, c],
      [c, a],
    ] as const) {
      from.send(to.transport.id, 1);
    }
    await Promise.all([a.hasReceived(1), b.hasReceived(1), c.hasReceived(1)]);
    assert.deepEqual(a.links.toSorted(), ['up b', 'up c']);
    assert.deepEqual(b.links.toSorted(), ['up a', 'up c']);
    assert.deepEqual(c.links.toSorted(), ['up a', 'up b']);
  }),

  check('reports a link down when the peer stops, and no other link', async (mesh) => {
    const [a, b, c] = (await mesh.start('a', 'b', 'c')) as Three;
    await c.transport.stop();
    await Promise.all([a.hasSeen('up', 'up', 'down'), b.hasSeen('up', 'up', 'down')]);
    assert.equal(a.links.at(-1), 'down c');
    assert.equal(b.links.at(-1), 'down c');
  }),

  check('calls no handler after stop', async (mesh) => {
    const [a, b, c] = (await mesh.start('a', 'b', 'c')) as Three;
    b.send('a', 1);
    await a.transport.stop();
    const before = [a.numbers(), [...a.links]];
    b.send('a', 2);
    b.send('c', 3);
    await c.hasReceived(1);
    await b.hasSeen('up', 'up', 'down');
    assert.deepEqual([a.numbers(), a.links], before);
  }),

  check('loses messages to a peer that is unknown or gone, without throwing', async (mesh) => {
    const [a, b, c] = (await mesh.start('a', 'b', 'c')) as Three;
    await c.transport.stop();
    a.send('nobody', 1);
    a.send('c', 2);
    a.send('b', 3);
    await b.hasReceived(1);
    assert.deepEqual(b.numbers(), [3]);
    assert.deepEqual(c.numbers(), []);
  }),

  check('loses messages that are sent before start or after stop, without throwing', async (mesh) => {
    const early = mesh.create('a');
    early.send('b', 1);
    const [b, c] = (await mesh.start('b', 'c')) as Pair;
    await early.start();
    await b.hasSeen('up c', 'up a');
    await early.transport.stop();
    early.send('b', 2);
    c.send('b', 3);
    await b.hasReceived(1);
    assert.deepEqual(b.numbers(), [3]);
  }),

  check('starts although its peers are not there yet', async (mesh) => {
    const first = mesh.create('a');
    await first.start();
    assert.deepEqual(first.links, []);
    const second = mesh.create('b');
    await second.start();
    await Promise.all([first.hasSeen('up b'), second.hasSeen('up a')]);
    second.send('a', 1);
    await first.hasReceived(1);
  }),

  check('links again with a peer that comes back', async (mesh) => {
    const [a, b] = (await mesh.start('a', 'b')) as Pair;
    await b.transport.stop();
    await a.hasSeen('up b', 'down b');
    const again = mesh.create('b');
    await again.start();
    await Promise.all([a.hasSeen('up b', 'down b', 'up b'), again.hasSeen('up a')]);
    assert.deepEqual(a.links, ['up b', 'down b', 'up b']);
    a.send('b', 1);
    again.send('a', 2);
    await Promise.all([again.hasReceived(1), a.hasReceived(1)]);
    assert.deepEqual([b.numbers(), again.numbers(), a.numbers()], [[], [1], [2]]);
  }),

  check('names the process that a message or a link comes from', async (mesh) => {
    const [a, b] = (await mesh.start('a', 'b')) as Pair;
    b.send('a', 1);
    await a.hasReceived(1);
    const again = await mesh.replace(b, a);
    again.send('a', 2);
    await a.hasReceived(2);
    const [former, present] = [b.transport.incarnation, again.transport.incarnation];
    assert.notEqual(former, present);
    assert.deepEqual(a.heard, [
      ['up', former],
      [1, former],
      ['up', present],
      [2, present],
    ]);
  }),

  check('delivers nothing to a process that was meant for an earlier one', async (mesh) => {
    const [a, b] = (await mesh.start('a', 'b')) as Pair;
    const former = b.transport.incarnation;
    a.send('b', 1, former);
    await b.hasReceived(1);
    const again = await mesh.replace(b, a);
    a.send('b', 2, former);
    a.send('b', 3, again.transport.incarnation);
    a.send('b', 4);
    await again.hasReceived(2);
    assert.deepEqual([b.numbers(), again.numbers()], [[1], [3, 4]]);
  }),

  check('delivers nothing of an earlier process once a later one is linked', async (mesh) => {
    const [a, b] = (await mesh.start('a', 'b')) as Pair;
    for (let number = 0; number < 200; number += 1) b.send('a', number);
    const again = await mesh.replace(b, a);
    // Whatever is still on its way has had as long as these.
    for (let number = 200; number < 400; number += 1) {
      again.send('a', number);
      await a.hears(number);
    }
    const present = again.transport.incarnation;
    const sinceThen = a.heard.slice(a.heard.findIndex(([, incarnation]) => incarnation === present));
    assert.deepEqual(new Set(sinceThen.map(([, incarnation]) => incarnation)), new Set([present]));
  }),

  check('goes on when a handler throws, and so does the process', async (mesh) => {
    const [a, b] = [mesh.create('a'), mesh.create('b')];
    a.afterwards = () => {
      throw new Error('A handler of the suite throws, as it should.');
    };
    await Promise.all([a.start(), b.start()]);
    await Promise.all([a.hasSeen('up b'), b.hasSeen('up a')]);
    b.send('a', 1);
    b.send('a', 2);
    await a.hasReceived(2);
    await b.transport.stop();
    await a.hasSeen('up b', 'down b');
    assert.deepEqual(
      [a.numbers(), a.links],
      [
        [1, 2],
        ['up b', 'down b'],
      ],
    );
  }),

  check('stops as often as it is asked, started or not', async (mesh) => {
    const [a] = (await mesh.start('a', 'b')) as Pair;
    await Promise.all([a.transport.stop(), a.transport.stop()]);
    await a.transport.stop();
    await mesh.create('c').transport.stop();
  }),
];
