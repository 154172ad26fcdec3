import { CampaignWithdrawnError, NotStartedError, StoppedError } from '@hustings/elector';
import { describe, expect, it } from 'vitest';
import { settled } from './manual-clock.js';
import { obliging, outcomeOf, type Script, scene, startedScene } from './scripted.js';

/** Stands when asked, and wins when any message comes. */
const winsLater: Script = (input) => {
  if (input.type === 'campaign-requested') return [{ type: 'campaign' }];
  return input.type === 'received' ? [{ type: 'lead', token: 1n }] : obliging(input);
};

describe('given a campaign', () => {
  it('waits until the protocol leads', async () => {
    const { elector, transport } = await startedScene(winsLater);
    const campaign = elector.campaign();
    expect(await outcomeOf(campaign)).toBe('pending');
    expect(elector.belief().role).toBe('candidate');
    await transport.receive('won');
    expect((await campaign).token).toBe(1n);
    expect(elector.belief()).toEqual({ role: 'leader', leaderId: 'a', token: 1n });
  });

  it('is answered at once with the same Leadership when the node leads already', async () => {
    const { elector, heard } = await startedScene(obliging);
    const first = await elector.campaign();
    expect(await elector.campaign()).toBe(first);
    expect(heard().filter((type) => type === 'campaign-requested')).toHaveLength(1);
  });

  it('shares one candidacy with others at the same time', async () => {
    const { elector, transport, heard } = await startedScene(winsLater);
    const both = Promise.all([elector.campaign(), elector.campaign()]);
    await transport.receive('won');
    const [first, second] = await both;
    expect(first).toBe(second);
    expect(heard().filter((type) => type === 'campaign-requested')).toHaveLength(1);
  });

  it('is refused when the end of the last Leadership, which nobody had noticed yet, aborts its signal', async () => {
    const leased: Script = (input) =>
      input.type === 'campaign-requested' ? [{ type: 'lead', token: 1n, validForMs: 100 }] : [];
    const { elector, clock } = await startedScene(leased);
    const { signal } = await elector.campaign();
    const enough = new AbortController();
    signal.addEventListener('abort', () => enough.abort(new Error('enough')));
    clock.pause(200);
    expect(await outcomeOf(elector.campaign({ signal: enough.signal }))).toEqual(new Error('enough'));
  });

  it('is refused before start', async () => {
    await expect(scene(obliging).elector.campaign()).rejects.toBeInstanceOf(NotStartedError);
  });

  it('is refused after stop', async () => {
    const { elector } = await startedScene(obliging);
    await elector.stop();
    await expect(elector.campaign()).rejects.toBeInstanceOf(StoppedError);
  });
});

describe('given a campaign whose signal aborts', () => {
  it('rejects with the reason of the signal and withdraws', async () => {
    const { elector, heard } = await startedScene(winsLater);
    const controller = new AbortController();
    const campaign = outcomeOf(elector.campaign({ signal: controller.signal }));
    const reason = new Error('changed my mind');
    controller.abort(reason);
    expect(await campaign).toBe(reason);
    await settled();
    expect(heard().at(-1)).toBe('resign-requested');
    expect(elector.belief().role).toBe('follower');
  });

  it('does not withdraw while another campaign still waits', async () => {
    const { elector, transport, heard } = await startedScene(winsLater);
    const controller = new AbortController();
    const leaving = outcomeOf(elector.campaign({ signal: controller.signal }));
    const staying = elector.campaign();
    controller.abort();
    await leaving;
    await transport.receive('won');
    expect((await staying).token).toBe(1n);
    expect(heard()).not.toContain('resign-requested');
  });

  it('leaves a Leadership alone that it has won already', async () => {
    const { elector, heard } = await startedScene(obliging);
    const controller = new AbortController();
    const leadership = await elector.campaign({ signal: controller.signal });
    controller.abort();
    await settled();
    expect(leadership.signal.aborted).toBe(false);
    expect(heard()).not.toContain('resign-requested');
  });

  it('is refused when the signal has aborted before', async () => {
    const { elector, heard } = await startedScene(obliging);
    const reason = new Error('too late');
    await expect(elector.campaign({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(heard()).toEqual(['started']);
  });
});

describe('given a candidacy that the protocol ends', () => {
  it('stands again for the campaign that still waits', async () => {
    const { elector, transport, heard } = await startedScene((input) =>
      input.type === 'received' ? [{ type: 'step-down', reason: 'quorum-lost' }] : winsLater(input, 0),
    );
    const campaign = elector.campaign();
    await transport.receive('no quorum');
    expect(await outcomeOf(campaign)).toBe('pending');
    expect(heard()).toEqual(['started', 'campaign-requested', 'received', 'campaign-requested']);
    await elector.resign();
    await expect(campaign).rejects.toBeInstanceOf(CampaignWithdrawnError);
  });

  it('asks a protocol that refuses at once again, but not in a tight loop', async () => {
    const { elector, clock, heard } = await startedScene((input) =>
      input.type === 'campaign-requested' ? [{ type: 'step-down', reason: 'unhealthy' }] : obliging(input),
    );
    const campaign = elector.campaign();
    expect(await outcomeOf(campaign)).toBe('pending');
    expect(heard()).toEqual(['started', 'campaign-requested']);
    await clock.advance(100);
    expect(heard()).toEqual(['started', 'campaign-requested', 'campaign-requested']);
    await elector.stop();
    await expect(campaign).rejects.toBeInstanceOf(StoppedError);
  });
});
