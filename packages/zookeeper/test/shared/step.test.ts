import { describe, expect, it } from 'vitest';
import type { ZooKeeperReply, ZooKeeperRequest } from '../../src/index.js';
import { defaultShared, initialShared, type SharedEffect, type SharedInput } from '../../src/shared/state.js';
import { step } from '../../src/shared/step.js';
import { own, session, timeoutMs } from '../subject.js';

/** A session whose elections and whose server speak by hand. */
class Process {
  nowMs = 1000;
  #state = initialShared({ ...defaultShared, prefix: '/p' });
  #effects: readonly SharedEffect[] = [];

  give(input: SharedInput): this {
    [this.#state, this.#effects] = step(this.#state, input, this.nowMs);
    return this;
  }

  open(...elections: readonly string[]): this {
    for (const election of elections) this.give({ type: 'opened', election });
    return this;
  }

  after(ms: number): this {
    this.nowMs += ms;
    return this;
  }

  ask(election: string, request: ZooKeeperRequest): this {
    return this.give({ type: 'asked', election, request });
  }

  connect(election: string, known: string | null = null): this {
    return this.ask(election, { type: 'connect', id: 1, session: known, sessionTimeoutMs: timeoutMs });
  }

  hear(reply: ZooKeeperReply): this {
    return this.give({ type: 'answered', reply });
  }

  /** What was sent to the server just now. */
  get sent(): ZooKeeperRequest[] {
    return this.#effects.flatMap((effect) => (effect.type === 'send' ? [effect.request] : []));
  }

  /** What elections were told just now. */
  get told(): [election: string, reply: ZooKeeperReply][] {
    return this.#effects.flatMap((effect) =>
      effect.type === 'deliver' ? [[effect.election, effect.reply]] : [],
    );
  }

  /** The server answers the only request that was just sent. */
  answer(reply: (id: number) => ZooKeeperReply): this {
    const [request] = this.sent;
    return this.hear(reply(request?.id ?? -1));
  }

  /** With these elections in one session. */
  static joined(...elections: readonly string[]): Process {
    const [first = '', ...others] = elections;
    const process = new Process()
      .open(...elections)
      .connect(first)
      .answer(connected);
    for (const election of others) process.connect(election);
    return process;
  }
}

const connected = (id: number): ZooKeeperReply => ({
  type: 'connected',
  id,
  session,
  sessionTimeoutMs: timeoutMs,
});

const ping = (id: number, election: string, type: 'ping' | 'prove' = 'prove'): ZooKeeperRequest => ({
  type,
  id,
  session,
  path: `/p/${election}/x`,
});

const create = (id: number, election: string): ZooKeeperRequest => ({
  type: 'create',
  id,
  session,
  path: `/p/${election}/y`,
  data: 'n1',
});

describe('given an election that joins a session', () => {
  it('then one that asks later is told of the same session, and how long ago it was proven', () => {
    const process = new Process().open('a', 'b').connect('a').answer(connected);
    expect(process.told).toEqual([['a', { ...connected(1), agoMs: 0 }]]);
    process.after(500).connect('b');
    expect(process.sent).toEqual([]);
    expect(process.told).toEqual([['b', { ...connected(1), agoMs: 500 }]]);
  });

  it('then one that waited for the same connection counts from when that was asked for', () => {
    const process = new Process().open('a', 'b').connect('a');
    const [asked] = process.sent;
    process.after(30).connect('b');
    expect(process.sent).toEqual([]);
    process.after(20).hear(connected(asked!.id));
    expect(Object.fromEntries(process.told)).toMatchObject({ a: { agoMs: 0 }, b: { agoMs: 30 } });
  });
});

describe('given two elections that want a proof', () => {
  it('when the second asks, then one write is sent for both, and its answer is passed on to both', () => {
    const process = Process.joined('a', 'b').ask('a', ping(2, 'a'));
    expect(process.sent).toEqual([]);
    process.after(5).ask('b', ping(7, 'b', 'ping'));
    expect(process.sent).toMatchObject([{ type: 'prove', path: '/p' }, { type: 'ping' }]);
    process.answer((id) => ({ type: 'proven', id, exists: false }));
    expect(Object.fromEntries(process.told)).toEqual({
      a: { type: 'proven', id: 2, exists: true },
      b: { type: 'pong', id: 7, exists: true },
    });
  });

  it('when the second is late, then the first does not wait for it, and it is not answered by what was sent before', () => {
    const process = Process.joined('a', 'b').ask('a', ping(2, 'a'));
    process.after(100).give({ type: 'timer-fired', timer: 'prove' });
    const [proof] = process.sent;
    process.after(1).ask('b', ping(2, 'b'));
    process.after(1).hear({ type: 'proven', id: proof!.id, exists: true });
    expect(process.told.map(([election]) => election)).toEqual(['a']);
  });
});

describe('given elections whose requests have the same ids', () => {
  it('then each is given its own answer', () => {
    const process = Process.joined('a', 'b').ask('a', create(5, 'a'));
    const [ofA] = process.sent;
    process.ask('b', create(5, 'b'));
    const [ofB] = process.sent;
    expect(ofB?.id).not.toBe(ofA?.id);
    process.hear({ type: 'created', id: ofB!.id, path: '/p/b/y1', czxid: 9 });
    expect(process.told).toEqual([['b', { type: 'created', id: 5, path: '/p/b/y1', czxid: 9 }]]);
  });

  it('then an event is told to the election in whose queue it happened', () => {
    const process = Process.joined('a', 'b').hear({ type: 'node-deleted', session, path: '/p/b/x' });
    expect(process.told).toEqual([['b', { type: 'node-deleted', session, path: '/p/b/x' }]]);
  });
});

describe('given an election that loses patience', () => {
  it('when others are answered, then it is told that the connection stands', () => {
    const process = Process.joined('a', 'b').ask('a', create(5, 'a')).after(400).connect('a', session);
    expect(process.sent).toEqual([]);
    expect(process.told).toMatchObject([['a', { type: 'connected', session }]]);
  });

  it('when nothing has been answered for long, then all move to another connection', () => {
    const process = Process.joined('a', 'b').ask('a', create(5, 'a')).after(1000).connect('a', session);
    expect(process.sent).toMatchObject([{ type: 'connect', session }]);
    expect(process.told).toEqual([['b', { type: 'disconnected', session }]]);
  });
});

describe('given the end of the session', () => {
  it('then every election is told, and a new one is asked for once', () => {
    const process = Process.joined('a', 'b').hear({ type: 'expired', session });
    expect(process.told.map(([, reply]) => reply)).toEqual([
      { type: 'expired', session },
      { type: 'expired', session },
    ]);
    process.connect('a');
    expect(process.sent).toMatchObject([{ type: 'connect', session: null }]);
    process.connect('b');
    expect(process.sent).toEqual([]);
  });
});

describe('given an election that closes', () => {
  const closed = () =>
    Process.joined('a', 'b').ask('a', create(5, 'a')).give({ type: 'closed', election: 'a' });

  it('then what it has created is deleted, and the session stays', () => {
    const process = closed();
    expect(process.sent).toMatchObject([{ type: 'children', path: '/p/a' }]);
    process.answer((id) => ({ type: 'listed', id, names: [own(1, 3), 'x-latch-0000000001'] }));
    expect(process.sent).toMatchObject([{ type: 'delete', path: `/p/a/${own(1, 3)}` }]);
    process.answer((id) => ({ type: 'done', id }));
    process.answer((id) => ({ type: 'listed', id, names: ['x-latch-0000000001'] }));
    expect(process.sent).toEqual([]);
  });

  it('then one that opens it again waits until that is done', () => {
    const process = closed();
    const [look] = process.sent;
    process.open('a').connect('a');
    expect(process.told).toEqual([]);
    process.hear({ type: 'listed', id: look!.id, names: [] });
    expect(process.told).toMatchObject([['a', { type: 'connected', session }]]);
  });

  it('then one that has created nothing leaves nothing to look for', () => {
    expect(Process.joined('a', 'b').give({ type: 'closed', election: 'b' }).sent).toEqual([]);
  });
});
