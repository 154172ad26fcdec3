import type { Input } from '@hustings/elector/protocol';
import { describe, expect, it, vi } from 'vitest';
import { type Me, type SketchTypes, sketch } from '../src/index.js';
import type { Sketch, SketchMachine } from '../src/sketch.js';

interface Types extends SketchTypes {
  readonly state: { heard: number; list: string[] };
  readonly message: { readonly type: 'hello' };
  readonly timer: 'tick';
  readonly saved: { readonly heard: number };
}

type TestInput = Input<SketchMachine<Types>>;

/** A node that does this when its timer fires. */
const handlers = (act: (me: Me<Types>) => void): Sketch<Types> => ({
  state: { heard: 0, list: [] },
  start(me) {
    me.state.heard = me.saved?.heard ?? 0;
  },
  message(me) {
    me.state.heard += 1;
  },
  timer: (me) => act(me),
});

const doing = (act: (me: Me<Types>) => void) => sketch<Types>(handlers(act));

function play(act: (me: Me<Types>) => void, ...inputs: readonly TestInput[]) {
  const protocol = doing(act);
  let state = protocol.initialState('n2', ['n3', 'n1']);
  let effects: readonly unknown[] = [];
  for (const input of inputs) [state, effects] = protocol.step(state, input, 0);
  return { state, effects };
}

const started: TestInput = { type: 'started' };
const campaign: TestInput = { type: 'campaign-requested' };
const tick: TestInput = { type: 'timer-fired', timer: 'tick' };
const hello: TestInput = { type: 'received', from: 'n1', message: { type: 'hello' } };

describe('a sketch', () => {
  it('keeps what the node writes into its state', () => {
    const { state } = play(() => {}, started, hello, hello);
    expect(state.own).toEqual({ heard: 2, list: [] });
  });

  it('never shares a state between two moments', () => {
    const protocol = doing((me) => me.state.list.push('x'));
    const first = protocol.initialState('n1', []);
    const [second] = protocol.step(first, tick, 0);
    expect(first.own.list).toEqual([]);
    expect(second.own.list).toEqual(['x']);
  });

  it('returns the same state when nothing changed', () => {
    const protocol = doing(() => {});
    const state = protocol.initialState('n1', ['n2']);
    expect(protocol.step(state, tick, 0)[0]).toBe(state);
  });

  it('sends to one node and to several', () => {
    const { effects } = play((me) => me.send(me.peers, { type: 'hello' }), started, tick);
    expect(effects).toEqual([
      { type: 'send', to: 'n1', message: { type: 'hello' } },
      { type: 'send', to: 'n3', message: { type: 'hello' } },
    ]);
  });

  it('begins with what was saved, and with nothing else', () => {
    const { state } = play(() => {}, started, hello, { type: 'restarted', durable: { heard: 7 } });
    expect(state.own.heard).toBe(7);
  });

  it('leads when the application asks for it', () => {
    const { effects } = play((me) => me.lead(3n), started, campaign, tick);
    expect(effects).toEqual([{ type: 'lead', token: 3n }]);
  });

  it('does not lead before that', () => {
    expect(play((me) => me.lead(3n), started, tick).effects).toEqual([]);
    expect(play((me) => me.lead(3n), started, tick, campaign).effects).toEqual([{ type: 'lead', token: 3n }]);
  });

  describe('given a lease of 100 ms that comes before the application asks to lead', () => {
    const leaseThenCampaign = (campaignMs: number) => {
      const expired = vi.fn();
      const protocol = sketch<Types>({ ...handlers((me) => me.lead(3n, 100)), expired });
      const [waiting] = protocol.step(protocol.initialState('n2', []), tick, 1000);
      const [, effects] = protocol.step(waiting, campaign, campaignMs);
      return { effects, expired };
    };

    it('leads for what is left of it', () => {
      const { effects, expired } = leaseThenCampaign(1040);
      expect(effects).toEqual([{ type: 'lead', token: 3n, validForMs: 60 }]);
      expect(expired).not.toHaveBeenCalled();
    });

    it('does not lead when nothing is left, and is told so', () => {
      const { effects, expired } = leaseThenCampaign(1100);
      expect(effects).toEqual([]);
      expect(expired).toHaveBeenCalledOnce();
    });
  });

  it('steps down before it follows another', () => {
    let isLeading = false;
    const act = (me: Me<Types>): void => {
      if (isLeading) me.follow('n3', 4n);
      else me.lead(3n);
      isLeading = true;
    };
    const { effects } = play(act, started, campaign, tick, tick);
    expect(effects).toEqual([
      { type: 'step-down', reason: 'deposed' },
      { type: 'follow', leaderId: 'n3', token: 4n },
    ]);
  });

  it('answers a request to resign with one step-down', () => {
    const { effects } = play((me) => me.lead(3n), started, campaign, tick, { type: 'resign-requested' });
    expect(effects).toEqual([{ type: 'step-down', reason: 'resigned' }]);
  });

  it('gives nobody a message that somebody else can change', () => {
    const protocol = doing((me) => {
      const message = { type: 'hello' as const };
      me.send('n1', message);
      (message as { type: string }).type = 'changed';
    });
    const [, [effect]] = protocol.step(protocol.initialState('n2', ['n1']), tick, 0);
    expect(effect).toEqual({ type: 'send', to: 'n1', message: { type: 'hello' } });
  });
});
