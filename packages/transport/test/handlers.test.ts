import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { faulty } from '../src/index.js';
import { Cluster, eventually, memoryPair, note, type Recorder } from './nodes.js';

// An exception that nobody catches, or a rejection, fails the whole run.

let cluster: Cluster;
beforeEach(() => {
  cluster = new Cluster();
});
afterEach(async () => {
  await cluster.stopAll();
  vi.restoreAllMocks();
});

function broken(): never {
  throw new Error('the listener is broken');
}

/** Notes what it is told, and then throws. */
function breakAll(recorder: Recorder): void {
  for (const handler of ['received', 'linkUp', 'linkDown'] as const) {
    const note = recorder[handler].bind(recorder) as (...told: unknown[]) => void;
    recorder[handler] = (...told: unknown[]) => {
      note(...told);
      broken();
    };
  }
}

describe('a listener for diagnostics', () => {
  it.each([
    ['throws', broken],
    ['returns a promise that is rejected', async () => broken()],
  ])('that %s harms nobody, and is mentioned once', async (_, onDiagnostic) => {
    const warned = once(process, 'warning');
    const b = cluster.node('b', ['a'], { onDiagnostic });
    const a = cluster.node('a', ['b']);
    await cluster.startAll(b);
    const warnings: Error[] = [];
    const collect = (warning: Error) => warnings.push(warning);
    process.on('warning', collect);
    for (let knocks = 0; knocks < 3; knocks += 1) await fetch(`http://127.0.0.1:${b.port()}/`);
    await cluster.startAll(a);
    await eventually(() => expect(b.events).toEqual(['up a']));
    expect(b.transport.refusals().malformed).toBe(3);
    expect((await warned)[0]).toMatchObject({ message: expect.stringContaining('onDiagnostic') });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', collect);
    expect(warnings).toHaveLength(1);
  });

  it('that works is told, and nothing else is said', async () => {
    const b = cluster.node('b', ['a']);
    await cluster.startAll(b);
    const warning = vi.spyOn(process, 'emitWarning');
    await fetch(`http://127.0.0.1:${b.port()}/`);
    await eventually(() => expect(b.diagnostics).toMatchObject([{ type: 'refused', reason: 'malformed' }]));
    expect(warning).not.toHaveBeenCalled();
  });
});

describe('handlers that throw', () => {
  it('do not break a link over WebSockets, and are reported', async () => {
    const [a, b] = [cluster.node('a', ['b']), cluster.node('b', ['a'])];
    breakAll(b.recorder);
    await cluster.startAll(a, b);
    a.transport.send('b', note('one'));
    a.transport.send('b', note('two'));
    await eventually(() => expect(b.recorder.messages).toEqual(['a: one', 'a: two']));
    await a.transport.stop();
    await eventually(() => expect(b.events).toEqual(['up a', 'a: one', 'a: two', 'down a']));
    const failed = (handler: string) => ({ type: 'handler-failed', peer: 'a', handler });
    await eventually(() =>
      expect(b.diagnostics.filter(({ type }) => type === 'handler-failed')).toMatchObject(
        ['linkUp', 'received', 'received', 'linkDown'].map(failed),
      ),
    );
  });

  it.each([
    ['in memory', (transport: Parameters<typeof faulty>[0]) => transport],
    [
      'behind faults',
      (transport: Parameters<typeof faulty>[0]) =>
        faulty(transport, { rules: [{ type: 'delay', delayMs: [1, 2] }] }),
    ],
  ])('do not stop what comes after %s, and are logged', async (_, decorate) => {
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { b, atA } = await memoryPair(
      (transport) => decorate(transport as never) as typeof transport,
      breakAll,
    );
    b.send('a', note('one'));
    b.send('a', note('two'));
    await eventually(() => expect(atA.events).toEqual(['up b', 'b: one', 'b: two']));
    await b.stop();
    await eventually(() => expect(atA.events.at(-1)).toBe('down b'));
    expect(log.mock.calls.join()).toContain("'received'");
  });
});

describe('a peer address that is computed', () => {
  it.each([
    ['throws', broken],
    ['is a promise', async () => 'ws://127.0.0.1:1'],
    ['is a promise that is rejected', async () => broken()],
  ])('and %s is a failed attempt', async (_, address) => {
    const a = cluster.node('a', ['b'], { peers: { b: address as unknown as () => string } });
    await a.start();
    expect(a.diagnostics[0]).toMatchObject({ type: 'dial-failed', peer: 'b' });
  });
});

describe('a random source', () => {
  it.each([
    ['throws', broken],
    ['draws nonsense', () => Number.NaN],
  ])('that %s does not keep peers apart', async (_, random) => {
    const a = cluster.node('a', ['b'], { random });
    await a.start();
    const b = cluster.node('b', ['a'], { peers: { a: null } });
    await cluster.startAll(b);
    await eventually(() => expect([a.events, b.events]).toEqual([['up b'], ['up a']]));
  });
});
