import {
  CampaignWithdrawnError,
  InvalidOptionError,
  type LeadershipLostError,
  NotStartedError,
  StoppedError,
  TransferUnsupportedError,
} from '@hustings/elector';
import { describe, expect, it } from 'vitest';
import { memoryStorage } from '../src/index.js';
import { settled } from './manual-clock.js';
import { type Kept, obliging, outcomeOf, type Script, scene, startedScene } from './scripted.js';
import { slowDisk } from './slow-disk.js';

/** Says goodbye at once, and has resigned when any message acknowledges it. */
const acknowledged: Script = (input) => {
  if (input.type === 'resign-requested') return [{ type: 'send', to: 'b', message: { type: 'resigning' } }];
  return input.type === 'received' ? [{ type: 'step-down', reason: 'resigned' }] : obliging(input);
};

describe('given a leader that resigns', () => {
  it('ends its Leadership before the first message leaves', async () => {
    const { elector, transport } = await startedScene(acknowledged);
    const leadership = await elector.campaign();
    const abortedAtSend: boolean[] = [];
    transport.onSend = () => abortedAtSend.push(leadership.signal.aborted);
    const resigned = elector.resign();
    expect((leadership.signal.reason as LeadershipLostError).reason).toBe('resigned');
    expect(elector.belief().role).toBe('follower');
    await settled();
    expect(abortedAtSend).toEqual([true]);
    await transport.receive('acknowledged');
    await resigned;
  });

  it('waits for the acknowledgement, and calls at the same time share it', async () => {
    const { elector, transport, heard } = await startedScene(acknowledged);
    await elector.campaign();
    const both = Promise.all([elector.resign(), elector.resign()]);
    expect(await outcomeOf(both)).toBe('pending');
    await transport.receive('acknowledged');
    await both;
    expect(heard().filter((type) => type === 'resign-requested')).toHaveLength(1);
  });

  it('waits for the acknowledgement of the second time, although the disk is still at the first', async () => {
    const disk = slowDisk();
    const { elector, transport } = await startedScene(
      (input, nowMs) => [
        ...acknowledged(input, nowMs),
        ...(input.type === 'received' ? [{ type: 'save', durable: { term: 1 } } as const] : []),
      ],
      { storage: disk.storage },
    );
    await elector.campaign();
    void elector.resign();
    await settled();
    await transport.receive('acknowledged');
    const next = elector.campaign();
    const again = elector.resign();
    await expect(next).rejects.toThrow(CampaignWithdrawnError);
    disk.writes[0]!.finish();
    expect(await outcomeOf(again)).toBe('pending');
    await transport.receive('acknowledged');
    disk.writes[1]!.finish();
    await again;
  });

  it('has nothing to do the second time', async () => {
    const { elector, heard } = await startedScene(obliging);
    await elector.campaign();
    await elector.resign();
    await elector.resign();
    expect(heard().filter((type) => type === 'resign-requested')).toHaveLength(1);
  });

  it('stands again only after the resignation is complete', async () => {
    const { elector, transport, heard } = await startedScene(acknowledged);
    await elector.campaign();
    const resigned = elector.resign();
    const next = elector.campaign();
    await settled();
    expect(heard().at(-1)).toBe('resign-requested');
    await transport.receive('acknowledged');
    await resigned;
    expect((await next).signal.aborted).toBe(false);
    expect(heard().at(-1)).toBe('campaign-requested');
  });

  it('is not handed a Leadership that the protocol wins meanwhile', async () => {
    const { elector, transport } = await startedScene((input) => {
      if (input.type === 'campaign-requested' || input.type === 'resign-requested') return [];
      return input.type === 'received' ? [{ type: 'lead', token: 1n }] : obliging(input);
    });
    const campaign = outcomeOf(elector.campaign());
    void elector.resign();
    await transport.receive('won after all');
    expect(await campaign).toBeInstanceOf(CampaignWithdrawnError);
    expect(elector.belief().role).toBe('follower');
  });
});

describe('given a candidate that resigns', () => {
  it('rejects its campaign as withdrawn', async () => {
    const { elector } = await startedScene((input) =>
      input.type === 'campaign-requested' ? [{ type: 'campaign' }] : obliging(input),
    );
    const campaign = outcomeOf(elector.campaign());
    await elector.resign();
    expect(await campaign).toBeInstanceOf(CampaignWithdrawnError);
    expect(elector.belief().role).toBe('follower');
  });
});

describe('given a successor by name', () => {
  it('passes it on where the protocol can transfer', async () => {
    const { elector, inputs } = await startedScene(obliging);
    await elector.campaign();
    await elector.resign({ to: 'b' });
    expect(inputs.at(-1)).toEqual({ type: 'resign-requested', to: 'b' });
  });

  it('is refused where the protocol cannot, and the node still leads', async () => {
    const { elector } = await startedScene(obliging, { guarantees: { targetedTransfer: false } });
    const leadership = await elector.campaign();
    await expect(elector.resign({ to: 'b' })).rejects.toBeInstanceOf(TransferUnsupportedError);
    expect(leadership.signal.aborted).toBe(false);
  });

  it('is refused when nobody has that name', async () => {
    const { elector } = await startedScene(obliging);
    await expect(elector.resign({ to: 'nobody' })).rejects.toBeInstanceOf(InvalidOptionError);
  });
});

describe('given stop()', () => {
  it('resigns first, then closes the transport', async () => {
    const { elector, transport, heard } = await startedScene(acknowledged);
    const leadership = await elector.campaign();
    const stopped = elector.stop();
    expect((leadership.signal.reason as LeadershipLostError).reason).toBe('stopped');
    await settled();
    expect(heard().at(-1)).toBe('resign-requested');
    expect(transport.stops).toBe(0);
    await transport.receive('acknowledged');
    await stopped;
    expect(transport.stops).toBe(1);
  });

  it('does not wait for ever for an acknowledgement', async () => {
    const { elector, transport, clock, diagnostics } = await startedScene(acknowledged, {
      stopTimeoutMs: 300,
    });
    await elector.campaign();
    const stopped = elector.stop();
    await clock.advance(299);
    expect(transport.stops).toBe(0);
    await clock.advance(1);
    await stopped;
    expect(transport.stops).toBe(1);
    expect(diagnostics).toEqual([{ type: 'stop-timed-out', afterMs: 300 }]);
  });

  it('does not wait for ever for a disk that does not end a write', async () => {
    const storage = { ...memoryStorage<Kept>(), close: () => new Promise<void>(() => {}) };
    const { elector, clock } = await startedScene(obliging, { stopTimeoutMs: 300, storage });
    const stopped = elector.stop();
    await settled();
    expect(await outcomeOf(stopped)).toBe('pending');
    await clock.advance(300);
    await stopped;
  });

  it('still waits when the work itself calls it again from the abort', async () => {
    const { elector, transport } = await startedScene(acknowledged);
    const leadership = await elector.campaign();
    let again: Promise<void> | undefined;
    leadership.signal.addEventListener('abort', () => {
      again = elector.stop();
    });
    const stopped = elector.stop();
    await settled();
    expect(transport.stops).toBe(0);
    expect(again).toBe(stopped);
    await transport.receive('acknowledged');
    await stopped;
  });

  it('leaves no timer behind and is idempotent', async () => {
    const { elector, transport, clock } = await startedScene((input) =>
      input.type === 'started' ? [{ type: 'set-timer', timer: 'tick', delayMs: [10, 10] }] : obliging(input),
    );
    await elector.campaign();
    await Promise.all([elector.stop(), elector.stop(), elector[Symbol.asyncDispose]()]);
    expect(clock.pendingTimers).toBe(0);
    expect(transport.stops).toBe(1);
  });

  it('rejects campaigns that wait', async () => {
    const { elector } = await startedScene((input) =>
      input.type === 'campaign-requested' ? [] : obliging(input),
    );
    const campaign = outcomeOf(elector.campaign());
    await elector.stop();
    expect(await campaign).toBeInstanceOf(StoppedError);
  });

  it('is final: the elector does not start again', async () => {
    const { elector } = await startedScene(obliging);
    await elector.stop();
    await expect(elector.start()).rejects.toBeInstanceOf(StoppedError);
    await expect(elector.resign()).resolves.toBeUndefined();
  });

  it('works before start and while starting', async () => {
    await scene(obliging).elector.stop();
    const { elector, transport, heard } = scene(obliging);
    const starting = outcomeOf(elector.start());
    await elector.stop();
    expect(await starting).toBeInstanceOf(StoppedError);
    expect(heard()).toEqual([]);
    // It was stopped while it read its storage, so there was nothing to be reached for any more.
    expect([transport.handlers, transport.stops]).toEqual([null, 1]);
  });
});

describe('given an elector that has not started', () => {
  it('refuses to resign', async () => {
    await expect(scene(obliging).elector.resign()).rejects.toBeInstanceOf(NotStartedError);
  });

  it('refuses itself and duplicates among its peers', () => {
    expect(() => scene(obliging, { peers: ['a', 'b'] })).toThrow(InvalidOptionError);
    expect(() => scene(obliging, { peers: ['b', 'b'] })).toThrow(InvalidOptionError);
  });
});
