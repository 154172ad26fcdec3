import { StoppedError } from '@hustings/elector';
import { describe, expect, it } from 'vitest';
import type { Storage } from '../src/index.js';
import { settled } from './manual-clock.js';
import { type Kept, obliging, type Script, scene, startedScene } from './scripted.js';
import { slowDisk } from './slow-disk.js';

const saveThenSend: Script = (input) =>
  input.type === 'received'
    ? [
        { type: 'send', to: 'b', message: { type: 'before' } },
        { type: 'save', durable: { term: 1 } },
        { type: 'send', to: 'b', message: { type: 'after' } },
      ]
    : [];

describe('given a step that saves between two messages', () => {
  it('sends the first at once and holds back the second until the state is on disk', async () => {
    const disk = slowDisk();
    const { transport } = await startedScene(saveThenSend, { storage: disk.storage });
    await transport.receive('go');
    expect(transport.sent).toEqual(['before']);
    disk.writes[0]!.finish();
    await settled();
    expect(transport.sent).toEqual(['before', 'after']);
  });

  it('does not step the next input while the write is in progress', async () => {
    const disk = slowDisk();
    const { transport, heard } = await startedScene(saveThenSend, { storage: disk.storage });
    await transport.receive('go');
    await transport.receive('again');
    expect(heard()).toEqual(['started', 'received']);
    disk.writes[0]!.finish();
    await settled();
    expect(heard()).toEqual(['started', 'received', 'received']);
  });

  it('sends nothing more when the node is stopped before the disk answers', async () => {
    const disk = slowDisk();
    const { transport, elector, clock, diagnostics } = await startedScene(saveThenSend, {
      storage: disk.storage,
      stopTimeoutMs: 500,
    });
    await transport.receive('go');
    const stopped = elector.stop();
    await clock.advance(500);
    await stopped;
    disk.writes[0]!.finish();
    await settled();
    expect(transport.sent).toEqual(['before']);
    expect(diagnostics).toContainEqual({ type: 'stop-timed-out', afterMs: 500 });
  });
});

describe('given a timer', () => {
  const setTick = (minMs: number, maxMs: number) =>
    ({ type: 'set-timer', timer: 'tick', delayMs: [minMs, maxMs] }) as const;

  it('fires once, after a delay drawn from the range', async () => {
    const { clock, heard } = await startedScene(
      (input) => (input.type === 'started' ? [setTick(100, 200)] : []),
      {
        random: () => 0.25,
      },
    );
    await clock.advance(124);
    expect(heard()).not.toContain('timer-fired');
    await clock.advance(1);
    expect(heard()).toContain('timer-fired');
    await clock.advance(1000);
    expect(heard().filter((type) => type === 'timer-fired')).toHaveLength(1);
  });

  it('moves when it is set again', async () => {
    const { clock, heard, transport } = await startedScene((input) =>
      input.type === 'started' || input.type === 'received' ? [setTick(100, 100)] : [],
    );
    await clock.advance(60);
    await transport.receive('again');
    await clock.advance(99);
    expect(heard()).not.toContain('timer-fired');
    await clock.advance(1);
    expect(heard()).toContain('timer-fired');
  });

  it('does not fire when it is cancelled', async () => {
    const { clock, heard, transport } = await startedScene((input) => {
      if (input.type === 'started') return [setTick(100, 100)];
      return input.type === 'received' ? [{ type: 'cancel-timer', timer: 'tick' }] : [];
    });
    await transport.receive('never mind');
    await clock.advance(1000);
    expect(heard()).not.toContain('timer-fired');
  });

  it.each([
    ['cancelled', { type: 'cancel-timer', timer: 'tick' } as const],
    ['moved', setTick(10_000, 10_000)],
  ])('has not fired when it was %s by a step that was already under way', async (_how, effect) => {
    const disk = slowDisk();
    const { clock, heard, transport } = await startedScene(
      (input) => {
        if (input.type === 'started') return [setTick(100, 100)];
        return input.type === 'received' ? [{ type: 'save', durable: { term: 1 } }, effect] : [];
      },
      { storage: disk.storage },
    );
    await transport.receive('go');
    await clock.advance(100);
    disk.writes[0]!.finish();
    await settled();
    expect(heard()).not.toContain('timer-fired');
  });
});

describe('given a node that has saved before', () => {
  const withDisk = (load: Storage<Kept>['load']): Storage<Kept> => ({ load, save: async () => {} });

  it('is restarted with what it had saved', async () => {
    const { inputs } = await startedScene(obliging, { storage: withDisk(async () => ({ term: 7 })) });
    expect(inputs).toEqual([{ type: 'restarted', durable: { term: 7 } }]);
  });

  it('is started when there is nothing', async () => {
    const { inputs } = await startedScene(obliging, { storage: withDisk(async () => undefined) });
    expect(inputs).toEqual([{ type: 'started' }]);
  });
});

describe('given links and health', () => {
  it('tells the protocol of each link', async () => {
    const { transport, inputs } = await startedScene(obliging);
    transport.handlers?.linkUp('b', 'b1');
    transport.handlers?.linkDown('b');
    await settled();
    expect(inputs.slice(1)).toEqual([
      { type: 'link-up', peer: 'b', incarnation: 'b1' },
      { type: 'link-down', peer: 'b' },
    ]);
  });

  it('tells the protocol that a process of a peer is gone', async () => {
    const { transport, inputs } = await startedScene(obliging);
    transport.handlers?.peerGone?.('b', 'b1');
    await settled();
    expect(inputs.slice(1)).toEqual([{ type: 'peer-gone', peer: 'b', incarnation: 'b1' }]);
  });

  it('lets the protocol hear nothing more from a process that is gone, but from the next one', async () => {
    const { transport, heard } = await startedScene(obliging);
    transport.handlers?.linkUp('b', 'b1');
    transport.handlers?.received('b', { type: 'late' }, 'b1');
    transport.handlers?.peerGone?.('b', 'b1');
    await transport.receive('later', 'b1');
    expect(heard().slice(1)).toEqual(['peer-gone']);
    transport.handlers?.linkUp('b', 'b2');
    await transport.receive('well', 'b2');
    expect(heard().slice(2)).toEqual(['link-up', 'received']);
  });

  it('tells the protocol when health changes, and not when it stays as it is', async () => {
    const { elector, inputs } = await startedScene(obliging);
    elector.setHealthy(true);
    elector.setHealthy(false);
    elector.setHealthy(false);
    await settled();
    expect(inputs.slice(1)).toEqual([{ type: 'health-changed', healthy: false }]);
  });
});

describe('given an algorithm that offers more than leading', () => {
  const echo: Script = (input) =>
    input.type === 'requested' ? [{ type: 'announce', announcement: `${input.request}, done` }] : [];

  it('hands requests to the protocol and announcements to the application, in order', async () => {
    const announced: string[] = [];
    const { elector } = await startedScene(echo, { onAnnouncement: (text) => announced.push(text) });
    elector.request('first');
    elector.request('second');
    await settled();
    expect(announced).toEqual(['first, done', 'second, done']);
  });

  it('leaves the election when the application cannot take an announcement', async () => {
    const { elector, transport, diagnostics } = await startedScene(echo, {
      onAnnouncement() {
        throw new Error('an entry that cannot be applied');
      },
    });
    elector.request('first');
    await settled();
    expect(transport.stops).toBe(1);
    const message = expect.stringContaining('onAnnouncement threw: an entry that cannot be applied');
    expect(diagnostics).toMatchObject([{ type: 'protocol-failed', error: { message } }]);
  });

  it('refuses a request once it has stopped', async () => {
    const { elector } = await startedScene(echo);
    await elector.stop();
    expect(() => elector.request('late')).toThrow(StoppedError);
  });
});

describe('a node id', () => {
  it.each(['constructor', '__proto__', '', '\ud800'])('%j is refused with a sentence that says why', (id) => {
    expect(() => scene(() => [], { peers: [id] })).toThrow('Node id');
  });
});
