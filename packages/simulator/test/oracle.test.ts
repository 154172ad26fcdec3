import type { Invariants } from '@hustings/elector/protocol';
import { describe, expect, it } from 'vitest';
import {
  agreement,
  atMostOneLeader,
  findWitnesses,
  parseSchedule,
  run,
  tokensDiffer,
  tokensGrow,
} from '../src/index.js';
import { type Heard, type PingEffect, type Script, scripted } from './counter-protocol.js';

const schedule = (faults = '') => parseSchedule(`nodes n1 n2\nlatency 1\nrun 100\n${faults}`);
const lead = (token: bigint): PingEffect => ({ type: 'lead', token });
const onCampaign =
  (tokens: Record<string, bigint>): Script =>
  (id, input) =>
    input.type === 'campaign-requested' && tokens[id] !== undefined ? [lead(tokens[id])] : [];

describe('the oracle', () => {
  it('reports a second leader when one leader was promised', () => {
    const { violation } = run(scripted(onCampaign({ n1: 1n, n2: 2n })), schedule(), {
      promised: { atMostOneLeader: true },
    });
    expect(violation).toEqual({
      property: atMostOneLeader,
      detail: 'n1 and n2 both lead',
      atMs: 0,
      node: 'n2',
    });
  });

  it('does not mind a second leader when none was promised', () => {
    expect(run(scripted(onCampaign({ n1: 1n, n2: 2n })), schedule()).violation).toBeNull();
  });

  it('does not count a leader that is paused or dead', () => {
    const late: Script = (id, input) => {
      if (id === 'n1') return onCampaign({ n1: 1n })(id, input, 0);
      if (input.type === 'started') return [{ type: 'set-timer', timer: 'tick', delayMs: [50, 50] }];
      return input.type === 'timer-fired' ? [lead(2n)] : [];
    };
    const promised = { atMostOneLeader: true };
    expect(run(scripted(late), schedule('at 10 pause n1'), { promised }).violation).toBeNull();
    expect(run(scripted(late), schedule('at 10 crash n1'), { promised }).violation).toBeNull();
    const woken = run(scripted(late), schedule('at 10 pause n1 until 70'), { promised }).violation;
    expect(woken).toMatchObject({ property: atMostOneLeader, atMs: 70 });
  });

  it('reports a token that does not grow, and an equal one of another node', () => {
    const promised = { monotonicTokens: true };
    expect(run(scripted(onCampaign({ n1: 2n, n2: 1n })), schedule(), { promised }).violation?.property).toBe(
      tokensGrow,
    );
    expect(run(scripted(onCampaign({ n1: 2n, n2: 2n })), schedule(), { promised }).violation?.property).toBe(
      tokensGrow,
    );
    expect(run(scripted(onCampaign({ n1: 1n, n2: 2n })), schedule(), { promised }).violation).toBeNull();
  });

  it('reports a token that two processes lead with, if that is all that was promised, and none that is lower', () => {
    const promised = { distinctTokens: true };
    const same = run(scripted(onCampaign({ n1: 2n, n2: 2n })), schedule(), { promised, trace: true });
    expect(same.violation).toMatchObject({
      property: tokensDiffer,
      detail: 'n2#0 leads with token 2, as n1#0 did',
    });
    expect(findWitnesses(same.violation!, same.trace)).toMatchObject([{ node: 'n1' }, { node: 'n2' }]);
    expect(run(scripted(onCampaign({ n1: 2n, n2: 1n })), schedule(), { promised }).violation).toBeNull();
  });

  it('reports at the end that nodes disagree, if the run was to settle', () => {
    const protocol = scripted(onCampaign({ n1: 1n }));
    expect(run(protocol, schedule(), { settles: true }).violation).toEqual({
      property: agreement,
      detail: 'n1 leads, but n2 believes in nobody',
      atMs: 100,
      node: null,
    });
    expect(run(protocol, schedule()).violation).toBeNull();
  });

  it('checks states alone, in pairs, and together, and names the promise', () => {
    const broken = (invariants: Invariants<Heard>) =>
      run(
        scripted(() => []),
        schedule(),
        { invariants },
      ).violation;
    expect(
      broken({ ofOneState: { quiet: ({ inputs }) => (inputs.length > 1 ? 'loud' : null) } }),
    ).toMatchObject({
      property: 'quiet',
      detail: 'loud',
      node: 'n1',
    });
    expect(
      broken({ ofTwoStates: { still: (before, after) => (before === after ? null : 'moved') } }),
    ).toMatchObject({
      property: 'still',
    });
    expect(broken({ always: { few: (nodes) => (nodes.length > 1 ? 'many' : null) } })).toMatchObject({
      property: 'few',
    });
    expect(broken({ ofOneState: { fine: () => null }, ofTwoStates: { fine: () => null } })).toBeNull();
  });

  it('compares a node with what it was before it crashed', () => {
    const invariants: Invariants<Heard> = {
      ofTwoStates: {
        'nothing is forgotten': (before, after) =>
          after.inputs.length < before.inputs.length ? 'forgot' : null,
      },
    };
    const crash = schedule('at 50 crash n1 until 60');
    const { violation } = run(
      scripted(() => []),
      crash,
      { invariants },
    );
    expect(violation).toMatchObject({ property: 'nothing is forgotten', node: 'n1', atMs: 60 });
  });
});
