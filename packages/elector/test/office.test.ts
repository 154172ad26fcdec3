import { describe, expect, it } from 'vitest';
import {
  campaignRetryMs,
  type Entry,
  enter,
  isLeading,
  maySeekOffice,
  type Office,
  type RoleEffect,
  type Ruling,
  undecided,
  vacantOffice,
} from '../src/protocol/index.js';

type EffectEntry = Extract<Entry, { type: 'effect' }>;

const effect = (effect: RoleEffect, more: Partial<EffectEntry> = {}): Entry => ({
  ...{ type: 'effect', effect, steppedMs: 0, answers: 'received' },
  ...more,
});
const lead = (token: bigint, validForMs?: number, steppedMs = 0): Entry =>
  effect({ type: 'lead', token, ...(validForMs === undefined ? {} : { validForMs }) }, { steppedMs });
const stepDown = (reason: Extract<RoleEffect, { type: 'step-down' }>['reason']): Entry =>
  effect({ type: 'step-down', reason });
const campaign: Entry = { type: 'campaign' };
const resign: Entry = { type: 'resign', reason: 'resigned' };
const look: Entry = { type: 'look-at-clock' };

/** What becomes of an office, and the events of the last entry alone. */
function after(entries: readonly Entry[], nowMs = 0): Ruling {
  return entries.reduce<Ruling>(([office], entry) => enter(office, entry, nowMs), [vacantOffice('a'), []]);
}
const officeAfter = (...entries: Entry[]): Office => after(entries)[0];

const vacant = vacantOffice('a');
const candidate = officeAfter(campaign);
const leader = officeAfter(campaign, lead(7n, 100));
const resigningLeader = officeAfter(campaign, lead(7n, 100), resign);

describe('given a vacant office', () => {
  it('nobody leads, nobody wants to, and nothing is believed', () => {
    expect(vacant).toEqual({ id: 'a', belief: undecided, tenure: null, wanted: false, resigning: false });
    expect([isLeading(vacant), maySeekOffice(vacant)]).toEqual([false, false]);
  });

  it('a campaign has the protocol stand at once', () => {
    expect(enter(vacant, campaign, 0)).toEqual([
      { ...vacant, wanted: true },
      [{ type: 'stand', afterMs: 0 }],
    ]);
    expect(maySeekOffice(candidate)).toBe(true);
  });

  it('there is nothing to resign from, which is done at once', () => {
    expect(enter(vacant, resign, 0)).toEqual([vacant, [{ type: 'resigned' }]]);
  });

  it('time changes nothing, and nothing ends when it closes', () => {
    expect(enter(vacant, look, 1e9)).toEqual([vacant, []]);
    expect(enter(vacant, { type: 'close', reason: 'stopped' }, 0)).toEqual([vacant, []]);
  });

  it('the protocol may follow and seek to lead, but not lead', () => {
    const [follower, events] = enter(vacant, effect({ type: 'follow', leaderId: 'b', token: 3n }), 0);
    expect([follower.belief, events]).toEqual([{ role: 'follower', leaderId: 'b', token: 3n }, []]);
    expect(enter(vacant, effect({ type: 'campaign' }), 0)[0].belief.role).toBe('candidate');
    const violation = { type: 'violated', what: "'lead' although the application did not campaign" };
    expect(enter(vacant, lead(7n), 0)).toEqual([vacant, [violation]]);
  });
});

describe('given an application that waits to lead', () => {
  it('a second campaign changes nothing', () => {
    expect(enter(candidate, campaign, 0)).toEqual([candidate, []]);
  });

  it('begins to lead when the protocol does, which fulfils the wish', () => {
    const [office, events] = enter(candidate, lead(7n, 100, 20), 30);
    expect(events).toEqual([{ type: 'began', token: 7n, deadlineMs: 120 }]);
    expect(office).toEqual({
      ...{ id: 'a', belief: { role: 'leader', leaderId: 'a', token: 7n }, wanted: false, resigning: false },
      tenure: { token: 7n, deadlineMs: 120, over: false, lapsed: false },
    });
    expect([isLeading(office), maySeekOffice(office)]).toEqual([true, false]);
  });

  it('leads without end where no lease bounds it', () => {
    expect(enter(candidate, lead(7n), 0)[1]).toEqual([{ type: 'began', token: 7n, deadlineMs: Infinity }]);
  });

  it.each([120, 121])('does not begin to lead at %d when a slow disk used up a lease until 120', (nowMs) => {
    const [office, events] = enter(candidate, lead(7n, 100, 20), nowMs);
    expect(events).toEqual([{ type: 'expired', token: 7n, deadlineMs: 120 }]);
    expect(office).toEqual({
      ...candidate,
      tenure: { token: 7n, deadlineMs: 120, over: true, lapsed: true },
    });
    expect(isLeading(office)).toBe(false);
  });

  it('begins to lead when the slow disk left a moment', () => {
    expect(enter(candidate, lead(7n, 100, 20), 119)[1]).toMatchObject([{ type: 'began' }]);
  });

  it('takes a lease of no length at all for a broken contract', () => {
    const violation = { type: 'violated', what: "'lead' for NaN ms" };
    expect(enter(candidate, lead(7n, Number.NaN), 0)).toEqual([candidate, [violation]]);
  });

  it('stands again at once when the protocol steps down', () => {
    expect(enter(candidate, stepDown('deposed'), 0)).toEqual([candidate, [{ type: 'stand', afterMs: 0 }]]);
  });

  it('stands again only after a while when the protocol refuses to stand', () => {
    const refusal = effect({ type: 'step-down', reason: 'unhealthy' }, { answers: 'campaign-requested' });
    expect(enter(candidate, refusal, 0)[1]).toEqual([{ type: 'stand', afterMs: campaignRetryMs }]);
    expect(campaignRetryMs).toBeGreaterThan(0);
  });

  it('asks the protocol when it resigns, and waits for it no longer to stand', () => {
    const [resigning, events] = enter(candidate, resign, 0);
    // Strictly: whoever resigns in favour of nobody names nobody, not even `undefined`.
    expect(events).toStrictEqual([{ type: 'resign' }]);
    expect(resigning).toEqual({ ...candidate, wanted: false, resigning: true });
    expect(enter(resigning, stepDown('resigned'), 0)).toEqual([vacant, [{ type: 'resigned' }]]);
  });

  it('hands on whom it resigns in favour of', () => {
    expect(enter(candidate, { ...resign, to: 'b' }, 0)[1]).toEqual([{ type: 'resign', to: 'b' }]);
  });
});

describe('given a leader with a lease', () => {
  it('a campaign changes nothing', () => {
    expect(enter(leader, campaign, 0)).toEqual([leader, []]);
  });

  it('its lease is renewed by the same token, from the time of the step', () => {
    const [renewed, events] = enter(leader, lead(7n, 100, 60), 70);
    expect(events).toEqual([{ type: 'renewed', deadlineMs: 160 }]);
    expect(renewed).toEqual({ ...leader, tenure: { ...leader.tenure, deadlineMs: 160 } });
  });

  it('its lease is not renewed by a step that comes too late', () => {
    const [office, events] = enter(leader, lead(7n, 100, 60), 160);
    expect(events).toEqual([
      { type: 'ended', token: 7n, reason: 'lease-expired' },
      { type: 'expired', token: 7n, deadlineMs: 160 },
    ]);
    expect(isLeading(office)).toBe(false);
  });

  it.each<[string, Entry]>([
    ["'lead' with token 8 while leading with 7", lead(8n, 100)],
    ["'follow' while leading", effect({ type: 'follow', leaderId: 'b', token: 8n })],
    ["'campaign' while leading", effect({ type: 'campaign' })],
    ["'lead' for NaN ms", lead(7n, Number.NaN)],
  ])('%s breaks the contract and changes nothing', (what, entry) => {
    expect(enter(leader, entry, 0)).toEqual([leader, [{ type: 'violated', what }]]);
  });

  it('leads until the deadline and not at it', () => {
    expect(enter(leader, look, 99)).toEqual([leader, []]);
    const [office, events] = enter(leader, look, 100);
    expect(events).toEqual([
      { type: 'ended', token: 7n, reason: 'lease-expired' },
      { type: 'expired', token: 7n, deadlineMs: 100 },
    ]);
    expect(office).toEqual({
      ...leader,
      belief: undecided,
      tenure: { ...leader.tenure, over: true, lapsed: true },
    });
  });

  it('ends when the protocol steps down, and nobody stands who did not ask', () => {
    const ended = { type: 'ended', token: 7n, reason: 'deposed' };
    expect(enter(leader, stepDown('deposed'), 0)).toEqual([vacant, [ended]]);
  });

  it('ends before the protocol hears that it resigns', () => {
    const [office, events] = enter(leader, { ...resign, to: 'b' }, 0);
    expect(events).toEqual([
      { type: 'ended', token: 7n, reason: 'resigned' },
      { type: 'resign', to: 'b' },
    ]);
    expect(office).toMatchObject({ belief: undecided, resigning: true, tenure: { over: true } });
    expect(office.tenure).not.toBeNull();
  });

  it('ends as stopped when it resigns because it stops', () => {
    const [, events] = enter(leader, { type: 'resign', reason: 'stopped' }, 0);
    expect(events).toEqual([{ type: 'ended', token: 7n, reason: 'stopped' }, { type: 'resign' }]);
  });

  it('ends, and leaves a vacant office, when it closes', () => {
    const ended = { type: 'ended', token: 7n, reason: 'storage-failed' };
    expect(enter(leader, { type: 'close', reason: 'storage-failed' }, 0)).toEqual([vacant, [ended]]);
  });
});

describe('given a leader whose lease has run out while the protocol has not stepped down', () => {
  const lapsed = enter(leader, look, 100)[0];

  it('it ends once', () => {
    expect(enter(lapsed, look, 200)).toEqual([lapsed, []]);
    expect(enter(lapsed, stepDown('lease-expired'), 200)).toEqual([vacant, []]);
    expect(enter(lapsed, { type: 'close', reason: 'stopped' }, 200)).toEqual([vacant, []]);
  });

  it('a late renewal does not bring it back, and the protocol is told again when that has run out', () => {
    const [renewed, events] = enter(lapsed, lead(7n, 100, 100), 110);
    expect([isLeading(renewed), events]).toEqual([false, []]);
    expect(enter(renewed, look, 199)[1]).toEqual([]);
    expect(enter(renewed, look, 200)[1]).toEqual([{ type: 'expired', token: 7n, deadlineMs: 200 }]);
  });

  it('the protocol may follow another', () => {
    expect(enter(lapsed, effect({ type: 'follow', leaderId: 'b', token: 8n }), 100)[1]).toEqual([]);
  });

  it('a campaign waits until the protocol has stepped down, and then stands', () => {
    const [waiting, events] = enter(lapsed, campaign, 100);
    expect([waiting.wanted, maySeekOffice(waiting), events]).toEqual([true, false, []]);
    expect(enter(waiting, stepDown('lease-expired'), 100)).toEqual([
      { ...vacant, wanted: true },
      [{ type: 'stand', afterMs: 0 }],
    ]);
  });

  it('resigning asks the protocol, for it may not know', () => {
    expect(enter(lapsed, resign, 100)[1]).toEqual([{ type: 'resign' }]);
  });
});

describe('given a leader that resigns and whose protocol has not answered', () => {
  it('resigning again asks no second time', () => {
    expect(enter(resigningLeader, resign, 0)).toEqual([resigningLeader, []]);
  });

  it('resigning again takes back a campaign that came in between', () => {
    const [again] = enter(resigningLeader, campaign, 0);
    expect(enter(again, resign, 0)).toEqual([resigningLeader, []]);
  });

  it('a campaign waits until it has resigned, and then stands', () => {
    const [waiting, events] = enter(resigningLeader, campaign, 0);
    expect([waiting.wanted, maySeekOffice(waiting), events]).toEqual([true, false, []]);
    const [again, after] = enter(waiting, stepDown('resigned'), 0);
    expect(after).toEqual([{ type: 'resigned' }, { type: 'stand', afterMs: 0 }]);
    expect(again).toEqual({ ...vacant, wanted: true });
  });

  it('losing office for another reason is no answer, and nobody stands meanwhile', () => {
    const [waiting] = enter(resigningLeader, campaign, 0);
    const [office, events] = enter(waiting, stepDown('deposed'), 0);
    expect(events).toEqual([]);
    expect(office).toEqual({ ...vacant, wanted: true, resigning: true });
  });

  it('the protocol is told when the lease runs out, and the application does not hear it twice', () => {
    expect(enter(resigningLeader, look, 100)[1]).toEqual([{ type: 'expired', token: 7n, deadlineMs: 100 }]);
  });

  it('closing answers for the protocol', () => {
    expect(enter(resigningLeader, { type: 'close', reason: 'stopped' }, 0)).toEqual([
      vacant,
      [{ type: 'resigned' }],
    ]);
    expect(enter(enter(candidate, resign, 0)[0], { type: 'close', reason: 'stopped' }, 0)[1]).toEqual([
      { type: 'resigned' },
    ]);
  });
});

describe('given a candidate that resigns and whose protocol wins meanwhile', () => {
  const [tooLate, events] = enter(enter(candidate, resign, 0)[0], lead(7n, 100), 0);

  it('the application never hears of it', () => {
    expect([isLeading(tooLate), tooLate.belief, events]).toEqual([false, undecided, []]);
    expect(tooLate.tenure).toEqual({ token: 7n, deadlineMs: 100, over: true, lapsed: false });
  });

  it('nor when the protocol steps down', () => {
    expect(enter(tooLate, stepDown('resigned'), 0)).toEqual([vacant, [{ type: 'resigned' }]]);
  });
});
