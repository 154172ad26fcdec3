import { type LeadershipLostError, StorageFailedError } from '@hustings/elector';
import { describe, expect, it } from 'vitest';
import { settled } from './manual-clock.js';
import { obliging, outcomeOf, type Script, scene, startedScene } from './scripted.js';
import { slowDisk } from './slow-disk.js';

/** Leads for 100 ms at a time; any message renews. */
const leased: Script = (input) => {
  if (input.type === 'campaign-requested' || input.type === 'received') {
    return [{ type: 'lead', token: 5n, validForMs: 100 }];
  }
  return obliging(input);
};

const reasonOf = (signal: AbortSignal) => (signal.reason as LeadershipLostError).reason;

describe('given a Leadership without a lease', () => {
  it('reports Infinity for what is left', async () => {
    const { elector, clock } = await startedScene(obliging);
    const leadership = await elector.campaign();
    clock.pause(1e9);
    expect(leadership.remainingMs).toBe(Infinity);
    expect(() => leadership.assertValid()).not.toThrow();
  });

  it('names its holder after the node and this process', async () => {
    const first = await (await startedScene(obliging)).elector.campaign();
    const second = await (await startedScene(obliging)).elector.campaign();
    expect(first.holder).toMatch(/^a#.+/);
    expect(first.holder).not.toBe(second.holder);
  });
});

describe('given a Leadership with a lease of 100 ms', () => {
  it('ends at the deadline and the protocol is told', async () => {
    const { elector, clock, heard, diagnostics } = await startedScene(leased);
    const leadership = await elector.campaign();
    await clock.advance(99);
    expect(leadership.remainingMs).toBe(1);
    expect(leadership.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(leadership.remainingMs).toBe(0);
    expect(reasonOf(leadership.signal)).toBe('lease-expired');
    expect(heard().at(-1)).toBe('lease-expired');
    expect(elector.belief().role).toBe('follower');
    expect(diagnostics).toEqual([{ type: 'lease-lapsed', token: 5n, lateMs: 0 }]);
  });

  it('goes on past the deadline when it is renewed', async () => {
    const { elector, clock, transport, heard } = await startedScene(leased);
    const leadership = await elector.campaign();
    await clock.advance(60);
    await transport.receive('renewed');
    await clock.advance(60);
    expect(leadership.remainingMs).toBe(40);
    expect(heard()).not.toContain('lease-expired');
  });

  it('counts the lease from the clock reading that the step was given', async () => {
    const { elector, clock } = await startedScene((input) => {
      if (input.type !== 'campaign-requested') return obliging(input);
      clock.pause(30);
      return [{ type: 'lead', token: 5n, validForMs: 100 }];
    });
    const leadership = await elector.campaign();
    expect(leadership.remainingMs).toBe(70);
  });

  it('refuses work after a pause although no timer has fired yet', async () => {
    const { elector, clock } = await startedScene(leased);
    const leadership = await elector.campaign();
    clock.pause(100);
    expect(leadership.signal.aborted).toBe(false);
    expect(leadership.remainingMs).toBe(0);
    expect(() => leadership.assertValid()).toThrow(expect.objectContaining({ reason: 'lease-expired' }));
  });

  it('is not what its own node believes in after a pause, although no timer has fired yet', async () => {
    const { elector, clock } = await startedScene(leased);
    const leadership = await elector.campaign();
    clock.pause(100);
    expect(elector.belief()).toMatchObject({ role: 'follower', leaderId: null });
    expect(leadership.signal.aborted).toBe(true);
  });

  it.each(['lapses', 'is resigned', 'is stopped', 'is lost'])(
    'whoever hears that it %s finds that its node believes so, too',
    async (end) => {
      const { elector, clock, transport } = await startedScene((input, nowMs) =>
        input.type === 'received' ? [{ type: 'step-down', reason: 'deposed' }] : leased(input, nowMs),
      );
      const { signal } = await elector.campaign();
      const roles: string[] = [];
      signal.addEventListener('abort', () => roles.push(elector.belief().role));
      if (end === 'lapses') await clock.advance(100);
      else if (end === 'is resigned') await elector.resign();
      else if (end === 'is stopped') await elector.stop();
      else await transport.receive('deposed');
      expect(roles).toEqual(['follower']);
    },
  );

  it('is over before a message that arrives first after the pause is heard', async () => {
    const { elector, clock, transport, heard } = await startedScene(leased);
    const leadership = await elector.campaign();
    clock.pause(100);
    await transport.receive('late renewal');
    expect(leadership.signal.aborted).toBe(true);
    expect(heard().slice(-2)).toEqual(['lease-expired', 'received']);
  });

  it('ends on time while a write to disk is in progress', async () => {
    const { storage } = slowDisk();
    const { elector, clock, transport } = await startedScene(
      (input) => (input.type === 'received' ? [{ type: 'save', durable: { term: 1 } }] : leased(input, 0)),
      { storage },
    );
    const leadership = await elector.campaign();
    await transport.receive('go');
    await clock.advance(100);
    expect(reasonOf(leadership.signal)).toBe('lease-expired');
    expect(elector.belief().role).toBe('follower');
  });

  it('does not come back when the renewal is executed too late', async () => {
    const disk = slowDisk();
    const { elector, clock, transport, heard } = await startedScene(
      (input) =>
        input.type === 'received'
          ? [
              { type: 'save', durable: { term: 1 } },
              { type: 'lead', token: 5n, validForMs: 1000 },
            ]
          : leased(input, 0),
      { storage: disk.storage },
    );
    const leadership = await elector.campaign();
    await transport.receive('go');
    await clock.advance(100);
    disk.writes[0]!.finish();
    await settled();
    expect(leadership.signal.aborted).toBe(true);
    expect(leadership.remainingMs).toBe(0);
    expect(elector.belief().role).toBe('follower');
    expect(heard().at(-1)).toBe('lease-expired');
  });

  it('is not reported as expired to a protocol that has stepped down meanwhile', async () => {
    const disk = slowDisk();
    const { elector, clock, transport, heard } = await startedScene(
      (input) =>
        input.type === 'received'
          ? [
              { type: 'save', durable: { term: 1 } },
              { type: 'step-down', reason: 'deposed' },
            ]
          : leased(input, 0),
      { storage: disk.storage },
    );
    await elector.campaign();
    await transport.receive('go');
    await clock.advance(100);
    disk.writes[0]!.finish();
    await settled();
    expect(heard()).not.toContain('lease-expired');
  });

  it('is not granted at all when the disk took longer than the lease', async () => {
    const { elector, clock, heard } = await startedScene(
      (input) =>
        input.type === 'campaign-requested'
          ? [
              { type: 'save', durable: { term: 1 } },
              { type: 'lead', token: 5n, validForMs: 100 },
            ]
          : obliging(input),
      {
        storage: {
          load: async () => undefined,
          save: async () => {
            if (!heard().includes('lease-expired')) clock.pause(100);
          },
        },
      },
    );
    const leadership = await elector.campaign();
    expect(heard()).toEqual(['started', 'campaign-requested', 'lease-expired', 'campaign-requested']);
    expect(leadership.remainingMs).toBe(100);
  });
});

describe('given a leader that steps down', () => {
  const deposed: Script = (input) =>
    input.type === 'received'
      ? [
          { type: 'step-down', reason: 'deposed' },
          { type: 'send', to: 'b', message: { type: 'yours' } },
          { type: 'follow', leaderId: 'b', token: 9n },
        ]
      : obliging(input);

  it('has aborted its signal before the next effect is executed', async () => {
    const { elector, transport } = await startedScene(deposed);
    const leadership = await elector.campaign();
    const abortedAtSend: boolean[] = [];
    transport.onSend = () => abortedAtSend.push(leadership.signal.aborted);
    await transport.receive('go');
    expect(abortedAtSend).toEqual([true]);
    expect(reasonOf(leadership.signal)).toBe('deposed');
    expect(elector.belief()).toEqual({ role: 'follower', leaderId: 'b', token: 9n });
  });

  it('may lead again, with a Leadership of its own', async () => {
    const { elector, transport } = await startedScene(deposed);
    const first = await elector.campaign();
    await transport.receive('go');
    const second = await elector.campaign();
    expect(first.signal.aborted).toBe(true);
    expect(second.signal.aborted).toBe(false);
  });
});

describe('given a protocol that breaks its contract', () => {
  it.each([
    ['leads with another token without stepping down', { type: 'lead', token: 6n } as const],
    ['follows while it leads', { type: 'follow', leaderId: 'b', token: 6n } as const],
  ])('the node leaves the election when it %s', async (_what, effect) => {
    const { elector, transport, diagnostics } = await startedScene((input) =>
      input.type === 'received' ? [effect] : obliging(input),
    );
    const leadership = await elector.campaign();
    await transport.receive('go');
    expect(leadership.signal.aborted).toBe(true);
    expect(transport.stops).toBe(1);
    expect(diagnostics).toMatchObject([{ type: 'protocol-failed' }]);
  });

  it('the node leaves the election when it leads unasked', async () => {
    const { elector, transport } = await startedScene((input) =>
      input.type === 'received' ? [{ type: 'lead', token: 1n }] : [],
    );
    await transport.receive('go');
    expect(elector.belief().role).toBe('follower');
    expect(transport.stops).toBe(1);
  });
});

describe('given a disk that fails', () => {
  const broken = {
    load: async () => undefined,
    save: async () => {
      throw new Error('no space left');
    },
  };
  const savesOnMessage: Script = (input) =>
    input.type === 'received'
      ? [
          { type: 'save', durable: { term: 1 } },
          { type: 'send', to: 'b', message: { type: 'promise' } },
        ]
      : obliging(input);

  it('ends the Leadership, leaves, and sends nothing that depended on it', async () => {
    const { elector, transport, diagnostics } = await startedScene(savesOnMessage, { storage: broken });
    const leadership = await elector.campaign();
    await transport.receive('go');
    expect(reasonOf(leadership.signal)).toBe('storage-failed');
    expect(transport.sent).toEqual([]);
    expect(transport.stops).toBe(1);
    expect(diagnostics).toMatchObject([{ type: 'storage-failed', error: { message: /no space left/ } }]);
    await elector.stop();
  });

  it('rejects the campaigns that wait, and those that come after', async () => {
    const { elector, transport } = await startedScene(
      (input) => (input.type === 'campaign-requested' ? [] : savesOnMessage(input, 0)),
      { storage: broken },
    );
    const waiting = outcomeOf(elector.campaign());
    await transport.receive('go');
    expect(await waiting).toBeInstanceOf(StorageFailedError);
    await expect(elector.campaign()).rejects.toBeInstanceOf(StorageFailedError);
  });

  it('does not start on state that cannot be read', async () => {
    const load = async () => {
      throw new Error('input/output error');
    };
    const { elector, transport, heard } = scene(obliging, { storage: { ...broken, load } });
    await expect(elector.start()).rejects.toBeInstanceOf(StorageFailedError);
    expect(heard()).toEqual([]);
    expect(transport.handlers).toBeNull();
  });
});
