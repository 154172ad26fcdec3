/**
 * What a driver owes the application, decided purely: when a Leadership begins and ends, what resigning means, when
 * a node stands again, and which effects a protocol may not have. The runtime, the simulator and the explorer carry
 * out the same events, so a protocol that breaks its contract breaks it in all three.
 */

import type { Belief, FencingToken, NodeId } from '../elector.js';
import type { StepDownReason } from '../errors.js';
import { believe, type Input, type MachineTypes, type RoleEffect, undecided } from './protocol.js';

/** One Leadership, from the protocol's `lead` to its `step-down`. The application's side of it may be over sooner. */
export interface Tenure {
  readonly token: FencingToken;
  /** On the driver's clock; `Infinity` where no lease bounds it. */
  readonly deadlineMs: number;
  /** The application leads no more, and with this tenure never will again. */
  readonly over: boolean;
  /** The protocol has been told that the present deadline has passed. */
  readonly lapsed: boolean;
}

export interface Office {
  readonly id: NodeId;
  readonly belief: Belief;
  readonly tenure: Tenure | null;
  /** The application waits to lead. One campaign, one Leadership: beginning ends the wish. */
  readonly wanted: boolean;
  /** The protocol has been asked to resign and has not answered. */
  readonly resigning: boolean;
}

/** What comes before the office. */
export type Entry =
  /** An effect of the protocol, the clock reading that its step was given, and the input that the step answered. */
  | {
      readonly type: 'effect';
      readonly effect: RoleEffect;
      readonly steppedMs: number;
      readonly answers: Input<MachineTypes>['type'];
    }
  /** The application asks to lead. */
  | { readonly type: 'campaign' }
  /** The application asks not to lead, or leaves altogether. */
  | { readonly type: 'resign'; readonly reason: 'resigned' | 'stopped'; readonly to?: NodeId }
  /** Time has passed. */
  | { readonly type: 'look-at-clock' }
  /** The node leaves the election, whatever the protocol has to say. */
  | { readonly type: 'close'; readonly reason: StepDownReason };

/** What the driver has to carry out, in this order. A change of belief is seen in the office itself. */
export type OfficeEvent =
  | { readonly type: 'began'; readonly token: FencingToken; readonly deadlineMs: number }
  | { readonly type: 'renewed'; readonly deadlineMs: number }
  /** The application leads no more. */
  | { readonly type: 'ended'; readonly token: FencingToken; readonly reason: StepDownReason }
  /** Hand the protocol `lease-expired`, before anything else. */
  | { readonly type: 'expired'; readonly token: FencingToken; readonly deadlineMs: number }
  /** Hand the protocol `campaign-requested` after this long, if `maySeekOffice` still says so. */
  | { readonly type: 'stand'; readonly afterMs: number }
  /** Hand the protocol `resign-requested`. */
  | { readonly type: 'resign'; readonly to?: NodeId }
  /** What was asked for by `resign` is done, as soon as the rest of the step is. */
  | { readonly type: 'resigned' }
  /** The protocol broke its contract. Its node can keep no promise any more and must leave. */
  | { readonly type: 'violated'; readonly what: string };

export type Ruling = readonly [office: Office, events: readonly OfficeEvent[]];

/** A protocol that answers `campaign-requested` with `step-down` is asked again, but not in a tight loop. */
export const campaignRetryMs = 100;

export const vacantOffice = (id: NodeId): Office => ({
  id,
  belief: undecided,
  tenure: null,
  wanted: false,
  resigning: false,
});

/** Spelled out, and not spread, for the sake of speed: docs/decisions/0015. */
function change(office: Office, changes: Partial<Office>): Office {
  const { id, belief, tenure, wanted, resigning } = office;
  const copy: Office = { id, belief, tenure, wanted, resigning };
  return Object.assign(copy, changes);
}

/** Whether the application holds a Leadership. */
export function isLeading({ tenure }: Office): boolean {
  return tenure !== null && !tenure.over;
}

/** Whether `campaign-requested` may be handed to the protocol: it has nothing left to step down from. */
export function maySeekOffice({ wanted, tenure, resigning }: Office): boolean {
  return wanted && tenure === null && !resigning;
}

/** `nowMs` is the driver's clock as it is now, which may be later than what the step was given. */
export function enter(office: Office, entry: Entry, nowMs: number): Ruling {
  switch (entry.type) {
    case 'effect':
      return onEffect(office, entry, nowMs);
    case 'campaign':
      return campaign(office);
    case 'resign':
      return resign(office, entry.reason, entry.to);
    case 'look-at-clock':
      return lookAtClock(office, nowMs);
    case 'close':
      return close(office, entry.reason);
  }
}

function onEffect(
  office: Office,
  { effect, steppedMs, answers }: Extract<Entry, { type: 'effect' }>,
  nowMs: number,
): Ruling {
  switch (effect.type) {
    case 'lead':
      return lead(office, effect, steppedMs, nowMs);
    case 'step-down':
      return stepDown(office, effect, answers === 'campaign-requested' ? campaignRetryMs : 0);
    case 'campaign':
    case 'follow':
      if (isLeading(office)) return violated(office, `'${effect.type}' while leading`);
      return [change(office, { belief: believe(office.id, office.belief, effect) }), []];
  }
}

// ---- What the protocol does ----------------------------------------------------------------------------

type Lead = Extract<RoleEffect, { type: 'lead' }>;

function lead(office: Office, effect: Lead, steppedMs: number, nowMs: number): Ruling {
  const deadlineMs = steppedMs + (effect.validForMs ?? Number.POSITIVE_INFINITY);
  // A lease without an end would be taken for one that never ends.
  if (Number.isNaN(deadlineMs)) return violated(office, `'lead' for ${effect.validForMs} ms`);
  const { tenure } = office;
  if (tenure === null) return begin(office, effect, deadlineMs, nowMs);
  const { token, over } = tenure;
  if (token !== effect.token) {
    return violated(office, `'lead' with token ${effect.token} while leading with ${token}`);
  }
  const renewed = change(office, { tenure: { token, deadlineMs, over, lapsed: false } });
  const [after, events] = lookAtClock(renewed, nowMs);
  return isLeading(after) ? [after, [{ type: 'renewed', deadlineMs }]] : [after, events];
}

function begin(office: Office, effect: Lead, deadlineMs: number, nowMs: number): Ruling {
  const { token } = effect;
  // Asked to resign in the meantime: the protocol will step down, and the application never hears of it.
  if (office.resigning)
    return [change(office, { tenure: { token, deadlineMs, over: true, lapsed: false } }), []];
  if (!office.wanted) return violated(office, "'lead' although the application did not campaign");
  // A slow disk may have used up the lease before it could be granted.
  if (nowMs >= deadlineMs) {
    const tenure: Tenure = { token, deadlineMs, over: true, lapsed: true };
    return [change(office, { tenure }), [{ type: 'expired', token, deadlineMs }]];
  }
  const belief = believe(office.id, office.belief, effect);
  const tenure: Tenure = { token, deadlineMs, over: false, lapsed: false };
  return [change(office, { belief, tenure, wanted: false }), [{ type: 'began', token, deadlineMs }]];
}

function stepDown(
  office: Office,
  effect: Extract<RoleEffect, { type: 'step-down' }>,
  standAgainAfterMs: number,
): Ruling {
  const [ended, events] = endLeadership(office, effect.reason);
  const hasResigned = office.resigning && effect.reason === 'resigned';
  const after = change(ended, {
    belief: believe(office.id, ended.belief, effect),
    tenure: null,
    resigning: office.resigning && !hasResigned,
  });
  return [
    after,
    [
      ...events,
      ...(hasResigned ? [{ type: 'resigned' } as const] : []),
      // A step-down ends the candidacy, but not the wish of an application that still waits.
      ...(maySeekOffice(after) ? [{ type: 'stand', afterMs: standAgainAfterMs } as const] : []),
    ],
  ];
}

function violated(office: Office, what: string): Ruling {
  return [office, [{ type: 'violated', what }]];
}

// ---- What the application asks for ---------------------------------------------------------------------

function campaign(office: Office): Ruling {
  if (office.wanted || isLeading(office)) return [office, []];
  const wanting = change(office, { wanted: true });
  // Otherwise the protocol has yet to step down from what came before, and `stand` follows that.
  return [wanting, maySeekOffice(wanting) ? [{ type: 'stand', afterMs: 0 }] : []];
}

function resign(office: Office, reason: StepDownReason, to: NodeId | undefined): Ruling {
  const { wanted, tenure, resigning } = office;
  if (resigning) return [change(office, { wanted: false }), []];
  if (!wanted && tenure === null) return [office, [{ type: 'resigned' }]];
  // Before the protocol hears of it: no message may invite a successor while the work still goes on.
  const [ended, events] = endLeadership(office, reason);
  const request = to === undefined ? ({ type: 'resign' } as const) : ({ type: 'resign', to } as const);
  return [change(ended, { wanted: false, resigning: true }), [...events, request]];
}

// ---- What time does ------------------------------------------------------------------------------------

function lookAtClock(office: Office, nowMs: number): Ruling {
  const { tenure } = office;
  if (tenure === null || tenure.lapsed || nowMs < tenure.deadlineMs) return [office, []];
  const { token, deadlineMs } = tenure;
  const [ended, events] = endLeadership(office, 'lease-expired');
  return [
    change(ended, { tenure: { token, deadlineMs, over: true, lapsed: true } }),
    [...events, { type: 'expired', token, deadlineMs }],
  ];
}

function close(office: Office, reason: StepDownReason): Ruling {
  const [, events] = endLeadership(office, reason);
  return [vacantOffice(office.id), office.resigning ? [...events, { type: 'resigned' }] : events];
}

/** Ends the application's side. The tenure lasts until the protocol has stepped down, too. */
function endLeadership(office: Office, reason: StepDownReason): Ruling {
  const { id, belief, tenure } = office;
  if (tenure === null || tenure.over) return [office, []];
  const { token, deadlineMs, lapsed } = tenure;
  return [
    change(office, {
      belief: believe(id, belief, { type: 'step-down', reason }),
      tenure: { token, deadlineMs, over: true, lapsed },
    }),
    [{ type: 'ended', token, reason }],
  ];
}
